// For any machine with 64-bit ARM instructions.
#if defined(__aarch64__)
#include "kernels_for.hpp"

namespace hott {
extern constexpr Kernels neon_kernels = kernels_for<4>("neon");
}  // namespace hott
#endif
