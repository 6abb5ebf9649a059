// A bound from below on the distance of two documents, far cheaper than the distance: relaxed transport.
//
// Mass that both have in common stays (the cost must obey the triangle inequality; it may differ by direction). What p has
// too much of at a site goes to another site of q, at least as far as the nearest; what q lacks there comes from another
// site of p. Each of the two sums is a bound; the larger one is given.
//
// Sums are in single precision, and bounds all the same: what rounding can add is taken off. With e = 2^-24, masses are
// wrong by e of themselves, so all that is left over by 2 e in all, which can cost 2 e times the largest cost; products
// and sums of k terms, none negative, by k + 4 times e of their value. Both are counted double, and 16 terms more: for what
// the distance itself may be wrong by, and the product with the documents' mass.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "documents.hpp"
#include "kernels.hpp"
#include "parallel.hpp"
#include "portable.h"

namespace hott {

// The costs in single precision, in units of a power of 2 that keeps them in its range. From a site to itself: the
// largest, since a site that has no other to go to has nothing too much either.
struct BoundCosts {
    explicit BoundCosts(const Ground& ground) : sites(ground.sites), from(std::size_t(sites) * sites), to(from.size()) {
        const double most = *std::max_element(ground.cost, ground.cost + from.size());
        exponent = most == 0 || (most > 0x1p-60 && most < 0x1p60) ? 0 : std::ilogb(most);
        dearest = static_cast<float>(std::ldexp(most, -exponent));
        for (int s = 0; s < sites; ++s)
            for (int t = 0; t < sites; ++t) {
                const double c = exponent == 0 ? ground.row(s)[t] : std::ldexp(ground.row(s)[t], -exponent);
                from[std::size_t(s) * sites + t] = to[std::size_t(t) * sites + s] = s == t ? dearest : static_cast<float>(c);
            }
    }

    int sites, exponent;
    float dearest;
    std::vector<float> from, to;  // [s * sites + t]: from s to t, and to s from t
};

// Bounds for one document against many. A workspace; one per thread.
class RelaxedBound {
  public:
    explicit RelaxedBound(const BoundCosts& costs)
        : costs_(costs), mass_(costs.sites), from_nearest_(costs.sites), place_(costs.sites) {
        std::fill_n(dearest_, 8, costs.dearest);
    }

    void set_query(const Document& p) {
        const int blocks = blocks_for(p.size), width = 8 * blocks, sites = costs_.sites;
        to_.assign(static_cast<std::size_t>(sites) * width, costs_.dearest);
        same_.assign(to_.size(), 0.0f);
        std::fill(from_nearest_.begin(), from_nearest_.end(), costs_.dearest);
        std::fill(mass_.begin(), mass_.end(), 0.0f);
        excess_.assign(width, 0.0f);
        for (int i = 0; i < p.size; ++i) {
            const float* from = costs_.from.data() + static_cast<std::size_t>(p.site[i]) * sites;
            for (int k = 0; k < sites; ++k) {
                to_[static_cast<std::size_t>(k) * width + i] = from[k];
                from_nearest_[k] = std::min(from_nearest_[k], from[k]);
            }
            place_[p.site[i]] = i;
            same_[static_cast<std::size_t>(p.site[i]) * width + i] = 1;
            excess_[i] = mass_[p.site[i]] = static_cast<float>(p.mass[i]);
        }
        const int terms = blocks <= 32 ? blocks + 4 : p.size;
        query_ = {blocks,     mass_.data(), from_nearest_.data(), excess_.data(), to_.data(),
                  same_.data(), dearest_,   terms + 16,           0x1p-22f * costs_.dearest};
    }

    void against(const Documents& Q, std::int64_t first, std::int64_t last, float* out) const {
        if (query_.blocks <= 32) return kernels().bounds_of_one(query_, {Q.start, Q.site, Q.mass}, first, last, out);
        for (std::int64_t j = first; j < last; ++j) *out++ = large_bound(Q[j]);
    }

    void against(const CompactRows& Q, const std::int64_t* listed, std::int64_t count, float* out) const {
        kernels().bounds_of_listed(query_, Q, listed, count, out);  // over 256 sites at most: never large
    }

  private:
    // The sizes that the kernel is compiled for; beyond them whatever is needed.
    static int blocks_for(int sites) {
        for (int blocks : {1, 2, 3, 4, 6, 9, 16, 32})
            if (sites <= 8 * blocks) return blocks;
        return (sites + 7) / 8;
    }

