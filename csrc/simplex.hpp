// Exact optimal transport between two discrete masses, in float64, for dense costs of any size.
//
// A primal network simplex on the bipartite graph rows -> columns. The basis is a spanning tree; node i < n is row i,
// node n + j is column j. Three things make it fast and sound:
// - Flows are integers while pivoting, so that sums and ties are exact and the tree stays strongly feasible (an arc
//   without flow always leads from a row up to a column): no sequence of pivots can cycle. Masses are rounded to 62 bits
//   at first. The flows returned are computed from the final tree and the masses as they were given; where the tree turns
//   out not to be feasible for these, since many are smaller than that rounding (the tails of a density), the problem is
//   solved again with every digit of every mass.
// - Costs are rounded to 27-bit integers at first, whose pricing loop is short and vectorises on any machine. Where the
//   basis found is not optimal for the true costs, it is improved with these, in float64, by the same code.
// - In the end no arc may lower the total at all, whatever other costs there are: potentials.hpp leaves no doubt. So the
//   basis is optimal for the costs as they are, and for the masses up to the rounding of doubles.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "exact_sum.hpp"
#include "fixed_point.hpp"
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

// A workspace. Flow: std::int64_t, masses in units of 2^-60 of their total (up to a factor of 2); FixedPoint, exactly.
template <class Flow>
class NetworkSimplex {
  public:
    // As Simplex below; nothing where masses that were rounded away matter.
    std::optional<double> solve(int n, int m, const double* a, const double* b, const double* cost,
                                std::ptrdiff_t stride, const std::atomic<bool>* stop);
    const std::vector<Arc>& arcs() const { return arcs_; }
    std::pair<std::vector<double>, std::vector<double>> potentials() const;
    std::int64_t pivots() const { return pivots_; }

  private:
    static constexpr int none = Tree<Flow>::none;
    static constexpr std::int32_t unit_cost = 1 << 26;  // the largest cost, as an integer
    static constexpr std::int32_t limit = 1 << 29;      // integer potentials beyond this might overflow
    static constexpr std::int32_t never = -2 * limit;   // potential of a column that takes no part

    void round_masses(const double* a, const double* b);
    void scale_costs();
    void round_costs(double top);
    double largest_in_use() const;
    void start();
    void settle(const std::atomic<bool>* stop);
    void look_up(const std::atomic<bool>* stop) const;
    template <class Price>
    void improve(const Prices<Price>& prices, Price tolerance, const std::atomic<bool>* stop);
    template <class Price>
    void pivot(const Prices<Price>& prices, int i, int j);
    template <class F>
    void exchange(int i, int j, F while_apart);
    bool set_flows();
    template <class Price>
    void shift(const Prices<Price>& prices, int top, int count, Price amount);
    template <class Price>
    void refresh(const Prices<Price>& prices);
    std::optional<double> finish();

    Candidate best_arc(const Prices<std::int32_t>& prices, int first, int last, std::int32_t bar) const {
        return kernels_->best_rounded_arc(prices, first, last, bar);
    }
    Candidate best_arc(const Prices<double>& prices, int first, int last, double bar) const {
        return kernels_->best_exact_arc(prices, first, last, bar);
    }

    const Kernels* kernels_ = &kernels();
    int n_ = 0, m_ = 0, root_ = none, heaviest_ = none;
    bool overflow_ = false;
    int mass_exponent_ = 0, cost_exponent_ = 0;
    double total_ = 0;  // of the rows' masses
    double scale_ = 0;  // the largest cost
    double tolerance_ = 0;
    std::int64_t pivots_ = 0;
    Tree<Flow> tree_;
    Prices<std::int32_t> rounded_{};
    Prices<double> exact_{};
    std::vector<std::int32_t> rounded_costs_, rounded_potentials_;
    Potentials<Flow> settled_;
    std::vector<TwoDoubles> mass_;  // of rows and columns
    struct Balance {
        TwoDoubles excess;
        double gross;
    };
    std::vector<Balance> balance_;  // of a node and all that has passed on its mass to it
    std::vector<double> scaled_costs_, mean_, float64_potentials_;
    std::vector<Flow> demand_;
    std::vector<std::pair<Flow, int>> supply_;
    std::vector<int> path_;
    std::vector<Arc> arcs_;
    TwoDoubles value_;
};

