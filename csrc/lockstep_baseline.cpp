// For any machine.
#include "lockstep.hpp"

namespace hott::lockstep {

void solve_baseline(Group& group) { solve<4>(group); }

}  // namespace hott::lockstep
