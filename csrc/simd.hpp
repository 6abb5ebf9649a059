// N 32-bit integers or floats that are worked on together.
//
// GCC and Clang turn their vector types into whatever the target has: one AVX-512 register for 16 lanes, two SSE or
// NEON registers for 8. Everything here has internal linkage and uses nothing of the standard library: the kernels are
// compiled for several instruction sets in one program, and the linker must never take one copy for another.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors only pass between functions that are inlined
#endif

namespace {

template <class T, int N>
struct VectorOf {
    typedef T type __attribute__((vector_size(sizeof(T) * N)));
};
template <int N>
using Ints = typename VectorOf<std::int32_t, N>::type;
template <int N>
using Floats = typename VectorOf<float, N>::type;
template <int N>
using Doubles = typename VectorOf<double, N>::type;
template <class V>
using Element = std::remove_reference_t<decltype(V{}[0])>;

template <class V>
inline V all(Element<V> x) {
    return x - V{};
}

// A comparison gives a mask: all ones where it holds, else 0.
template <class V>
inline V select(Ints<sizeof(V) / 4> mask, V a, V b) {
    return mask ? a : b;
}

template <class V>
inline V min(V a, V b) {
    return a < b ? a : b;
}
// GCC does not find these instructions by itself.
#if defined(__AVX2__)
inline Ints<8> min(Ints<8> a, Ints<8> b) { return Ints<8>(_mm256_min_epi32(__m256i(a), __m256i(b))); }
#elif defined(__aarch64__)
inline Ints<4> min(Ints<4> a, Ints<4> b) { return Ints<4>(vminq_s32(int32x4_t(a), int32x4_t(b))); }
#endif
#if defined(__AVX512F__)
inline Ints<16> min(Ints<16> a, Ints<16> b) {
    return Ints<16>(_mm512_maskz_min_epi32(0xffff, __m512i(a), __m512i(b)));
}
#endif

// In the same order on every machine.
inline float sum(Floats<8> x) { return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])); }

template <class V>
inline V gather(const Element<V>* from, V places) {
    V found;
    for (unsigned l = 0; l < sizeof(V) / sizeof(found[0]); ++l) found[l] = from[places[l]];
    return found;
}
#if defined(__AVX2__)
inline Ints<8> gather(const std::int32_t* from, Ints<8> places) {
    return Ints<8>(_mm256_i32gather_epi32(from, __m256i(places), 4));
}
#endif

template <class V>
inline bool any(V mask) {
    std::uint64_t words[sizeof(V) / 8], found = 0;
    std::memcpy(words, &mask, sizeof(V));
    for (std::uint64_t word : words) found |= word;
    return found != 0;
}
#if defined(__AVX2__)
inline bool any(Ints<8> mask) { return !_mm256_testz_si256(__m256i(mask), __m256i(mask)); }
#endif

template <class V>
inline V load(const Element<V>* from) {
    V v;
    std::memcpy(&v, from, sizeof(V));
    return v;
}

template <class V>
inline void store(Element<V>* to, V v) {
    std::memcpy(to, &v, sizeof(V));
}

}  // namespace
