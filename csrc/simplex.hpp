// Exact optimal transport between two discrete masses, in float64, for dense costs of any size.
//
// A primal network simplex on the bipartite graph rows -> columns. The basis is a spanning tree; node k < n is row k,
// node n + j is column j, and every node but the root keeps the flow of the arc to its parent. Masses are rounded to
// 62-bit integers while pivoting, so that flows and ties are exact and the tree stays strongly feasible (an arc
// without flow always leads from a row up to a column): no sequence of pivots can cycle. The flows returned are
// computed from the final tree and the masses as they were given.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "row_minimum.hpp"

namespace hott {

struct Arc {
    int row, column;
    double flow;
};

// The optimum was not reached, or could not be certified: masses of unequal total, costs that are not finite.
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
    const double* u() const { return potential_.data(); }
    const double* v() const { return potential_.data() + n_; }
    std::int64_t pivots() const { return pivots_; }

  private:
    struct Node {
        int parent, depth, child, next, previous;  // first child; siblings
        std::int64_t flow;                         // of the arc to the parent; before that, mass still to be placed
    };
    static constexpr int none = -1;
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    const double* row(int i) const { return cost_ + i * stride_; }
    double* columns() { return potential_.data() + n_; }
    double reduced(int i, int j) const { return row(i)[j] - potential_[i] - potential_[n_ + j]; }
    double arc_cost(int node) const {
        int parent = node_[node].parent;
        return node < n_ ? row(node)[parent - n_] : row(parent)[node - n_];
    }
    void round_masses(const double* a, const double* b);
    void start(const double* a);
    bool improve(const std::atomic<bool>* stop);
    void pivot(int i, int j);
    void hang(int node, int parent);
    void unhang(int node);
    void shift_below(int top, double amount);
    double refresh();
    double finish(const double* a, const double* b);

    int n_ = 0, m_ = 0, root_ = none, next_row_ = 0;
    const double* cost_ = nullptr;
    std::ptrdiff_t stride_ = 0;
    double scale_ = 0, tolerance_ = 0, mass_ = 0;
    std::int64_t pivots_ = 0;
    std::vector<Node> node_;
    std::vector<double> potential_, excess_;
    std::vector<int> order_;
    std::vector<Arc> arcs_;
};

inline double Simplex::solve(int n, int m, const double* a, const double* b, const double* cost,
                             std::ptrdiff_t stride, const std::atomic<bool>* stop) {
    n_ = n, m_ = m, cost_ = cost, stride_ = stride, pivots_ = 0, next_row_ = 0;
    round_masses(a, b);
    start(a);
    do {
        while (improve(stop)) {
        }
        // Potentials drift by rounding as pivots shift them; those of the final tree must price out too.
    } while (refresh() > tolerance_ && improve(stop));
    return finish(a, b);
}

// Masses as integers with a total near 2^61; what rounding leaves over goes to the heaviest node.
inline void Simplex::round_masses(const double* a, const double* b) {
    node_.resize(n_ + m_);
    mass_ = std::accumulate(a, a + n_, 0.0);
    const double other = std::accumulate(b, b + m_, 0.0);
    if (!(mass_ > 0 && std::abs(mass_ - other) <= 1e-12 * mass_))
        throw NotOptimal("rows and columns must carry the same positive mass");
    const double unit = std::ldexp(1.0, 61) / mass_;
    std::int64_t rest = 0;
    for (int i = 0; i < n_; ++i) rest += node_[i].flow = static_cast<std::int64_t>(a[i] * unit + 0.5);
    for (int j = 0; j < m_; ++j) {
        // A column with mass keeps at least one unit: a column child without flow would break strong feasibility.
        const auto units = static_cast<std::int64_t>(b[j] * unit + 0.5);
        rest -= node_[n_ + j].flow = b[j] > 0 ? std::max<std::int64_t>(units, 1) : 0;
    }
    if (rest > 0)
        node_[n_ + (std::max_element(b, b + m_) - b)].flow += rest;
    else
        node_[std::max_element(a, a + n_) - a].flow -= rest;
}

// Greedy start: rows in ascending mass, each to its cheapest open columns after subtracting the column's weighted
// mean. Each step closes one row or one column below the other, so the arcs form a tree whose root is the last column
// left open; on a tie the column closes, which keeps arcs without flow below columns only.
inline void Simplex::start(const double* a) {
    potential_.assign(n_ + m_, 0.0);
    double* shift = columns();
    scale_ = 0;
    for (int i = 0; i < n_; ++i) {
        const double weight = a[i] / mass_;
        const double* c = row(i);
        for (int j = 0; j < m_; ++j) {
            shift[j] += weight * c[j];
            scale_ = std::max(scale_, std::abs(c[j]));
        }
    }
    if (!(scale_ < infinity)) throw NotOptimal("costs must be finite");
    tolerance_ = std::ldexp(scale_, -46);
    int open = m_;
    for (int j = 0; j < m_; ++j) {
        const std::int64_t mass = node_[n_ + j].flow;
        // Heavy columns first: they stay open longest (fewer pivots, see start rules in the benchmark).
        shift[j] += 0.05 * scale_ * std::ldexp(static_cast<double>(mass), -61);
        if (mass == 0) shift[j] = -infinity, --open;
    }
    for (Node& node : node_) node.parent = node.child = node.next = node.previous = none;
    order_.resize(n_);
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(),
              [this](int x, int y) { return node_[x].flow != node_[y].flow ? node_[x].flow < node_[y].flow : x < y; });
    for (int k = 0; k < n_; ++k) {
        const int i = order_[k];
        for (;;) {
            const int j = row_minimum(row(i), shift, m_).column;
            Node &supply = node_[i], &demand = node_[n_ + j];
            if (open > 1 && (supply.flow >= demand.flow || k == n_ - 1)) {
                supply.flow -= demand.flow;
                shift[j] = -infinity;
                --open;
                hang(n_ + j, i);
            } else {
                demand.flow -= supply.flow;
                hang(i, n_ + j);
                root_ = n_ + j;
                break;
            }
        }
    }
    node_[root_].depth = 0;
    refresh();
}

