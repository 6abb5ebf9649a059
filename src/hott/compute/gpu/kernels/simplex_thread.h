// The transportation simplex for one small problem a thread: the algorithm of the CPU (csrc/simplex_lanes.hpp) with a warp
// for the vector, step by step under the same names.
//
// The basis is a spanning tree without pointers. Every basic arc has a slot, a number below 32, or 64 in large
// problems; every node keeps the set of slots on its path to the root as a bit mask. The cycle that an entering arc
// closes is then the exclusive or of two masks, and the nodes below the arc that leaves are those whose mask holds its
// slot.
//
// Flows and potentials live in registers, so they are only ever indexed by constants of unrolled loops. What a lane
// indexes by a number of its own lives in its column of the block's shared memory.
#pragma once

#include "layout.h"
#include "portable.h"
#include "precision.h"

namespace hott::thread {

// Costs from every site to the columns, four columns a load (two for the last, where Columns is no multiple of four).
// The table is there `Copies` times, each copy in memory banks of its own, and neighbouring lanes read different ones.
template <int Columns, int Copies>
struct CostTable {
    static_assert(Columns % 2 == 0 && (Copies > 1 || Columns % 4 == 0), "rows must start where a load may");
    static constexpr int fours = Columns / 4, twos = Columns % 4 / 2;
    static constexpr int groups = (Columns + index_mask) >> index_bits;

    const int* table;
    int copy;  // this lane's

    static HOTT_DEVICE int place(int site, int column, int copy) {
        const int first = column & ~3, width = first < 4 * fours ? 4 : 2;
        return site * (Columns * Copies) + first * Copies + copy * width + column - first;
    }
    HOTT_DEVICE int one(int site, int column) const { return table[place(site, column, copy)]; }

    // Calls f(cost, column) for every column.
    template <class F>
    HOTT_DEVICE void for_columns(int site, F f) const {
        HOTT_UNROLL
        for (int q = 0; q < fours; ++q) {
            const int4 c = *reinterpret_cast<const int4*>(table + place(site, 4 * q, copy));
            f(c.x, 4 * q), f(c.y, 4 * q + 1), f(c.z, 4 * q + 2), f(c.w, 4 * q + 3);
        }
        if (twos) {
            const int2 c = *reinterpret_cast<const int2*>(table + place(site, 4 * fours, copy));
            f(c.x, Columns - 2), f(c.y, Columns - 1);
        }
    }

    // The least cost from a site over each group of columns, given a price for each with the column's number in its low
    // bits.
    HOTT_DEVICE void cheapest(int site, const int (&price)[Columns], int (&least)[groups]) const {
        HOTT_UNROLL
        for (int g = 0; g < groups; ++g) least[g] = 0x7fffffff;
        for_columns(site, [&](int cost, int j) {
            int& of_group = least[j >> index_bits];
            of_group = min(of_group, cost + price[j]);
        });
    }
    // How many costs and prices sum to less than `limit`: those whose difference has the sign bit.
    HOTT_DEVICE int below(int limit, int site, const int (&price)[Columns]) const {
        u32 count = 0;
        for_columns(site, [&](int cost, int j) { count += static_cast<u32>(cost + price[j] - limit) >> 31; });
        return count;
    }
};

// One lane's column of shared memory, among those of all threads of the block.
template <int Rows, int Columns>
struct Scratch {
    static constexpr int nodes = Rows + Columns;
    static constexpr bool wide = nodes > 32;
    static constexpr int words = scratch_words(nodes), bytes = scratch_bytes(Rows, Columns);
    using Mask = typename MaskOf<wide>::type;  // a set of slots, or of nodes

    u32* word;
    u16* half;
    int threads;

    HOTT_DEVICE Scratch(void* memory, int thread, int threads)
        : word(static_cast<u32*>(memory) + thread),
          half(reinterpret_cast<u16*>(static_cast<u32*>(memory) + words * threads) + thread),
          threads(threads) {}

