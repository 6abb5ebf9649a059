// Topic proportions of documents, the topics being given ("folding in").
//
// Two ways: the fixed point of a mean-field update, and averaged Gibbs sweeps. Both look at one document at a
// time, so its proportions depend on its counts, the topics and the seed alone: not on the batch, the order or
// the number of threads. Sums run over eight lanes in a fixed order and nothing is contracted, so they do not
// depend on the machine's vector width either: an index made elsewhere still finds its own documents at
// distance exactly 0.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "documents.hpp"
#include "kernels.hpp"
#include "parallel.hpp"
#include "random.h"

namespace hott {

// Word-major topics: the probabilities of one word under every topic are one contiguous row, so a document of
// fifty words works on fifty short rows that stay in the first-level cache.
struct TopicTable {
    const float* probability;  // n_words x stride
    const float* alpha;        // stride, zero in the padding
    std::size_t n_topics;
    std::size_t stride;  // n_topics, padded with zeros to a multiple of fold_in_lanes

    const float* row(std::int32_t word) const { return probability + static_cast<std::size_t>(word) * stride; }
};

enum class FoldInMethod { fixed_point, gibbs };

struct FoldInOptions {
    FoldInMethod method;
    int steps;           // updates of the fixed point, or Gibbs sweeps over the document
    int burn_in;         // Gibbs: sweeps left out of the average
    std::uint64_t seed;  // Gibbs: of the topic model; the document's own words are mixed into it
};

namespace foldin {

// One thread's scratch space, kept from document to document.
struct Workspace {
    std::vector<const float*> rows;   // of the document's words, padded to a multiple of fold_in_rows
    std::vector<float> counts;        // the same, zero in the padding
    std::vector<float> theta, sums;   // per topic, padded
    std::vector<double> cumulative;   // Gibbs
    std::vector<const float*> token;  // Gibbs: one entry per word occurrence
    std::vector<std::int32_t> topic_of, tokens_of;

    explicit Workspace(const TopicTable& topics)
        : theta(topics.stride), sums(topics.stride), cumulative(topics.n_topics), tokens_of(topics.n_topics) {}
};

inline void fixed_point(const TopicTable& topics, const Document& document, int steps, Workspace& work, double* out) {
    const std::size_t padded = (document.size + fold_in_rows - 1) / fold_in_rows * fold_in_rows;
    work.rows.assign(padded, topics.probability);
    work.counts.assign(padded, 0.0f);
    for (int i = 0; i < document.size; ++i) {
        work.rows[i] = topics.row(document.site[i]);
        work.counts[i] = static_cast<float>(document.mass[i]);
    }
    std::fill(work.theta.begin(), work.theta.end(), 1.0f);
    kernels().fold_in({padded, topics.stride, work.rows.data(), work.counts.data(), topics.alpha, work.theta.data(),
                       work.sums.data()}, steps);
    for (std::size_t k = 0; k < topics.n_topics; ++k) out[k] = work.theta[k];
}

// Also used to hash the document.
struct Random {
    std::uint64_t state;

    std::uint64_t next() { return mixed(state += golden_step); }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

// The sampler's seed comes from what the document says, so the same text always draws the same topics.
inline Random seeded(std::uint64_t seed, const Document& document) {
    Random mix{seed};
    for (int i = 0; i < document.size; ++i) {
        mix.state = mix.next() ^ static_cast<std::uint64_t>(document.site[i]);
        mix.state = mix.next() ^ static_cast<std::uint64_t>(document.mass[i]);
    }
    return mix;
}

// Draws a topic with probability proportional to (alpha_k + tokens_k) phi_kw. Without a prior (alpha = 0) every
// topic the word knows may be out of tokens; the word then speaks for itself.
inline std::int32_t draw(const TopicTable& topics, const float* row, Random& random, Workspace& work) {
    double total = 0.0;
    for (std::size_t k = 0; k < topics.n_topics; ++k)
        work.cumulative[k] = total += (static_cast<double>(topics.alpha[k]) + work.tokens_of[k]) * row[k];
    if (total == 0.0)
        for (std::size_t k = 0; k < topics.n_topics; ++k) work.cumulative[k] = total += row[k];
    const auto at = std::upper_bound(work.cumulative.begin(), work.cumulative.end(), random.uniform() * total);
    return static_cast<std::int32_t>(at - work.cumulative.begin());
}

inline void gibbs(const TopicTable& topics, const Document& document, const FoldInOptions& options, Workspace& work,
                  double* out) {
    work.token.clear();
    for (int i = 0; i < document.size; ++i) {
        const float* row = topics.row(document.site[i]);
        if (std::any_of(row, row + topics.n_topics, [](float p) { return p > 0.0f; }))
            work.token.insert(work.token.end(), static_cast<std::size_t>(document.mass[i]), row);
    }
    work.topic_of.resize(work.token.size());
    std::fill(work.tokens_of.begin(), work.tokens_of.end(), 0);
    Random random = seeded(options.seed, document);
    for (std::size_t i = 0; i < work.token.size(); ++i)
        ++work.tokens_of[work.topic_of[i] = draw(topics, work.token[i], random, work)];

    std::fill(out, out + topics.n_topics, 0.0);
    for (int sweep = 0; sweep < options.steps; ++sweep) {
        for (std::size_t i = 0; i < work.token.size(); ++i) {
            --work.tokens_of[work.topic_of[i]];
            ++work.tokens_of[work.topic_of[i] = draw(topics, work.token[i], random, work)];
        }
        if (sweep >= options.burn_in)
            for (std::size_t k = 0; k < topics.n_topics; ++k)
                out[k] += static_cast<double>(topics.alpha[k]) + work.tokens_of[k];
    }
}

// A document without a word that the topics know gets the prior; without a prior, every topic alike.
inline void normalise(const TopicTable& topics, double* out) {
    double total = 0.0;
    for (std::size_t k = 0; k < topics.n_topics; ++k) total += out[k];
    for (std::size_t k = 0; k < topics.n_topics; ++k)
        out[k] = total > 0.0 ? out[k] / total : 1.0 / static_cast<double>(topics.n_topics);
}

}  // namespace foldin

// Fills out (documents.count x topics.n_topics) with proportions; every row sums to 1. Here a document's sites are
// its words and its masses their counts.
inline void fold_in(const Documents& documents, const TopicTable& topics, const FoldInOptions& options, int threads,
                    double* out, const Watch& watch) {
    constexpr std::int64_t chunk = 64;
    std::vector<foldin::Workspace> work(threads, foldin::Workspace(topics));
    auto run = [&](std::int64_t task, int worker, const std::atomic<bool>& stop) {
        for (std::int64_t i = task * chunk; i < std::min(documents.count, (task + 1) * chunk) && !stop; ++i) {
            double* proportions = out + i * static_cast<std::int64_t>(topics.n_topics);
            if (options.method == FoldInMethod::fixed_point)
                foldin::fixed_point(topics, documents[i], options.steps, work[worker], proportions);
            else
                foldin::gibbs(topics, documents[i], options, work[worker], proportions);
            foldin::normalise(topics, proportions);
        }
    };
    const auto documents_done = [&](std::int64_t chunks, std::int64_t) {
        watch(std::min(chunks * chunk, documents.count), documents.count);
    };
    const std::int64_t words = documents.start[documents.count] - documents.start[0];
    const bool brief = options.method == FoldInMethod::fixed_point && words <= 64 && topics.n_topics <= 256;
    parallel_for((documents.count + chunk - 1) / chunk, threads, run, documents_done, brief);
}

}  // namespace hott