// One round over the rows: the best arc of each row enters the basis if it lowers the total. False: no arc does.
inline bool Simplex::improve(const std::atomic<bool>* stop) {
    const std::int64_t before = pivots_;
    for (int i = 0; i < n_; ++i) {
        const RowMinimum best = row_minimum(row(i), columns(), m_);
        if (best.value - potential_[i] < -tolerance_) {
            pivot(i, best.column);
            if (pivots_ % 256 == 0 && stop && stop->load(std::memory_order_relaxed)) throw Interrupted("stopped");
        }
    }
    if (pivots_ > 1000 * (std::int64_t{n_} + m_)) throw NotOptimal("too many pivots");
    return pivots_ > before;
}

// Arc (i, j) enters. Around its cycle the arcs alternately lose and gain flow, from i up and from j up, losing first.
inline void Simplex::pivot(int i, int j) {
    ++pivots_;
    const double gain = reduced(i, j);
    j += n_;
    // The arc that blocks last when the cycle is walked from its apex down to i and from j back up: Cunningham's
    // rule, which keeps the tree strongly feasible.
    std::int64_t step = std::numeric_limits<std::int64_t>::max();
    int leaving = none, p = i, q = j;
    bool row_side = true;
    while (p != q) {
        if (node_[p].depth >= node_[q].depth) {
            if (p < n_ && (node_[p].flow < step)) step = node_[p].flow, leaving = p, row_side = true;
            p = node_[p].parent;
        } else {
            if (q >= n_ && node_[q].flow <= step) step = node_[q].flow, leaving = q, row_side = false;
            q = node_[q].parent;
        }
    }
    const int apex = p;
    if (step > 0) {
        for (p = i; p != apex; p = node_[p].parent) node_[p].flow += p < n_ ? -step : step;
        for (q = j; q != apex; q = node_[q].parent) node_[q].flow += q < n_ ? step : -step;
    }
    const int top = row_side ? i : j;
    int node = top, parent = row_side ? j : i;
    for (std::int64_t carried = step;;) {
        const int above = node_[node].parent;
        unhang(node);
        hang(node, parent);
        std::swap(carried, node_[node].flow);
        if (node == leaving) break;
        parent = node;
        node = above;
    }
    shift_below(top, row_side ? gain : -gain);
}

inline void Simplex::hang(int node, int parent) {
    Node &below = node_[node], &above = node_[parent];
    below.parent = parent;
    below.previous = none;
    below.next = above.child;
    if (above.child != none) node_[above.child].previous = node;
    above.child = node;
}

inline void Simplex::unhang(int node) {
    const Node& below = node_[node];
    (below.previous != none ? node_[below.previous].next : node_[below.parent].child) = below.next;
    if (below.next != none) node_[below.next].previous = below.previous;
}

// Adds `amount` to the row potentials below `top`, and takes it from the column potentials; sets the depths.
inline void Simplex::shift_below(int top, double amount) {
    int node = top;
    for (;;) {
        potential_[node] += node < n_ ? amount : -amount;
        node_[node].depth = node_[node_[node].parent].depth + 1;
        if (node_[node].child != none) {
            node = node_[node].child;
            continue;
        }
        while (node != top && node_[node].next == none) node = node_[node].parent;
        if (node == top) return;
        node = node_[node].next;
    }
}

// Potentials and depths computed afresh from the tree, whose nodes are left in order_, parents first. Returns the
// largest change of a potential.
inline double Simplex::refresh() {
    order_.clear();
    order_.push_back(root_);
    double change = std::abs(potential_[root_]);
    potential_[root_] = 0;
    for (std::size_t k = 0; k < order_.size(); ++k) {
        for (int node = node_[order_[k]].child; node != none; node = node_[node].next) {
            const double value = arc_cost(node) - potential_[order_[k]];
            change = std::max(change, std::abs(value - potential_[node]));
            potential_[node] = value;
            node_[node].depth = node_[order_[k]].depth + 1;
            order_.push_back(node);
        }
    }
    return change;
}

// Flows from the leaves up: what a subtree has too much of leaves it, what it lacks enters, by its one arc upwards.
inline double Simplex::finish(const double* a, const double* b) {
    excess_.assign(a, a + n_);
    for (int j = 0; j < m_; ++j) excess_.push_back(-b[j]);
    arcs_.clear();
    double value = 0;
    for (std::size_t k = order_.size(); k-- > 1;) {
        const int node = order_[k], parent = node_[node].parent;
        const double out = excess_[node], flow = node < n_ ? out : -out;
        excess_[parent] += out;
        if (!(flow >= -1e-12 * mass_)) throw NotOptimal("the final tree is not feasible");
        arcs_.push_back({std::min(node, parent), std::max(node, parent) - n_, std::max(flow, 0.0)});
        value += arcs_.back().flow * arc_cost(node);
    }
    // Columns without mass were left out of the tree; any potential that keeps them unattractive will do.
    if (static_cast<int>(order_.size()) < n_ + m_)
        for (int j = 0; j < m_; ++j)
            if (b[j] == 0) {
                columns()[j] = infinity;
                for (int i = 0; i < n_; ++i) columns()[j] = std::min(columns()[j], row(i)[j] - potential_[i]);
            }
    return value;
}

}  // namespace hott
