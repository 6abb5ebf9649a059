// A group of small transport problems, one a lane, as the lockstep kernel takes them and gives them back.
#pragma once

#include <cstdint>

namespace hott::lockstep {

// A problem has at most 32 sites in all. Row i is node i, column j is node 31 - j, whatever the size, so that a
// problem is solved by the same steps in whichever company.
constexpr int nodes = 32, max_columns = 16;
// Problems in a group; a kernel takes as many of them at a time as its registers have lanes.
constexpr int lanes = 16;
constexpr int column_node(int j) { return nodes - 1 - j; }

// Costs are integers up to 2^22: a potential is a sum along a path, at most 16 costs either way, so that costs less
// potentials fit in 27 bits and a sign, and the 4 bits below them hold a column's number.
constexpr int index_bits = 4;
constexpr std::int32_t max_cost = (1 << 22) - 1;
// Masses are integers that sum to a little under 2^26; the 5 bits below them hold the number of a basic arc.
constexpr int slot_bits = 5;
constexpr std::int32_t total_mass = (1 << 26) - 64;
// Rounding moves a reduced cost by at most half a unit for each arc of its cycle.
constexpr std::int32_t near_cost = max_columns;
// Rounding moves no flow by more: 1.5 for each of up to 31 rows, 0.5 for each column, and as much again in one of them.
constexpr std::int32_t near_flow = 128;
// More than any of either, with room to add.
constexpr std::int32_t large = 1 << 30;

// Problem l's part of quantity k is at [k * lanes + l].
struct Group {
    int rows, columns;  // the most in any problem; never more than 32 together

    // The problems: costs << index_bits, and for every node where its costs are. Row i and column j cost
    // table[place of i + place of j]. Nodes beyond a problem's own counts have place and mass 0.
    const std::int32_t* table;
    alignas(64) std::int32_t row_count[lanes], column_count[lanes];
    alignas(64) std::int32_t place[nodes * lanes];
    alignas(64) std::int32_t mass[nodes * lanes];

    // The solutions: an optimal basis, a spanning tree. A basic arc lives in a slot; a node's path is the set of the
    // slots between it and the root.
    alignas(64) std::int32_t path[nodes * lanes];
    alignas(64) std::int32_t potential[nodes * lanes];  // of a column, negated; both << index_bits
    alignas(64) std::int32_t arc[nodes * lanes];        // place in the table, by slot
    alignas(64) std::int32_t flow[nodes * lanes];       // by slot
    alignas(64) std::int32_t child_is_row[lanes];       // the slots whose end away from the root is a row
    // How far it is from another optimum: the least flow, and the number of arcs whose reduced cost is within
    // `near_cost`, the basic ones among them. Not finished: -1 arcs.
    alignas(64) std::int32_t least_flow[lanes], near_arcs[lanes];

    alignas(64) std::int32_t cost[(nodes - 1) * max_columns * lanes];  // scratch: [row * columns + column]
};

// Solves a group; compiled for several instruction sets.
using Kernel = void (*)(Group&);

}  // namespace hott::lockstep
