// For any machine with 64-bit ARM instructions.
#if defined(__aarch64__)
#include "kernels_for.hpp"

namespace hott {
extern constexpr Kernels neon_kernels = kernels_for<4>("neon");
extern constexpr EncoderKernels neon_encoder = encoder_kernels_for("neon");
}  // namespace hott
#endif
