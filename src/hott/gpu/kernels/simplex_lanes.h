// The CPU's transportation simplex for several small problems at once, one a lane, without a branch that a single lane
// takes.
//
// The basis is a spanning tree without pointers. Every basic arc has a slot, a number below 32; every node keeps the
// set of slots on its path to the root as a bit mask. The cycle that an entering arc closes is then the exclusive or of
// two masks, and the nodes below the arc that leaves are those whose mask holds its slot.
//
// simplex_thread.h is the same for the GPU, step by step under the same names.
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include "lockstep_group.hpp"
#include "simd.hpp"

namespace hott::lockstep {
namespace {

// The sets of one slot, side by side in memory: loading one is cheaper than making it.
template <int N>
struct Bits {
    alignas(64) std::int32_t lane[nodes * N];
    constexpr Bits() : lane() {
        for (int k = 0; k < nodes * N; ++k) lane[k] = static_cast<std::int32_t>(1u << (k / N));
    }
};
template <int N>
constexpr Bits<N> bits;

template <int N, int M>
class LaneSimplex {
    using V = Ints<N>;

  public:
    // For the N problems from the given one on.
    LaneSimplex(Group& group, int first)
        : group_(group), first_(first), rows_(group.rows), row_count_(of(group.row_count)),
          column_count_(of(group.column_count)) {}

    void solve() {
        gather_costs();
        set_prices();
        greedy_start();
        hang_tree();
        for (int pivots = 0; pivots < max_pivots && pivot(); ++pivots) {
        }
        report();
    }

  private:
    static constexpr std::int32_t never = 0x7fffffff;  // flow of an arc that is not there

    // The price of a column that row i has closed. No row has the last number: closed from the start.
    static constexpr std::int32_t closed_by(int i) { return large | i << index_bits; }

    // A quantity of these problems in the group.
    V of(const std::int32_t* quantity, int k = 0) const { return load<V>(quantity + k * lanes + first_); }
    void give(std::int32_t* quantity, int k, V v) { store(quantity + k * lanes + first_, v); }
    V cost(int i, int j) const { return load<V>(group_.cost + (i * M + j) * N); }
    V arc(int slot) const { return load<V>(arc_ + slot * N); }
    void set_arc(int slot, V place) { store(arc_ + slot * N, place); }
    V place(int node) const { return of(group_.place, node); }
    V bit(int slot) const { return load<V>(bits<N>.lane + slot * N); }

    void gather_costs() {
        std::int32_t* to = group_.cost;
        for (int i = 0; i < rows_; ++i) {
            const std::int32_t* row[N];
            for (int l = 0; l < N; ++l) row[l] = group_.table + group_.place[i * lanes + first_ + l];
            for (int j = 0; j < M; ++j, to += N)
                for (int l = 0; l < N; ++l) to[l] = row[l][group_.place[column_node(j) * lanes + first_ + l]];
        }
    }

    // The least cost of row i over the columns, given a price for each with the column's number in its low bits.
    V cheapest(int i, const V* price) const {
        V least = cost(i, 0) + price[0];
        for (int j = 1; j < M; ++j) least = min(least, V(cost(i, j) + price[j]));
        return least;
    }

    // A column is the cheaper the dearer it is for the average mass, and the more it can take. 5.6 pivots follow on
    // average (20news, 10.5 x 6.6), 6.0 without the latter.
    void set_prices() {
        for (int j = 0; j < M; ++j) {
            capacity_[j] = of(group_.mass, column_node(j));
            V mean = all<V>(0);
            for (int i = 0; i < rows_; ++i) mean = mean + (of(group_.mass, i) >> 16) * (cost(i, j) >> 10);
            const V bonus = (capacity_[j] >> 8) * 13;  // all the mass: 5 % of the largest cost
            const V price = (all<V>(0) - mean - bonus) & ~index_mask;
            price_[j] = select<V>(column_count_ > j, price, all<V>(closed_by(nodes - 1))) | j;
        }
    }

    // Every row in turn goes to its cheapest open column. Each step closes either the row or the column; one column
    // stays open, the root.
    void greedy_start() {
        V open = column_count_;
        for (int i = 0; i < rows_; ++i) {
            V left = of(group_.mass, i), active = row_count_ > i, column;
            do {
                column = cheapest(i, price_) & index_mask;
                V room = all<V>(0);
                for (int j = 0; j < M; ++j) room = select<V>(column == j, capacity_[j], room);
                const V closes = active & (room <= left) & (open > 1);  // the column closes, else the row
                const V taken = left & active & ~closes;
                for (int j = 0; j < M; ++j) {
                    const V here = column == j;
                    capacity_[j] = capacity_[j] - (taken & here);
                    price_[j] = select<V>(here & closes, all<V>(closed_by(i) | j), price_[j]);
                }
                left = left - (room & closes);
                open = open + closes;
                active = closes;
            } while (any(active));
            flow_[i] = select<V>(row_count_ > i, left << slot_bits | i, all<V>(never));
            parent_[i] = column;
        }
    }

