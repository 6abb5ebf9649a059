// The inner loops of the general simplex: over rows of costs, and the prices of their columns.
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include <cstdint>

#include "kernels.hpp"

namespace hott {
namespace {

inline std::int32_t row_minimum(const std::int32_t* cost, const std::int32_t* v, int m) {
    std::int32_t least = 0x7fffffff;
    m = m / padding * padding;
    for (int j = 0; j < m; ++j) least = cost[j] - v[j] < least ? cost[j] - v[j] : least;
    return least;
}

// Eight running minima: compilers may not reorder the minimum of floating-point numbers by themselves.
inline double row_minimum(const double* cost, const double* v, int m) {
    constexpr int lanes = 8;
    double least[lanes];
    for (double& x : least) x = __builtin_inf();
    int j = 0;
    for (; j + lanes <= m; j += lanes)
        for (int k = 0; k < lanes; ++k) {
            const double x = cost[j + k] - v[j + k];
            least[k] = x < least[k] ? x : least[k];
        }
    for (; j < m; ++j) least[0] = cost[j] - v[j] < least[0] ? cost[j] - v[j] : least[0];
    for (int k = 1; k < lanes; ++k) least[0] = least[k] < least[0] ? least[k] : least[0];
    return least[0];
}

template <class Price>
inline Candidate best_of(const Prices<Price>& prices, int first, int last, Price bar) {
    int row = -1;
    Price least = 0;
    for (int i = first; i < last; ++i) {
        const Price x = row_minimum(prices.cost + i * prices.stride, prices.v, prices.columns);
        const bool better = x - prices.u[i] < bar;
        bar = better ? x - prices.u[i] : bar;
        least = better ? x : least;
        row = better ? i : row;
    }
    if (row < 0) return {row, 0};
    // Where it is, by another minimum: a search that stops there would guess wrong once, and not vectorise.
    const Price *cost = prices.cost + row * prices.stride, *v = prices.v;
    int column = prices.columns;
    for (int j = 0; j < prices.columns; ++j) {
        const int place = cost[j] - v[j] == least ? j : prices.columns;
        column = place < column ? place : column;
    }
    return {row, column};
}

Candidate best_rounded_arc(const Prices<std::int32_t>& prices, int first, int last, std::int32_t bar) {
    return best_of(prices, first, last, bar);
}
Candidate best_exact_arc(const Prices<double>& prices, int first, int last, double bar) {
    return best_of(prices, first, last, bar);
}

int first_unclear_row(const Prices<double>& prices, const std::int32_t* expected, int first, int last) {
    for (; first < last; ++first) {
        const double *cost = prices.cost + first * prices.stride, *v = prices.v, u = prices.u[first];
        std::int64_t count = 0;
        for (int j = 0; j < prices.columns; ++j) count += cost[j] - v[j] <= u;
        if (count != expected[first]) break;
    }
    return first;
}

void add_row(const double* cost, double weight, int columns, double* mean, double* largest) {
    for (int j = 0; j < columns; ++j) {
        const double size = __builtin_fabs(cost[j]);
        mean[j] += weight * cost[j];
        largest[j] = size > largest[j] ? size : largest[j];
    }
}

void round_row(const double* cost, double unit, double most, int columns, std::int32_t* rounded) {
    if (most < 0)
        for (int j = 0; j < columns; ++j) rounded[j] = static_cast<std::int32_t>(cost[j] * unit);
    else
        for (int j = 0; j < columns; ++j) {
            const double x = cost[j] * unit;
            rounded[j] = static_cast<std::int32_t>(x < most ? x : most);
        }
}

}  // namespace
}  // namespace hott
