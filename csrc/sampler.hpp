// Topics by collapsed Gibbs sampling, where a rare word borrows its topics from the words near it in meaning.
//
// The weight of topic k for an occurrence of word w in document d, that occurrence itself not counted, is
//
//     (n(d, k) + alpha) * (n(k, w) + eta + strength * borrowed(k | w)) / (n(k) + eta * words)
//
// and borrowed(k | w) is the share of topic k in the counts of w's neighbours, each with a weight of its own. With
// strength 0 this is latent Dirichlet allocation. One model is one chain in one thread, drawn with random numbers
// that depend on the seed alone: the same topics on any number of threads and any machine.
//
// Most occurrences keep their topic once topics have formed. So counts are left as they are while an occurrence is
// weighed, its own topic is weighed apart, and nothing is written when it stays: the processor runs ahead into the
// next occurrence instead of waiting for a store.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "documents.hpp"
#include "foldin.hpp"
#include "parallel.hpp"
#include "sampler_kernel.hpp"

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

constexpr int kFirstBorrowing = 10, kBorrowingInterval = 5;  // in sweeps; topics must have formed before they spread
constexpr double kEverything = 0.1;  // occurrences that every word borrows from the corpus at large, besides

using foldin::Random;

inline float uniform(Random& random) { return static_cast<float>(random.next() >> 40) * 0x1p-24f; }

// Rows of floats that start where a cache line starts.
class Table {
  public:
    Table(std::size_t rows, std::size_t stride, float value) : stride_(stride), values_(rows * stride + 16, value) {
        const auto address = reinterpret_cast<std::uintptr_t>(values_.data());
        offset_ = (64 - address % 64) % 64 / sizeof(float);
    }
    float* operator[](std::size_t row) { return values_.data() + offset_ + row * stride_; }
    const float* operator[](std::size_t row) const { return values_.data() + offset_ + row * stride_; }

  private:
    std::size_t stride_, offset_;
    std::vector<float> values_;
};

inline std::size_t padded(std::size_t topics) { return (topics + kColumns - 1) / kColumns * kColumns; }

// The largest power of two of which sums up to `largest` are exact multiples in single precision.
inline float exact_step(double largest) { return std::ldexp(1.0f, std::ilogb(largest) + 1 - 24); }

class Chain {
  public:
    Chain(const Documents& documents, std::size_t words, const Neighborhood& near, const SamplerSettings& settings,
          std::uint64_t seed)
        : documents_(documents), near_(near), settings_(settings), words_(words), stride_(padded(settings.topics)),
          smoothing_(static_cast<double>(settings.eta) * static_cast<double>(words)), random_{seed},
          word_(words, stride_, 0.0f), counts_(words, stride_, 0.0f), by_topic_(kRows, stride_, 0.0f),
          keep_(2 * stride_, 1.0f), total_(settings.topics), occurrences_(words), step_(words) {
        keep_[stride_] = 0.0f;
        for (std::int64_t d = 0; d < documents.count; ++d)
            for (int i = 0; i < documents[d].size; ++i)
                for (auto times = static_cast<std::int64_t>(documents[d].mass[i]); times > 0; --times) {
                    const auto topic = static_cast<std::uint16_t>((random_.next() >> 32) * settings.topics >> 32);
                    topic_of_.push_back(topic);
                    occurrences_[documents[d].site[i]] += 1.0;
                    ++total_[topic];
                }
        float* row[] = {by_topic_[kInverseLess], by_topic_[kInverse], by_topic_[kInverseMore]};
        for (std::size_t k = 0; k < settings.topics; ++k)
            for (int more = -1; more <= 1; ++more) row[more + 1][k] = inverse(total_[k] + more);
        for (std::size_t w = 0; w < words; ++w)
            step_[w] = exact_step(occurrences_[w] + static_cast<double>(settings.eta) + settings.strength);
        count();
        for (std::size_t w = 0; w < words; ++w) add_prior(w, nullptr, 0.0f);
    }

    // Draws the topic of every occurrence once. Returns early, the sweep unfinished, when told to stop.
    void sweep(const std::atomic<bool>& stop) {
#ifdef HOTT_SAMPLER_X86
        if (__builtin_cpu_supports("avx2")) return sweep_avx2(stop);
#endif
        sweep_here(stop);
    }

    // Sets every word's prior anew by the present counts of its neighbours.
    void borrow() {
#ifdef HOTT_SAMPLER_X86
        if (__builtin_cpu_supports("avx2")) return borrow_avx2();
#endif
        borrow_here();
    }

