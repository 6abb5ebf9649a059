#include "bounds_kernel.hpp"

namespace hott {
const BoundKernel avx2_bounds = &bounds_for;
}  // namespace hott
