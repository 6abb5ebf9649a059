// Distances of all pairs or of listed pairs of documents, shared over threads.
//
// A pair's value depends on the pair alone: the same number to the bit whatever the number of threads, the order, or
// whether it was asked for in a block or in a list.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "documents.hpp"
#include "lockstep.hpp"
#include "pair_solver.hpp"
#include "parallel.hpp"

namespace hott {

// One thread's means to solve pairs: small ones in lockstep, the rest by the general solver.
class BatchSolver {
  public:
    BatchSolver(const Ground& ground, const lockstep::RoundedCost* rounded) : ground_(ground) {
        if (rounded) batch_ = std::make_unique<lockstep::Batch>(*rounded);
    }

    // First for every pair of a batch: *value becomes the distance of p to q, or NaN, by the time of finish().
    void add(const Document& p, const Document& q, double* value) {
        *value = std::numeric_limits<double>::quiet_NaN();
        if (batch_) batch_->add(p, q, value);
    }
    void finish() {
        if (batch_) batch_->finish();
    }

    // Then for every pair again: what the kernel did not certify is solved by the general solver.
    void complete(const Document& p, const Document& q, double* value, const std::atomic<bool>& stop) {
        if (std::isnan(*value) && !stop) ++left_, *value = general_(ground_, p, q, &stop);
    }
    std::int64_t left() const { return left_; }  // pairs for the general solver so far

  private:
    const Ground& ground_;
    std::unique_ptr<lockstep::Batch> batch_;
    PairSolver general_;
    std::int64_t left_ = 0;
};

// The solvers of all threads, and what they share.
class SolverPool {
  public:
    SolverPool(const Ground& ground, int threads) {
        // Costs between very many sites go with large supports, which are not for the lockstep kernel.
        if (ground.sites <= 1024) rounded_ = std::make_unique<lockstep::RoundedCost>(ground);
        for (int thread = 0; thread < threads; ++thread) solver_.emplace_back(ground, rounded_.get());
    }
    BatchSolver& operator[](int thread) { return solver_[thread]; }
    std::int64_t left() const {
        return std::accumulate(solver_.begin(), solver_.end(), std::int64_t{0},
                               [](std::int64_t sum, const BatchSolver& solver) { return sum + solver.left(); });
    }

  private:
    std::unique_ptr<lockstep::RoundedCost> rounded_;
    std::vector<BatchSolver> solver_;
};

// All pairs, written to out (P.count x Q.count, row-major). `mirror`: P and Q are the same documents under a symmetric
// cost, so one half is solved and copied. Returns how many pairs were left to the general solver.
inline std::int64_t pairwise(const Documents& P, const Documents& Q, const Ground& ground, bool mirror, int threads,
                             double* out, const Watch& watch) {
    // A tile's mirror image is written in runs of `tall` values; a tile takes some milliseconds.
    constexpr std::int64_t tall = 32, wide = 512;
    const std::int64_t down = (P.count + tall - 1) / tall, across = (Q.count + wide - 1) / wide;
    SolverPool solvers(ground, threads);
    std::atomic<std::int64_t> done{0};
    const std::int64_t total = mirror ? P.count * (P.count - 1) / 2 : P.count * Q.count;

    auto tile = [&](std::int64_t task, int worker, const std::atomic<bool>& stop) {
        const std::int64_t i0 = task / across * tall, i1 = std::min(i0 + tall, P.count);
        const std::int64_t j0 = task % across * wide, j1 = std::min(j0 + wide, Q.count);
        if (mirror && j1 <= i0) return;
        BatchSolver& solver = solvers[worker];
        const auto first = [&](std::int64_t i) { return mirror ? std::max(j0, i) : j0; };
        for (std::int64_t i = i0; i < i1; ++i)
            for (std::int64_t j = first(i); j < j1; ++j) solver.add(P[i], Q[j], &out[i * Q.count + j]);
        solver.finish();
        for (std::int64_t i = i0; i < i1; ++i)
            for (std::int64_t j = first(i); j < j1; ++j) solver.complete(P[i], Q[j], &out[i * Q.count + j], stop);
        if (mirror)
            for (std::int64_t j = j0; j < j1; ++j)
                for (std::int64_t i = i0; i < std::min(i1, j); ++i) out[j * Q.count + i] = out[i * Q.count + j];
        for (std::int64_t i = i0; i < i1; ++i) done += std::max<std::int64_t>(0, j1 - (mirror ? std::max(j0, i + 1) : j0));
    };
    parallel_for(down * across, threads, tile, [&](std::int64_t, std::int64_t) { watch(done, total); });
    return solvers.left();
}

// out[k] = distance of P[rows[k]] to Q[cols[k]].
inline void listed_pairs(const Documents& P, const Documents& Q, const std::int64_t* rows, const std::int64_t* cols,
                         std::int64_t count, const Ground& ground, int threads, double* out, const Watch& watch) {
    constexpr std::int64_t chunk = 1024;
    SolverPool solvers(ground, threads);
    auto run = [&](std::int64_t task, int worker, const std::atomic<bool>& stop) {
        const std::int64_t first = task * chunk, last = std::min(count, first + chunk);
        for (std::int64_t k = first; k < last; ++k) solvers[worker].add(P[rows[k]], Q[cols[k]], &out[k]);
        solvers[worker].finish();
        for (std::int64_t k = first; k < last; ++k)
            solvers[worker].complete(P[rows[k]], Q[cols[k]], &out[k], stop);
    };
    parallel_for((count + chunk - 1) / chunk, threads, run, watch, count <= 128 && ground.sites <= 256);
}

}  // namespace hott