    // p(topic | word), words x topics. A word of no document has what it borrows.
    void probabilities(float* out) {
        count();
        std::vector<float> borrowed(stride_);
        for (std::size_t w = 0; w < near_.words; ++w, out += settings_.topics) {
            const double mass = near_.empty(w) ? 0.0 : borrow(w, borrowed.data());
            const double scale = mass > 0.0 ? settings_.strength / mass : 0.0;
            const double evidence = w < words_ ? occurrences_[w] + smoothing_per_word() : 0.0;
            const double all = evidence + (mass > 0.0 ? settings_.strength : 0.0);
            for (std::size_t k = 0; k < settings_.topics; ++k) {
                const double own = w < words_ ? static_cast<double>(counts_[w][k]) + settings_.eta : 0.0;
                out[k] = static_cast<float>((own + scale * borrowed[k]) / all);
            }
        }
    }

    const std::vector<std::uint16_t>& topic_of() const { return topic_of_; }

  private:
    // Rows over topics. With n(k) the occurrences of topic k, and n(d, k) those in the present document:
    enum {
        kHeld,         // n(d, k)
        kDocument,     // (n(d, k) + alpha) / (n(k) + eta * words)
        kInverseLess,  // 1 / (n(k) - 1 + eta * words)
        kInverse,      // 1 / (n(k) + eta * words)
        kInverseMore,  // 1 / (n(k) + 1 + eta * words)
        kOverall,      // kEverything * n(k) / (occurrences in all)
        kRows
    };
    const Documents& documents_;
    const Neighborhood& near_;
    const SamplerSettings settings_;
    const std::size_t words_, stride_;
    const double smoothing_;  // eta * words
    Random random_;
    Table word_;    // n(k, w) + eta + strength * borrowed(k | w), words x topics
    Table counts_;  // n(k, w) at the last count()
    Table by_topic_;
    std::vector<float> keep_;  // a row of ones with one zero, to be slid along
    std::vector<std::int64_t> total_;
    std::vector<double> occurrences_;
    std::vector<float> step_;              // of each word's prior, so that counting up and down is exact
    std::vector<std::uint16_t> topic_of_;  // of every occurrence, in the order of the documents

    double smoothing_per_word() const { return static_cast<double>(settings_.topics) * settings_.eta; }

    float inverse(std::int64_t total) const {
        return static_cast<float>(1.0 / (static_cast<double>(total) + smoothing_));
    }

    void count() {
        std::fill(counts_[0], counts_[words_], 0.0f);
        const std::uint16_t* topic = topic_of_.data();
        for (std::int64_t i = documents_.start[0]; i < documents_.start[documents_.count]; ++i) {
            float* row = counts_[documents_.site[i]];
            for (auto times = static_cast<std::int64_t>(documents_.mass[i]); times > 0; --times) row[*topic++] += 1.0f;
        }
        for (std::size_t k = 0; k < settings_.topics; ++k)
            by_topic_[kOverall][k] = static_cast<float>(kEverything * static_cast<double>(total_[k]) /
                                                        static_cast<double>(topic_of_.size()));
    }

    // Sets word_ from counts_ and the prior, eta + scale * borrowed (null: none), rounded to the word's step.
    HOTT_SAMPLER_INLINE void add_prior(std::size_t w, const float* borrowed, float scale) {
        float* out = word_[w];
        const float* n = counts_[w];
        const float step = step_[w], steps = 1.0f / step;
        for (std::size_t k = 0; k < settings_.topics; ++k) {
            const float prior = settings_.eta + (borrowed ? scale * borrowed[k] : 0.0f);
            const float rounded = step * static_cast<float>(static_cast<std::int32_t>(prior * steps + 0.5f));
            out[k] = n[k] + std::max(rounded, step);
        }
    }

    // Weighted counts of w's neighbours, and a little of everything, so that it is never nothing. Returns their sum.
    HOTT_SAMPLER_INLINE double borrow(std::size_t w, float* out) {
        const std::int32_t* word = near_.word + w * near_.per_word;
        const float* weight = near_.weight + w * near_.per_word;
        double mass = kEverything;
        for (std::size_t i = 0; i < near_.per_word; ++i)
            mass += static_cast<double>(weight[i]) * occurrences_[word[i]];
        for (std::size_t k = 0; k < stride_; ++k) out[k] = by_topic_[kOverall][k];
        for (std::size_t i = 0; i < near_.per_word; ++i) add_scaled(counts_[word[i]], weight[i], stride_, out);
        return mass;
    }

    HOTT_SAMPLER_INLINE void borrow_here() {
        if (near_.per_word == 0) return;
        count();
        std::vector<float> borrowed(stride_);
        for (std::size_t w = 0; w < words_; ++w) {
            if (near_.empty(w)) continue;
            const double mass = borrow(w, borrowed.data());
            add_prior(w, borrowed.data(), static_cast<float>(settings_.strength / mass));
        }
    }

#ifdef HOTT_SAMPLER_X86
    __attribute__((target("avx2"))) void sweep_avx2(const std::atomic<bool>& stop) { sweep_here(stop); }
    __attribute__((target("avx2"))) void borrow_avx2() { borrow_here(); }
#endif

