// The nearest of many vectors by cosine, exactly the same on every machine.
//
// Vectors come as whole numbers of sixteen bits and a length of at most 2^15, so a product of two is a sum of whole
// numbers below 2^31: the same in any order, and sixteen at a time in 256-bit registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sampler_kernel.hpp"
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

// Products of `queries` vectors from `first` on with vector b; four at a time, so that b is loaded once for four.
HOTT_SAMPLER_INLINE void products(const Vectors& of, std::int64_t first, std::int64_t queries, const std::int16_t* b,
                                 std::int32_t* out) {
    std::int64_t q = 0;
    for (; q + 4 <= queries; q += 4) {
        const std::int16_t *v0 = of[first + q], *v1 = of[first + q + 1], *v2 = of[first + q + 2], *v3 = of[first + q + 3];
        std::int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
        for (std::size_t i = 0; i < of.dimensions; ++i) {
            const std::int32_t y = b[i];
            sum0 += v0[i] * y;
            sum1 += v1[i] * y;
            sum2 += v2[i] * y;
            sum3 += v3[i] * y;
        }
        out[q] = sum0;
        out[q + 1] = sum1;
        out[q + 2] = sum2;
        out[q + 3] = sum3;
    }
    for (; q < queries; ++q) {
        out[q] = 0;
        for (std::size_t i = 0; i < of.dimensions; ++i) out[q] += of[first + q][i] * std::int32_t{b[i]};
    }
}

inline void products_portable(const Vectors& of, std::int64_t first, std::int64_t queries, const std::int16_t* b,
                              std::int32_t* out) {
    products(of, first, queries, b, out);
}

#ifdef HOTT_SAMPLER_X86
__attribute__((target("avx2"))) inline void products_avx2(const Vectors& of, std::int64_t first, std::int64_t queries,
                                                          const std::int16_t* b, std::int32_t* out) {
    products(of, first, queries, b, out);
}
#endif

}  // namespace nearest

// index, product (queries.count x wanted): the `wanted` candidates nearest to each query, nearest first, the
// candidate numbered like the query left out. Where there are fewer, the last places keep what they held.
inline void nearest_vectors(const Vectors& queries, const Vectors& candidates, std::size_t wanted, int threads,
                            std::int32_t* index, std::int32_t* product, const Watch& watch) {
    using nearest::Found;
    auto products = nearest::products_portable;
#ifdef HOTT_SAMPLER_X86
    if (__builtin_cpu_supports("avx2")) products = nearest::products_avx2;
#endif
    auto run = [&](std::int64_t task, int, const std::atomic<bool>& stop) {
        const std::int64_t first = task * nearest::kQueries;
        const std::int64_t count = std::min(nearest::kQueries, queries.count - first);
        std::vector<std::vector<Found>> best(count);  // heaps, the worst on top
        std::int32_t sums[nearest::kQueries];
        for (std::int64_t c = 0; c < candidates.count && !stop; ++c) {
            products(queries, first, count, candidates[c], sums);
            for (std::int64_t q = 0; q < count; ++q) {
                std::vector<Found>& heap = best[q];
                const Found found{sums[q], static_cast<std::int32_t>(c)};
                if (c == first + q || (heap.size() == wanted && !nearest::before(found, heap.front()))) continue;
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
    parallel_for(tasks, threads, run, [&](std::int64_t done) { watch(done, tasks); });
}

}  // namespace hott
