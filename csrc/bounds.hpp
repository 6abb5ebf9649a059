// A bound from below on the distance of two documents, far cheaper than the distance: relaxed transport.
//
// Mass that both have in common stays (the cost must be a metric). What p has too much of at a site goes to another
// site of q, at least as far as the nearest; what q lacks there comes from another site of p. Each of the two sums is a
// bound; the larger one is given.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "bounds_query.hpp"
#include "documents.hpp"
#include "parallel.hpp"

namespace hott {

// Bounds for one document against many, in single precision. A workspace; one per thread.
class RelaxedBound {
  public:
    explicit RelaxedBound(const Ground& ground)
        : ground_(ground), kernel_(fastest()), mass_(ground.sites), from_nearest_(ground.sites), place_(ground.sites) {
        const std::int64_t cells = std::int64_t{ground.sites} * ground.sites;
        std::fill_n(dearest_, 8, static_cast<float>(*std::max_element(ground.cost, ground.cost + cells)));
    }

    void set_query(const Document& p) {
        const int blocks = blocks_for(p.size), width = 8 * blocks;
        // A site that has no other to go to has nothing too much either; the largest cost is as good as any there.
        to_.assign(static_cast<std::size_t>(ground_.sites) * width, dearest_[0]);
        std::fill(from_nearest_.begin(), from_nearest_.end(), dearest_[0]);
        std::fill(mass_.begin(), mass_.end(), 0.0f);
        excess_.assign(width, 0.0f);
        for (int i = 0; i < p.size; ++i) {
            const double* row = ground_.row(p.site[i]);
            for (int k = 0; k < ground_.sites; ++k) {
                if (k == p.site[i]) continue;
                const float cost = static_cast<float>(row[k]);
                to_[static_cast<std::size_t>(k) * width + i] = cost;
                from_nearest_[k] = std::min(from_nearest_[k], cost);
            }
            place_[p.site[i]] = i;
            excess_[i] = mass_[p.site[i]] = static_cast<float>(p.mass[i]);
        }
        // Single precision errs by some 1e-7 of the largest cost for each unit of mass.
        query_ = {blocks,         mass_.data(), from_nearest_.data(), place_.data(),
                  excess_.data(), to_.data(),   dearest_,             2e-6f * dearest_[0]};
    }

    void against(const Documents& Q, std::int64_t first, std::int64_t last, float* out) const {
        if (query_.blocks <= 16) return kernel_(query_, {Q.start, Q.site, Q.mass}, first, last, out);
        for (std::int64_t j = first; j < last; ++j) *out++ = large_bound(Q[j]);
    }

  private:
    // The sizes that the kernel is compiled for; beyond them whatever is needed.
    static int blocks_for(int sites) {
        for (int blocks : {1, 2, 3, 4, 6, 9, 16})
            if (sites <= 8 * blocks) return blocks;
        return (sites + 7) / 8;
    }

    // The kernel's loop for a document p of any size.
    float large_bound(const Document& q) const {
        std::vector<float> nearest(excess_.size(), dearest_[0]), left(excess_);
        float forth = 0, back = 0;
        for (int j = 0; j < q.size; ++j) {
            const int site = q.site[j];
            const float mass = static_cast<float>(q.mass[j]), here = mass_[site];
            const float* to = to_.data() + static_cast<std::size_t>(site) * nearest.size();
            for (std::size_t i = 0; i < nearest.size(); ++i) nearest[i] = std::min(nearest[i], to[i]);
            back += std::max(mass - here, 0.0f) * from_nearest_[site];
            if (here > 0) left[place_[site]] = std::max(here - mass, 0.0f);
        }
        for (std::size_t i = 0; i < nearest.size(); ++i) forth += left[i] * nearest[i];
        return std::max(std::max(forth, back) - query_.margin, 0.0f);
    }

    static BoundKernel fastest() {
#if defined(__x86_64__) && defined(__GNUC__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_bounds;
#endif
        return baseline_bounds;
    }

    const Ground& ground_;
    BoundKernel kernel_;
    BoundQuery query_{};
    float dearest_[8];
    std::vector<float> mass_, from_nearest_, excess_, to_;
    std::vector<int> place_;
};

// out[i * Q.count + j] <= distance of P[i] to Q[j].
inline void lower_bounds(const Documents& P, const Documents& Q, const Ground& ground, int threads, float* out,
                         const Watch& watch) {
    constexpr std::int64_t chunk = 1 << 16;
    const std::int64_t across = (Q.count + chunk - 1) / chunk;
    std::vector<RelaxedBound> bounds(threads, RelaxedBound(ground));
    auto run = [&](std::int64_t task, int worker, const std::atomic<bool>&) {
        const std::int64_t i = task / across, first = task % across * chunk, last = std::min(first + chunk, Q.count);
        bounds[worker].set_query(P[i]);
        bounds[worker].against(Q, first, last, out + i * Q.count + first);
    };
    parallel_for(P.count * across, threads, run, [&](std::int64_t done) { watch(done, P.count * across); });
}

}  // namespace hott
