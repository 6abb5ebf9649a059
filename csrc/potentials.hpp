// The potentials of a spanning tree's nodes, and the signs of reduced costs, decided beyond doubt.
//
// Every arc's cost less its two potentials is compared in double precision first, with bounds on all that rounding can
// have done; a whole row of arcs takes one pass. The few that this leaves open are computed with twice the digits, and
// those that are still open, true ties among them, by the exact sum of the costs around the cycle that the arc closes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "exact_sum.hpp"
#include "kernels.hpp"
#include "tree.hpp"

namespace hott {

template <class Flow>
class Potentials {
  public:
    // Node i < rows is row i, the others are columns; the tree may leave out columns. Costs as in Prices.
    void refresh(const Tree<Flow>& tree, int root, int rows, const Prices<double>& prices) {
        tree_ = &tree, rows_ = rows, cost_ = prices.cost, stride_ = prices.stride, columns_ = prices.columns;
        potential_.resize(rows + columns_);
        upper_.assign(rows + columns_, -std::numeric_limits<double>::infinity());
        potential_[root] = {};
        upper_[root] = 0;
        set(tree.next(root), tree[root].size - 1);
    }

    // Follows the tree, into which arc (i, j) has come since: only what hangs on it has other potentials.
    void follow(int i, int j) {
        const int top = (*tree_)[i].parent == rows_ + j ? i : rows_ + j;
        set(top, (*tree_)[top].size);
    }

    double operator[](int node) const { return potential_[node].value(); }

    // The first of rows first..last - 1 that has arcs of no clearly positive reduced cost besides those of the tree; or
    // last.
    int unclear_row(int first, int last) {
        const Prices<double> bounds{cost_, stride_, columns_, upper_.data(), upper_.data() + rows_};
        return kernels().first_unclear_row(bounds, degree_.data(), first, last);
    }

    // The column of the least reduced cost below 0 in a row, and that cost; or -1.
    std::pair<int, double> improving_arc(int i) {
        std::pair<int, double> best{-1, 0.0};
        const double row_upper = potential_[i].upper();
        for (int j = 0; j < columns_; ++j) {
            const double c = cost(i, j), v = upper_[rows_ + j], rest = c - v;
            if (!(rest <= upper_[i])) continue;
            if (rest >= row_upper && rest + v == c && c - rest == v) continue;  // rest is exact
            if ((*tree_)[i].parent == rows_ + j || (*tree_)[rows_ + j].parent == i) continue;
            const Bounded reduced = reduced_cost(i, j);
            double value = reduced.value();
            if (!reduced.has_sign()) {
                sum_.clear();
                add_cycle(i, j);
                value = sum_.value();
            }
            if (value < best.second) best = {j, value};
        }
        return best;
    }

  private:
    // Sets the potentials of some nodes, each after its parent.
    void set(int node, int count) {
        for (; count > 0; node = tree_->next(node), --count) {
            const int parent = (*tree_)[node].parent, i = std::min(node, parent), j = std::max(node, parent) - rows_;
            potential_[node] = Bounded(cost(i, j)) + -potential_[parent];
            upper_[node] = potential_[node].upper();
            // A row's bound is compared with differences, which are rounded as well.
            if (node < rows_) upper_[node] += 0x1p-50 * std::abs(upper_[node]);
        }
        degree_.assign(rows_, 0);
        for (int i = 0; i < rows_; ++i) degree_[i] += (*tree_)[i].parent >= 0;
        for (int j = 0; j < columns_; ++j)
            if (const int parent = (*tree_)[rows_ + j].parent; parent >= 0) ++degree_[parent];
    }

    double cost(int i, int j) const { return cost_[i * stride_ + j]; }

    // An arc's cost less its potentials.
    Bounded reduced_cost(int i, int j) const {
        return Bounded(cost(i, j)) + -(potential_[i] + potential_[rows_ + j]);
    }

    // Adds the reduced cost of an arc: its cost, less and plus those of the tree's arcs between its ends in turn.
    void add_cycle(int i, int j) {
        sum_.add(cost(i, j));
        int p = i, q = rows_ + j;
        double p_sign = -1, q_sign = -1;
        const auto climb = [&](int& node, double& sign) {
            const int parent = (*tree_)[node].parent;
            sum_.add(sign * cost(std::min(node, parent), std::max(node, parent) - rows_));
            node = parent, sign = -sign;
        };
        while (p != q)
            if ((*tree_)[p].size < (*tree_)[q].size) climb(p, p_sign);
            else climb(q, q_sign);
    }

    const Tree<Flow>* tree_ = nullptr;
    int rows_ = 0, columns_ = 0;
    const double* cost_ = nullptr;
    std::ptrdiff_t stride_ = 0;
    std::vector<Bounded> potential_;
    std::vector<double> upper_;  // no potential is above this
    std::vector<std::int32_t> degree_;
    ExactSum sum_;
};

}  // namespace hott
