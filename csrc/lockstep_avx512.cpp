#include "lockstep.hpp"

namespace hott::lockstep {

void solve_avx512(Group& group) { solve<16>(group); }

}  // namespace hott::lockstep
