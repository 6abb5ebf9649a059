#include "bounds_kernel.hpp"

namespace hott {
const BoundKernel baseline_bounds = &bounds_for;
}  // namespace hott
