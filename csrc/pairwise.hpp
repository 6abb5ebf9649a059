// Distances of all pairs or of listed pairs of documents, shared over threads.
//
// A pair's value depends on the pair alone: the same number to the bit whatever the number of threads, the order, or
// whether it was asked for in a block or in a list.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "documents.hpp"
#include "lockstep_api.hpp"
#include "pair_solver.hpp"
#include "parallel.hpp"

namespace hott {

// One thread's means to solve pairs: small ones in lockstep, the rest by the general solver.
class BatchSolver {
  public:
    BatchSolver(const Ground& ground, const lockstep::RoundedCost* rounded) : ground_(ground) {
        if (rounded) batch_ = std::make_unique<lockstep::Batch>(*rounded);
    }

    // *value holds the distance of p to q after the next finish().
    void add(const Document& p, const Document& q, double* value) {
        if (ground_.free_stay && p == q) {
            *value = 0;
        } else {
            *value = unsolved;
            if (batch_) batch_->add(p, q, value);
            pending_.push_back({p, q, value});
        }
    }

    void finish(const std::atomic<bool>& stop) {
        if (batch_) batch_->finish();
        for (const Pending& pair : pending_) {
            if (std::isnan(*pair.value) && !stop) *pair.value = general_(ground_, pair.p, pair.q, &stop);
        }
        pending_.clear();
    }

  private:
    static constexpr double unsolved = std::numeric_limits<double>::quiet_NaN();
    struct Pending {
        Document p, q;
        double* value;
    };
    const Ground& ground_;
    std::unique_ptr<lockstep::Batch> batch_;
    PairSolver general_;
    std::vector<Pending> pending_;
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

  private:
    std::unique_ptr<lockstep::RoundedCost> rounded_;
    std::vector<BatchSolver> solver_;
};

// All pairs, written to out (P.count x Q.count, row-major). `mirror`: P and Q are the same documents under a symmetric
// cost, so one half is solved and copied.
inline void pairwise(const Documents& P, const Documents& Q, const Ground& ground, bool mirror, int threads, double* out,
                     const Watch& watch) {
    // A tile's mirror image is written in runs of `tall` values; a tile takes some milliseconds.
    constexpr std::int64_t tall = 32, wide = 512;
    const std::int64_t down = (P.count + tall - 1) / tall, across = (Q.count + wide - 1) / wide;
    SolverPool solvers(ground, threads);
    std::atomic<std::int64_t> done{0};
    const std::int64_t total = mirror ? P.count * (P.count - 1) / 2 : P.count * Q.count;

    auto tile = [&](std::int64_t task, int worker, const std::atomic<bool>& stop) {
        const std::int64_t i0 = task / across * tall, i1 = std::min(i0 + tall, P.count);
        const std::int64_t j0 = task % across * wide, j1 = std::min(j0 + wide, Q.count);
        BatchSolver& solver = solvers[worker];
        std::int64_t solved = 0;
        for (std::int64_t i = i0; i < i1 && !stop; ++i) {
            for (std::int64_t j = mirror ? std::max(j0, i + 1) : j0; j < j1; ++j, ++solved)
                solver.add(P[i], Q[j], &out[i * Q.count + j]);
            if (mirror && j0 <= i && i < j1) solver.add(P[i], P[i], &out[i * Q.count + i]);
            solver.finish(stop);
        }
        if (mirror)
            for (std::int64_t j = j0; j < j1; ++j)
                for (std::int64_t i = i0; i < std::min(i1, j); ++i) out[j * Q.count + i] = out[i * Q.count + j];
        done += solved;
    };
    parallel_for(down * across, threads, tile, [&](std::int64_t) { watch(done, total); });
}

// out[k] = distance of P[rows[k]] to Q[cols[k]].
inline void listed_pairs(const Documents& P, const Documents& Q, const std::int64_t* rows, const std::int64_t* cols,
                         std::int64_t count, const Ground& ground, int threads, double* out, const Watch& watch) {
    constexpr std::int64_t chunk = 1024;
    SolverPool solvers(ground, threads);
    auto run = [&](std::int64_t task, int worker, const std::atomic<bool>& stop) {
        for (std::int64_t k = task * chunk; k < std::min(count, (task + 1) * chunk); ++k)
            solvers[worker].add(P[rows[k]], Q[cols[k]], &out[k]);
        solvers[worker].finish(stop);
    };
    parallel_for((count + chunk - 1) / chunk, threads, run,
                 [&](std::int64_t finished) { watch(std::min(finished * chunk, count), count); });
}

}  // namespace hott