template <class Flow>
std::optional<double> NetworkSimplex<Flow>::solve(int n, int m, const double* a, const double* b, const double* cost,
                                                  std::ptrdiff_t stride, const std::atomic<bool>* stop) {
    n_ = n, m_ = m, pivots_ = 0;
    float64_potentials_.resize(n + m);
    exact_ = {cost, stride, m, float64_potentials_.data(), float64_potentials_.data() + n};
    round_masses(a, b);
    scale_costs();
    round_costs(scale_);
    start();
    refresh(rounded_);
    improve(rounded_, 0, stop);
    // Where costs dwarf all that are in use, forbidden arcs perhaps, those in use were all rounded to the same: look closer.
    for (double top = scale_, used; (used = largest_in_use()) > 0 && used < 0x1p-12 * top;) {
        round_costs(top = 16 * used);
        refresh(rounded_);
        improve(rounded_, 0, stop);
    }
    settle(stop);
    return finish();
}

// Masses scaled by a power of 2 to a total of 1 to 2, those of the columns to that of the rows in twice the digits; and
// as integers. What rounding leaves over goes to the heaviest node.
template <class Flow>
void NetworkSimplex<Flow>::round_masses(const double* a, const double* b) {
    mass_.resize(n_ + m_);
    const double sum = std::accumulate(a, a + n_, 0.0);
    mass_exponent_ = std::isfinite(sum) ? std::ilogb(sum) : 1023 + std::ilogb(n_);
    const PowerOfTwo factor(-mass_exponent_);
    TwoDoubles total, other;
    heaviest_ = static_cast<int>(std::max_element(a, a + n_) - a);
    const int heaviest_column = static_cast<int>(std::max_element(b, b + m_) - b);
    for (int i = 0; i < n_; ++i) total += (mass_[i] = {factor * a[i]}).high;
    for (int j = 0; j < m_; ++j) other += (mass_[n_ + j] = {factor * b[j]}).high;
    total_ = total.value();
    if (!(total_ > 0 && other.high > 0)) throw NotOptimal("rows and columns must carry mass");
    double excess = (total + -other).value() / other.value();  // of the rows, for each unit of the columns
    if (std::abs(excess) > 1e-6) {  // little is left of two documents, and that is rounding
        // Where the columns have 2^53 times as much as the rows, or more, 1 + excess is nothing but rounding itself.
        const double ratio = excess > -1 ? 1 + excess : total_ / other.value();
        other = {};
        for (int node = n_; node < n_ + m_; ++node) other += (mass_[node] = {mass_[node].high * ratio}).high;
        excess = (total + -other).value() / other.value();
    }
    if (excess != 0)
        for (int node = n_; node < n_ + m_; ++node) mass_[node] += mass_[node].high * excess;

    const auto flow = [](const TwoDoubles& mass) {
        if constexpr (std::is_integral_v<Flow>)
            return static_cast<Flow>(mass.high * 0x1p60) + static_cast<Flow>(mass.low * 0x1p60);
        else
            return Flow::of(mass.high) += Flow::of(mass.low);
    };
    Flow supplied{}, demanded{};
    supply_.resize(n_);
    for (int i = 0; i < n_; ++i) {
        supply_[i] = {flow(mass_[i]), i};
        supplied += supply_[i].first;
    }
    demand_.resize(m_);
    for (int j = 0; j < m_; ++j) {
        // A column with mass keeps at least one unit: a column child without flow would break strong feasibility.
        demand_[j] = b[j] > 0 ? std::max(flow(mass_[n_ + j]), Flow{1}) : Flow{};
        demanded += demand_[j];
    }
    if (demanded < supplied)
        demand_[heaviest_column] += supplied -= demanded;
    else
        supply_[heaviest_].first += demanded -= supplied;
    if (b[heaviest_column] > a[heaviest_]) heaviest_ = n_ + heaviest_column;
}

// The largest cost; and all of them scaled, where they might leave the range of doubles in sums or products.
template <class Flow>
void NetworkSimplex<Flow>::scale_costs() {
    const auto find_means = [&] {
        mean_.assign(2 * m_, 0.0);  // and the largest in each column
        for (int i = 0; i < n_; ++i)
            kernels_->add_row(exact_.row(i), mass_[i].high / total_, m_, mean_.data(), mean_.data() + m_);
        scale_ = *std::max_element(mean_.begin() + m_, mean_.end());
    };
    find_means();
    if (!std::isfinite(scale_)) throw NotOptimal("costs must be finite numbers");
    const int highest = 1020 - std::ilogb(2.0 * (n_ + m_) + 4);
    cost_exponent_ = scale_ == 0 ? 0 : scale_ < 0x1p-900 ? std::ilogb(scale_) : std::max(std::ilogb(scale_) - highest, 0);
    if (cost_exponent_ != 0) {
        const PowerOfTwo factor(-cost_exponent_);
        scaled_costs_.resize(static_cast<std::size_t>(n_) * m_);
        for (int i = 0; i < n_; ++i)
            std::transform(exact_.row(i), exact_.row(i) + m_, scaled_costs_.data() + static_cast<std::size_t>(i) * m_,
                           [&](double c) { return factor * c; });
        exact_.cost = scaled_costs_.data(), exact_.stride = m_;
        find_means();
    }
    tolerance_ = std::ldexp(scale_, -44);
}

