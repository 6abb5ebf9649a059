// For any machine but a 64-bit ARM, whose own vector instructions are always there.
#if !defined(__aarch64__)
#include "kernels_for.hpp"

namespace hott {
extern constexpr Kernels baseline_kernels = kernels_for<4>("baseline");
extern constexpr EncoderKernels baseline_encoder = encoder_kernels_for("baseline");
}  // namespace hott
#endif
