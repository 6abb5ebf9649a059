// Topics by collapsed Gibbs sampling, where a rare word borrows its topics from the words near it in meaning.
//
// The weight of topic k for an occurrence of word w in document d, that occurrence itself not counted, is
//
//     (n(d, k) + alpha) * (n(k, w) + eta + strength * borrowed(k | w)) / (n(k) + eta * words)
//
// and borrowed(k | w) is the share of topic k in the counts of w's neighbours, each with a weight of its own. With
// strength 0 this is latent Dirichlet allocation. One model is one chain, drawn with random numbers that depend on the
// seed alone: the same topics on any number of threads and any machine. A thread draws up to four chains in turns.
//
// Most occurrences keep their topic once topics have formed. So counts are left as they are while an occurrence is
// weighed, its own topic is weighed apart, and nothing is written when it stays: the processor runs ahead into the
// next occurrence instead of waiting for a store.
//
// All topics are weighed, with 1,000 as with 70. Buckets (the few topics of the document, and all others together)
// would not pay: with 1,000 topics, alpha 0.1 and r8 a third of the draws fall to the others, and a document has 46
// topics, which lie in half of a row's cache lines.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

#include "documents.hpp"
#include "kernels.hpp"
#include "parallel.hpp"
#include "random.h"
#include "sampler_table.hpp"

namespace hott {

struct SamplerSettings {
    std::size_t topics;
    int sweeps;
    float alpha, eta, strength;
};

// The words that each word borrows from, all of them words of the documents. Weight 0: no neighbour.
struct Neighborhood {
    std::size_t words;     // more than occur in the documents, where others are to be placed by their neighbours
    std::size_t per_word;
    const std::int32_t* word;
    const float* weight;

    bool empty(std::size_t w) const { return per_word == 0 || weight[w * per_word] == 0.0f; }
};

namespace sampler {

constexpr int first_borrowing = 10, borrowing_interval = 5;  // in sweeps; topics must have formed before they spread
constexpr double everything = 0.1;  // occurrences that every word borrows from the corpus at large, besides

inline bool borrows_at(int sweep) {
    return sweep >= first_borrowing && (sweep - first_borrowing) % borrowing_interval == 0;
}

// The word of every occurrence, document by document.
struct Occurrences {
    explicit Occurrences(const Documents& documents) {
        for (std::int64_t d = 0; d < documents.count; ++d) {
            const Document document = documents[d];
            for (int i = 0; i < document.size; ++i)
                word.insert(word.end(), static_cast<std::size_t>(document.mass[i]), document.site[i]);
            start.push_back(static_cast<std::int64_t>(word.size()));
        }
    }
    SampledDocument operator[](std::size_t d) const { return {start[d + 1] - start[d], word.data() + start[d]}; }

    std::vector<std::int32_t> word;
    std::vector<std::int64_t> start{0};
};

// The largest power of two of which sums up to `largest` are exact multiples in single precision.
inline float exact_step(double largest) { return std::ldexp(1.0f, std::ilogb(largest) + 1 - 24); }

// How often each topic was drawn for each word, and what that comes to over all words.
struct Drawn {
    Drawn(std::size_t words, std::size_t topics, std::size_t stride)
        : counts(words, stride), total(topics), occurrences(words), overall(stride) {}

    // To be called when all counts are there.
    void add_up() {
        const double all = static_cast<double>(std::accumulate(total.begin(), total.end(), std::int64_t{0}));
        for (std::size_t k = 0; k < total.size(); ++k)
            overall[k] = static_cast<float>(everything * static_cast<double>(total[k]) / all);
    }

    // Weighted counts of w's neighbours, and a little of everything, so that it is never nothing. Returns their sum.
    double borrow(const Neighborhood& near, std::size_t w, float* out) const {
        const std::int32_t* word = near.word + w * near.per_word;
        const float* weight = near.weight + w * near.per_word;
        std::copy(overall.begin(), overall.end(), out);
        double mass = everything;
        for (std::size_t i = 0; i < near.per_word; ++i) {
            const float* row = counts[static_cast<std::size_t>(word[i])];
            for (std::size_t k = 0; k < overall.size(); ++k) out[k] += row[k] * weight[i];
            mass += static_cast<double>(weight[i]) * occurrences[static_cast<std::size_t>(word[i])];
        }
        return mass;
    }