// Costs as integers, padded so that no pricing loop has a tail; and the prices of the columns for the start. Those above
// `top` count as much as that.
template <class Flow>
void NetworkSimplex<Flow>::round_costs(double top) {
    const double unit = top > 0 ? unit_cost / top : 0;
    const int width = (m_ + padding - 1) / padding * padding;
    rounded_costs_.resize(static_cast<std::size_t>(n_) * width);
    rounded_potentials_.assign(n_ + width, 0);
    rounded_ = {rounded_costs_.data(), width, width, rounded_potentials_.data(), rounded_potentials_.data() + n_};
    overflow_ = false;
    for (int i = 0; i < n_; ++i) {
        std::int32_t* row = rounded_costs_.data() + static_cast<std::size_t>(i) * width;
        kernels_->round_row(exact_.row(i), unit, top < scale_ ? unit_cost : -1, m_, row);
        std::fill(row + m_, row + width, limit);
    }
    for (int j = 0; j < m_; ++j) {
        // A small bonus for heavy columns, which stay open longest.
        const double share = mass_[n_ + j].high / total_, price = std::min(mean_[j] * unit, double{unit_cost});
        rounded_.v[j] = static_cast<std::int32_t>(price + 0.05 * unit_cost * share);
    }
}

template <class Flow>
double NetworkSimplex<Flow>::largest_in_use() const {
    double largest = 0;
    for (int node = tree_.next(root_); node != root_; node = tree_.next(node)) {
        const int parent = tree_[node].parent, i = std::min(node, parent), j = std::max(node, parent) - n_;
        if (Flow{} < tree_[node].flow) largest = std::max(largest, exact_.row(i)[j]);
    }
    return largest;
}

// Greedy start: rows in ascending mass, each to its cheapest open columns after subtracting the column's weighted
// mean. Each step closes one row or one column below the other, so the arcs form a tree whose root is the last column
// left open; on a tie the column closes, which keeps arcs without flow below columns only.
template <class Flow>
void NetworkSimplex<Flow>::start() {
    int open = m_;
    for (int j = 0; j < m_; ++j)
        if (demand_[j] <= Flow{}) rounded_.v[j] = never, --open;
    tree_.reset(n_ + m_);
    std::sort(supply_.begin(), supply_.end());
    for (auto [supply, i] : supply_) {
        for (;;) {
            const int j = kernels_->best_rounded_arc(rounded_, i, i + 1, std::numeric_limits<std::int32_t>::max()).column;
            if (open > 1 && (demand_[j] <= supply || i == supply_.back().second)) {
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
template <class Flow>
template <class Price>
void NetworkSimplex<Flow>::improve(const Prices<Price>& prices, Price tolerance, const std::atomic<bool>* stop) {
    const int block = 4 + 400 / m_;  // more rows: fewer pivots, more pricing; near the best from 20 to 3,000 columns
    const std::int64_t most = pivots_ + 100 * (std::int64_t{n_} + m_);
    int first = 0;
    for (int clean = 0; clean < n_ && (std::is_integral_v<Price> ? !overflow_ : pivots_ < most);) {
        const int last = std::min(n_, first + block);
        const Candidate best = best_arc(prices, first, last, -tolerance);
        clean = best.row == none ? clean + last - first : 0;
        first = last < n_ ? last : 0;
        if (best.row == none) continue;
        pivot(prices, best.row, best.column);
        look_up(stop);
    }
}

template <class Flow>
void NetworkSimplex<Flow>::look_up(const std::atomic<bool>* stop) const {
    if (pivots_ % 64 == 0 && stop && stop->load(std::memory_order_relaxed)) throw Interrupted("stopped");
    if (pivots_ > 1000 * (std::int64_t{n_} + m_)) throw NotOptimal("too many pivots");
}

// Pivots on arcs that lower the total at all, until there is none.
template <class Flow>
void NetworkSimplex<Flow>::settle(const std::atomic<bool>* stop) {
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
                    settled_.refresh(tree_, root_, n_, exact_);
                } else {
                    exchange(row, column, [](int, int, int) {});
                    settled_.follow(row, column);
                    look_up(stop);
                }
                rough = rough && gain >= -tolerance_;
                clear = 0;
            }
        }
        first = first < n_ ? first : 0;
    }
}

