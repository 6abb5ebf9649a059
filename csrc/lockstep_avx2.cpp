#include "lockstep.hpp"

namespace hott::lockstep {

void solve_avx2(Group& group) { solve<8>(group); }

}  // namespace hott::lockstep
