#include "lockstep.hpp"

namespace hott::lockstep {
extern const Kernel avx512_kernel;
const Kernel avx512_kernel{16, &solve<16>};
}  // namespace hott::lockstep
