#include "bounds_kernel.hpp"

namespace hott {
const BoundKernels avx2_bounds = {&bounds_for, &bounds_in_tile};
}  // namespace hott
