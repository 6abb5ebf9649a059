// Compiled with -march=x86-64-v4 -mavx512vnni: the one loop that gains by it.
#include "encoder_kernel.hpp"

namespace hott {
extern constexpr EncoderKernels vnni_encoder = encoder_kernels_for("avx512vnni");
}  // namespace hott
