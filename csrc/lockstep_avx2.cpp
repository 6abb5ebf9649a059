// Compiled with -march=x86-64-v3.
#if defined(__x86_64__) && defined(__GNUC__)
#include "lockstep.hpp"

namespace hott::lockstep {

void solve_avx2(Group& group) { solve<8>(group); }

}  // namespace hott::lockstep
#endif
