// How a function is marked for CUDA (nvcc, NVRTC) and for plain C++, and the names of unsigned numbers. Nothing of the
// standard library: the CPU's kernels, which must not have any (see simd.hpp), include this as well.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HOTT_DEVICE __device__ __forceinline__
#define HOTT_BOTH __host__ __device__ __forceinline__
#define HOTT_UNROLL _Pragma("unroll")
#define HOTT_SMALL _Pragma("unroll 1")  // a loop that few problems come to: small code, not fast
#else
#define HOTT_DEVICE inline
#define HOTT_BOTH inline
#define HOTT_UNROLL
#define HOTT_SMALL
#endif

namespace hott {

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;

}  // namespace hott
