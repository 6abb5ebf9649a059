// The CPU's transportation simplex for several small problems at once, one a lane, without a branch that a single lane
// takes.
//
// The basis is a spanning tree without pointers. Every basic arc has a slot, a number; every node keeps the set of slots
// on its path to the root as a bit mask of one or two words. The cycle that an entering arc closes is then the exclusive
// or of two masks, and the nodes below the arc that leaves are those whose mask holds its slot.
//
// ../src/hott/compute/gpu/kernels/simplex_thread.h is the same for the GPU, step by step under the same names.
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include "lockstep_group.hpp"
#include "simd.hpp"

namespace hott::lockstep {
namespace {

// The sets of one slot of a word, side by side in memory: loading one is cheaper than making it.
template <int N>
struct Bits {
    alignas(64) std::int32_t lane[word_bits * N];
    constexpr Bits() : lane() {
        for (int k = 0; k < word_bits * N; ++k) lane[k] = static_cast<std::int32_t>(1u << (k / N));
    }
};
template <int N>
constexpr Bits<N> bits;

// A set of slots in every lane.
template <class V, int Words>
struct Slots {
    V word[Words];

    template <class F>
    static Slots each(F f) {
        Slots made;
        for (int w = 0; w < Words; ++w) made.word[w] = f(w);
        return made;
    }
    friend Slots operator&(Slots a, Slots b) {
        return each([&](int w) { return a.word[w] & b.word[w]; });
    }
    friend Slots operator|(Slots a, Slots b) {
        return each([&](int w) { return a.word[w] | b.word[w]; });
    }
    friend Slots operator^(Slots a, Slots b) {
        return each([&](int w) { return a.word[w] ^ b.word[w]; });
    }
    Slots operator~() const {
        return each([&](int w) { return ~word[w]; });
    }
    Slots where(V mask) const {
        return each([&](int w) { return word[w] & mask; });
    }
    // Whether there are any.
    V some() const {
        V found = word[0];
        for (int w = 1; w < Words; ++w) found = found | word[w];
        return found != 0;
    }
};

template <int N, int M, int Words>
class LaneSimplex {
    using V = Ints<N>;
    using Set = Slots<V, Words>;
    static constexpr int nodes = Words * word_bits;

  public:
    // For the N problems from the given one on, which have no more rows.
    LaneSimplex(Group& group, int first, int rows)
        : group_(group), first_(first), rows_(rows), row_count_(of(group.row_count)),
          column_count_(of(group.column_count)) {}

