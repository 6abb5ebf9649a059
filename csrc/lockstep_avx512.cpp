// Compiled with -march=x86-64-v4.
#if defined(__x86_64__) && defined(__GNUC__)
#include "lockstep.hpp"

namespace hott::lockstep {

void solve_avx512(Group& group) { solve<16>(group); }

}  // namespace hott::lockstep
#endif
