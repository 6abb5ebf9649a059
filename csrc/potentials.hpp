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

class Potentials {
  public:
    // Node i < rows is row i, the others are columns; the tree may leave out columns. Costs as in Prices.
    void refresh(const Tree& tree, int root, int rows, const Prices<double>& prices) {
        tree_ = &tree, rows_ = rows, cost_ = prices.cost, stride_ = prices.stride, columns_ = prices.columns;
        potential_.resize(rows + columns_);
        upper_.assign(rows + columns_, -std::numeric_limits<double>::infinity());
        degree_.assign(rows, 0);
        potential_[root] = {};
        upper_[root] = 0;
        for (int node = tree.next(root); node != root; node = tree.next(node)) {
            const int parent = tree[node].parent, i = std::min(node, parent), j = std::max(node, parent) - rows;
            potential_[node] = TwoDoubles{cost(i, j)} + -potential_[parent];
            upper_[node] = at_least(potential_[node]);
            ++degree_[i];
        }
        // A row's bound is compared with differences, which are rounded as well.
        for (int i = 0; i < rows; ++i) upper_[i] += 0x1p-50 * std::abs(upper_[i]);
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
        for (int j = 0; j < columns_; ++j) {
            if (!(cost(i, j) - upper_[rows_ + j] <= upper_[i])) continue;
            if ((*tree_)[i].parent == rows_ + j || (*tree_)[rows_ + j].parent == i) continue;
            const TwoDoubles reduced = TwoDoubles{cost(i, j)} + -(potential_[i] + potential_[rows_ + j]);
            const double value = reduced.sign() != 0 || reduced.error == 0 ? reduced.value() : around_cycle(i, j);
            if (value < best.second) best = {j, value};
        }
        return best;
    }

  private:
    double cost(int i, int j) const { return cost_[i * stride_ + j]; }

    static double at_least(const TwoDoubles& x) {
        const double rest = x.low + x.error, sum = x.high + rest;
        return sum + TwoDoubles::rounding * (std::abs(sum) + std::abs(rest));
    }

    // The reduced cost of an arc: its cost, less and plus those of the tree's arcs between its ends in turn.
    double around_cycle(int i, int j) {
        sum_.clear();
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
        return sum_.value();
    }

    const Tree* tree_ = nullptr;
    int rows_ = 0, columns_ = 0;
    const double* cost_ = nullptr;
    std::ptrdiff_t stride_ = 0;
    std::vector<TwoDoubles> potential_;
    std::vector<double> upper_;  // no potential is above this
    std::vector<std::int32_t> degree_;
    ExactSum sum_;
};

}  // namespace hott
