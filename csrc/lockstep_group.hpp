// A group of small transport problems, one a lane, as the lockstep kernel takes them and gives them back.
#pragma once

#include <cstdint>

#include "precision.h"

namespace hott::lockstep {

// Problems in a group; a kernel takes as many of them at a time as its registers have lanes.
constexpr int lanes = 16;
// Row i is node i, column j is node 31 - j, whatever the size, so that a problem is solved by the same steps in
// whichever company.
constexpr int column_node(int j) { return nodes - 1 - j; }

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

}  // namespace hott::lockstep
