// Distances of all pairs or of listed pairs of documents, shared over threads.
//
// A pair's value depends on the pair alone: the same number to the bit whatever the number of threads, the order, or
// whether it was asked for in a block or in a list.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "documents.hpp"
#include "pair_solver.hpp"
#include "parallel.hpp"

namespace hott {

using Watch = std::function<void(std::int64_t done, std::int64_t total)>;

// All pairs, written to out (P.count x Q.count, row-major). `mirror`: P and Q are the same documents under a symmetric
// cost, so one half is solved and copied.
inline void pairwise(const Documents& P, const Documents& Q, const Ground& ground, bool mirror, int threads, double* out,
                     const Watch& watch) {
    // A tile's mirror image is written in runs of `tall` values; a tile takes some milliseconds.
    constexpr std::int64_t tall = 32, wide = 512;
    const std::int64_t down = (P.count + tall - 1) / tall, across = (Q.count + wide - 1) / wide;
    std::vector<PairSolver> solvers(threads);
    std::atomic<std::int64_t> done{0};
    const std::int64_t total = mirror ? P.count * (P.count - 1) / 2 : P.count * Q.count;

    auto tile = [&](std::int64_t task, int worker, const std::atomic<bool>& stop) {
        const std::int64_t i0 = task / across * tall, i1 = std::min(i0 + tall, P.count);
        const std::int64_t j0 = task % across * wide, j1 = std::min(j0 + wide, Q.count);
        std::int64_t solved = 0;
        for (std::int64_t i = i0; i < i1 && !stop; ++i)
            for (std::int64_t j = mirror ? std::max(j0, i + 1) : j0; j < j1; ++j, ++solved)
                out[i * Q.count + j] = solvers[worker](ground, P[i], Q[j], &stop);
        if (mirror) {
            for (std::int64_t j = j0; j < j1; ++j)
                for (std::int64_t i = i0; i < std::min(i1, j); ++i) out[j * Q.count + i] = out[i * Q.count + j];
            for (std::int64_t i = std::max(i0, j0); i < std::min(i1, j1); ++i)
                out[i * Q.count + i] = solvers[worker](ground, P[i], P[i], &stop);
        }
        done += solved;
    };
    parallel_for(down * across, threads, tile, [&](std::int64_t) { watch(done, total); });
}

// out[k] = distance of P[rows[k]] to Q[cols[k]].
inline void listed_pairs(const Documents& P, const Documents& Q, const std::int64_t* rows, const std::int64_t* cols,
                         std::int64_t count, const Ground& ground, int threads, double* out, const Watch& watch) {
    constexpr std::int64_t chunk = 1024;
    std::vector<PairSolver> solvers(threads);
    auto run = [&](std::int64_t task, int worker, const std::atomic<bool>& stop) {
        for (std::int64_t k = task * chunk; k < std::min(count, (task + 1) * chunk) && !stop; ++k)
            out[k] = solvers[worker](ground, P[rows[k]], Q[cols[k]], &stop);
    };
    parallel_for((count + chunk - 1) / chunk, threads, run,
                 [&](std::int64_t finished) { watch(std::min(finished * chunk, count), count); });
}

}  // namespace hott
