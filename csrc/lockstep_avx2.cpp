#include "lockstep.hpp"

namespace hott::lockstep {
extern const Kernel avx2_kernel;
const Kernel avx2_kernel{8, &solve<8>};
}  // namespace hott::lockstep
