// A group of small transport problems, one a lane, as the lockstep kernel takes them and gives them back.
#pragma once

#include <cstdint>

#include "precision.h"

namespace hott::lockstep {

// The columns that a kernel is made for, where there are so many: in the wider one only every fourth number.
constexpr int padded_columns(int words, int columns) { return words == 1 ? columns : (columns + 3) / 4 * 4; }

// Problems in a group; a kernel takes as many of them at a time as its registers have lanes.
constexpr int lanes = 16;

// Problem l's part of quantity k is at [k * lanes + l]. Row i is node i, column j the (j + 1)-th last node, whatever the
// size, so that a problem is solved by the same steps in whichever company.
struct Group {
    // Of a set of nodes, all that the problems can have: the most rows and the most columns, padded, are together no more.
    int words;
    int nodes() const { return words * word_bits; }
    int column_node(int j) const { return nodes() - 1 - j; }

    // The problems. A cost is at [(site of the row + first) * sites + site of the column]; in `rounded` it is an integer,
    // << index_bits. Masses and sites are read beyond a problem's own, as far as others of the group have rows and columns.
    int sites;
    const std::int32_t* rounded;
    const double* exact;
    alignas(64) std::int32_t row_count[lanes], column_count[lanes], first[lanes];
    const double *row_mass[lanes], *column_mass[lanes];
    const std::int32_t *row_site[lanes], *column_site[lanes];

    // The problems as they are solved: the masses' totals, their integers, and what these leave over, of a column negated;
    // where costs are: those of row i and column j at [place of i + place of j]. All 0 for nodes beyond a problem's own.
    double row_total[lanes], column_total[lanes];
    alignas(64) std::int32_t place[max_nodes * lanes];
    alignas(64) std::int32_t mass[max_nodes * lanes];
    alignas(64) double rest[max_nodes * lanes];

    // The solutions: an optimal basis, a spanning tree. A basic arc lives in a slot; a node's path is the set of the
    // slots between it and the root, word by word.
    alignas(64) std::int32_t path[max_words * max_nodes * lanes];
    alignas(64) std::int32_t arc[max_nodes * lanes];            // place of its cost, by slot
    alignas(64) std::int32_t child_is_row[max_words * lanes];  // the slots whose end away from the root is a row
    // What the integer masses cost, exactly, and what the integer potentials, << index_bits, say of the rest.
    double value[lanes], value_of_rest[lanes];
    // How far it is from another optimum: the least flow, and the number of arcs whose reduced cost is within
    // `near_cost`, the basic ones among them. Not finished: -1 arcs.
    alignas(64) std::int32_t least_flow[lanes], near_arcs[lanes];

    alignas(64) std::int32_t cost[max_columns * max_columns * lanes];  // scratch: [row * columns + column]
};

}  // namespace hott::lockstep
