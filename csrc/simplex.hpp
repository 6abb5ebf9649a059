// Exact optimal transport between two discrete masses, in float64, for dense costs of any size.
//
// A primal network simplex on the bipartite graph rows -> columns. The basis is a spanning tree; node i < n is row i,
// node n + j is column j. Three things make it fast and sound:
// - Masses are rounded to 62-bit integers while pivoting, so that flows and ties are exact and the tree stays strongly
//   feasible (an arc without flow always leads from a row up to a column): no sequence of pivots can cycle. The flows
//   returned are computed from the final tree and the masses as they were given.
// - Costs are rounded to 27-bit integers at first, whose pricing loop is short and vectorises on any machine. Where the
//   basis found is not optimal for the true costs, it is improved with these, in float64, by the same code.
// - In the end no arc may lower the total at all, whatever other costs there are: potentials.hpp leaves no doubt. So the
//   basis is optimal for the costs as they are, and for the masses up to their rounding.
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

#include "exact_sum.hpp"
#include "kernels.hpp"
#include "potentials.hpp"
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
    // Moves the masses a[n] onto b[m], scaled to the total of a, at the least total cost; cost[i * stride + j] is the
    // price of one unit from row i to column j. None of these is negative. Returns the optimal value.
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
    static constexpr std::int32_t unit_cost = 1 << 26;  // the largest cost, as an integer
    static constexpr std::int32_t limit = 1 << 29;      // integer potentials beyond this might overflow
    static constexpr std::int32_t never = -2 * limit;   // potential of a column that takes no part

    void round_masses(const double* a, const double* b);
    void round_costs();
    void start();
    void settle(const std::atomic<bool>* stop);
    void look_up(const std::atomic<bool>* stop) const;
    template <class Price>
    void improve(const Prices<Price>& prices, Price tolerance, const std::atomic<bool>* stop);
    template <class Price>
    void pivot(const Prices<Price>& prices, int i, int j);
    template <class F>
    void exchange(int i, int j, F while_apart);
    template <class Price>
    void shift(const Prices<Price>& prices, int top, int count, Price amount);
    template <class Price>
    void refresh(const Prices<Price>& prices);
    double finish();

    Candidate best_arc(const Prices<std::int32_t>& prices, int first, int last, std::int32_t bar) const {
        return kernels_->best_rounded_arc(prices, first, last, bar);
    }
    Candidate best_arc(const Prices<double>& prices, int first, int last, double bar) const {
        return kernels_->best_exact_arc(prices, first, last, bar);
    }

    const Kernels* kernels_ = &kernels();
    int n_ = 0, m_ = 0, root_ = none;
    bool overflow_ = false;
    int mass_exponent_ = 0, cost_exponent_ = 0;
    double scale_ = 0;  // the largest cost
    double tolerance_ = 0;
    std::int64_t pivots_ = 0;
    Tree tree_;
    Prices<std::int32_t> rounded_{};
    Prices<double> exact_{};
    std::vector<std::int32_t> rounded_costs_, rounded_potentials_;
    Potentials settled_;
    std::vector<TwoDoubles> mass_, excess_;  // of rows and columns
    std::vector<double> scaled_costs_, final_potentials_, scratch_;
    std::vector<std::int64_t> demand_;
    std::vector<std::pair<std::int64_t, int>> supply_;
    std::vector<Arc> arcs_;
};

inline double Simplex::solve(int n, int m, const double* a, const double* b, const double* cost,
                             std::ptrdiff_t stride, const std::atomic<bool>* stop) {
    n_ = n, m_ = m, pivots_ = 0, overflow_ = false;
    final_potentials_.resize(n + m);
    exact_ = {cost, stride, m, final_potentials_.data(), final_potentials_.data() + n};
    round_masses(a, b);
    round_costs();
    start();
    refresh(rounded_);
    improve(rounded_, 0, stop);
    settle(stop);
    return finish();
}

