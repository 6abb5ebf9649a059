#include "lockstep.hpp"

namespace hott::lockstep {
extern const Kernel baseline_kernel;
const Kernel baseline_kernel{4, &solve<4>};
}  // namespace hott::lockstep
