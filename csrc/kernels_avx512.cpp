// Compiled with -march=x86-64-v4.
#include "kernels_for.hpp"

namespace hott {
extern constexpr Kernels avx512_kernels = kernels_for<16>("avx512");
extern constexpr EncoderKernels avx512_encoder = encoder_kernels_for("avx512");
}  // namespace hott
