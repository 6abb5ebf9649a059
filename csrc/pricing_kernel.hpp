// The inner loops of the general simplex: over rows of costs, and the prices of their columns.
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include <cstdint>

#include "kernels.hpp"
#include "simd.hpp"

namespace hott {
namespace {

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

// Every lane keeps the best of its columns, and the first row that has it; the lanes are compared in the end.
Candidate best_rounded_arc(const Prices<std::int32_t>& prices, int first, int last, std::int32_t bar) {
    constexpr int lanes = 8;
    using V = Ints<lanes>;
    V least = all<V>(bar), row = all<V>(-1);
    for (int i = first; i < last; ++i) {
        const std::int32_t *cost = prices.cost + i * prices.stride, *v = prices.v;
        V x = load<V>(cost) - load<V>(v), y = load<V>(cost + lanes) - load<V>(v + lanes);
        for (int j = padding; j < prices.columns; j += padding) {
            x = min(x, V(load<V>(cost + j) - load<V>(v + j)));
            y = min(y, V(load<V>(cost + j + lanes) - load<V>(v + j + lanes)));
        }
        x = min(x, y) - prices.u[i];
        row = select<V>(x < least, all<V>(i), row);
        least = min(least, x);
    }
    std::int64_t best = INT64_MAX;
    for (int l = 0; l < lanes; ++l) {
        const std::int64_t lane = least[l] * (std::int64_t{1} << 32) | static_cast<std::uint32_t>(row[l] * lanes + l);
        best = lane < best ? lane : best;
    }
    const int place = static_cast<std::int32_t>(best), i = place / lanes;
    if (place < 0) return {-1, 0};
    const std::int32_t *cost = prices.cost + i * prices.stride, *v = prices.v;
    int column = 0;
    for (int j = prices.columns - lanes + place % lanes; j >= 0; j -= lanes)
        column = cost[j] - v[j] - prices.u[i] == best >> 32 ? j : column;
    return {i, column};
}

Candidate best_exact_arc(const Prices<double>& prices, int first, int last, double bar) {
    int row = -1;
    double least = 0;
    for (int i = first; i < last; ++i) {
        const double x = row_minimum(prices.cost + i * prices.stride, prices.v, prices.columns);
        const bool better = x - prices.u[i] < bar;
        bar = better ? x - prices.u[i] : bar;
        least = better ? x : least;
        row = better ? i : row;
    }
    if (row < 0) return {row, 0};
    const double *cost = prices.cost + row * prices.stride, *v = prices.v;
    int column = 0;
    while (cost[column] - v[column] != least) ++column;
    return {row, column};
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