// Arc (i, j) enters. Around its cycle the arcs alternately lose and gain flow, from i up and from j up, losing first. The
// arc that blocks last when the cycle is walked from its apex down to i and from j back up leaves: Cunningham's rule,
// which keeps the tree strongly feasible. What hung below it is cut off and turned, to hang on the entering arc; while it
// is apart, a function may change it: while_apart(its top, its size, the size of the rest).
template <class Flow>
template <class F>
void NetworkSimplex<Flow>::exchange(int i, int j, F while_apart) {
    Flow step{};
    int leaving = none, p = i, q = n_ + j;
    bool row_side = true;
    while (p != q) {
        if (tree_[p].size < tree_[q].size) {
            if (p < n_ && (leaving == none || tree_[p].flow < step)) step = tree_[p].flow, leaving = p, row_side = true;
            p = tree_[p].parent;
        } else {
            if (q >= n_ && (leaving == none || tree_[q].flow <= step))
                step = tree_[q].flow, leaving = q, row_side = false;
            q = tree_[q].parent;
        }
    }
    ++pivots_;
    const int apex = p, top = row_side ? i : n_ + j, outside = row_side ? n_ + j : i;
    const int moved = tree_[leaving].size, kept = tree_[root_].size - moved;
    tree_.augment(top, apex, step, -moved);
    tree_.augment(outside, apex, step, moved);
    tree_.cut(leaving);
    tree_.turn(top, leaving, moved);
    while_apart(top, moved, kept);
    tree_.hang(top, outside, step);
}

// Arc (i, j) enters, and the potentials follow. Only their differences matter: the smaller side is shifted.
template <class Flow>
template <class Price>
void NetworkSimplex<Flow>::pivot(const Prices<Price>& prices, int i, int j) {
    const Price gain = prices.row(i)[j] - prices.u[i] - prices.v[j];
    exchange(i, j, [&](int top, int moved, int kept) {
        const Price amount = top < n_ ? gain : -gain;
        if (moved < kept)
            shift(prices, top, moved, amount);
        else
            shift(prices, root_, kept, -amount);
    });
}

// Adds `amount` to the row potentials of the tree below `top`, and takes it from the column potentials.
template <class Flow>
template <class Price>
void NetworkSimplex<Flow>::shift(const Prices<Price>& prices, int top, int count, Price amount) {
    Price* potential = prices.u;  // and the columns' after them
    for (int node = top; count > 0; node = tree_.next(node), --count) {
        potential[node] += node < n_ ? amount : -amount;
        if (std::is_integral_v<Price> && (potential[node] > limit || potential[node] < -limit)) overflow_ = true;
    }
}

// Potentials computed afresh from the tree.
template <class Flow>
template <class Price>
void NetworkSimplex<Flow>::refresh(const Prices<Price>& prices) {
    std::fill(prices.v, prices.v + m_, std::is_integral_v<Price> ? never : -std::numeric_limits<Price>::infinity());
    Price* potential = prices.u;
    potential[root_] = 0;
    for (int node = tree_.next(root_); node != root_; node = tree_.next(node)) {
        const int parent = tree_[node].parent, i = std::min(node, parent), j = std::max(node, parent) - n_;
        potential[node] = prices.row(i)[j] - potential[parent];
    }
}

