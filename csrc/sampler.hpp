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

#include <atomic>
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
constexpr double kOverall = 0.1;  // words of the whole corpus that every word borrows from besides its neighbours

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

class Chain {
  public:
    Chain(const Documents& documents, std::size_t words, const Neighborhood& near, const SamplerSettings& settings,
          std::uint64_t seed)
        : documents_(documents), near_(near), settings_(settings), words_(words), stride_(padded(settings.topics)),
          random_{seed}, counts_(words, stride_, 0.0f),
          prior_(near.per_word ? words : 1, stride_, settings.eta), own_(5, stride_, 0.0f),
          keep_(2 * stride_, 1.0f), total_(settings.topics), occurrences_(words) {
        keep_[stride_] = 0.0f;
        for (std::int64_t d = 0; d < documents.count; ++d)
            for (int i = 0; i < documents[d].size; ++i) {
                const auto times = static_cast<std::int64_t>(documents[d].mass[i]);
                float* row = counts_[documents[d].site[i]];
                occurrences_[documents[d].site[i]] += static_cast<double>(times);
                for (std::int64_t j = 0; j < times; ++j) {
                    const auto topic = static_cast<std::uint16_t>((random_.next() >> 32) * settings.topics >> 32);
                    topic_of_.push_back(topic);
                    row[topic] += 1.0f;
                    ++total_[topic];
                }
            }
        for (std::size_t k = 0; k < settings.topics; ++k) count_again(k);
    }

    // Draws the topic of every occurrence once. Returns early, the sweep unfinished, when told to stop.
    void sweep(const std::atomic<bool>& stop) {
#ifdef HOTT_FOLDIN_X86
        if (__builtin_cpu_supports("avx2")) return sweep_avx2(stop);
#endif
        sweep_here(stop);
    }

    // Sets every word's prior anew by the present counts of its neighbours.
    void borrow() {
        if (near_.per_word == 0) return;
        refresh_overall();
        for (std::size_t w = 0; w < words_; ++w) {
            if (near_.empty(w)) continue;
            float* prior = prior_[w];
            const float scale = static_cast<float>(settings_.strength / borrow(w, prior));
            for (std::size_t k = 0; k < stride_; ++k) prior[k] = settings_.eta + scale * prior[k];
        }
    }

    // p(topic | word), words x topics. A word of no document has what it borrows, and nothing without neighbours.
    void probabilities(float* out) {
        borrow();
        std::vector<float> borrowed(stride_);
        for (std::size_t w = 0; w < near_.words; ++w, out += settings_.topics) {
            if (w >= words_) {
                const double mass = near_.empty(w) ? 0.0 : borrow(w, borrowed.data());
                for (std::size_t k = 0; k < settings_.topics; ++k)
                    out[k] = mass > 0 ? static_cast<float>(borrowed[k] / mass) : 0.0f;
                continue;
            }
            const double mass = occurrences_[w] + static_cast<double>(settings_.topics) * settings_.eta +
                                (near_.empty(w) ? 0.0 : static_cast<double>(settings_.strength));
            for (std::size_t k = 0; k < settings_.topics; ++k)
                out[k] = static_cast<float>((static_cast<double>(counts_[w][k]) + prior(w)[k]) / mass);
        }
    }

    const std::vector<std::uint16_t>& topic_of() const { return topic_of_; }

  private:
    const Documents& documents_;
    const Neighborhood& near_;
    const SamplerSettings settings_;
    const std::size_t words_, stride_;
    Random random_;
    Table counts_;  // words x topics
    Table prior_;   // eta + strength * borrowed, words x topics; one row for all where there is nothing to borrow
    Table own_;     // the rows below
    std::vector<float> keep_;  // a row of ones with one zero, to be slid along
    std::vector<std::int64_t> total_;
    std::vector<double> occurrences_;
    std::vector<std::uint16_t> topic_of_;  // of every occurrence, in the order of the documents

    float* held() { return own_[0]; }          // words of the present document, by topic
    float* weight() { return own_[1]; }        // (n(d, k) + alpha) / (n(k) + eta * words)
    float* inverse() { return own_[2]; }       // 1 / (n(k) + eta * words)
    float* inverse_less() { return own_[3]; }  // the same, one occurrence less
    float* overall() { return own_[4]; }
    const float* prior(std::size_t w) const { return prior_[near_.per_word ? w : 0]; }