    Table counts;                     // n(k, w)
    std::vector<std::int64_t> total;  // n(k)
    std::vector<double> occurrences;  // n(w)
    std::vector<float> overall;       // everything * n(k) / (occurrences in all)
};

inline std::size_t stride_for(std::size_t topics) {
    return (topics + sampler_columns - 1) / sampler_columns * sampler_columns;
}

class Chain {
  public:
    Chain(const Occurrences& occurrences, std::size_t words, const Neighborhood& near, const SamplerSettings& settings,
          std::uint64_t seed)
        : occurrences_(occurrences), near_(near), settings_(settings), words_(words),
          stride_(stride_for(settings.topics)), word_(words, stride_), drawn_(words, settings.topics, stride_),
          by_topic_(rows_, stride_), keep_(2 * stride_, 1.0f), step_(words), topic_of_(occurrences.word.size()) {
        keep_[stride_] = 0.0f;
        for (std::int32_t w : occurrences.word) drawn_.occurrences[w] += 1.0;
        for (std::uint16_t& topic : topic_of_) {
            topic = static_cast<std::uint16_t>(any_of(static_cast<u32>(settings.topics), mixed(seed += golden_step)));
            ++drawn_.total[topic];
        }
        chain_ = {stride_, settings.alpha, static_cast<double>(settings.eta) * static_cast<double>(words), word_[0],
                  by_topic_[0], by_topic_[1], by_topic_[2], by_topic_[3], by_topic_[4], by_topic_[5],
                  keep_.data() + stride_, drawn_.total.data(), topic_of_.data(), seed};
        for (std::size_t k = 0; k < settings.topics; ++k) {
            const auto inverse = [&](std::int64_t n) {
                return static_cast<float>(1.0 / (static_cast<double>(n) + chain_.smoothing));
            };
            chain_.inverse_less[k] = inverse(drawn_.total[k] - 1);
            chain_.inverse[k] = inverse(drawn_.total[k]);
            chain_.inverse_more[k] = inverse(drawn_.total[k] + 1);
        }
        for (std::size_t w = 0; w < words; ++w)
            step_[w] = exact_step(drawn_.occurrences[w] + static_cast<double>(settings.eta) + settings.strength);
        count();
        for (std::size_t w = 0; w < words; ++w) add_prior(w, nullptr, 0.0f);
    }

    // The chain as the kernel sees it, at the document whose first occurrence this is.
    SamplerChain* at(std::int64_t occurrence) {
        chain_.topic = topic_of_.data() + occurrence;
        return &chain_;
    }

    // Sets every word's prior anew by the present counts of its neighbours. Told to stop, returns early, half done.
    void borrow(const std::atomic<bool>& stop) {
        if (near_.per_word == 0) return;
        count();
        std::vector<float> borrowed(stride_);
        for (std::size_t w = 0; w < words_ && !stop; ++w) {
            if (near_.empty(w)) continue;
            const double mass = drawn_.borrow(near_, w, borrowed.data());
            add_prior(w, borrowed.data(), static_cast<float>(settings_.strength / mass));
        }
    }

    // n(k, w), words x topics.
    void counts(float* out) {
        count();
        for (std::size_t w = 0; w < words_; ++w, out += settings_.topics)
            std::copy(drawn_.counts[w], drawn_.counts[w] + settings_.topics, out);
    }

    const std::vector<std::uint16_t>& topic_of() const { return topic_of_; }

  private:
    static constexpr std::size_t rows_ = 6;  // the chain's rows over topics
    const Occurrences& occurrences_;
    const Neighborhood& near_;
    const SamplerSettings settings_;
    const std::size_t words_, stride_;
    Table word_;
    Drawn drawn_;  // counts of words at the last count(), of topics at all times
    Table by_topic_;
    std::vector<float> keep_;
    std::vector<float> step_;              // of each word's prior, so that counting up and down is exact
    std::vector<std::uint16_t> topic_of_;  // of every occurrence, in the order of the documents
    SamplerChain chain_;                   // all of this, as the kernel sees it

    void count() {
        std::fill(drawn_.counts[0], drawn_.counts[words_], 0.0f);
        for (std::size_t i = 0; i < topic_of_.size(); ++i)
            drawn_.counts[static_cast<std::size_t>(occurrences_.word[i])][topic_of_[i]] += 1.0f;
        drawn_.add_up();
    }

