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
#include "pairwise.hpp"
#include "parallel.hpp"

namespace hott {

// Costs from some of the words to all words that a batch of pairs has: what PairSolver needs of a ground cost.
struct WordTable {
    int words;
    const std::int32_t* row_of;  // of each word the row of the table; only those on the left-hand side have one
    const double* cost;
    bool metric;
    bool symmetric = false;  // the sides may not be swapped: the other one has no rows
    bool free_stay = true;

    const double* row(int word) const { return cost + static_cast<std::int64_t>(row_of[word]) * words; }
};

// out[k] = cost of the optimal plan from P[rows[k]] to Q[cols[k]].
inline void word_pairs(const Documents& P, const Documents& Q, const std::int64_t* rows, const std::int64_t* cols,
                       std::int64_t count, const WordTable& table, int threads, double* out, const Watch& watch) {
    std::vector<PairSolver> solvers(threads);
    auto run = [&](std::int64_t k, int worker, const std::atomic<bool>& stop) {
        out[k] = solvers[worker](table, P[rows[k]], Q[cols[k]], &stop);
    };
    parallel_for(count, threads, run, [&](std::int64_t done) { watch(done, count); });
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
    parallel_for((count + chunk - 1) / chunk, threads, run,
                 [&](std::int64_t done) { watch(std::min(done * chunk, count), count); });
}

// A few words of the documents that send mass, and the documents that have them.
struct WordTile {
    int width;
    const double* cost;           // from each word of the receiving documents (a row) to each word of the tile
    const std::int32_t* tile_of;  // of each such row the place of the same word in the tile, or -1
    const std::int64_t* start;    // for each word of the tile its senders, start[w] .. start[w + 1]
    const std::int32_t* sender;
    const double* mass;
};

// Adds to out (Q.count x senders) what it costs each sender to move its mass on the words of the tile to the nearest
// word of each document of Q. The nearest word is found once a document and word, not once a pair. With `cancel`, mass
// that sender and receiver share on a word stays there at no cost and only the rest moves; the table then holds
// infinity from a word to itself.
inline void relaxed_tile(const Documents& Q, const WordTile& tile, std::int64_t senders, bool cancel, int threads,
                         double* out, const Watch& watch) {
    constexpr std::int64_t chunk = 16;
    constexpr double far = std::numeric_limits<double>::infinity();
    auto run = [&](std::int64_t task, int, const std::atomic<bool>& stop) {
        std::vector<double> nearest(tile.width), held(tile.width, 0.0);
        for (std::int64_t j = task * chunk; j < std::min(Q.count, (task + 1) * chunk) && !stop; ++j) {
            const Document q = Q[j];
            std::fill(nearest.begin(), nearest.end(), far);
            for (int e = 0; e < q.size; ++e) {
                const double* cost = tile.cost + static_cast<std::int64_t>(q.site[e]) * tile.width;
                for (int w = 0; w < tile.width; ++w) nearest[w] = std::min(nearest[w], cost[w]);
                if (cancel && tile.tile_of[q.site[e]] >= 0) held[tile.tile_of[q.site[e]]] = q.mass[e];
            }
            double* row = out + j * senders;
            for (int w = 0; w < tile.width; ++w) {
                // A receiver with this one word only holds all there is to send.
                if (nearest[w] == 0 || nearest[w] == far) continue;
                for (std::int64_t e = tile.start[w]; e < tile.start[w + 1]; ++e)
                    row[tile.sender[e]] += std::max(tile.mass[e] - held[w], 0.0) * nearest[w];
            }
            if (cancel)
                for (int e = 0; e < q.size; ++e)
                    if (tile.tile_of[q.site[e]] >= 0) held[tile.tile_of[q.site[e]]] = 0;
        }
    };
    parallel_for((Q.count + chunk - 1) / chunk, threads, run,
                 [&](std::int64_t done) { watch(std::min(done * chunk, Q.count), Q.count); });
}

}  // namespace hott