    // Paths and potentials, from the last closed back to the first: a closed node hangs on the one that took its mass.
    // A column keeps its potential negated, with its number in the low bits, as `price`.
    void hang_tree() {
        V closer[M];
        for (int j = 0; j < M; ++j) {
            const int node = column_node(j);
            closer[j] = (price_[j] >> index_bits) - (large >> index_bits);
            const V closed = (closer[j] >= 0) & (column_count_ > j);
            flow_[node] = select<V>(closed, capacity_[j] << slot_bits | node, all<V>(never));
            set_arc(node, place(node));
            path_[node] = closed & bit(node);
            price_[j] = select<V>(column_count_ > j, all<V>(0), all<V>(large)) | j;
        }
        child_is_row_ = all<V>(0);
        for (int i = rows_ - 1; i >= 0; --i) {
            const V live = row_count_ > i;
            child_is_row_ = child_is_row_ | (live & bit(i));
            V above = bit(i), potential = all<V>(0), to_parent = place(i);
            for (int j = 0; j < M; ++j) {
                const V parent = parent_[i] == j;
                above = above | (parent & path_[column_node(j)]);
                potential = potential + (parent & (cost(i, j) + price_[j]));
                to_parent = to_parent + (parent & place(column_node(j)));
            }
            set_arc(i, to_parent);
            path_[i] = live & above;
            potential_[i] = select<V>(live, potential & ~index_mask, all<V>(-large));
            for (int j = 0; j < M; ++j) {
                const int node = column_node(j);
                const V hangs = closer[j] == i;
                path_[node] = path_[node] | (hangs & path_[i]);
                set_arc(node, arc(node) + (hangs & place(i)));
                price_[j] = price_[j] + (hangs & (potential_[i] - cost(i, j)));
            }
        }
    }

    // One pivot in every lane that is not optimal yet; false when there is none.
    bool pivot() {
        // The arc of least reduced cost enters.
        V least = all<V>(0), entering_arc = all<V>(0), row_path = all<V>(0), column_path = all<V>(0);
        for (int i = 0; i < rows_; ++i) {
            const V reduced = cheapest(i, price_) - potential_[i], better = reduced < least;
            least = select<V>(better, reduced, least);
            entering_arc = select<V>(better, place(i), entering_arc);
            row_path = select<V>(better, path_[i], row_path);
        }
        entering_ = least < 0;
        if (!any(entering_)) return false;
        const V column = least & index_mask, reduced = least & ~index_mask;
        for (int j = 0; j < M; ++j) {
            const V here = column == j;
            column_path = select<V>(here, path_[column_node(j)], column_path);
            entering_arc = entering_arc + (here & place(column_node(j)));
        }

        // Along its cycle flow falls and rises in turn. The first arc to run out leaves; the entering one takes over
        // its slot and, with it, its flow.
        const V cycle = (row_path ^ column_path) & entering_, falls = cycle & ~(row_path ^ child_is_row_);
        V first = all<V>(never);
        for_nodes([&](int slot) {
            first = min(first, select<V>((falls & bit(slot)) != 0, flow_[slot], all<V>(never)));
        });
        const V leaving = first & slot_mask, step = first & ~slot_mask, gone = (all<V>(1) << leaving) & entering_;
        const V others = cycle ^ gone, rises = others & ~falls, sinks = others & falls;
        for_nodes([&](int slot) {
            flow_[slot] = flow_[slot] + (step & ((rises & bit(slot)) != 0)) - (step & ((sinks & bit(slot)) != 0));
        });

        alignas(64) std::int32_t to[N], from[N];
        store(to, select<V>(entering_, leaving, all<V>(nodes)));
        store(from, entering_arc);
        for (int l = 0; l < N; ++l) arc_[to[l] * N + l] = from[l];

        // What hung below the leaving arc hangs on the entering one now. `top`: the path of the old top of it.
        const V row_below = (row_path & gone) != 0, shift = select<V>(row_below, reduced, all<V>(0) - reduced);
        V top = all<V>(-1);
        auto move = [&](V& path, V& potential) {
            const V below = (path & gone) != 0;
            top = top & (path | ~below);
            path = path ^ (others & below);
            potential = potential + (shift & below);
        };
        for (int i = 0; i < rows_; ++i) move(path_[i], potential_[i]);
        for (int j = 0; j < M; ++j) move(path_[column_node(j)], price_[j]);
        // Arcs between the new and the old top of what moved have changed their direction.
        const V turned = select<V>(row_below, row_path, column_path) & ~top;
        child_is_row_ = ((child_is_row_ ^ turned) & ~gone) | (gone & row_below);
        return true;
    }

    // The basis, and how clearly it is the only optimal one.
    void report() {
        V near = all<V>(0), least = all<V>(never);
        for (int i = 0; i < rows_; ++i) {
            const V within = potential_[i] + ((near_cost + 1) << index_bits);
            for (int j = 0; j < M; ++j) near = near - (cost(i, j) + price_[j] < within);
            give(group_.potential, i, potential_[i]);
        }
        for (int j = 0; j < M; ++j) give(group_.potential, column_node(j), price_[j] & ~index_mask);
        for_nodes([&](int node) {
            least = min(least, flow_[node]);
            give(group_.flow, node, select<V>(flow_[node] == never, all<V>(0), flow_[node] >> slot_bits));
            give(group_.path, node, path_[node]);
            give(group_.arc, node, arc(node));
        });
        give(group_.child_is_row, 0, child_is_row_);
        give(group_.least_flow, 0, least >> slot_bits);
        give(group_.near_arcs, 0, near | entering_);
    }

    template <class F>
    void for_nodes(F f) {
        for (int i = 0; i < rows_; ++i) f(i);
        for (int j = 0; j < M; ++j) f(column_node(j));
    }

    Group& group_;
    int first_, rows_;
    V row_count_, column_count_, entering_, child_is_row_;
    V capacity_[M], price_[M], potential_[nodes];
    V parent_[nodes], path_[nodes], flow_[nodes];
    alignas(64) std::int32_t arc_[(nodes + 1) * N];  // the last for lanes where none enters
};

// A kernel for each number of columns, so that loops over them are unrolled and prices stay in registers.
template <int N, int M = max_columns>
void solve_group(Group& group) {
    if constexpr (M > 1)
        if (group.columns < M) return solve_group<N, M - 1>(group);
    for (int first = 0; first < lanes; first += N) LaneSimplex<N, M>(group, first).solve();
}

}  // namespace
}  // namespace hott::lockstep
