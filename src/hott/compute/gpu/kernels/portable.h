// What the kernels need from the compiler, so that one source serves CUDA (nvcc, NVRTC) and plain C++: the core shares
// some of it, and the tests run the solver on the CPU, a single thread at a time.
#pragma once

#include "functions.h"

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#endif

namespace hott {

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

// A warp goes on as long as one of its lanes has to.
HOTT_DEVICE bool any_lane(bool mine) { return __any_sync(0xffffffffu, mine); }
HOTT_DEVICE int most_of_lanes(int mine) { return __reduce_max_sync(0xffffffffu, mine); }
HOTT_DEVICE int lowest_bit(u32 bits) { return __ffs(bits) - 1; }
HOTT_DEVICE int lowest_bit(u64 bits) { return __ffsll(bits) - 1; }
HOTT_DEVICE int count_bits(u32 bits) { return __popc(bits); }
HOTT_DEVICE int leading_zeros(u32 bits) { return __clz(bits); }
HOTT_DEVICE u32 high_product(u32 a, u32 b) { return __umulhi(a, b); }
HOTT_DEVICE u32 bits_of(float x) { return __float_as_uint(x); }
HOTT_DEVICE float from_bits(u32 bits) { return __uint_as_float(bits); }
HOTT_DEVICE u32 low_bits(double x) { return __double2loint(x); }
HOTT_DEVICE u32 high_bits(double x) { return __double2hiint(x); }
HOTT_DEVICE double from_bits(u32 low, u32 high) { return __hiloint2double(high, low); }
HOTT_DEVICE double not_a_number() { return __longlong_as_double(0x7ff8000000000000LL); }
HOTT_DEVICE float product(float a, float b) { return __fmul_rn(a, b); }  // rounded before anything is added to it
HOTT_DEVICE void add_to(int* place, int more) { atomicAdd(place, more); }

// A warp that works on one thing together.
constexpr int warp_lanes = 32;
HOTT_DEVICE int own_lane() { return threadIdx.x % warp_lanes; }
template <class T>
HOTT_DEVICE T from_lane(T mine, int lane) {
    return __shfl_sync(0xffffffffu, mine, lane);
}
HOTT_DEVICE int first_lane(bool mine) { return __ffs(__ballot_sync(0xffffffffu, mine)) - 1; }  // -1: none
HOTT_DEVICE float sum_up_to_lane(float mine) {
    HOTT_UNROLL
    for (int step = 1; step < warp_lanes; step *= 2) {
        const float before = __shfl_up_sync(0xffffffffu, mine, step);
        if (own_lane() >= step) mine += before;
    }
    return mine;
}

#else

using std::max;
using std::min;

struct alignas(8) int2 {
    int x, y;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
inline bool any_lane(bool mine) { return mine; }
inline int most_of_lanes(int mine) { return mine; }
inline int lowest_bit(u32 bits) { return bits ? __builtin_ctz(bits) : -1; }
inline int lowest_bit(u64 bits) { return bits ? __builtin_ctzll(bits) : -1; }
inline int count_bits(u32 bits) { return __builtin_popcount(bits); }
inline int leading_zeros(u32 bits) { return bits ? __builtin_clz(bits) : 32; }
inline u32 high_product(u32 a, u32 b) { return static_cast<u32>(std::uint64_t{a} * b >> 32); }
template <class To, class From>
inline To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
inline u32 bits_of(float x) { return same_bits<u32>(x); }
inline float from_bits(u32 bits) { return same_bits<float>(bits); }
inline u32 low_bits(double x) { return static_cast<u32>(same_bits<std::uint64_t>(x)); }
inline u32 high_bits(double x) { return static_cast<u32>(same_bits<std::uint64_t>(x) >> 32); }
inline double from_bits(u32 low, u32 high) { return same_bits<double>(std::uint64_t{high} << 32 | low); }
inline double not_a_number() { return std::numeric_limits<double>::quiet_NaN(); }
inline float product(float a, float b) { return a * b; }
inline void add_to(int* place, int more) { *place += more; }

constexpr int warp_lanes = 1;
inline int own_lane() { return 0; }
template <class T>
inline T from_lane(T mine, int) {
    return mine;
}
inline int first_lane(bool mine) { return mine ? 0 : -1; }
inline float sum_up_to_lane(float mine) { return mine; }

#endif

// A set of up to 32 or, wide, of up to 64 numbers, and its upper half.
template <bool Wide>
struct MaskOf {
    typedef u32 type;
};
template <>
struct MaskOf<true> {
    typedef u64 type;
};
HOTT_DEVICE u32 high_half(u32) { return 0; }
HOTT_DEVICE u32 high_half(u64 mask) { return static_cast<u32>(mask >> 32); }
HOTT_DEVICE u32 with_high_half(u32 low, u32) { return low; }
HOTT_DEVICE u64 with_high_half(u64 low, u32 high) { return u64{high} << 32 | low; }

// Where two documents meet, the lesser mass stays if it may: what is left of one of them there.
template <class Real>
HOTT_BOTH Real left_over(Real mass, Real other) {
    return mass > other ? mass - other : Real(0);
}

}  // namespace hott