    // The kernel's loop for a document p of any size.
    float large_bound(const Document& q) const {
        std::vector<float> nearest(excess_.size(), costs_.dearest), left(excess_);
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
        const float certain = 1 - static_cast<float>(query_.terms + q.size) * 0x1p-23f;
        return std::max(std::max(forth, back) * certain - query_.margin, 0.0f);
    }

    const BoundCosts& costs_;
    BoundQuery query_{};
    float dearest_[8];
    std::vector<float> mass_, from_nearest_, excess_, to_, same_;
    std::vector<int> place_;
};

// Bounds for many documents against many, over few sites. Documents are laid out site by site, which takes as long as a
// few bounds each and makes every bound 4 times as fast (r8, 70 topics).
class TiledBounds {
  public:
    TiledBounds(const BoundCosts& costs, const Documents& P)
        : costs_(costs), from_nearest_(P.count * costs.sites, costs.dearest) {
        for (std::int64_t i = 0; i < P.count; ++i)
            find_nearest(P[i], costs.from, from_nearest_.data() + i * costs.sites);
        queries_ = {P.count, {P.start, P.site, P.mass}, from_nearest_.data()};
    }

    // A workspace; one per thread.
    struct Tile {
        std::vector<float> mass, nearest, column;
    };

    // Bounds for Q[first] and the documents after it, as many as fit in a tile.
    void against(const Documents& Q, std::int64_t first, Tile& tile, float* out) const {
        const int count = static_cast<int>(std::min<std::int64_t>(tile_width, Q.count - first)), sites = costs_.sites;
        int largest = 0;
        tile.mass.assign(sites * tile_width, 0.0f);
        tile.nearest.resize(sites * tile_width);
        for (int j = 0; j < count; ++j) {
            const Document q = Q[first + j];
            largest = std::max(largest, q.size);
            for (int k = 0; k < q.size; ++k) tile.mass[q.site[k] * tile_width + j] = static_cast<float>(q.mass[k]);
            tile.column.assign(sites, costs_.dearest);
            find_nearest(q, costs_.to, tile.column.data());
            for (int s = 0; s < sites; ++s) tile.nearest[s * tile_width + j] = tile.column[s];
        }
        // All that is summed here is less than the largest cost, what is taken off again too.
        const float margin = 0x1p-23f * costs_.dearest;
        kernels().bounds_in_tile(
            {sites, count, tile.mass.data(), tile.nearest.data(), (largest + 24) * margin, margin}, queries_, Q.count,
            out + first);
    }

  private:
    // By site: the least of what is there and of the costs to the document's other sites, or from them.
    void find_nearest(const Document& document, const std::vector<float>& costs, float* nearest) const {
        for (int k = 0; k < document.size; ++k) {
            const float* cost = costs.data() + std::size_t(document.site[k]) * costs_.sites;
            for (int s = 0; s < costs_.sites; ++s) nearest[s] = std::min(nearest[s], cost[s]);
        }
    }

    const BoundCosts& costs_;
    std::vector<float> from_nearest_;
    BoundQueries queries_{};
};

// out[i * Q.count + j] <= scale x distance of P[i] to Q[j].
inline void lower_bounds(const Documents& P, const Documents& Q, const Ground& ground, double scale, int threads,
                         float* out, const Watch& watch) {
    const BoundCosts costs(ground);
    if (P.count >= 8 && ground.sites <= 256) {
        const TiledBounds bounds(costs, P);
        std::vector<TiledBounds::Tile> tiles(threads);
        auto run = [&](std::int64_t task, int worker, const std::atomic<bool>&) {
            bounds.against(Q, task * tile_width, tiles[worker], out);
        };
        const std::int64_t tasks = (Q.count + tile_width - 1) / tile_width;
        parallel_for(tasks, threads, run, watch);
    } else {
        constexpr std::int64_t chunk = 1 << 16;
        const std::int64_t across = (Q.count + chunk - 1) / chunk;
        std::vector<RelaxedBound> bounds(threads, RelaxedBound(costs));
        auto run = [&](std::int64_t task, int worker, const std::atomic<bool>&) {
            const std::int64_t i = task / across, first = task % across * chunk;
            bounds[worker].set_query(P[i]);
            bounds[worker].against(Q, first, std::min(first + chunk, Q.count), out + i * Q.count + first);
        };
        parallel_for(P.count * across, threads, run, watch);
    }
    if (costs.exponent != 0 || scale != 1)
        for (std::int64_t k = 0; k < P.count * Q.count; ++k) {
            const double bound = std::ldexp(double{out[k]} * scale, costs.exponent);
            out[k] = static_cast<float>(std::min(bound, double{std::numeric_limits<float>::max()}));
            if (out[k] > bound) out[k] = std::nextafter(out[k], 0.0f);
        }
}

}  // namespace hott
