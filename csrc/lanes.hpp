// N 32-bit integers that are worked on together, one problem a lane.
//
// GCC and Clang turn their vector types into whatever the target has: one AVX-512 register for 16 lanes, two SSE or
// NEON registers for 8. Everything here has internal linkage and uses nothing of the standard library: the source is
// compiled for several instruction sets in one program, and the linker must never take one copy for another.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors only pass between functions that are inlined
#endif

namespace {

#if defined(__GNUC__)

template <int N>
struct LanesOf {
    typedef std::int32_t type __attribute__((vector_size(4 * N)));
};
template <int N>
using Lanes = typename LanesOf<N>::type;

template <class V>
inline V all(std::int32_t x) {
    return V{} + x;
}

// A comparison gives a mask: all ones where it holds, else 0.
template <class V>
inline V select(V mask, V a, V b) {
    return mask ? a : b;
}

#else

template <int N>
struct Lanes {
    std::int32_t lane[N];

    Lanes() = default;
    Lanes(std::int32_t x) : Lanes(each([x](int) { return x; })) {}
    template <class F>
    static Lanes each(F f) {
        Lanes out;
        for (int l = 0; l < N; ++l) out.lane[l] = static_cast<std::int32_t>(f(l));
        return out;
    }
    std::int32_t operator[](int l) const { return lane[l]; }
    friend Lanes operator+(Lanes a, Lanes b) { return each([&](int l) { return a[l] + b[l]; }); }
    friend Lanes operator-(Lanes a, Lanes b) { return each([&](int l) { return a[l] - b[l]; }); }
    friend Lanes operator*(Lanes a, Lanes b) { return each([&](int l) { return a[l] * b[l]; }); }
    friend Lanes operator&(Lanes a, Lanes b) { return each([&](int l) { return a[l] & b[l]; }); }
    friend Lanes operator|(Lanes a, Lanes b) { return each([&](int l) { return a[l] | b[l]; }); }
    friend Lanes operator^(Lanes a, Lanes b) { return each([&](int l) { return a[l] ^ b[l]; }); }
    friend Lanes operator<<(Lanes a, Lanes b) { return each([&](int l) { return std::uint32_t(a[l]) << b[l]; }); }
    friend Lanes operator>>(Lanes a, Lanes b) { return each([&](int l) { return a[l] >> b[l]; }); }
    friend Lanes operator<(Lanes a, Lanes b) { return each([&](int l) { return -(a[l] < b[l]); }); }
    friend Lanes operator>(Lanes a, Lanes b) { return b < a; }
    friend Lanes operator<=(Lanes a, Lanes b) { return ~(b < a); }
    friend Lanes operator>=(Lanes a, Lanes b) { return ~(a < b); }
    friend Lanes operator==(Lanes a, Lanes b) { return each([&](int l) { return -(a[l] == b[l]); }); }
    friend Lanes operator!=(Lanes a, Lanes b) { return each([&](int l) { return -(a[l] != b[l]); }); }
    Lanes operator~() const { return each([&](int l) { return ~lane[l]; }); }
};

template <class V>
inline V all(std::int32_t x) {
    return V(x);
}
template <class V>
inline V select(V mask, V a, V b) {
    return (mask & a) | (~mask & b);
}

#endif

template <class V>
inline V min(V a, V b) {
    return select<V>(a < b, a, b);
}
// GCC does not find these instructions by itself.
#if defined(__AVX2__)
inline Lanes<8> min(Lanes<8> a, Lanes<8> b) { return Lanes<8>(_mm256_min_epi32(__m256i(a), __m256i(b))); }
#endif
#if defined(__AVX512F__)
inline Lanes<16> min(Lanes<16> a, Lanes<16> b) {
    return Lanes<16>(_mm512_maskz_min_epi32(0xffff, __m512i(a), __m512i(b)));
}
#endif

template <class V>
inline bool any(V mask) {
    std::uint64_t words[sizeof(V) / 8], found = 0;
    std::memcpy(words, &mask, sizeof(V));
    for (std::uint64_t word : words) found |= word;
    return found != 0;
}

template <class V>
inline V load(const std::int32_t* from) {
    V v;
    std::memcpy(&v, from, sizeof(V));
    return v;
}

template <class V>
inline void store(std::int32_t* to, V v) {
    std::memcpy(to, &v, sizeof(V));
}

}  // namespace
