// Exact optimal transport between two discrete masses, in float64, for dense costs of any size.
//
// A primal network simplex on the bipartite graph rows -> columns. The basis is a spanning tree; node k < n is row k,
// node n + j is column j, and every node but the root keeps the flow of the arc to its parent. Two things make it
// fast and sound:
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
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "pricing.hpp"
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
    const double* u() const { return exact_.potential.data(); }
    const double* v() const { return exact_.potential.data() + n_; }
    std::int64_t pivots() const { return pivots_; }

  private:
    template <class Price>
    struct Prices {
        const Price* cost;
        std::ptrdiff_t stride;
        Price tolerance, never;        // the price of a column that takes no part
        std::vector<Price> potential;  // of rows, then of columns
        const Price* row(int i) const { return cost + i * stride; }
    };
    static constexpr int none = Tree::none;
    static constexpr std::int32_t limit = 1 << 29;  // integer potentials beyond this might overflow

    void round_masses(const double* a, const double* b);
    void round_costs(const double* a);
    void start();
    template <class Price>
    bool improve(Prices<Price>& prices, const std::atomic<bool>* stop);
    template <class Price>
    void pivot(Prices<Price>& prices, int i, int j);
    template <class Price>
    void shift(Prices<Price>& prices, int top, int count, Price amount);
    template <class Price>
    void refresh(Prices<Price>& prices);
    double finish(const double* a, const double* b);

    int n_ = 0, m_ = 0, root_ = none;
    bool overflow_ = false;
    double mass_ = 0;
    std::int64_t pivots_ = 0;
    Prices<std::int32_t> rounded_{};
    Prices<double> exact_{};
    Tree tree_;
    std::vector<std::int64_t> flow_;  // of the arc from a node to its parent; at first, the mass still to be placed
    std::vector<int> order_;
    std::vector<std::int32_t> integers_;
    std::vector<double> scratch_;
    std::vector<Arc> arcs_;
};

inline double Simplex::solve(int n, int m, const double* a, const double* b, const double* cost,
                             std::ptrdiff_t stride, const std::atomic<bool>* stop) {
    n_ = n, m_ = m, pivots_ = 0, overflow_ = false;
    exact_.cost = cost, exact_.stride = stride;
    round_masses(a, b);
    round_costs(a);
    start();
    refresh(rounded_);
    improve(rounded_, stop);
    do {
        refresh(exact_);
    } while (improve(exact_, stop));
    return finish(a, b);
}

// Masses as integers with a total near 2^61; what rounding leaves over goes to the heaviest node.
inline void Simplex::round_masses(const double* a, const double* b) {
    flow_.resize(n_ + m_);
    mass_ = std::accumulate(a, a + n_, 0.0);
    const double other = std::accumulate(b, b + m_, 0.0);
    if (!(mass_ > 0 && std::abs(mass_ - other) <= 1e-12 * mass_))
        throw NotOptimal("rows and columns must carry the same positive mass");
    const double unit = static_cast<double>(std::int64_t{1} << 61) / mass_;
    std::int64_t rest = 0;
    for (int i = 0; i < n_; ++i) rest += flow_[i] = static_cast<std::int64_t>(a[i] * unit + 0.5);
    for (int j = 0; j < m_; ++j) {
        // A column with mass keeps at least one unit: a column child without flow would break strong feasibility.
        const auto units = static_cast<std::int64_t>(b[j] * unit + 0.5);
        rest -= flow_[n_ + j] = b[j] > 0 ? std::max<std::int64_t>(units, 1) : 0;
    }
    if (rest > 0)
        flow_[n_ + (std::max_element(b, b + m_) - b)] += rest;
    else
        flow_[std::max_element(a, a + n_) - a] -= rest;
}