    void solve() {
        round_masses();
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

    static constexpr int column_node(int j) { return nodes - 1 - j; }
    // The price of a column that row i has closed. No row has the last number: closed from the start.
    static constexpr std::int32_t closed_by(int i) { return large | i << index_bits; }

    // A quantity of these problems in the group.
    template <class T>
    T* at(T* quantity, int k = 0) const {
        return quantity + k * lanes + first_;
    }
    V of(const std::int32_t* quantity, int k = 0) const { return load<V>(at(quantity, k)); }
    void give(std::int32_t* quantity, int k, V v) { store(at(quantity, k), v); }
    V cost(int i, int j) const { return load<V>(group_.cost + (i * M + j) * N); }
    V arc(int slot) const { return load<V>(arc_ + slot * N); }
    void set_arc(int slot, V place) { store(arc_ + slot * N, place); }
    V place(int node) const { return of(group_.place, node); }
    // The w-th word of the set of one slot, and whether a set holds it, which is in that word.
    static V bit(int slot, int w) { return load<V>(bits<N>.lane + (slot - w * word_bits) * N); }
    static V holds(const Set& set, int slot, int w) { return (set.word[w] & bit(slot, w)) != 0; }

    // Masses as integers, and what they leave over. Every row gets one unit more than its rounded mass, against ties; a
    // column takes what that makes in all.
    void round_masses() {
        for (int l = first_; l < first_ + N; l += 4) {
            const Ints<4> rows = round_side(l, rows_, 0, 1, group_.row_count, group_.row_mass, group_.row_total, 1.5);
            const Ints<4> columns = round_side(l, M, column_node(0), -1, group_.column_count, group_.column_mass,
                                               group_.column_total, 0.5);
            const Ints<4> excess = rows - columns;
            std::int32_t* mass = group_.mass + column_node(0) * lanes + l;
            double* rest = group_.rest + column_node(0) * lanes + l;
            store(mass, Ints<4>(load<Ints<4>>(mass) + excess));
            store(rest, Doubles<4>(load<Doubles<4>>(rest) + __builtin_convertvector(excess, Doubles<4>)));
        }
    }

    // One side of the problems l..l + 3: `count` nodes from the first on. Returns what the integers sum to.
    Ints<4> round_side(int l, int count, int first, int step, const std::int32_t* own, const double* const* mass,
                       double* total, double more) {
        using D = Doubles<4>;
        using Mask = decltype(D{} < D{});
        const double *a = mass[l], *b = mass[l + 1], *c = mass[l + 2], *d = mass[l + 3];
        const Ints<4> counts = load<Ints<4>>(own + l);
        double* rest = group_.rest + first * lanes + l;
        std::int32_t* rounded = group_.mass + first * lanes + l;
        D sum{};
        for (int k = 0; k < count; ++k) {
            const D all{a[k], b[k], c[k], d[k]};
            const D live = D(Mask(all) & __builtin_convertvector(counts > k, Mask));
            store(rest + k * step * lanes, live);
            sum = sum + live;
        }
        store(total + l, sum);
        const D scale = total_mass / (sum > 1e-30 ? sum : sum - sum + 1e-30);
        Ints<4> taken{};
        for (int k = 0; k < count; ++k) {
            const D exact = load<D>(rest + k * step * lanes) * scale;
            const Ints<4> integer = __builtin_convertvector(exact + more, Ints<4>) & (counts > k);
            store(rounded + k * step * lanes, integer);
            store(rest + k * step * lanes, D((exact - __builtin_convertvector(integer, D)) * step));
            taken = taken + integer;
        }
        return taken;
    }

    // Where the costs of the nodes are, and these.
    void gather_costs() {
        const std::int32_t *const *row_site = group_.row_site + first_, *const *column_site = group_.column_site + first_;
        const V first = of(group_.first);
        for (int i = 0; i < rows_; ++i) {
            V site{};
            for (int l = 0; l < N; ++l) site[l] = row_site[l][i];
            give(group_.place, i, (site + first) * group_.sites & (row_count_ > i));
        }
        for (int j = 0; j < M; ++j) {
            V site{};
            for (int l = 0; l < N; ++l) site[l] = column_site[l][j];
            give(group_.place, column_node(j), site & (column_count_ > j));
        }
        for (int i = 0; i < rows_; ++i)
            for (int j = 0; j < M; ++j)
                store(group_.cost + (i * M + j) * N, gather(group_.rounded, V(place(i) + place(column_node(j)))));
    }

    // The least cost of row i over the columns, given a price for each with the column's number in its low bits.
    V cheapest(int i, const V* price) const {
        V least = cost(i, 0) + price[0];
        for (int j = 1; j < M; ++j) least = min(least, V(cost(i, j) + price[j]));
        return least;
    }

    // A column is the cheaper the dearer it is for the average mass, and the more it can take. 5.6 pivots follow on
    // average (20news, 10.5 x 6.6), 6.0 without the latter. The potentials of another pair that shares a document are
    // no better: of 600 pairs of 15 sites, 25 to a document, 4.2 pivots follow so, 6.3 after prices from the potentials
    // of the pair before, 5.6 from the mean of all pairs before, 4.7 from half of that and half of this.
    void set_prices() {
        for (int j = 0; j < M; ++j) {
            capacity_[j] = of(group_.mass, column_node(j));
            V mean = all<V>(0);
            for (int i = 0; i < rows_; ++i) mean = mean + (of(group_.mass, i) >> 15) * (cost(i, j) >> 10);
            const V bonus = (capacity_[j] >> 7) * 52;  // all the mass: 5 % of the largest cost
            const V price = (all<V>(0) - mean - bonus) & ~index_mask;
            price_[j] = select<V>(column_count_ > j, price, all<V>(closed_by(nodes - 1))) | j;
        }
    }

    // Every row in turn goes to its cheapest open column. Each step closes either the row or the column; one column
    // stays open, the root.
    void greedy_start() {
        V open = column_count_, price[M], capacity[M];  // copies, to stay in registers
        for (int j = 0; j < M; ++j) price[j] = price_[j], capacity[j] = capacity_[j];
        for (int i = 0; i < rows_; ++i) {
            V left = of(group_.mass, i), active = row_count_ > i, column;
            do {
                column = cheapest(i, price) & index_mask;
                V here[M], room = all<V>(0);
                for (int j = 0; j < M; ++j) {
                    here[j] = column == j;
                    room = room | (capacity[j] & here[j]);
                }
                const V closes = active & (room <= left) & (open > 1);  // the column closes, else the row
                const V taken = left & active & ~closes, closed = closes & closed_by(i);
                for (int j = 0; j < M; ++j) {
                    capacity[j] = capacity[j] - (taken & here[j]);
                    price[j] = select<V>(here[j] & closes, closed | j, price[j]);
                }
                left = left - (room & closes);
                open = open + closes;
                active = closes;
            } while (any(active));
            flow_[i] = select<V>(row_count_ > i, left << slot_bits | i, all<V>(never));
            parent_[i] = column;
        }
        for (int j = 0; j < M; ++j) price_[j] = price[j], capacity_[j] = capacity[j];
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
            path_[node] = {};
            path_[node].word[Words - 1] = closed & bit(node, Words - 1);
            price_[j] = select<V>(column_count_ > j, all<V>(0), all<V>(large)) | j;
        }
        child_is_row_ = {};
        for (int i = rows_ - 1; i >= 0; --i) {
            const V live = row_count_ > i;
            V potential = all<V>(0), to_parent = place(i);
            Set above{};
            const int w = Words == 1 ? 0 : i / word_bits;
            above.word[w] = live & bit(i, w);
            child_is_row_ = child_is_row_ | above;
            for (int j = 0; j < M; ++j) {
                const V parent = (parent_[i] == j) & live;
                above = above | path_[column_node(j)].where(parent);
                potential = potential + (parent & (cost(i, j) + price_[j]));
                to_parent = to_parent + (parent & place(column_node(j)));
            }
            set_arc(i, to_parent);
            path_[i] = above;
            potential_[i] = select<V>(live, potential & ~index_mask, all<V>(-large));
            for (int j = 0; j < M; ++j) {
                const int node = column_node(j);
                const V hangs = closer[j] == i;
                path_[node] = path_[node] | path_[i].where(hangs);
                set_arc(node, arc(node) + (hangs & place(i)));
                price_[j] = price_[j] + (hangs & (potential_[i] - cost(i, j)));
            }
        }
    }

