// The inner loops of the relaxed bound (bounds.hpp).
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels.hpp"
#include "simd.hpp"

namespace hott {
namespace {

constexpr int block = 8;  // floats worked on together
using Block = Floats<block>;

inline float mass_of(const BoundRows& rows, std::int64_t place) { return static_cast<float>(rows.mass[place]); }
inline float mass_of(const CompactRows& rows, std::int64_t place) {
    return static_cast<float>(rows.mass[place] + 1) * 0x1p-16f;
}

// `Blocks` known at compile time: the nearest costs stay in registers. No branches but the loops over q's sites. The
// documents are those listed or, without a list, those from `first` on.
template <int Blocks, class Rows>
void bounds_of(const BoundQuery& p, const Rows& Q, const std::int64_t* listed, std::int64_t first, std::int64_t count,
               float* out) {
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t j = listed ? listed[i] : first + i;
        // By p's sites: the least cost from there to another site of q, and the mass that q does not have there.
        Block nearest[Blocks], left[Blocks];
        for (int b = 0; b < Blocks; ++b) nearest[b] = load<Block>(p.dearest), left[b] = load<Block>(p.excess + b * block);
        float back = 0;
        for (std::int64_t k = Q.start[j]; k < Q.start[j + 1]; ++k) {
            const int site = Q.site[k];
            const std::int64_t row = static_cast<std::int64_t>(site) * (Blocks * block);
            const float mass = mass_of(Q, k), here = p.mass[site], stays = mass < here ? mass : here;
            for (int b = 0; b < Blocks; ++b) {
                nearest[b] = min(nearest[b], load<Block>(p.to + row + b * block));
                left[b] = left[b] - all<Block>(stays) * load<Block>(p.same + row + b * block);
            }
            back += (mass - stays) * p.from_nearest[site];
        }
        Block terms = left[0] * nearest[0];
        for (int b = 1; b < Blocks; ++b) terms = terms + left[b] * nearest[b];
        const float forth = sum(terms), larger = forth > back ? forth : back;
        const float certain = 1 - static_cast<float>(p.terms + static_cast<int>(Q.start[j + 1] - Q.start[j])) * 0x1p-23f;
        const float bound = larger * certain - p.margin;
        *out++ = bound > 0 ? bound : 0;
    }
}

template <class Rows>
void bounds_of_any(const BoundQuery& p, const Rows& Q, const std::int64_t* listed, std::int64_t first, std::int64_t count,
                   float* out) {
    switch (p.blocks) {
        case 1: return bounds_of<1>(p, Q, listed, first, count, out);
        case 2: return bounds_of<2>(p, Q, listed, first, count, out);
        case 3: return bounds_of<3>(p, Q, listed, first, count, out);
        case 4: return bounds_of<4>(p, Q, listed, first, count, out);
        case 6: return bounds_of<6>(p, Q, listed, first, count, out);
        case 9: return bounds_of<9>(p, Q, listed, first, count, out);
        case 16: return bounds_of<16>(p, Q, listed, first, count, out);
        case 32: return bounds_of<32>(p, Q, listed, first, count, out);
    }
}

void bounds_of_one(const BoundQuery& p, const BoundRows& Q, std::int64_t first, std::int64_t last, float* out) {
    bounds_of_any(p, Q, nullptr, first, last - first, out);
}

void bounds_of_listed(const BoundQuery& p, const CompactRows& Q, const std::int64_t* listed, std::int64_t count, float* out) {
    bounds_of_any(p, Q, listed, 0, count, out);
}

// All sites of the documents in the tile are summed, whether they have mass there or not: no branches, and the sums
// stay in registers. What p has in common with them is then taken off at the few sites of p.
void bounds_in_tile(const BoundTile& tile, const BoundQueries& P, std::int64_t stride, float* out) {
    constexpr int blocks = tile_width / block;
    for (std::int64_t i = 0; i < P.count; ++i, out += stride) {
        const float* from_nearest = P.from_nearest + i * tile.sites;
        Block back[blocks];
        for (int b = 0; b < blocks; ++b) back[b] = all<Block>(0);
        for (int s = 0; s < tile.sites; ++s) {
            const Block cost = all<Block>(from_nearest[s]);
            for (int b = 0; b < blocks; ++b) back[b] = back[b] + cost * load<Block>(tile.mass + s * tile_width + b * block);
        }
        const int sites = static_cast<int>(P.rows.start[i + 1] - P.rows.start[i]);
        const Block margin = all<Block>(tile.margin + static_cast<float>(sites) * tile.margin_of_site);
        float bounds[tile_width];
        for (int b = 0; b < blocks; ++b) {
            Block forth = all<Block>(0);
            for (std::int64_t k = P.rows.start[i]; k < P.rows.start[i + 1]; ++k) {
                const int site = P.rows.site[k], place = site * tile_width + b * block;
                const Block here = all<Block>(static_cast<float>(P.rows.mass[k]));
                const Block stays = min(here, load<Block>(tile.mass + place));
                back[b] = back[b] - stays * all<Block>(from_nearest[site]);
                forth = forth + (here - stays) * load<Block>(tile.nearest + place);
            }
            const Block larger = all<Block>(0) - min(all<Block>(0) - forth, all<Block>(0) - back[b]);
            const Block bound = larger - min(larger, margin);
            store(bounds + b * block, bound);
        }
        std::memcpy(out, bounds, tile.documents * sizeof(float));
    }
}

}  // namespace
}  // namespace hott