    // Node i is row i, node Rows + j is column j. What is needed at different times shares its place: masses first, as
    // they are and as integers, and the flows of the start; then paths, and the start's potentials; at last, where a
    // check needs them there, the optimum's.
    HOTT_DEVICE void path(int node, Mask slots) const {
        word[node * threads] = static_cast<u32>(slots);
        if (wide) word[(2 * nodes + node) * threads] = high_half(slots);
    }
    HOTT_DEVICE Mask path(int node) const {
        return with_high_half(Mask{word[node * threads]}, wide ? word[(2 * nodes + node) * threads] : 0);
    }
    HOTT_DEVICE u32& final_potential(int node) const { return word[node * threads]; }
    HOTT_DEVICE u32& mass(int node) const { return word[node * threads]; }
    HOTT_DEVICE void exact_mass(int node, double mass) const {
        word[node * threads] = low_bits(mass), word[(nodes + node) * threads] = high_bits(mass);
    }
    HOTT_DEVICE double exact_mass(int node) const {
        return from_bits(word[node * threads], word[(nodes + node) * threads]);
    }
    HOTT_DEVICE u32& potential(int node) const { return word[(nodes + node) * threads]; }
    HOTT_DEVICE u32& flow(int slot) const { return word[(nodes + slot) * threads]; }
    HOTT_DEVICE u16& site(int i) const { return half[i * threads]; }              // of row i
    HOTT_DEVICE u16& arc(int slot) const { return half[(Rows + slot) * threads]; }
};

template <int Rows, int Columns, int Copies>
class Simplex {
  public:
    using Mask = typename Scratch<Rows, Columns>::Mask;
    static constexpr int nodes = Rows + Columns, slots = nodes - 1;
    static constexpr int column_groups = CostTable<Columns, Copies>::groups;
    static constexpr int slot_groups = (slots + slot_mask) >> slot_bits;
    static_assert(Rows <= max_side && Columns <= max_side, "masks hold 32 rows, 32 columns and 64 slots");

    HOTT_DEVICE Simplex(CostTable<Columns, Copies> costs, Scratch<Rows, Columns> lane) : costs_(costs), lane_(lane) {}

    // Solves the problem whose masses are in the lane's scratch: those of the rows in the mask `rows`, which sum to no
    // less than those of the columns in the mask `columns` (the column that closes last takes the rest). Whether the
    // optimum stays one when no reduced cost changes by more than `margin`.
    HOTT_DEVICE bool solve(u32 rows, u32 columns, int margin) {
        arcs_ = rows && columns ? count_bits(rows) + count_bits(columns) - 1 : 0;
        live_ = rows | Mask{columns} << Rows;
        row_bound_ = most_of_lanes(32 - leading_zeros(rows));
        slot_bound_ = most_of_lanes(arcs_);
        set_prices(columns);
        greedy_start(rows, columns);
        hang_tree(rows, columns);
        for (int pivots = 0; pivots < max_pivots && pivot(); ++pivots) {
        }
        return is_optimal(margin);
    }

    // The least flow on any basic arc.
    HOTT_DEVICE int least_flow() const {
        u32 least = 0xffffffffu;
        HOTT_UNROLL
        for (int slot = 0; slot < slots; ++slot) least = min(least, flow_[slot]);
        return least >> slot_bits;
    }

    // Whether the plan stays one for the masses before rounding, which added extra(node) to every row and took it from
    // every column: true flows may be below 0 by `tolerance` in all. What a row passes on towards the root is too much by
    // what was added and taken below it; what a column gets is too little, if anything.
    template <class Extra>
    HOTT_DEVICE bool is_plan_unrounded(Extra extra, float tolerance) const {
        HOTT_SMALL
        for (int node = 0; node < nodes; ++node) lane_.potential(node) = bits_of(extra(node));
        float lacking = 0;
        HOTT_SMALL
        for (Mask rows = child_is_row_; rows; rows &= rows - 1) {
            const Mask bit = rows & (0 - rows);
            float flow = 0;
            HOTT_UNROLL
            for (int slot = 0; slot < slots; ++slot)
                if (bit == bit_of(slot)) flow = static_cast<float>(flow_[slot] >> slot_bits);
            HOTT_SMALL
            for (int node = 0; node < nodes; ++node)
                if (lane_.path(node) & bit) flow -= from_bits(lane_.potential(node));
            lacking += max(-flow, 0.0f);
        }
        return lacking <= tolerance;
    }

