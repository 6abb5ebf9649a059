// How the two solvers of small problems round costs and masses, and pack them: csrc/simplex_lanes.hpp, one problem a
// vector lane of the CPU, and simplex_thread.h, one a thread of the GPU. Python has these numbers from the core.
#pragma once

#include "functions.h"

namespace hott {

namespace lockstep {

// The low bits of a column's price hold its number, those of a flow the number of its slot: one minimum then gives both.
constexpr int index_bits = 5, index_mask = (1 << index_bits) - 1;
constexpr int slot_bits = 6, slot_mask = (1 << slot_bits) - 1;
// A problem has at most 32 sites in all, or 64 with sets of two words; at most half of them are columns.
constexpr int word_bits = 32, max_words = 2, max_nodes = max_words * word_bits, max_columns = max_nodes / 2;
// Costs are integers up to 2^23. Potentials of an optimum lie within that, either way: the root's is 0, and costs are not
// negative. On the way there they may be larger, or even wrap around: that can lead the wrong way, and is noticed.
constexpr int max_cost = (1 << 23) - 1;
// Masses are integers that sum to a little under 2^25, a slot's number below them.
constexpr int total_mass = (1 << 25) - 128;
// Rounding moves a reduced cost by at most half a unit for each arc of its cycle.
HOTT_BOTH constexpr int near_cost(int nodes) { return nodes / 2; }
// Rounding moves no flow by more: 1.5 for each row, 0.5 for each column, and as much again in one of them.
HOTT_BOTH constexpr int near_flow(int nodes) { return 4 * nodes; }
// More than any cost or flow, and than potentials of up to 3 times the largest cost, with room to add.
constexpr int large = 1 << 30;
constexpr int max_pivots = 512;  // real topics need 5 on average

}  // namespace lockstep

namespace thread {

// The same, in groups of 16 columns and of 32 basic arcs.
constexpr int index_bits = 4, index_mask = (1 << index_bits) - 1;
constexpr int slot_bits = 5, slot_mask = (1 << slot_bits) - 1;
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