    HOTT_SAMPLER_INLINE void sweep_here(const std::atomic<bool>& stop) {
        std::uint16_t* topic = topic_of_.data();
        float *held = by_topic_[kHeld], *weight = by_topic_[kDocument];
        const float *less = by_topic_[kInverseLess], *first = keep_.data() + stride_;
        const float alpha = settings_.alpha;
        Random random = random_;
        for (std::int64_t d = 0; d < documents_.count && !stop; ++d) {
            const Document document = documents_[d];
            open(document, topic);
            for (int i = 0; i < document.size; ++i) {
                if (i + 1 < document.size) prefetch(word_[document.site[i + 1]]);
                float* word = word_[document.site[i]];
                for (auto times = static_cast<std::int64_t>(document.mass[i]); times > 0; --times, ++topic) {
                    const std::size_t now = *topic;
                    const Weights weights{weight, word, first - now, stride_};
                    ColumnSums sums;
                    sum_columns(weights, sums);
                    const float others = sum(sums.low + sums.high);
                    const float same = (held[now] - 1.0f + alpha) * less[now] * (word[now] - 1.0f);
                    const float point = uniform(random) * (others + same);
                    if (point < same) continue;
                    const std::size_t drawn = find(weights, sums, point - same, now);
                    if (drawn == now) continue;
                    move(word, now, drawn);
                    *topic = static_cast<std::uint16_t>(drawn);
                }
            }
        }
        random_ = random;
    }

    // The next occurrence waits for its weights, so nothing slow comes before them: the divisions are for later.
    HOTT_SAMPLER_INLINE void move(float* word, std::size_t from, std::size_t to) {
        float *held = by_topic_[kHeld], *weight = by_topic_[kDocument];
        float *less = by_topic_[kInverseLess], *now = by_topic_[kInverse], *more = by_topic_[kInverseMore];
        word[from] -= 1.0f;
        word[to] += 1.0f;
        weight[from] = ((held[from] -= 1.0f) + settings_.alpha) * less[from];
        weight[to] = ((held[to] += 1.0f) + settings_.alpha) * more[to];
        more[from] = now[from];
        now[from] = less[from];
        less[to] = now[to];
        now[to] = more[to];
        less[from] = inverse(--total_[from] - 1);
        more[to] = inverse(++total_[to] + 1);
    }

    // Counts the topics of a document whose first occurrence is at `topic`.
    HOTT_SAMPLER_INLINE void open(const Document& document, const std::uint16_t* topic) {
        float *held = by_topic_[kHeld], *weight = by_topic_[kDocument];
        const float* inverse = by_topic_[kInverse];
        std::fill(held, held + stride_, 0.0f);
        for (int i = 0; i < document.size; ++i)
            for (auto times = static_cast<std::int64_t>(document.mass[i]); times > 0; --times) held[*topic++] += 1.0f;
        for (std::size_t k = 0; k < stride_; ++k) weight[k] = (held[k] + settings_.alpha) * inverse[k];
    }

    HOTT_SAMPLER_INLINE void prefetch(const float* row) const {
#if defined(__GNUC__)
        for (std::size_t k = 0; k < stride_; k += kColumns) __builtin_prefetch(row + k, 1);
#else
        (void)row;
#endif
    }
};

}  // namespace sampler

// Learns one model for every seed, each in one thread. `probabilities` is models x near.words x topics; `topic_of`,
// unless null, models x occurrences. Words are numbered from 0 to `words` in the documents.
inline void sample_topics(const Documents& documents, std::size_t words, const Neighborhood& near,
                          const SamplerSettings& settings, const std::uint64_t* seeds, std::int64_t models,
                          int threads, float* probabilities, std::uint16_t* topic_of, const Watch& watch) {
    std::atomic<std::int64_t> swept{0};
    auto learn = [&](std::int64_t model, int, const std::atomic<bool>& stop) {
        sampler::Chain chain(documents, words, near, settings, seeds[model]);
        for (int sweep = 0; sweep < settings.sweeps && !stop; ++sweep, ++swept) {
            if (sweep >= sampler::kFirstBorrowing &&
                (sweep - sampler::kFirstBorrowing) % sampler::kBorrowingInterval == 0)
                chain.borrow();
            chain.sweep(stop);
        }
        chain.probabilities(probabilities + model * static_cast<std::int64_t>(near.words * settings.topics));
        if (topic_of)
            std::copy(chain.topic_of().begin(), chain.topic_of().end(),
                      topic_of + model * static_cast<std::int64_t>(chain.topic_of().size()));
    };
    parallel_for(models, threads, learn, [&](std::int64_t) { watch(swept, models * settings.sweeps); });
}

}  // namespace hott
