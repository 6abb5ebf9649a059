// The inner loops of the simplex, over one contiguous row of costs and the prices of its columns.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

// Compiled for several instruction sets and chosen when the library is loaded, where compiler and loader can.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define HOTT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HOTT_CLONES
#endif

namespace hott {
namespace {

constexpr int padding = 16;  // rows of integer costs are padded to a multiple of this, so that no loop has a tail

// Least cost[j] - price[j].
HOTT_CLONES std::int32_t row_minimum(const std::int32_t* cost, const std::int32_t* price, int m) {
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    m = m / padding * padding;
    for (int j = 0; j < m; ++j) {
        const std::int32_t x = cost[j] - price[j];
        least = x < least ? x : least;
    }
    return least;
}

// Eight running minima: compilers may not reorder the minimum of floating-point numbers by themselves.
HOTT_CLONES double row_minimum(const double* cost, const double* price, int m) {
    constexpr int lanes = 8;
    double least[lanes];
    for (double& x : least) x = std::numeric_limits<double>::infinity();
    int j = 0;
    for (; j + lanes <= m; j += lanes)
        for (int k = 0; k < lanes; ++k) {
            const double x = cost[j + k] - price[j + k];
            least[k] = x < least[k] ? x : least[k];
        }
    for (; j < m; ++j) {
        const double x = cost[j] - price[j];
        least[0] = x < least[0] ? x : least[0];
    }
    for (int k = 1; k < lanes; ++k) least[0] = least[k] < least[0] ? least[k] : least[0];
    return least[0];
}

// Where the least cost[j] - price[j] was found.
template <class Price>
int find_column(const Price* cost, const Price* price, int m, Price least) {
    int j = 0;
    for (; j + padding <= m; j += padding) {
        bool here = false;
        for (int k = 0; k < padding; ++k) here |= cost[j + k] - price[j + k] == least;
        if (here) break;
    }
    while (j < m - 1 && cost[j] - price[j] != least) ++j;
    return j;
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
