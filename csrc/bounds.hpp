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

#include "documents.hpp"
#include "kernels.hpp"
#include "parallel.hpp"
#include "portable.h"

namespace hott {

// Bounds for one document against many, in single precision. A workspace; one per thread.
class RelaxedBound {
  public:
    explicit RelaxedBound(const Ground& ground)
        : ground_(ground),
          mass_(ground.sites),
          from_nearest_(ground.sites),
          place_(ground.sites) {
        const std::int64_t cells = std::int64_t{ground.sites} * ground.sites;
        std::fill_n(dearest_, 8, static_cast<float>(*std::max_element(ground.cost, ground.cost + cells)));
    }

    void set_query(const Document& p) {
        const int blocks = blocks_for(p.size), width = 8 * blocks;
        // A site that has no other to go to has nothing too much either; the largest cost is as good as any there.
        to_.assign(static_cast<std::size_t>(ground_.sites) * width, dearest_[0]);
        same_.assign(to_.size(), 0.0f);
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
            same_[static_cast<std::size_t>(p.site[i]) * width + i] = 1;
            excess_[i] = mass_[p.site[i]] = static_cast<float>(p.mass[i]);
        }
        // Single precision errs by some 1e-7 of the largest cost for each unit of mass.
        query_ = {blocks,     mass_.data(), from_nearest_.data(), excess_.data(),
                  to_.data(), same_.data(), dearest_,             2e-6f * dearest_[0]};
    }

    void against(const Documents& Q, std::int64_t first, std::int64_t last, float* out) const {
        if (query_.blocks <= 16) return kernels().bounds_of_one(query_, {Q.start, Q.site, Q.mass}, first, last, out);
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
            back += left_over(mass, here) * from_nearest_[site];
            if (here > 0) left[place_[site]] = left_over(here, mass);
        }
        for (std::size_t i = 0; i < nearest.size(); ++i) forth += left[i] * nearest[i];
        return std::max(std::max(forth, back) - query_.margin, 0.0f);
    }

    const Ground& ground_;
    BoundQuery query_{};
    float dearest_[8];
    std::vector<float> mass_, from_nearest_, excess_, to_, same_;
    std::vector<int> place_;
};

// Bounds for many documents against many, in single precision, over few sites. Documents are laid out site by site,
// which takes as long as a few bounds each and makes every bound 4 times as fast (r8, 70 topics).
class TiledBounds {
  public:
    TiledBounds(const Ground& ground, const Documents& P) : sites_(ground.sites) {
        const std::int64_t cells = std::int64_t{sites_} * sites_;
        dearest_ = static_cast<float>(*std::max_element(ground.cost, ground.cost + cells));
        cost_.assign(ground.cost, ground.cost + cells);
        // A site that has no other to go to has nothing too much either; the largest cost is as good as any there.
        for (int s = 0; s < sites_; ++s) cost_[std::int64_t{s} * sites_ + s] = dearest_;
        from_nearest_.assign(P.count * sites_, dearest_);
        for (std::int64_t i = 0; i < P.count; ++i) to_nearest(P[i], from_nearest_.data() + i * sites_);
        // Single precision errs by some 1e-7 of the largest cost for each term of a sum.
        queries_ = {P.count, {P.start, P.site, P.mass}, from_nearest_.data(), (1e-6f + 2e-7f * sites_) * dearest_};
    }

    // A workspace; one per thread.
    struct Tile {
        std::vector<float> mass, nearest, column;
    };

    // Bounds for Q[first] and the documents after it, as many as fit in a tile.
    void against(const Documents& Q, std::int64_t first, Tile& tile, float* out) const {
        const int count = static_cast<int>(std::min<std::int64_t>(tile_width, Q.count - first));
        tile.mass.assign(sites_ * tile_width, 0.0f);
        tile.nearest.resize(sites_ * tile_width);
        for (int j = 0; j < count; ++j) {
            const Document q = Q[first + j];
            for (int k = 0; k < q.size; ++k) tile.mass[q.site[k] * tile_width + j] = static_cast<float>(q.mass[k]);
            tile.column.assign(sites_, dearest_);
            to_nearest(q, tile.column.data());
            for (int s = 0; s < sites_; ++s) tile.nearest[s * tile_width + j] = tile.column[s];
        }
        kernels().bounds_in_tile({sites_, count, tile.mass.data(), tile.nearest.data()}, queries_, Q.count, out + first);
    }

  private:
    // By site: the least of what is there and of the costs to the document's other sites.
    void to_nearest(const Document& document, float* nearest) const {
        for (int k = 0; k < document.size; ++k) {
            const float* cost = cost_.data() + std::int64_t{document.site[k]} * sites_;
            for (int s = 0; s < sites_; ++s) nearest[s] = std::min(nearest[s], cost[s]);
        }
    }

    int sites_;
    float dearest_;
    std::vector<float> cost_, from_nearest_;
    BoundQueries queries_{};
};

// out[i * Q.count + j] <= distance of P[i] to Q[j].
inline void lower_bounds(const Documents& P, const Documents& Q, const Ground& ground, int threads, float* out,
                         const Watch& watch) {
    if (P.count >= 8 && ground.sites <= 256) {
        const TiledBounds bounds(ground, P);
        std::vector<TiledBounds::Tile> tiles(threads);
        auto run = [&](std::int64_t task, int worker, const std::atomic<bool>&) {
            bounds.against(Q, task * tile_width, tiles[worker], out);
        };
        const std::int64_t tasks = (Q.count + tile_width - 1) / tile_width;
        return parallel_for(tasks, threads, run, [&](std::int64_t done) { watch(done, tasks); });
    }
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
