// Many documents in compact form: three bytes a topic, searched by a coarse bound first.
//
// A sketch of a document has its heaviest topics only, up to 8 of them, each a byte for the topic and a byte for its mass,
// and lies beside those of 15 others so that one instruction works on all. What a document has too much of, compared with
// the query, must go to another topic of the query, at least as far as the nearest: one side of the relaxed bound
// (bounds.hpp). Masses of the document are rounded down, those of the query up, costs down, and topics that are not in the
// sketch add nothing: never more than the relaxed bound, at a thirtieth of its time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bounds.hpp"
#include "kernels.hpp"
#include "parallel.hpp"

namespace hott {

// Rows of masses in units of 2^-16, less one: what a row sums to is 2^16.
template <class Site>
struct Compact {
    std::int64_t count;
    const std::int64_t* start;
    const Site* site;
    const std::uint16_t* mass;
};

// Whether compiled code may rely on the rows: none empty, sites ascending and all there, masses that sum to 1.
template <class Site>
bool is_sound(const Compact<Site>& rows, std::int64_t sites) {
    for (std::int64_t i = 0; i < rows.count; ++i) {
        std::int64_t before = -1, sum = 0;
        for (std::int64_t e = rows.start[i]; e < rows.start[i + 1]; ++e) {
            const std::int64_t site = rows.site[e];
            if (site <= before || site >= sites) return false;
            before = site;
            sum += rows.mass[e] + 1;
        }
        if (sum != 1 << 16) return false;
    }
    return true;
}

constexpr std::int64_t sketch_bytes = sketch_slots * sketch_block;  // of the sites of a block, and of its masses

// The heaviest topics of 16 documents after the other: [block][pair of slots][document][slot of the pair].
inline void sketch(const Compact<std::uint8_t>& rows, int threads, std::uint8_t* site, std::uint8_t* mass,
                   const Watch& watch) {
    constexpr std::int64_t chunk = 1 << 10;  // blocks
    const std::int64_t blocks = (rows.count + sketch_block - 1) / sketch_block, tasks = (blocks + chunk - 1) / chunk;
    auto run = [&](std::int64_t task, int, const std::atomic<bool>&) {
        const std::int64_t first = task * chunk, last = std::min(first + chunk, blocks);
        std::fill(site + first * sketch_bytes, site + last * sketch_bytes, 0);
        std::fill(mass + first * sketch_bytes, mass + last * sketch_bytes, 0);
        std::int64_t entries[256];
        for (std::int64_t i = first * sketch_block; i < std::min(last * sketch_block, rows.count); ++i) {
            const int size = static_cast<int>(rows.start[i + 1] - rows.start[i]), kept = std::min(size, sketch_slots);
            for (int e = 0; e < size; ++e) entries[e] = rows.start[i] + e;
            if (size > kept)
                std::partial_sort(entries, entries + kept, entries + size, [&](std::int64_t a, std::int64_t b) {
                    return rows.mass[a] != rows.mass[b] ? rows.mass[a] > rows.mass[b] : a < b;
                });
            const std::int64_t place = i / sketch_block * sketch_bytes + i % sketch_block * 2;
            for (int slot = 0; slot < kept; ++slot) {
                const std::int64_t to = place + slot / 2 * (2 * sketch_block) + slot % 2;
                site[to] = rows.site[entries[slot]];
                mass[to] = static_cast<std::uint8_t>(std::min((rows.mass[entries[slot]] + 1) >> 8, 255));
            }
        }
    };
    parallel_for(tasks, threads, run, watch);
}

// The sketches of all documents over the topics of one model, and some queries as tables over the same topics.
struct SketchModel {
    const std::uint8_t* site;
    const std::uint8_t* mass;
    int tables;                       // of 16 topics
    const std::uint8_t* query_mass;   // queries x 16 * tables: rounded up
    const std::uint8_t* query_cost;   // the same: cost from there to the nearest other topic of the query, below 128
};

// out (queries x documents) = factor of the query x what all models add up to.
inline void scan(const std::vector<SketchModel>& models, std::int64_t queries, std::int64_t documents, const float* factor,
                 int threads, float* out, const Watch& watch) {
    constexpr std::int64_t chunk = 64;  // blocks; their sketches stay in the cache for all queries
    const std::int64_t blocks = (documents + sketch_block - 1) / sketch_block, tasks = (blocks + chunk - 1) / chunk;
    auto run = [&](std::int64_t task, int, const std::atomic<bool>&) {
        const std::int64_t first = task * chunk, count = std::min(chunk, blocks - first);
        const std::int64_t start = first * sketch_block, stop = std::min(start + count * sketch_block, documents);
        std::int32_t sum[chunk * sketch_block];
        for (std::int64_t i = 0; i < queries; ++i) {
            std::fill_n(sum, count * sketch_block, 0);
            for (const SketchModel& model : models) {
                const std::int64_t table = i * 16 * model.tables;
                const SketchQuery query{model.tables, model.query_mass + table, model.query_cost + table};
                kernels().add_excess(query, model.site + first * sketch_bytes, model.mass + first * sketch_bytes, count, sum);
            }
            float* row = out + i * documents;
            for (std::int64_t j = start; j < stop; ++j) row[j] = static_cast<float>(sum[j - start]) * factor[i];
        }
    };
    parallel_for(tasks, threads, run, watch, tasks == 1 && queries <= 4);
}

// Documents by one topic model: those that are compared with others, the others, and the costs of its topics.
struct ListedModel {
    ListedModel(const Documents& P, const Compact<std::uint8_t>& Q, const Ground& ground)
        : P(P), Q{Q.start, Q.site, Q.mass}, costs(ground) {}

