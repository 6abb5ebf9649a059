// Transport between documents over words, whose costs come in tables made for the words at hand: a vocabulary is too
// large for one matrix.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "documents.hpp"
#include "pair_solver.hpp"
#include "parallel.hpp"
#include "portable.h"

namespace hott {

// Costs from some of the words to all words that a batch of pairs has: what PairSolver needs of a ground cost.
struct WordTable {
    int sites;                   // words
    const std::int32_t* row_of;  // of each word the row of the table; only those on the left-hand side have one
    const double* cost;
    bool metric;
    bool symmetric = true;
    bool free_stay = true;

    const double* row(int word) const { return cost + static_cast<std::int64_t>(row_of[word]) * sites; }
    // `swapped`: word i is of the right-hand side, which has no rows.
    double between(int i, int j, bool swapped) const { return swapped ? row(j)[i] : row(i)[j]; }
};

// out[k] = cost of the optimal plan from P[rows[k]] to Q[cols[k]].
inline void word_pairs(const Documents& P, const Documents& Q, const std::int64_t* rows, const std::int64_t* cols,
                       std::int64_t count, const WordTable& table, int threads, double* out, const Watch& watch) {
    std::vector<PairSolver> solvers(threads);
    auto run = [&](std::int64_t k, int worker, const std::atomic<bool>& stop) {
        out[k] = solvers[worker](table, P[rows[k]], Q[cols[k]], &stop);
    };
    parallel_for(count, threads, run, watch);
}

// out[k] = the larger cost of the two relaxed problems, in each of which every word of one document goes to the nearest
// word of the other, whatever that can hold.
inline void relaxed_word_pairs(const Documents& P, const Documents& Q, const std::int64_t* rows,
                               const std::int64_t* cols, std::int64_t count, const WordTable& table, int threads,
                               double* out, const Watch& watch) {
    constexpr std::int64_t chunk = 64;
    constexpr double far = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> nearest(threads);
    auto run = [&](std::int64_t task, int worker, const std::atomic<bool>& stop) {
        for (std::int64_t k = task * chunk; k < std::min(count, (task + 1) * chunk) && !stop; ++k) {
            const Document p = P[rows[k]], q = Q[cols[k]];
            std::vector<double>& to_q = nearest[worker];
            to_q.assign(q.size, far);
            double from_p = 0, from_q = 0;
            for (int i = 0; i < p.size; ++i) {
                const double* row = table.row(p.site[i]);
                double least = far;
                for (int j = 0; j < q.size; ++j) {
                    const double cost = row[q.site[j]];
                    least = std::min(least, cost);
                    to_q[j] = std::min(to_q[j], cost);
                }
                from_p += p.mass[i] * least;
            }
            for (int j = 0; j < q.size; ++j) from_q += q.mass[j] * to_q[j];
            out[k] = std::max(from_p, from_q);
        }
    };
    parallel_for((count + chunk - 1) / chunk, threads, run, watch);
}

// Costs from every word of some documents (rows) to other words (columns), lying either way in memory.
struct WordCosts {
    std::int64_t rows, columns, row_step, column_step;
    const double* cost;
};

// nearest (Q.count x columns) = the least of what it holds and of the costs from each word of a document of Q to each
// column. A few columns at a time, packed together, stay in the cache for all documents: on books of 4,000 words 1.8
// times as fast as whole rows of the table.
inline void nearest_words(const Documents& Q, const WordCosts& table, int threads, double* nearest,
                          const Watch& watch) {
    constexpr int strip = 16;
    constexpr double far = std::numeric_limits<double>::infinity();
    auto run = [&](std::int64_t task, int, const std::atomic<bool>& stop) {
        const std::int64_t first = task * strip;
        const int width = static_cast<int>(std::min<std::int64_t>(strip, table.columns - first));
        std::vector<double> packed(table.rows * strip, far);
        for (std::int64_t r = 0; r < table.rows; ++r)
            for (int w = 0; w < width; ++w)
                packed[r * strip + w] = table.cost[r * table.row_step + (first + w) * table.column_step];
        for (std::int64_t j = 0; j < Q.count && !stop; ++j) {
            const Document q = Q[j];
            double least[strip];
            std::fill_n(least, strip, far);
            for (int e = 0; e < q.size; ++e) {
                const double* row = packed.data() + static_cast<std::int64_t>(q.site[e]) * strip;
                for (int w = 0; w < strip; ++w) least[w] = std::min(least[w], row[w]);
            }
            double* out = nearest + j * table.columns + first;
            for (int w = 0; w < width; ++w) out[w] = std::min(out[w], least[w]);
        }
    };
    const std::int64_t strips = (table.columns + strip - 1) / strip;
    parallel_for(strips, threads, run, watch);
}

// Documents with mass to send, by word: start[w] .. start[w + 1] are those that have word w.
struct Senders {
    std::int64_t words;
    const std::int64_t* start;
    const std::int32_t* document;
    const double* mass;
};

// Adds to out (receivers x count) what it costs each of `count` senders to move its mass on the given words to the
// nearest word of each receiver, nearest (receivers x words) being that cost. Mass that both have on a word stays:
// `place_of` tells of a receiver's word which of the given ones it is, or -1.
inline void send_to_nearest(const Senders& senders, std::int64_t count, const Documents& receivers,
                            const std::int32_t* place_of, const double* nearest, int threads, double* out,
                            const Watch& watch) {
    constexpr std::int64_t chunk = 16;
    constexpr double far = std::numeric_limits<double>::infinity();
    auto run = [&](std::int64_t task, int, const std::atomic<bool>& stop) {
        std::vector<double> held(senders.words, 0.0);
        for (std::int64_t j = task * chunk; j < std::min(receivers.count, (task + 1) * chunk) && !stop; ++j) {
            const Document receiver = receivers[j];
            const auto hold = [&](double share) {
                for (int e = 0; e < receiver.size; ++e)
                    if (place_of[receiver.site[e]] >= 0) held[place_of[receiver.site[e]]] = share * receiver.mass[e];
            };
            hold(1);
            double* row = out + j * count;
            for (std::int64_t w = 0; w < senders.words; ++w) {
                const double cost = nearest[j * senders.words + w];
                if (cost == 0 || cost == far) continue;  // far: the receiver has this one word, and holds all there is
                for (std::int64_t e = senders.start[w]; e < senders.start[w + 1]; ++e)
                    row[senders.document[e]] += left_over(senders.mass[e], held[w]) * cost;
            }
            hold(0);
        }
    };
    parallel_for((receivers.count + chunk - 1) / chunk, threads, run, watch);
}

}  // namespace hott
