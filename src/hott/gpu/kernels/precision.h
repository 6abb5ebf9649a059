// How the two solvers of small problems round costs and masses, and pack them: simplex_lanes.h, one problem a vector
// lane of the CPU, and simplex_thread.h, one a thread of the GPU. Python has these numbers from the core.
#pragma once

namespace hott {

// The low bits of a column's price hold its number in its group of 16 columns, those of a flow the number of its slot in
// its group of 32 basic arcs: one minimum then gives both.
constexpr int index_bits = 4, index_mask = (1 << index_bits) - 1;
constexpr int slot_bits = 5, slot_mask = (1 << slot_bits) - 1;

namespace lockstep {

// A problem has at most 32 sites in all, of which at most 16 columns.
constexpr int nodes = 32, max_columns = 16;
// Costs are integers up to 2^22: a potential is a sum along a path, at most 16 costs either way, so that costs less
// potentials fit in 27 bits and a sign, and a column's number below them.
constexpr int max_cost = (1 << 22) - 1;
// Masses are integers that sum to a little under 2^26, a slot's number below them.
constexpr int total_mass = (1 << 26) - 64;
// Rounding moves a reduced cost by at most half a unit for each arc of its cycle.
constexpr int near_cost = max_columns;
// Rounding moves no flow by more: 1.5 for each of up to 31 rows, 0.5 for each column, and as much again in one of them.
constexpr int near_flow = 128;
// More than any cost, potential or flow, with room to add.
constexpr int large = 1 << 30;
constexpr int max_pivots = 256;  // real topics need 5 on average

}  // namespace lockstep

namespace thread {

// A problem has at most 32 rows and 32 columns.
constexpr int max_side = 32;
// Costs are integers up to 2^25. Potentials of an optimum lie within that, either way: the root's is 0, and costs are
// not negative. So costs less potentials fit in 27 bits and a sign. On the way there potentials may be larger, or even
// wrap around: that can lead the wrong way, but to no false optimum.
constexpr int max_cost = 1 << 25;
constexpr int large = max_cost / 4 * 5 << index_bits;
// Masses are integers that sum to a little under 2^27.
constexpr int total_mass = (1 << 27) - 64;
// An arc is its row << arc_bits | its column.
constexpr int arc_bits = 5, arc_mask = (1 << arc_bits) - 1;
constexpr int max_pivots = 250;

}  // namespace thread
}  // namespace hott