    Documents P;
    CompactRows Q;
    BoundCosts costs;
};

// Take the bounds of a model to those of the costs that were given, never up.
inline void unscale(float* bounds, std::int64_t count, int exponent) {
    if (exponent == 0) return;
    for (std::int64_t k = 0; k < count; ++k) {
        const double bound = std::ldexp(double{bounds[k]}, exponent);
        bounds[k] = static_cast<float>(std::min(bound, double{std::numeric_limits<float>::max()}));
        if (bounds[k] > bound) bounds[k] = std::nextafter(bounds[k], 0.0f);
    }
}

// out[k]: the sum over the models of share times the relaxed bound of the pair rows[k], cols[k], those of a row one after
// the other; never above the distance. Infinite where the bounds of some of the models are above limits[k] already: the
// other models are then not looked at.
inline void listed_bounds(const std::vector<ListedModel>& models, double share, const std::int64_t* rows,
                          const std::int64_t* cols, const double* limits, std::int64_t count, int threads, double* out,
                          const Watch& watch) {
    constexpr std::int64_t chunk = 1 << 12;
    auto run = [&](std::int64_t task, int, const std::atomic<bool>&) {
        const std::int64_t first = task * chunk, last = std::min(count, first + chunk);
        std::vector<std::int64_t> left(last - first), listed(last - first);
        std::vector<float> found(last - first);
        for (std::int64_t k = first; k < last; ++k) left[k - first] = k;
        std::fill(out + first, out + last, 0.0);
        for (const ListedModel& model : models) {
            RelaxedBound bound(model.costs);
            const auto size = static_cast<std::int64_t>(left.size());
            for (std::int64_t k = 0; k < size; ++k) listed[k] = cols[left[k]];
            for (std::int64_t k = 0, end; k < size; k = end) {
                for (end = k + 1; end < size && rows[left[end]] == rows[left[k]];) ++end;
                bound.set_query(model.P[rows[left[k]]]);
                bound.against(model.Q, listed.data() + k, end - k, found.data() + k);
            }
            unscale(found.data(), size, model.costs.exponent);
            std::int64_t kept = 0;
            for (std::int64_t k = 0; k < size; ++k) {
                const std::int64_t pair = left[k];
                out[pair] += share * found[k];
                if (out[pair] <= limits[pair])
                    left[kept++] = pair;
                else
                    out[pair] = std::numeric_limits<double>::infinity();
            }
            left.resize(kept);
        }
    };
    const std::int64_t tasks = (count + chunk - 1) / chunk;
    parallel_for(tasks, threads, run, watch, tasks == 1);
}

}  // namespace hott