// Costs as integers, padded so that no pricing loop has a tail, and the prices of the columns for the start.
inline void Simplex::round_costs(const double* a) {
    scratch_.assign(2 * m_, 0.0);
    double *mean = scratch_.data(), *largest = mean + m_;
    for (int i = 0; i < n_; ++i) add_row(exact_.row(i), a[i] / mass_, m_, mean, largest);
    const double scale = *std::max_element(largest, largest + m_);
    if (!(scale < std::numeric_limits<double>::infinity())) throw NotOptimal("costs must be finite");
    exact_.tolerance = std::ldexp(scale, -44);
    exact_.never = -std::numeric_limits<double>::infinity();
    exact_.potential.resize(n_ + m_);

    const double unit = scale > 0 ? (1 << 26) / scale : 0;
    rounded_.tolerance = 0;
    rounded_.never = -2 * limit;
    rounded_.stride = (m_ + padding - 1) / padding * padding;
    integers_.resize(n_ * rounded_.stride);
    rounded_.cost = integers_.data();
    for (int i = 0; i < n_; ++i) {
        std::int32_t* row = integers_.data() + i * rounded_.stride;
        round_row(exact_.row(i), unit, m_, row);
        std::fill(row + m_, row + rounded_.stride, limit);
    }
    rounded_.potential.assign(n_ + rounded_.stride, 0);
    for (int j = 0; j < m_; ++j) {
        // A small bonus for heavy columns, which stay open longest.
        const double share = static_cast<double>(flow_[n_ + j]) / static_cast<double>(std::int64_t{1} << 61);
        rounded_.potential[n_ + j] = static_cast<std::int32_t>(mean[j] * unit + 0.05 * (1 << 26) * share);
    }
}

// Greedy start: rows in ascending mass, each to its cheapest open columns after subtracting the column's weighted
// mean. Each step closes one row or one column below the other, so the arcs form a tree whose root is the last column
// left open; on a tie the column closes, which keeps arcs without flow below columns only.
inline void Simplex::start() {
    std::int32_t* price = rounded_.potential.data() + n_;
    int open = m_;
    for (int j = 0; j < m_; ++j)
        if (flow_[n_ + j] == 0) price[j] = rounded_.never, --open;
    tree_.reset(n_ + m_);
    order_.resize(n_);
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(),
              [this](int x, int y) { return flow_[x] != flow_[y] ? flow_[x] < flow_[y] : x < y; });
    for (const int i : order_) {
        for (;;) {
            const std::int32_t* cost = rounded_.row(i);
            const int width = static_cast<int>(rounded_.stride);
            const int j = find_column(cost, price, m_, row_minimum(cost, price, width));
            std::int64_t &supply = flow_[i], &demand = flow_[n_ + j];
            if (open > 1 && (supply >= demand || i == order_.back())) {
                supply -= demand;
                price[j] = rounded_.never;
                --open;
                tree_.hang(n_ + j, i);
                tree_.grow(i, none, tree_.size(n_ + j));
            } else {
                demand -= supply;
                tree_.hang(i, n_ + j);
                tree_.grow(n_ + j, none, tree_.size(i));
                root_ = n_ + j;
                break;
            }
        }
    }
}

// Pivots on the best arc of a few rows at a time, until no arc lowers the total. False: none did.
template <class Price>
bool Simplex::improve(Prices<Price>& prices, const std::atomic<bool>* stop) {
    const bool integer = std::is_integral_v<Price>;
    const int width = integer ? static_cast<int>(prices.stride) : m_;
    const Price* columns = prices.potential.data() + n_;
    const int block = 4 + 400 / m_;  // more rows: fewer pivots, more pricing; measured best from 20 to 3,000 columns
    const std::int64_t before = pivots_;
    int i = 0;
    for (int clean = 0; clean < n_ && !(integer && overflow_);) {
        Price best = -prices.tolerance, least = 0;
        int row = none;
        for (int k = 0; k < block && clean < n_; ++k, ++clean) {
            const Price value = row_minimum(prices.row(i), columns, width);
            if (value - prices.potential[i] < best) best = value - prices.potential[i], least = value, row = i;
            i = i + 1 < n_ ? i + 1 : 0;
        }
        if (row == none) continue;
        clean = 0;
        pivot(prices, row, find_column(prices.row(row), columns, m_, least));
        if (pivots_ % 256 == 0 && stop && stop->load(std::memory_order_relaxed)) throw Interrupted("stopped");
        if (pivots_ > 1000 * (std::int64_t{n_} + m_)) throw NotOptimal("too many pivots");
    }
    return pivots_ > before;
}