    // Sets word_ from the counts and the prior, eta + scale * borrowed (null: none), rounded to the word's step.
    void add_prior(std::size_t w, const float* borrowed, float scale) {
        float* out = word_[w];
        const float* n = drawn_.counts[w];
        const float step = step_[w], steps = 1.0f / step;
        for (std::size_t k = 0; k < settings_.topics; ++k) {
            const float prior = settings_.eta + (borrowed ? scale * borrowed[k] : 0.0f);
            const float rounded = step * static_cast<float>(static_cast<std::int32_t>(prior * steps + 0.5f));
            out[k] = n[k] + std::max(rounded, step);
        }
    }
};

}  // namespace sampler

// How many chains a thread draws in turns: as many as leave no thread idle and fit into some 256 MB. With many topics
// one chain fills the processor, and the rows of several push each other out of its cache (r8 with 500 topics: 94 ns
// a draw with four chains, 75 with one).
inline std::int64_t chains_together(std::int64_t models, int threads, std::size_t words, std::size_t topics) {
    constexpr std::size_t max_topics = 320, max_cells = std::size_t{1} << 25;
    const std::size_t stride = sampler::stride_for(topics);
    if (stride > max_topics) return 1;
    const std::int64_t fair = (models - 1) / std::max(threads, 1) + 1;
    return std::clamp<std::int64_t>(std::min<std::int64_t>(fair, max_cells / (words * stride + 1)), 1, max_chains);
}

// Learns one model for every seed, each in one thread. `counts` is models x words x topics: how often each topic was
// drawn for each word; `topic_of`, unless null, models x occurrences. Words are numbered from 0 to `words` in the
// documents.
inline void sample_topics(const Documents& documents, std::size_t words, const Neighborhood& near,
                          const SamplerSettings& settings, const std::uint64_t* seeds, std::int64_t models,
                          int threads, float* counts, std::uint16_t* topic_of, const Watch& watch) {
    const sampler::Occurrences occurrences(documents);
    const std::int64_t together = chains_together(models, threads, words, settings.topics);
    std::atomic<std::int64_t> swept{0};
    auto learn = [&](std::int64_t group, int, const std::atomic<bool>& stop) {
        const std::int64_t first = group * together, last = std::min(first + together, models);
        std::deque<sampler::Chain> chains;  // their tables must not move
        for (std::int64_t model = first; model < last; ++model)
            chains.emplace_back(occurrences, words, near, settings, seeds[model]);
        const int count = static_cast<int>(chains.size());
        SamplerChain* chain[max_chains];
        for (int sweep = 0; sweep < settings.sweeps && !stop; ++sweep, swept += count) {
            if (sampler::borrows_at(sweep))
                for (sampler::Chain& one : chains) one.borrow(stop);
            for (std::int64_t d = 0; d < documents.count && !stop; ++d) {
                for (int c = 0; c < count; ++c) chain[c] = chains[static_cast<std::size_t>(c)].at(occurrences.start[d]);
                kernels().sample_document(chain, count, occurrences[static_cast<std::size_t>(d)]);
            }
        }
        for (std::int64_t model = first; model < last; ++model) {
            sampler::Chain& one = chains[static_cast<std::size_t>(model - first)];
            one.counts(counts + model * static_cast<std::int64_t>(words * settings.topics));
            if (topic_of)
                std::copy(one.topic_of().begin(), one.topic_of().end(),
                          topic_of + model * static_cast<std::int64_t>(one.topic_of().size()));
        }
    };
    parallel_for((models + together - 1) / together, threads, learn,
                 [&](std::int64_t, std::int64_t) { watch(swept, models * settings.sweeps); });
}

// p(topic | word), words x topics, of what was drawn for each word: `counts` has a row of topics for each of
// near.words words. A word of no document, whose row is empty, has what it borrows.
inline void topic_shares(const Documents& counts, const Neighborhood& near, std::size_t topics, float eta,
                         float strength, float* out) {
    sampler::Drawn drawn(near.words, topics, sampler::stride_for(topics));
    for (std::size_t w = 0; w < near.words; ++w) {
        const Document row = counts[static_cast<std::int64_t>(w)];
        for (std::int64_t i = 0; i < row.size; ++i) {
            drawn.counts[w][row.site[i]] = static_cast<float>(row.mass[i]);
            drawn.occurrences[w] += row.mass[i];
            drawn.total[static_cast<std::size_t>(row.site[i])] += static_cast<std::int64_t>(row.mass[i]);
        }
    }
    drawn.add_up();
    std::vector<float> borrowed(drawn.overall.size());
    for (std::size_t w = 0; w < near.words; ++w, out += topics) {
        const bool seen = drawn.occurrences[w] > 0.0;
        const double lent = near.empty(w) ? 0.0 : drawn.borrow(near, w, borrowed.data());
        const double borrows = lent == 0.0 ? 0.0 : seen ? static_cast<double>(strength) : 1.0;
        const double own = seen ? drawn.occurrences[w] + static_cast<double>(topics) * eta : 0.0;
        for (std::size_t k = 0; k < topics; ++k) {
            double evidence = seen ? static_cast<double>(drawn.counts[w][k]) + eta : 0.0;
            if (borrows > 0.0) evidence += borrows / lent * borrowed[k];
            out[k] = evidence > 0.0 ? static_cast<float>(evidence / (own + borrows)) : 0.0f;
        }
    }
}

}  // namespace hott
