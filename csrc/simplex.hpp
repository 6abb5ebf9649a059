// Exact optimal transport between two discrete masses, in float64, for dense costs of any size.
//
// A primal network simplex on the bipartite graph rows -> columns. The basis is a spanning tree; node i < n is row i,
// node n + j is column j. Two things make it fast and sound:
// - Masses are rounded to 62-bit integers while pivoting, so that flows and ties are exact and the tree stays strongly
//   feasible (an arc without flow always leads from a row up to a column): no sequence of pivots can cycle. The flows
//   returned are computed from the final tree and the masses as they were given.
// - Costs are rounded to 27-bit integers at first, whose pricing loop is short and vectorises on any machine. The
//   basis found is then priced with the true costs, in float64, by the same code, until no arc lowers the total.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "tree.hpp"

namespace hott {

struct Arc {
    int row, column;
    double flow;
};

// The optimum was not reached, or could not be certified.
struct NotOptimal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// `stop` was set while solving.
struct Interrupted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A reusable workspace: it allocates only when a problem is larger than any before it. One per thread.
class Simplex {
  public:
    // Moves the masses a[n] onto b[m], non-negative with equal totals, at the least total cost; cost[i * stride + j]
    // is the price of one unit from row i to column j. Returns the optimal value.
    double solve(int n, int m, const double* a, const double* b, const double* cost, std::ptrdiff_t stride,
                 const std::atomic<bool>* stop = nullptr);

    // The last solution: the basic arcs, some perhaps without flow, and potentials with u[i] + v[j] <= cost[i][j],
    // equal on every arc.
    const std::vector<Arc>& arcs() const { return arcs_; }
    const double* u() const { return exact_.u; }
    const double* v() const { return exact_.v; }
    std::int64_t pivots() const { return pivots_; }

  private:
    static constexpr int none = Tree::none;
    static constexpr double units = static_cast<double>(std::int64_t{1} << 61);  // of mass, in all
    static constexpr std::int32_t unit_cost = 1 << 26;  // the largest cost, as an integer
    static constexpr std::int32_t limit = 1 << 29;      // integer potentials beyond this might overflow
    static constexpr std::int32_t never = -2 * limit;   // potential of a column that takes no part

    void round_masses(const double* a, const double* b);
    void round_costs(const double* a);
    void start();
    template <class Price>
    bool improve(const Prices<Price>& prices, Price tolerance, const std::atomic<bool>* stop);
    template <class Price>
    void pivot(const Prices<Price>& prices, int i, int j);
    template <class Price>
    void shift(const Prices<Price>& prices, int top, int count, Price amount);
    template <class Price>
    void refresh(const Prices<Price>& prices);
    double finish(const double* a, const double* b);

    Candidate best_arc(const Prices<std::int32_t>& prices, int first, int last, std::int32_t bar) const {
        return kernels_->best_rounded_arc(prices, first, last, bar);
    }
    Candidate best_arc(const Prices<double>& prices, int first, int last, double bar) const {
        return kernels_->best_exact_arc(prices, first, last, bar);
    }