// Masses scaled by a power of 2 to a total of 1 to 2, those of the columns to that of the rows in twice the digits; and
// as integers. What rounding leaves over goes to the heaviest node.
inline void Simplex::round_masses(const double* a, const double* b) {
    mass_.resize(n_ + m_);
    const auto scaled_total = [&](const double* mass, int count, int exponent, TwoDoubles* scaled) {
        TwoDoubles total;
        for (int k = 0; k < count; ++k) total = total + (scaled[k] = {std::ldexp(mass[k], -exponent)});
        return total;
    };
    const double most = *std::max_element(a, a + n_);
    if (!(most > 0 && std::isfinite(most))) throw NotOptimal("rows must carry a positive mass");
    mass_exponent_ = std::ilogb(most);
    TwoDoubles total = scaled_total(a, n_, mass_exponent_, mass_.data());
    mass_exponent_ += std::ilogb(total.high);
    total = scaled_total(a, n_, mass_exponent_, mass_.data());
    const TwoDoubles other = scaled_total(b, m_, mass_exponent_, mass_.data() + n_);
    const double excess = (total + -other).value() / other.high;  // of the rows, for each unit of the columns
    if (!(std::abs(excess) < 1)) throw NotOptimal("rows and columns must carry the same mass");
    for (int node = n_; node < n_ + m_; ++node) mass_[node] = mass_[node] + TwoDoubles{mass_[node].high * excess};

    const auto integer = [](const TwoDoubles& mass) {
        return static_cast<std::int64_t>(std::llround(mass.high * 0x1p60) + std::llround(mass.low * 0x1p60));
    };
    const auto heaviest = [&](int first, int last) {
        const auto lighter = [](const TwoDoubles& x, const TwoDoubles& y) { return x.high < y.high; };
        return static_cast<int>(std::max_element(mass_.data() + first, mass_.data() + last, lighter) - mass_.data());
    };
    std::int64_t rest = 0;
    supply_.resize(n_);
    for (int i = 0; i < n_; ++i) {
        supply_[i] = {integer(mass_[i]), i};
        rest += supply_[i].first;
    }
    demand_.resize(m_);
    for (int j = 0; j < m_; ++j) {
        // A column with mass keeps at least one unit: a column child without flow would break strong feasibility.
        demand_[j] = b[j] > 0 ? std::max<std::int64_t>(integer(mass_[n_ + j]), 1) : 0;
        rest -= demand_[j];
    }
    if (rest > 0)
        demand_[heaviest(n_, n_ + m_) - n_] += rest;
    else
        supply_[heaviest(0, n_)].first -= rest;
}