    // Whether the optimum stays one for the costs before rounding, which took rest[site][column] units away: no true
    // reduced cost may be below -`tolerance`. For the few problems with near ties; it uses up the scratch.
    HOTT_DEVICE bool is_optimal_unrounded(const float* rest, float tolerance) const {
        HOTT_SMALL
        for (int node = 0; node < nodes; ++node) {
            float taken = 0;
            HOTT_SMALL
            for (Mask path = lane_.path(node); path; path &= path - 1) {
                const int slot = lowest_bit(path), arc = lane_.arc(slot);
                const float on_arc = rest[lane_.site(arc >> arc_bits) * Columns + (arc & arc_mask)];
                taken += child_is_row_ >> slot & 1 ? on_arc : -on_arc;
            }
            lane_.potential(node) = bits_of(taken);
        }
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i) lane_.final_potential(i) = potential_[i];
        HOTT_UNROLL
        for (int j = 0; j < Columns; ++j) lane_.final_potential(Rows + j) = column_potential(j);
        float least = 0;
        HOTT_SMALL
        for (int i = 0; i < row_bound_; ++i) {
            HOTT_SMALL
            for (int j = 0; j < Columns; ++j) {
                const int site = lane_.site(i);
                const int reduced = costs_.one(site, j) - lane_.final_potential(i) - lane_.final_potential(Rows + j);
                const float taken = from_bits(lane_.potential(i)) - from_bits(lane_.potential(Rows + j));
                least = min(least, reduced / (1 << index_bits) + (rest[site * Columns + j] - taken));
            }
        }
        return least >= -tolerance && in_range();
    }

    // Potentials of the optimum, << index_bits.
    HOTT_DEVICE int row_potential(int i) const { return potential_[i]; }
    HOTT_DEVICE int column_potential(int j) const { return index_of(j) - price_[j]; }

    // The sum over the plan of flow x rest[site of the row][column].
    HOTT_DEVICE float sum_over_plan(const float* rest) const {
        float sum = 0;
        HOTT_UNROLL
        for (int slot = 0; slot < slots; ++slot) {
            if (slot < arcs_) {
                const int arc = lane_.arc(slot), at = lane_.site(arc >> arc_bits) * Columns + (arc & arc_mask);
                sum += static_cast<float>(flow_[slot] >> slot_bits) * rest[at];
            }
        }
        return sum;
    }

  private:
    static HOTT_DEVICE Mask bit_of(int slot) { return Mask{1} << slot; }
    static HOTT_DEVICE int index_of(int column) { return column & index_mask; }

    // Whether any lane has row i. Documents come sorted by size, in classes mostly two apart: rows but the last are there.
    HOTT_DEVICE bool in_bound(int i) const { return i <= Rows - 2 || i < row_bound_; }