    // One pivot in every lane that is not optimal yet; false when there is none.
    bool pivot() {
        // The arc of least reduced cost enters.
        V least = all<V>(0), entering_arc = all<V>(0);
        Set row_path{}, column_path{};
        for (int i = 0; i < rows_; ++i) {
            const V reduced = cheapest(i, price_) - potential_[i], better = reduced < least;
            least = select<V>(better, reduced, least);
            entering_arc = select<V>(better, place(i), entering_arc);
            for (int w = 0; w < Words; ++w)
                row_path.word[w] = select<V>(better, path_[i].word[w], row_path.word[w]);
        }
        const V column = least & index_mask, reduced = least & ~index_mask;
        entering_ = (least < 0) & (column < column_count_) & row_path.some();  // no node that is not there
        if (!any(entering_)) return false;
        for (int j = 0; j < M; ++j) {
            const V here = column == j;
            column_path = column_path | path_[column_node(j)].where(here);
            entering_arc = entering_arc + (here & place(column_node(j)));
        }

        // Along its cycle flow falls and rises in turn. The first arc to run out leaves; the entering one takes over
        // its slot and, with it, its flow.
        const Set cycle = (row_path ^ column_path).where(entering_), falls = cycle & ~(row_path ^ child_is_row_);
        V first = all<V>(never);
        for_nodes([&](int slot, int w) {
            first = min(first, select<V>(holds(falls, slot, w), flow_[slot], all<V>(never)));
        });
        const V leaving = first & slot_mask, step = first & ~slot_mask;
        const Set gone = Set::each([&](int w) {
            return (all<V>(1) << (leaving & (word_bits - 1))) & ((leaving >> 5) == w) & entering_;
        });
        const Set others = cycle ^ gone, rises = others & ~falls, sinks = others & falls;
        for_nodes([&](int slot, int w) {
            flow_[slot] = flow_[slot] + (step & holds(rises, slot, w)) - (step & holds(sinks, slot, w));
        });

        alignas(64) std::int32_t to[N], from[N];
        store(to, select<V>(entering_, leaving, all<V>(nodes)));
        store(from, entering_arc);
        for (int l = 0; l < N; ++l) arc_[to[l] * N + l] = from[l];

        // What hung below the leaving arc hangs on the entering one now. `top`: the path of the old top of it.
        const V row_below = (row_path & gone).some(), shift = select<V>(row_below, reduced, all<V>(0) - reduced);
        Set top = ~Set{};
        auto move = [&](Set& path, V& potential) {
            const V below = (path & gone).some();
            top = top & (path | Set::each([&](int) { return ~below; }));
            path = path ^ others.where(below);
            potential = potential + (shift & below);
        };
        for (int i = 0; i < rows_; ++i) move(path_[i], potential_[i]);
        for (int j = 0; j < M; ++j) move(path_[column_node(j)], price_[j]);
        // Arcs between the new and the old top of what moved have changed their direction.
        const Set turned = (row_path.where(row_below) | column_path.where(~row_below)) & ~top;
        child_is_row_ = ((child_is_row_ ^ turned) & ~gone) | gone.where(row_below);
        return true;
    }

