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
    parallel_for(tasks, threads, run, [&](std::int64_t done) { watch(done, tasks); });
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
    parallel_for(tasks, threads, run, [&](std::int64_t done) { watch(done, tasks); });
}

// out[k] <= distance of P[rows[k]] to Q[cols[k]]: the relaxed bound for listed pairs, those of a row one after the other.
inline void listed_bounds(const Documents& P, const Compact<std::uint8_t>& Q, const Ground& ground, const std::int64_t* rows,
                          const std::int64_t* cols, std::int64_t count, int threads, float* out, const Watch& watch) {
    constexpr std::int64_t chunk = 1 << 12;
    const BoundCosts costs(ground);
    const CompactRows documents{Q.start, Q.site, Q.mass};
    std::vector<RelaxedBound> bounds(threads, RelaxedBound(costs));
    auto run = [&](std::int64_t task, int worker, const std::atomic<bool>&) {
        const std::int64_t last = std::min(count, (task + 1) * chunk);
        for (std::int64_t k = task * chunk, end; k < last; k = end) {
            for (end = k + 1; end < last && rows[end] == rows[k];) ++end;
            bounds[worker].set_query(P[rows[k]]);
            bounds[worker].against(documents, cols + k, end - k, out + k);
        }
    };
    const std::int64_t tasks = (count + chunk - 1) / chunk;
    if (tasks == 1)  // a thread of its own would take longer
        run(0, 0, std::atomic<bool>{false});
    else
        parallel_for(tasks, threads, run, [&](std::int64_t done) { watch(done, tasks); });
    if (costs.exponent != 0)
        for (std::int64_t k = 0; k < count; ++k) {
            const double bound = std::ldexp(double{out[k]}, costs.exponent);
            out[k] = static_cast<float>(std::min(bound, double{std::numeric_limits<float>::max()}));
            if (out[k] > bound) out[k] = std::nextafter(out[k], 0.0f);
        }
}

}  // namespace hott