    void count_again(std::size_t k) {
        const double mass = static_cast<double>(total_[k]) + static_cast<double>(settings_.eta) * words_;
        inverse()[k] = static_cast<float>(1.0 / mass);
        inverse_less()[k] = static_cast<float>(1.0 / (mass - 1.0));
    }

    void refresh_overall() {
        for (std::size_t k = 0; k < settings_.topics; ++k)
            overall()[k] = static_cast<float>(kOverall * total_[k] / topic_of_.size());
    }

    // Weighted counts of w's neighbours, and a little of everything, so that it is never nothing. Returns their sum.
    double borrow(std::size_t w, float* out) {
        std::vector<const float*> rows(near_.per_word);
        double mass = kOverall;
        for (std::size_t i = 0; i < near_.per_word; ++i) {
            const std::size_t at = w * near_.per_word + i;
            rows[i] = counts_[near_.word[at]];
            mass += static_cast<double>(near_.weight[at]) * occurrences_[near_.word[at]];
        }
        blend(rows.data(), near_.weight + w * near_.per_word, near_.per_word, stride_, out);
        for (std::size_t k = 0; k < stride_; ++k) out[k] += overall()[k];
        return mass;
    }

    void move(float* row, std::size_t from, std::size_t to) {
        row[from] -= 1.0f;
        row[to] += 1.0f;
        held()[from] -= 1.0f;
        held()[to] += 1.0f;
        --total_[from];
        ++total_[to];
        for (std::size_t k : {from, to}) {
            count_again(k);
            weight()[k] = (held()[k] + settings_.alpha) * inverse()[k];
        }
    }

    void prefetch(std::int32_t word) {
#if defined(__GNUC__)
        for (std::size_t k = 0; k < stride_; k += 16) {
            __builtin_prefetch(counts_[word] + k, 1);
            if (near_.per_word) __builtin_prefetch(prior(word) + k);
        }
#else
        (void)word;
#endif
    }

#ifdef HOTT_FOLDIN_X86
    __attribute__((target("avx2"))) void sweep_avx2(const std::atomic<bool>& stop) { sweep_here(stop); }
#endif

    HOTT_FOLDIN_INLINE void sweep_here(const std::atomic<bool>& stop) {
        std::uint16_t* topic = topic_of_.data();
        for (std::int64_t d = 0; d < documents_.count && !stop; ++d) {
            const Document document = documents_[d];
            open(document, topic);
            for (int i = 0; i < document.size; ++i) {
                if (i + 1 < document.size) prefetch(document.site[i + 1]);
                float* row = counts_[document.site[i]];
                Weights weights{weight(), row, prior(document.site[i]), nullptr, stride_};
                for (auto times = static_cast<std::int64_t>(document.mass[i]); times > 0; --times, ++topic) {
                    const std::size_t now = *topic;
                    weights.keep = keep_.data() + stride_ - now;
                    ColumnSums sums;
                    sum_columns(weights, sums);
                    const float others = foldin::sum(sums.low + sums.high);
                    const float same = (held()[now] - 1.0f + settings_.alpha) * inverse_less()[now] *
                                       (row[now] - 1.0f + weights.prior[now]);
                    const float point = uniform(random_) * (others + same);
                    if (point < same) continue;
                    const std::size_t drawn = find(weights, sums, point - same, now);
                    if (drawn == now) continue;
                    move(row, now, drawn);
                    *topic = static_cast<std::uint16_t>(drawn);
                }
            }
        }
    }

    // Counts the topics of a document whose first occurrence is at `topic`.
    void open(const Document& document, const std::uint16_t* topic) {
        float *n = held(), *all = weight();
        const float* scale = inverse();
        for (std::size_t k = 0; k < stride_; ++k) n[k] = 0.0f;
        double length = 0;
        for (int i = 0; i < document.size; ++i) length += document.mass[i];
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(length); ++i) n[topic[i]] += 1.0f;
        for (std::size_t k = 0; k < stride_; ++k) all[k] = (n[k] + settings_.alpha) * scale[k];
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