// Flows from the leaves up to the heaviest node, which takes what the sums are apart by: what a subtree has too much of
// leaves it, what it lacks enters, by its one arc. What is less than the rounding of its masses is no flow. Returns whether
// the tree is feasible: rounded masses may have hidden that flows are below 0.
template <class Flow>
bool NetworkSimplex<Flow>::set_flows() {
    double lacking = 0;
    Arc* arc = (arcs_.resize(tree_[root_].size - 1), arcs_.data());
    const PowerOfTwo mass_scale(mass_exponent_);
    value_ = {};
    // A node's arc upwards, and the balance on that side of it where the heaviest node is not.
    const auto set_flow = [&](int node, double excess, double gross) {
        const int parent = tree_[node].parent, i = std::min(node, parent), j = std::max(node, parent) - n_;
        double flow = node < n_ ? excess : -excess;
        if (std::abs(flow) <= 0x1p-51 * gross) flow = 0;
        if (flow < 0) {
            lacking -= flow;
            flow = 0;
        }
        *arc++ = {i, j, mass_scale * flow};
        value_ += flow * exact_.row(i)[j];
    };
    balance_.resize(n_ + m_);
    for (int node = 0; node < n_ + m_; ++node)
        balance_[node] = {node < n_ ? mass_[node] : -mass_[node], mass_[node].high};
    const auto pass_on = [&](int from, int to) {
        balance_[to].excess += balance_[from].excess.high;
        balance_[to].excess.low += balance_[from].excess.low;
        balance_[to].gross += balance_[from].gross;
    };
    path_.clear();
    for (int node = heaviest_; node != none; node = tree_[node].parent) path_.push_back(node);
    std::size_t passed = 0;  // nodes of the path come in its order, and have their turn after the others
    for (int node = tree_.previous(root_); node != root_; node = tree_.previous(node)) {
        if (node == path_[passed]) {
            ++passed;
        } else {
            set_flow(node, balance_[node].excess.value(), balance_[node].gross);
            pass_on(node, tree_[node].parent);
        }
    }
    for (; passed > 0; --passed) {
        const int parent = path_[passed], node = path_[passed - 1];
        set_flow(node, -balance_[parent].excess.value(), balance_[parent].gross);
        pass_on(parent, node);
    }
    if (lacking == 0) return true;
    // To move a unit elsewhere costs no more than the largest reduced cost.
    double farthest = 0;
    for (int node = tree_.next(root_); node != root_; node = tree_.next(node))
        farthest = std::max(farthest, std::abs(settled_[node]));
    return lacking * (2 * farthest + scale_) <= 0x1p-52 * value_.high;
}

template <class Flow>
std::optional<double> NetworkSimplex<Flow>::finish() {
    if (!set_flows()) return std::nullopt;
    const double result = std::ldexp(value_.value(), mass_exponent_ + cost_exponent_);
    if (!std::isfinite(result)) throw NotOptimal("the value is larger than any double; scale the masses or the costs");
    return result;
}

template <class Flow>
std::pair<std::vector<double>, std::vector<double>> NetworkSimplex<Flow>::potentials() const {
    std::vector<double> u(n_), v(m_);
    for (int i = 0; i < n_; ++i) u[i] = settled_[i];
    for (int j = 0; j < m_; ++j) v[j] = settled_[n_ + j];
    // Columns without mass were left out of the tree; the highest potential that keeps them unattractive will do.
    for (int j = 0; j < m_; ++j)
        if (mass_[n_ + j].high == 0) {
            v[j] = std::numeric_limits<double>::infinity();
            for (int i = 0; i < n_; ++i) v[j] = std::min(v[j], exact_.row(i)[j] - u[i]);
        }
    const PowerOfTwo cost_scale(cost_exponent_);
    for (auto* side : {&u, &v})
        for (double& potential : *side) potential = cost_scale * potential;
    return {u, v};
}

// A reusable workspace: it allocates only when a problem is larger than any before it. One per thread.
class Simplex {
  public:
    // Moves the masses a[n] onto b[m], scaled to the total of a, at the least total cost; cost[i * stride + j] is the
    // price of one unit from row i to column j. None of these is negative. Returns the optimal value.
    double solve(int n, int m, const double* a, const double* b, const double* cost, std::ptrdiff_t stride,
                 const std::atomic<bool>* stop = nullptr) {
        is_exact_ = false;
        if (const auto value = rounded_.solve(n, m, a, b, cost, stride, stop)) return *value;
        is_exact_ = true;
        if (const auto value = exact_.solve(n, m, a, b, cost, stride, stop)) return *value;
        throw NotOptimal("the final tree is not feasible");
    }

    // The last solution, while the costs are where they were: the basic arcs, some perhaps without flow, and potentials u
    // and v with u[i] + v[j] <= cost[i][j], equal on every arc.
    const std::vector<Arc>& arcs() const { return is_exact_ ? exact_.arcs() : rounded_.arcs(); }
    std::pair<std::vector<double>, std::vector<double>> potentials() const {
        return is_exact_ ? exact_.potentials() : rounded_.potentials();
    }
    std::int64_t pivots() const { return rounded_.pivots() + (is_exact_ ? exact_.pivots() : 0); }

  private:
    bool is_exact_ = false;
    NetworkSimplex<std::int64_t> rounded_;
    NetworkSimplex<FixedPoint> exact_;
};

}  // namespace hott
