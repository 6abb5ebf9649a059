// The inner loops of the simplex: over rows of costs, and the prices of their columns.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

// Compiled for several instruction sets and chosen when the library is loaded, where compiler and loader can.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define HOTT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define HOTT_INLINE __attribute__((always_inline)) inline
#else
#define HOTT_CLONES
#define HOTT_INLINE inline
#endif

namespace hott {

constexpr int padding = 16;  // rows of integer costs are padded to a multiple of this, so that no loop has a tail

// Costs, and the potentials of rows and columns, in one of two kinds of numbers: int32_t or double.
template <class Price>
struct Prices {
    const Price* cost;
    std::ptrdiff_t stride;
    int columns;  // of the table, padding included
    Price* u;
    Price* v;
    const Price* row(int i) const { return cost + i * stride; }
};

struct Candidate {
    int row, column;  // row -1: none
};

namespace {

HOTT_INLINE std::int32_t row_minimum(const std::int32_t* cost, const std::int32_t* v, int m) {
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    m = m / padding * padding;
    for (int j = 0; j < m; ++j) least = cost[j] - v[j] < least ? cost[j] - v[j] : least;
    return least;
}

// Eight running minima: compilers may not reorder the minimum of floating-point numbers by themselves.
HOTT_INLINE double row_minimum(const double* cost, const double* v, int m) {
    constexpr int lanes = 8;
    double least[lanes];
    for (double& x : least) x = std::numeric_limits<double>::infinity();
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
HOTT_INLINE Candidate best_of(const Prices<Price>& prices, int first, int last, Price bar) {
    int row = -1;
    Price least = 0;
    for (int i = first; i < last; ++i) {
        const Price x = row_minimum(prices.row(i), prices.v, prices.columns);
        const bool better = x - prices.u[i] < bar;
        bar = better ? x - prices.u[i] : bar;
        least = better ? x : least;
        row = better ? i : row;
    }
    if (row < 0) return {row, 0};
    // Where it is, by another minimum: a search that stops there would guess wrong once, and not vectorise.
    const Price *cost = prices.row(row), *v = prices.v;
    int column = prices.columns;
    for (int j = 0; j < prices.columns; ++j) {
        const int place = cost[j] - v[j] == least ? j : prices.columns;
        column = place < column ? place : column;
    }
    return {row, column};
}

// The arc of rows first..last - 1 with the least cost - u - v, if that is below `bar`.
HOTT_CLONES Candidate best_arc(const Prices<std::int32_t>& prices, int first, int last, std::int32_t bar) {
    return best_of(prices, first, last, bar);
}
HOTT_CLONES Candidate best_arc(const Prices<double>& prices, int first, int last, double bar) {
    return best_of(prices, first, last, bar);
}

// One row's share of the column means, and the largest cost seen in each column.
HOTT_CLONES void add_row(const double* cost, double weight, int m, double* mean, double* largest) {
    for (int j = 0; j < m; ++j) {
        const double size = std::abs(cost[j]);
        mean[j] += weight * cost[j];
        largest[j] = size > largest[j] ? size : largest[j];
    }
}

HOTT_CLONES void round_row(const double* cost, double unit, int m, std::int32_t* rounded) {
    for (int j = 0; j < m; ++j) rounded[j] = static_cast<std::int32_t>(cost[j] * unit);
}

}  // namespace
}  // namespace hott