// Costs as integers, padded so that no pricing loop has a tail, and the prices of the columns for the start.
inline void Simplex::round_costs() {
    const double total = std::accumulate(mass_.begin(), mass_.begin() + n_, 0.0,
                                         [](double sum, const TwoDoubles& mass) { return sum + mass.high; });
    scratch_.assign(2 * m_, 0.0);
    double *mean = scratch_.data(), *largest = mean + m_;
    const auto look = [&] {
        for (int i = 0; i < n_; ++i) kernels_->add_row(exact_.row(i), mass_[i].high / total, m_, mean, largest);
        scale_ = *std::max_element(largest, largest + m_);
    };
    look();
    if (!std::isfinite(scale_)) throw NotOptimal("costs must be finite numbers");
    cost_exponent_ = scale_ == 0 || (scale_ > 0x1p-900 && scale_ < 0x1p900) ? 0 : std::ilogb(scale_);
    if (cost_exponent_ != 0) {  // no sum or product of these must leave the range of doubles
        scaled_costs_.resize(static_cast<std::size_t>(n_) * m_);
        for (int i = 0; i < n_; ++i)
            std::transform(exact_.row(i), exact_.row(i) + m_, scaled_costs_.data() + static_cast<std::size_t>(i) * m_,
                           [&](double c) { return std::ldexp(c, -cost_exponent_); });
        exact_.cost = scaled_costs_.data(), exact_.stride = m_;
        scratch_.assign(2 * m_, 0.0);
        look();
    }
    tolerance_ = std::ldexp(scale_, -44);

    const double unit = scale_ > 0 ? unit_cost / scale_ : 0;
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
        const double share = mass_[n_ + j].high / total;
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

// Pivots on the best arc of a few rows at a time, until no arc lowers the total by more than `tolerance` a unit; or, where
// rounding in the potentials leads nowhere, until it has tried for long.
template <class Price>
void Simplex::improve(const Prices<Price>& prices, Price tolerance, const std::atomic<bool>* stop) {
    const int block = 4 + 400 / m_;  // more rows: fewer pivots, more pricing; near the best from 20 to 3,000 columns
    const std::int64_t most = pivots_ + 100 * (std::int64_t{n_} + m_);
    int first = 0;
    for (int clean = 0; clean < n_ && pivots_ < most && !(std::is_integral_v<Price> && overflow_);) {
        const int last = std::min(n_, first + block);
        const Candidate best = best_arc(prices, first, last, -tolerance);
        clean = best.row == none ? clean + last - first : 0;
        first = last < n_ ? last : 0;
        if (best.row == none) continue;
        pivot(prices, best.row, best.column);
        look_up(stop);
    }
}

inline void Simplex::look_up(const std::atomic<bool>* stop) const {
    if (pivots_ % 64 == 0 && stop && stop->load(std::memory_order_relaxed)) throw Interrupted("stopped");
    if (pivots_ > 1000 * (std::int64_t{n_} + m_)) throw NotOptimal("too many pivots");
}

// Pivots on arcs that lower the total at all, until there is none.
inline void Simplex::settle(const std::atomic<bool>* stop) {
    bool rough = true;  // the basis may be far from optimal: float64 pricing goes there faster
    settled_.refresh(tree_, root_, n_, exact_);
    for (int first = 0, clear = 0; clear < n_;) {
        const int last = std::min(n_, first + n_ - clear), row = settled_.unclear_row(first, last);
        clear += row - first;
        first = row;
        if (row < last) {
            const auto [column, gain] = settled_.improving_arc(row);
            if (column == none) {
                ++clear, ++first;
            } else {
                if (rough && gain < -tolerance_) {
                    refresh(exact_);
                    improve(exact_, tolerance_, stop);
                } else {
                    exchange(row, column, [](int, int, int, bool) {});
                    look_up(stop);
                }
                rough = rough && gain >= -tolerance_;
                settled_.refresh(tree_, root_, n_, exact_);
                clear = 0;
            }
        }
        if (first == n_) first = 0;
    }
}

// Arc (i, j) enters. Around its cycle the arcs alternately lose and gain flow, from i up and from j up, losing first. What
// hung below the arc that leaves is cut off and turned, to hang on the entering one; while it is apart, a function may
// change it: while_apart(its top, its size, the size of the rest, whether it has the row of the entering arc).
template <class F>
void Simplex::exchange(int i, int j, F while_apart) {
    ++pivots_;
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
    const int top = row_side ? i : j, outside = row_side ? j : i;
    const int moved = tree_[leaving].size, kept = tree_[root_].size - moved;
    tree_.augment(top, p, step, -moved);
    tree_.augment(outside, p, step, moved);
    tree_.cut(leaving);
    tree_.turn(top, leaving, moved);
    while_apart(top, moved, kept, row_side);
    tree_.hang(top, outside, step);
}

// Arc (i, j) enters, and the potentials follow. Only their differences matter: the smaller side is shifted.
template <class Price>
void Simplex::pivot(const Prices<Price>& prices, int i, int j) {
    const Price gain = prices.row(i)[j] - prices.u[i] - prices.v[j];
    exchange(i, j, [&](int top, int moved, int kept, bool row_side) {
        const Price amount = row_side ? gain : -gain;
        if (moved < kept)
            shift(prices, top, moved, amount);
        else
            shift(prices, root_, kept, -amount);
    });
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

// Flows from the leaves up: what a subtree has too much of leaves it, what it lacks enters, by its one arc upwards. What
// is less than the rounding of the masses on either side of the arc is no flow.
inline double Simplex::finish() {
    TwoDoubles value, lacking, total;
    excess_.resize(n_ + m_);
    scratch_.resize(n_ + m_);
    for (int node = 0; node < n_ + m_; ++node) {
        excess_[node] = node < n_ ? mass_[node] : -mass_[node];
        scratch_[node] = mass_[node].high;  // all masses of the subtree
        total = total + mass_[node];
    }
    arcs_.clear();
    for (int node = tree_.previous(root_); node != root_; node = tree_.previous(node)) {
        const int parent = tree_[node].parent, i = std::min(node, parent), j = std::max(node, parent) - n_;
        double flow = node < n_ ? excess_[node].value() : -excess_[node].value();
        if (std::abs(flow) <= 0x1p-51 * std::min(scratch_[node], total.high - scratch_[node])) flow = 0;
        if (flow < 0) lacking = lacking + TwoDoubles{-flow};
        excess_[parent] = excess_[parent] + excess_[node];
        scratch_[parent] += scratch_[node];
        flow = std::max(flow, 0.0);
        arcs_.push_back({i, j, std::ldexp(flow, mass_exponent_)});
        value = value + TwoDoubles{flow * exact_.row(i)[j]};
    }
    for (int node = 0; node < n_ + m_; ++node) exact_.u[node] = settled_[node];
    // Columns without mass were left out of the tree; the highest potential that keeps them unattractive will do.
    for (int j = 0; j < m_; ++j)
        if (mass_[n_ + j].high == 0) {
            exact_.v[j] = std::numeric_limits<double>::infinity();
            for (int i = 0; i < n_; ++i) exact_.v[j] = std::min(exact_.v[j], exact_.row(i)[j] - exact_.u[i]);
        }
    // The integer masses may have hidden that the tree is not quite feasible. To move a unit elsewhere costs no more than
    // the largest reduced cost.
    if (lacking.high > 0) {
        double farthest = 0;
        for (int node = 0; node < n_ + m_; ++node) farthest = std::max(farthest, std::abs(exact_.u[node]));
        if (lacking.high * (2 * farthest + scale_) > 1e-12 * value.high) throw NotOptimal("the final tree is not feasible");
    }
    for (int node = 0; node < n_ + m_; ++node) exact_.u[node] = std::ldexp(exact_.u[node], cost_exponent_);
    const double result = std::ldexp(value.value(), mass_exponent_ + cost_exponent_);
    if (!std::isfinite(result)) throw NotOptimal("the value is larger than any double; scale the masses or the costs");
    return result;
}

}  // namespace hott
