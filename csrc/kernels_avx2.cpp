// Compiled with -march=x86-64-v3.
#include "kernels_for.hpp"

namespace hott {
extern constexpr Kernels avx2_kernels = kernels_for<8>("avx2");
extern constexpr EncoderKernels avx2_encoder = encoder_kernels_for("avx2");
}  // namespace hott
