// A group of small transport problems, one a lane, as the lockstep kernel takes them and gives them back.
#pragma once

#include <cstdint>

namespace hott::lockstep {

// A problem has at most 32 sites in all. Row i is node i, column j is node 31 - j, whatever the size, so that a
// problem is solved by the same steps in whichever company.
constexpr int nodes = 32, max_columns = 16, max_lanes = 16;
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
// More than any of either, with room to add.
constexpr std::int32_t large = 1 << 30;

struct Group {
    int lanes;          // lane l of quantity k is at [k * lanes + l]
    int rows, columns;  // the most in any lane; never more than 32 together

    // The problems: costs << index_bits, and for every node where its costs are. Row i and column j cost
    // table[place of i + place of j]. What a lane has not, nodes beyond its own counts, has place and mass 0.
    const std::int32_t* table;
    alignas(64) std::int32_t row_count[max_lanes], column_count[max_lanes];
    alignas(64) std::int32_t place[nodes * max_lanes];
    alignas(64) std::int32_t mass[nodes * max_lanes];

    // The solutions: an optimal basis, a spanning tree. A basic arc lives in a slot; a node's path is the set of the
    // slots between it and the root.
    alignas(64) std::int32_t path[nodes * max_lanes];
    alignas(64) std::int32_t potential[nodes * max_lanes];  // of a column, negated; both << index_bits
    alignas(64) std::int32_t arc[nodes * max_lanes];        // place in the table, by slot
    alignas(64) std::int32_t flow[nodes * max_lanes];       // by slot
    alignas(64) std::int32_t child_is_row[max_lanes];       // the slots whose end away from the root is a row
    // How far it is from another optimum: the least flow, and the number of arcs whose reduced cost is within
    // `near_cost`, the basic ones among them. Not finished: -1 arcs.
    alignas(64) std::int32_t least_flow[max_lanes], near_arcs[max_lanes];

    alignas(64) std::int32_t cost[(nodes - 1) * max_columns * max_lanes];  // scratch: [row * columns + column]
};

// The kernel, compiled for one instruction set.
struct Kernel {
    int lanes;
    void (*solve)(Group&);
};

}  // namespace hott::lockstep
