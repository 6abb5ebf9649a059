// The one inner loop of the simplex: where is cost[j] - price[j] least?
#pragma once

#include <limits>

namespace hott {

struct RowMinimum {
    double value;
    int column;
};

// The first least cost[j] - price[j]. Eight running minima, which compilers turn into vector registers, then a search
// for the place: cheaper than carrying the index along.
inline RowMinimum row_minimum(const double* cost, const double* price, int m) {
    constexpr int lanes = 8;
    double least[lanes];
    for (int k = 0; k < lanes; ++k) least[k] = std::numeric_limits<double>::infinity();
    int j = 0;
    for (; j + lanes <= m; j += lanes)
        for (int k = 0; k < lanes; ++k) {
            const double x = cost[j + k] - price[j + k];
            least[k] = x < least[k] ? x : least[k];
        }
    double value = least[0];
    for (int k = 1; k < lanes; ++k) value = least[k] < value ? least[k] : value;
    for (; j < m; ++j) {
        const double x = cost[j] - price[j];
        value = x < value ? x : value;
    }
    int column = 0;
    while (column < m - 1 && cost[column] - price[column] != value) ++column;
    return {value, column};
}

}  // namespace hott