// Arc (i, j) enters. Around its cycle the arcs alternately lose and gain flow, from i up and from j up, losing first.
template <class Price>
void Simplex::pivot(Prices<Price>& prices, int i, int j) {
    ++pivots_;
    const Price gain = prices.row(i)[j] - prices.potential[i] - prices.potential[n_ + j];
    j += n_;
    // The arc that blocks last when the cycle is walked from its apex down to i and from j back up: Cunningham's
    // rule, which keeps the tree strongly feasible.
    std::int64_t step = std::numeric_limits<std::int64_t>::max();
    int leaving = none, p = i, q = j;
    bool row_side = true;
    while (p != q) {
        if (tree_.size(p) < tree_.size(q)) {
            if (p < n_ && flow_[p] < step) step = flow_[p], leaving = p, row_side = true;
            p = tree_.parent(p);
        } else {
            if (q >= n_ && flow_[q] <= step) step = flow_[q], leaving = q, row_side = false;
            q = tree_.parent(q);
        }
    }
    const int apex = p;
    if (step > 0) {
        for (p = i; p != apex; p = tree_.parent(p)) flow_[p] += p < n_ ? -step : step;
        for (q = j; q != apex; q = tree_.parent(q)) flow_[q] += q < n_ ? step : -step;
    }

    // The subtree below the leaving arc is cut off, turned so that the entering arc's end is on top, and hung there.
    const int top = row_side ? i : j, outside = row_side ? j : i;
    const int moved = tree_.size(leaving), kept = tree_.size(root_) - moved;
    tree_.grow(tree_.parent(leaving), apex, -moved);
    tree_.grow(outside, apex, moved);
    tree_.cut(leaving);
    tree_.turn(top, leaving, [&](int node) { std::swap(step, flow_[node]); });
    // Only differences of potentials matter: shift the smaller side.
    const Price amount = row_side ? gain : -gain;
    if (moved < kept)
        shift(prices, top, moved, amount);
    else
        shift(prices, root_, kept, -amount);
    tree_.hang(top, outside);
}

// Adds `amount` to the row potentials of the tree below `top`, and takes it from the column potentials.
template <class Price>
void Simplex::shift(Prices<Price>& prices, int top, int count, Price amount) {
    for (int node = top; count > 0; node = tree_.next(node), --count) {
        Price& potential = prices.potential[node];
        potential += node < n_ ? amount : -amount;
        if (std::is_integral_v<Price> && (potential > limit || potential < -limit)) overflow_ = true;
    }
}

// Potentials computed afresh from the tree.
template <class Price>
void Simplex::refresh(Prices<Price>& prices) {
    std::fill(prices.potential.begin(), prices.potential.begin() + n_, Price{0});
    std::fill(prices.potential.begin() + n_, prices.potential.begin() + n_ + m_, prices.never);
    prices.potential[root_] = 0;
    for (int node = tree_.next(root_); node != root_; node = tree_.next(node)) {
        const int parent = tree_.parent(node);
        const Price cost = node < n_ ? prices.row(node)[parent - n_] : prices.row(parent)[node - n_];
        prices.potential[node] = cost - prices.potential[parent];
    }
}

// Flows from the leaves up: what a subtree has too much of leaves it, what it lacks enters, by its one arc upwards.
inline double Simplex::finish(const double* a, const double* b) {
    scratch_.assign(a, a + n_);
    for (int j = 0; j < m_; ++j) scratch_.push_back(-b[j]);
    arcs_.clear();
    double value = 0;
    for (int node = tree_.previous(root_); node != root_; node = tree_.previous(node)) {
        const int parent = tree_.parent(node);
        const double excess = scratch_[node], flow = node < n_ ? excess : -excess;
        scratch_[parent] += excess;
        if (!(flow >= -1e-12 * mass_)) throw NotOptimal("the final tree is not feasible");
        arcs_.push_back({std::min(node, parent), std::max(node, parent) - n_, std::max(flow, 0.0)});
        value += arcs_.back().flow * exact_.row(arcs_.back().row)[arcs_.back().column];
    }
    // Columns without mass were left out of the tree; the highest potential that keeps them unattractive will do.
    for (int j = 0; j < m_; ++j)
        if (b[j] == 0) {
            double& v = exact_.potential[n_ + j];
            v = std::numeric_limits<double>::infinity();
            for (int i = 0; i < n_; ++i) v = std::min(v, exact_.row(i)[j] - exact_.potential[i]);
        }
    return value;
}

}  // namespace hott