    // A column is the cheaper the dearer it is for the average mass, and the more it can take: 1/32 of the largest cost
    // for all the mass. Takes pivots from 9.8 (raw costs) to 3.4 on 20 newsgroups.
    HOTT_DEVICE void set_prices(u32 columns) {
        u32 mean[Columns] = {};
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i) {
            if (in_bound(i)) {
                const u32 mass = lane_.mass(i) << slot_bits;  // of 2^32
                costs_.for_columns(lane_.site(i), [&](int cost, int j) { mean[j] += high_product(cost, mass); });
            }
        }
        HOTT_UNROLL
        for (int j = 0; j < Columns; ++j) {
            const int worth = (mean[j] + (lane_.mass(Rows + j) >> 3)) & ~index_mask;
            price_[j] = (columns & (1u << j) ? -worth : large) + index_of(j);
        }
    }

    // Every row in turn goes to its cheapest open column. Each step closes either the row or the column; one column
    // stays open.
    HOTT_DEVICE void greedy_start(u32 rows, u32 columns) {
        int i = 0, left = 0, site = 0;
        auto next_row = [&] {
            i = max(lowest_bit(rows), 0);
            left = lane_.mass(i), site = lane_.site(i);
        };
        next_row();
        child_is_row_ = 0;
        for (int slot = 0; slot < slot_bound_; ++slot) {
            int closed = -1;
            if (slot < arcs_) {
                const int j = cheapest_column(site), room = lane_.mass(Rows + j);
                const bool last_row = (rows & (rows - 1)) == 0, last_column = (columns & (columns - 1)) == 0;
                lane_.arc(slot) = i << arc_bits | j;
                if (last_column || (left <= room && !last_row)) {
                    lane_.flow(slot) = left << slot_bits | (slot & slot_mask);
                    lane_.mass(Rows + j) = room - left;
                    child_is_row_ |= bit_of(slot);
                    rows &= rows - 1;
                    next_row();
                } else {
                    lane_.flow(slot) = room << slot_bits | (slot & slot_mask);
                    left -= room;
                    columns &= ~(1u << j);
                    closed = j;
                }
            }
            HOTT_UNROLL
            for (int j = 0; j < Columns; ++j)
                if (j == closed) price_[j] = large | index_of(j);
        }
    }

    HOTT_DEVICE int cheapest_column(int site) const {
        int of_group[column_groups];
        costs_.cheapest(site, price_, of_group);
        int least = of_group[0], group = 0;
        HOTT_UNROLL
        for (int g = 1; g < column_groups; ++g)
            if (of_group[g] < least) least = of_group[g], group = g;
        return group << index_bits | (least & index_mask);
    }

    // Paths and potentials, from the last closed back to the first: a closed node hangs on the one that took its mass.
    // A column keeps its potential negated, with its number in the low bits, as `price`.
    HOTT_DEVICE void hang_tree(u32 rows, u32 columns) {
        HOTT_UNROLL
        for (int slot = 0; slot < slots; ++slot)
            flow_[slot] = slot < arcs_ ? lane_.flow(slot) : 0xffffffffu;
        HOTT_UNROLL
        for (int node = 0; node < nodes; ++node) lane_.path(node, 0);
        if (arcs_ > 0) lane_.potential(Rows + (lane_.arc(arcs_ - 1) & arc_mask)) = 0;
        for (int slot = slot_bound_ - 1; slot >= 0; --slot) {
            if (slot < arcs_) {
                const int arc = lane_.arc(slot), i = arc >> arc_bits, j = arc & arc_mask;
                const bool row_hangs = child_is_row_ >> slot & 1;
                const int below = row_hangs ? i : Rows + j, above = row_hangs ? Rows + j : i;
                lane_.path(below, lane_.path(above) | bit_of(slot));
                lane_.potential(below) = costs_.one(lane_.site(i), j) - lane_.potential(above);
            }
        }
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i) potential_[i] = rows >> i & 1 ? static_cast<int>(lane_.potential(i)) : -large;
        HOTT_UNROLL
        for (int j = 0; j < Columns; ++j)
            price_[j] = (columns >> j & 1 ? -static_cast<int>(lane_.potential(Rows + j)) : large) + index_of(j);
    }

    // One pivot in every lane that is not optimal yet; false when there is none.
    HOTT_DEVICE bool pivot() {
        // The arc of least reduced cost enters.
        int least = 0, place = 0;  // its group of columns << 5 | its row
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i) {
            if (in_bound(i)) {
                int of_group[column_groups];
                costs_.cheapest(lane_.site(i), price_, of_group);
                HOTT_UNROLL
                for (int g = 0; g < column_groups; ++g) {
                    const int reduced = of_group[g] - potential_[i];
                    if (reduced < least) least = reduced, place = g << 5 | i;
                }
            }
        }
        const int row = place & 31, column = place >> 5 << index_bits | (least & index_mask);
        const int reduced = least & ~index_mask;
        const bool enters = least < 0 && (live_ >> row & live_ >> (Rows + column) & 1);
        if (!any_lane(enters)) return false;
        if (!enters) return true;

        // Along its cycle flow falls and rises in turn. The first arc to run out leaves; the entering one takes over
        // its slot and, with it, its flow.
        const Mask row_path = lane_.path(row), column_path = lane_.path(Rows + column);
        const Mask cycle = row_path ^ column_path, falls = cycle & ~(row_path ^ child_is_row_);
        u32 first = 0xffffffffu;
        int leaving = 0;
        HOTT_UNROLL
        for (int g = 0; g < slot_groups; ++g) {
            u32 of_group = 0xffffffffu;
            HOTT_UNROLL
            for (int slot = g << slot_bits; slot < min((g + 1) << slot_bits, slots); ++slot)
                if (falls & bit_of(slot)) of_group = min(of_group, flow_[slot]);
            if (g == 0 || of_group < first) first = of_group, leaving = g << slot_bits | (of_group & slot_mask);
        }
        const u32 step = first & ~slot_mask;
        const Mask gone = bit_of(leaving), others = cycle ^ gone, rises = others & ~falls, sinks = others & falls;
        HOTT_UNROLL
        for (int slot = 0; slot < slots; ++slot) {
            if (rises & bit_of(slot)) flow_[slot] += step;
            if (sinks & bit_of(slot)) flow_[slot] -= step;
        }

        // What hung below the leaving arc hangs on the entering one now; the arcs between the new and the old top of
        // it change direction.
        const int old = lane_.arc(leaving);
        const Mask top = lane_.path(child_is_row_ >> leaving & 1 ? old >> arc_bits : Rows + (old & arc_mask));
        const bool row_below = (row_path & gone) != 0;
        child_is_row_ ^= (row_below ? row_path : column_path) & ~top;
        child_is_row_ = row_below ? child_is_row_ | gone : child_is_row_ & ~gone;
        lane_.arc(leaving) = row << arc_bits | column;
        const int shift = row_below ? reduced : -reduced;
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i) {
            if (in_bound(i)) {
                const Mask path = lane_.path(i);
                if (path & gone) lane_.path(i, path ^ others), potential_[i] += shift;
            }
        }
        HOTT_UNROLL
        for (int j = 0; j < Columns; ++j) {
            const Mask path = lane_.path(Rows + j);
            if (path & gone) lane_.path(Rows + j, path ^ others), price_[j] += shift;
        }
        return true;
    }

    // Arcs in the basis have a reduced cost of 0, all others must have `margin` or more.
    HOTT_DEVICE bool is_optimal(int margin) const {
        int cheap = 0;
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i)
            if (in_bound(i)) cheap += costs_.below(potential_[i] + (margin << index_bits), lane_.site(i), price_);
        return arcs_ == 0 || (cheap == (margin > 0 ? arcs_ : 0) && in_range());
    }

    // Potentials beyond this could have wrapped around.
    HOTT_DEVICE bool in_range() const {
        int farthest = 0;
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i) farthest = max(farthest, max(potential_[i], -potential_[i]));
        HOTT_UNROLL
        for (int j = 0; j < Columns; ++j) farthest = max(farthest, max(column_potential(j), -column_potential(j)));
        return farthest <= large;
    }

    CostTable<Columns, Copies> costs_;
    Scratch<Rows, Columns> lane_;
    int arcs_, row_bound_, slot_bound_;  // arcs of this lane's basis; the most rows and arcs of any lane
    Mask live_;                          // the nodes that have mass
    Mask child_is_row_;                  // the slots whose end away from the root is a row
    u32 flow_[slots];
    int potential_[Rows], price_[Columns];
};

}  // namespace hott::thread
