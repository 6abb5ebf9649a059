// The nearest of many vectors by cosine, exactly the same on every machine.
//
// Vectors come as whole numbers of sixteen bits and a length of at most 2^15, so a product of two is a sum of whole
// numbers below 2^31: the same in any order, and sixteen at a time in 256-bit registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "parallel.hpp"

namespace hott {

struct Vectors {
    const std::int16_t* values;  // count x dimensions
    std::int64_t count;
    std::size_t dimensions;

    const std::int16_t* operator[](std::int64_t i) const { return values + i * static_cast<std::int64_t>(dimensions); }
};

namespace nearest {

constexpr std::int64_t kQueries = 32;  // looked for together: they stay in the first-level cache

struct Found {
    std::int32_t product;
    std::int32_t index;
};

// Larger product first; of equals the lower index.
inline bool before(const Found& a, const Found& b) {
    return a.product != b.product ? a.product > b.product : a.index < b.index;
}

}  // namespace nearest

// index, product (queries.count x wanted): the `wanted` candidates nearest to each query, nearest first. Where the first
// queries are the candidates, `among`, none finds itself. Where there are fewer, the last places keep what they held.
inline void nearest_vectors(const Vectors& queries, const Vectors& candidates, bool among, std::size_t wanted, int threads,
                            std::int32_t* index, std::int32_t* product, const Watch& watch) {
    using nearest::Found;
    const auto products = kernels().dot_products;
    auto run = [&](std::int64_t task, int, const std::atomic<bool>& stop) {
        const std::int64_t first = task * nearest::kQueries;
        const std::int64_t count = std::min(nearest::kQueries, queries.count - first);
        std::vector<std::vector<Found>> best(count);  // heaps, the worst on top
        std::int32_t sums[nearest::kQueries];
        for (std::int64_t c = 0; c < candidates.count && !stop; ++c) {
            products(queries[first], count, queries.dimensions, candidates[c], sums);
            for (std::int64_t q = 0; q < count; ++q) {
                std::vector<Found>& heap = best[q];
                const Found found{sums[q], static_cast<std::int32_t>(c)};
                if ((among && c == first + q) || (heap.size() == wanted && !nearest::before(found, heap.front()))) continue;
                if (heap.size() == wanted) {
                    std::pop_heap(heap.begin(), heap.end(), nearest::before);
                    heap.pop_back();
                }
                heap.push_back(found);
                std::push_heap(heap.begin(), heap.end(), nearest::before);
            }
        }
        for (std::int64_t q = 0; q < count && !stop; ++q) {
            std::sort_heap(best[q].begin(), best[q].end(), nearest::before);
            for (std::size_t i = 0; i < best[q].size(); ++i) {
                index[(first + q) * static_cast<std::int64_t>(wanted) + i] = best[q][i].index;
                product[(first + q) * static_cast<std::int64_t>(wanted) + i] = best[q][i].product;
            }
        }
    };
    const std::int64_t tasks = (queries.count + nearest::kQueries - 1) / nearest::kQueries;
    parallel_for(tasks, threads, run, watch, queries.count * candidates.count <= 1 << 16);
}

}  // namespace hott