    const Kernels* kernels_ = &kernels();
    int n_ = 0, m_ = 0, root_ = none;
    bool overflow_ = false;
    double mass_ = 0, tolerance_ = 0;
    std::int64_t pivots_ = 0;
    Tree tree_;
    Prices<std::int32_t> rounded_{};
    Prices<double> exact_{};
    std::vector<std::int32_t> rounded_costs_, rounded_potentials_;
    std::vector<double> potentials_, scratch_;
    std::vector<std::int64_t> demand_;
    std::vector<std::pair<std::int64_t, int>> supply_;
    std::vector<Arc> arcs_;
};

inline double Simplex::solve(int n, int m, const double* a, const double* b, const double* cost,
                             std::ptrdiff_t stride, const std::atomic<bool>* stop) {
    n_ = n, m_ = m, pivots_ = 0, overflow_ = false;
    potentials_.resize(n + m);
    exact_ = {cost, stride, m, potentials_.data(), potentials_.data() + n};
    round_masses(a, b);
    round_costs(a);
    start();
    refresh(rounded_);
    improve(rounded_, 0, stop);
    do {
        refresh(exact_);
    } while (improve(exact_, tolerance_, stop));
    return finish(a, b);
}

// Masses as integers; what rounding leaves over goes to the heaviest node.
inline void Simplex::round_masses(const double* a, const double* b) {
    mass_ = std::accumulate(a, a + n_, 0.0);
    const double other = std::accumulate(b, b + m_, 0.0);
    if (!(mass_ > 0 && std::abs(mass_ - other) <= 1e-12 * mass_))
        throw NotOptimal("rows and columns must carry the same positive mass");
    std::int64_t rest = 0;
    supply_.resize(n_);
    for (int i = 0; i < n_; ++i) {
        supply_[i] = {static_cast<std::int64_t>(a[i] / mass_ * units + 0.5), i};
        rest += supply_[i].first;
    }
    demand_.resize(m_);
    for (int j = 0; j < m_; ++j) {
        // A column with mass keeps at least one unit: a column child without flow would break strong feasibility.
        const auto demand = static_cast<std::int64_t>(b[j] / mass_ * units + 0.5);
        demand_[j] = b[j] > 0 ? std::max<std::int64_t>(demand, 1) : 0;
        rest -= demand_[j];
    }
    if (rest > 0)
        demand_[std::max_element(b, b + m_) - b] += rest;
    else
        supply_[std::max_element(a, a + n_) - a].first -= rest;
}

// Costs as integers, padded so that no pricing loop has a tail, and the prices of the columns for the start.
inline void Simplex::round_costs(const double* a) {
    scratch_.assign(2 * m_, 0.0);
    double *mean = scratch_.data(), *largest = mean + m_;
    for (int i = 0; i < n_; ++i) kernels_->add_row(exact_.row(i), a[i] / mass_, m_, mean, largest);
    if (!std::all_of(mean, mean + m_, [](double x) { return std::isfinite(x); }))
        throw NotOptimal("costs must be finite numbers");
    const double scale = *std::max_element(largest, largest + m_);
    tolerance_ = std::ldexp(scale, -44);

    const double unit = scale > 1e-290 ? unit_cost / scale : 0;
    const int width = (m_ + padding - 1) / padding * padding;
    rounded_costs_.resize(static_cast<std::size_t>(n_) * width);
    rounded_potentials_.assign(n_ + width, 0);
    rounded_ = {rounded_costs_.data(), width, width, rounded_potentials_.data(), rounded_potentials_.data() + n_};
    for (int i = 0; i < n_; ++i) {
        std::int32_t* row = rounded_costs_.data() + static_cast<std::size_t>(i) * width;
        kernels_->round_row(exact_.row(i), unit, m_, row);
        std::fill(row + m_, row + width, limit);
    }
    for (int j = 0; j < m_; ++j) {
        // A small bonus for heavy columns, which stay open longest.
        const double share = static_cast<double>(demand_[j]) / units;
        rounded_.v[j] = static_cast<std::int32_t>(mean[j] * unit + 0.05 * unit_cost * share);
    }
}

// Greedy start: rows in ascending mass, each to its cheapest open columns after subtracting the column's weighted
// mean. Each step closes one row or one column below the other, so the arcs form a tree whose root is the last column
// left open; on a tie the column closes, which keeps arcs without flow below columns only.
inline void Simplex::start() {
    int open = m_;
    for (int j = 0; j < m_; ++j)
        if (demand_[j] == 0) rounded_.v[j] = never, --open;
    tree_.reset(n_ + m_);
    std::sort(supply_.begin(), supply_.end());
    for (auto [supply, i] : supply_) {
        for (;;) {
            const int j = kernels_->best_rounded_arc(rounded_, i, i + 1, std::numeric_limits<std::int32_t>::max()).column;
            if (open > 1 && (supply >= demand_[j] || i == supply_.back().second)) {
                tree_.hang(n_ + j, i, demand_[j]);
                tree_.grow(i, tree_[n_ + j].size);
                supply -= demand_[j];
                rounded_.v[j] = never;
                --open;
            } else {
                tree_.hang(i, n_ + j, supply);
                tree_.grow(n_ + j, tree_[i].size);
                demand_[j] -= supply;
                root_ = n_ + j;
                break;
            }
        }
    }
}

// Pivots on the best arc of a few rows at a time, until no arc lowers the total. False: none did.
template <class Price>
bool Simplex::improve(const Prices<Price>& prices, Price tolerance, const std::atomic<bool>* stop) {
    const int block = 4 + 400 / m_;  // more rows: fewer pivots, more pricing; near the best from 20 to 3,000 columns
    const std::int64_t before = pivots_;
    int first = 0;
    for (int clean = 0; clean < n_ && !(std::is_integral_v<Price> && overflow_);) {
        const int last = std::min(n_, first + block);
        const Candidate best = best_arc(prices, first, last, -tolerance);
        clean = best.row == none ? clean + last - first : 0;
        first = last < n_ ? last : 0;
        if (best.row == none) continue;
        pivot(prices, best.row, best.column);
        if (pivots_ % 64 == 0 && stop && stop->load(std::memory_order_relaxed)) throw Interrupted("stopped");
        if (pivots_ > 1000 * (std::int64_t{n_} + m_)) throw NotOptimal("too many pivots");
    }
    return pivots_ > before;
}

// Arc (i, j) enters. Around its cycle the arcs alternately lose and gain flow, from i up and from j up, losing first.
template <class Price>
void Simplex::pivot(const Prices<Price>& prices, int i, int j) {
    ++pivots_;
    const Price gain = prices.row(i)[j] - prices.u[i] - prices.v[j];
    j += n_;
    // The arc that blocks last when the cycle is walked from its apex down to i and from j back up: Cunningham's
    // rule, which keeps the tree strongly feasible.
    std::int64_t step = std::numeric_limits<std::int64_t>::max();
    int leaving = none, p = i, q = j;
    bool row_side = true;
    while (p != q) {
        if (tree_[p].size < tree_[q].size) {
            if (p < n_ && tree_[p].flow < step) step = tree_[p].flow, leaving = p, row_side = true;
            p = tree_[p].parent;
        } else {
            if (q >= n_ && tree_[q].flow <= step) step = tree_[q].flow, leaving = q, row_side = false;
            q = tree_[q].parent;
        }
    }
    // The subtree below the leaving arc is cut off, turned so that the entering arc's end is on top, and hung there.
    const int top = row_side ? i : j, outside = row_side ? j : i;
    const int moved = tree_[leaving].size, kept = tree_[root_].size - moved;
    tree_.augment(top, p, step, -moved);
    tree_.augment(outside, p, step, moved);
    tree_.cut(leaving);
    tree_.turn(top, leaving, moved);
    // Only differences of potentials matter: shift the smaller side.
    const Price amount = row_side ? gain : -gain;
    if (moved < kept)
        shift(prices, top, moved, amount);
    else
        shift(prices, root_, kept, -amount);
    tree_.hang(top, outside, step);
}

// Adds `amount` to the row potentials of the tree below `top`, and takes it from the column potentials.
template <class Price>
void Simplex::shift(const Prices<Price>& prices, int top, int count, Price amount) {
    Price* potential = prices.u;  // and the columns' after them
    for (int node = top; count > 0; node = tree_.next(node), --count) {
        potential[node] += node < n_ ? amount : -amount;
        if (std::is_integral_v<Price> && (potential[node] > limit || potential[node] < -limit)) overflow_ = true;
    }
}

// Potentials computed afresh from the tree.
template <class Price>
void Simplex::refresh(const Prices<Price>& prices) {
    std::fill(prices.v, prices.v + m_, std::is_integral_v<Price> ? never : -std::numeric_limits<Price>::infinity());
    Price* potential = prices.u;
    potential[root_] = 0;
    for (int node = tree_.next(root_); node != root_; node = tree_.next(node)) {
        const int parent = tree_[node].parent, i = std::min(node, parent), j = std::max(node, parent) - n_;
        potential[node] = prices.row(i)[j] - potential[parent];
    }
}

// Flows from the leaves up: what a subtree has too much of leaves it, what it lacks enters, by its one arc upwards.
inline double Simplex::finish(const double* a, const double* b) {
    double value = 0;
    double* excess = (scratch_.resize(n_ + m_), scratch_.data());
    std::copy(a, a + n_, excess);
    std::transform(b, b + m_, excess + n_, std::negate<>());
    arcs_.clear();
    for (int node = tree_.previous(root_); node != root_; node = tree_.previous(node)) {
        const int parent = tree_[node].parent, i = std::min(node, parent), j = std::max(node, parent) - n_;
        const double flow = node < n_ ? excess[node] : -excess[node];
        if (!(flow >= -1e-12 * mass_)) throw NotOptimal("the final tree is not feasible");
        excess[parent] += excess[node];
        arcs_.push_back({i, j, std::max(flow, 0.0)});
        value += arcs_.back().flow * exact_.row(i)[j];
    }
    // Columns without mass were left out of the tree; the highest potential that keeps them unattractive will do.
    for (int j = 0; j < m_; ++j)
        if (b[j] == 0) {
            exact_.v[j] = std::numeric_limits<double>::infinity();
            for (int i = 0; i < n_; ++i) exact_.v[j] = std::min(exact_.v[j], exact_.row(i)[j] - exact_.u[i]);
        }
    return value;
}

}  // namespace hott