    // The basis, its value, and how clearly it is the only optimal one.
    void report() {
        V near = all<V>(0), least = all<V>(never), unfinished = entering_;
        for (int i = 0; i < rows_; ++i) {
            const V within = potential_[i] + ((near_cost(nodes) + 1) << index_bits);
            for (int j = 0; j < M; ++j) near = near - (cost(i, j) + price_[j] < within);
        }
        // Columns whose potentials are those of an optimum have not wrapped around, nor have the rows between them.
        for (int j = 0; j < M; ++j) {
            const V far = (price_[j] >= (max_cost + 1) << index_bits) | (price_[j] < -(max_cost << index_bits));
            unfinished = unfinished | (far & (column_count_ > j));
        }
        double value[N] = {}, value_of_rest[N] = {};
        const auto evaluate = [&](int node, V potential) {
            alignas(64) std::int32_t flow[N], price[N];
            store(flow, select<V>(flow_[node] == never, all<V>(0), flow_[node] >> slot_bits));
            store(price, potential);
            least = min(least, flow_[node]);
            const double* rest = at(group_.rest, node);
            for (int l = 0; l < N; ++l) {
                value[l] += flow[l] * group_.exact[arc_[node * N + l]];
                value_of_rest[l] += price[l] * rest[l];
            }
            for (int w = 0; w < Words; ++w) give(group_.path, w * max_nodes + node, path_[node].word[w]);
            give(group_.arc, node, arc(node));
        };
        for (int i = 0; i < rows_; ++i) evaluate(i, potential_[i]);
        for (int j = 0; j < M; ++j) evaluate(column_node(j), price_[j] & ~index_mask);
        for (int l = 0; l < N; ++l) {
            at(group_.value)[l] = value[l];
            at(group_.value_of_rest)[l] = value_of_rest[l];
        }
        for (int w = 0; w < Words; ++w) give(group_.child_is_row, w, child_is_row_.word[w]);
        give(group_.least_flow, 0, least >> slot_bits);
        give(group_.near_arcs, 0, near | unfinished);
    }

    // f(node, word of its slot). Columns are in the last word.
    template <class F>
    void for_nodes(F f) {
        const int low = Words == 1 || rows_ < word_bits ? rows_ : word_bits;
        for (int i = 0; i < low; ++i) f(i, 0);
        for (int i = low; i < rows_; ++i) f(i, Words - 1);
        for (int j = 0; j < M; ++j) f(column_node(j), Words - 1);
    }

    Group& group_;
    int first_, rows_;
    V row_count_, column_count_, entering_;
    Set child_is_row_, path_[nodes];
    V capacity_[M], price_[M], potential_[nodes], parent_[nodes], flow_[nodes];
    alignas(64) std::int32_t arc_[(nodes + 1) * N];  // the last for lanes where none enters
};

// A kernel for each number of columns, so that loops over them are unrolled and prices stay in registers; for every
// fourth, where there are many.
template <int N, int Words, int M>
void solve_lanes(Group& group, int first, int rows, int columns) {
    constexpr int step = Words == 1 ? 1 : 4;
    if constexpr (M > step)
        if (columns <= M - step) return solve_lanes<N, Words, M - step>(group, first, rows, columns);
    LaneSimplex<N, M, Words>(group, first, rows).solve();
}

template <int N>
void solve_group(Group& group) {
    for (int first = 0; first < lanes; first += N) {
        int rows = 0, columns = 0;
        for (int l = first; l < first + N; ++l) {
            rows = rows < group.row_count[l] ? group.row_count[l] : rows;
            columns = columns < group.column_count[l] ? group.column_count[l] : columns;
        }
        if (group.words == 1)
            solve_lanes<N, 1, max_columns / 2>(group, first, rows, columns);
        else
            solve_lanes<N, 2, max_columns>(group, first, rows, columns);
    }
}

}  // namespace
}  // namespace hott::lockstep
