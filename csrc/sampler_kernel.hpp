// The inner loop of the topic sampler (sampler.hpp): the topics of one document are drawn anew, one occurrence at a time.
//
// Topics lie in sixteen columns (topic k in column k mod 16). Column sums come first, then one column is chosen by
// halving, then a topic within it. Every sum has one fixed order and nothing is contracted, so a draw is the same
// on every machine, whatever its vector width.
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels.hpp"
#include "random.h"
#include "simd.hpp"

namespace hott {
namespace {

constexpr int half_columns = sampler_columns / 2;
using HalfRow = Floats<half_columns>;

struct ColumnSums {
    HalfRow low, high;
};

// One word in one document; the weight of topic k is document[k] * word[k]. The topic that the occurrence has now is
// weighed apart, without the occurrence itself: here its `keep` is 0, all others' is 1.
struct TopicWeights {
    const float *document, *word, *keep;

    HalfRow at(std::size_t k) const {
        return load<HalfRow>(document + k) * load<HalfRow>(word + k) * load<HalfRow>(keep + k);
    }
    float operator[](std::size_t k) const { return document[k] * word[k] * keep[k]; }
};

inline ColumnSums sum_columns(const TopicWeights& weights, std::size_t rows) {
    ColumnSums sums = {};
    for (std::size_t k = 0; k < rows * sampler_columns; k += sampler_columns) {
        sums.low += weights.at(k);
        sums.high += weights.at(k + half_columns);
    }
    return sums;
}

inline float sum_of_columns(HalfRow x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// The topic at `point` of the way through the weights, 0 <= point < their sum; `otherwise` where rounding leads past
// the end. First one of four groups of columns, then a column, then a topic, each time by counting the sums that
// were passed: which it is nobody can predict, so there are no branches.
inline std::size_t find_topic(const TopicWeights& weights, std::size_t rows, const ColumnSums& sums, float point,
                              std::size_t otherwise) {
    float column[sampler_columns], passed[4][4], group[4];
    store(column, sums.low);
    store(column + half_columns, sums.high);
    for (int g = 0; g < 4; ++g) passed[0][g] = 0.0f;
    for (int c = 1; c < 4; ++c)
        for (int g = 0; g < 4; ++g) passed[c][g] = passed[c - 1][g] + column[4 * (c - 1) + g];
    group[0] = 0.0f;
    for (int g = 0; g < 3; ++g) group[g + 1] = group[g] + (passed[3][g] + column[12 + g]);

    const std::size_t g = (point >= group[1]) + (point >= group[2]) + (point >= group[3]);
    point -= group[g];
    const std::size_t c = (point >= passed[1][g]) + (point >= passed[2][g]) + (point >= passed[3][g]);
    point -= passed[c][g];

    std::size_t row = 0;
    float sum = 0.0f;
    for (std::size_t i = 0; i < rows; ++i) {
        sum += weights[i * sampler_columns + 4 * c + g];
        row += point >= sum;
    }
    return row < rows ? row * sampler_columns + 4 * c + g : otherwise;
}

inline float inverse_of(const SamplerChain& chain, std::int64_t total) {
    return static_cast<float>(1.0 / (static_cast<double>(total) + chain.smoothing));
}

// The next occurrence waits for its weights, so nothing slow comes before them: the divisions are for later.
inline void move_occurrence(SamplerChain& chain, float* word, std::size_t from, std::size_t to) {
    float *held = chain.held, *weight = chain.weight;
    float *less = chain.inverse_less, *now = chain.inverse, *more = chain.inverse_more;
    word[from] -= 1.0f;
    word[to] += 1.0f;
    weight[from] = ((held[from] -= 1.0f) + chain.alpha) * less[from];
    weight[to] = ((held[to] += 1.0f) + chain.alpha) * more[to];
    more[from] = now[from];
    now[from] = less[from];
    less[to] = now[to];
    now[to] = more[to];
    less[from] = inverse_of(chain, --chain.total[from] - 1);
    more[to] = inverse_of(chain, ++chain.total[to] + 1);
}

// Counts the topics of a document.
inline void open_document(SamplerChain& chain, const SampledDocument& document) {
    for (std::size_t k = 0; k < chain.topics; ++k) chain.held[k] = 0.0f;
    const std::uint16_t* topic = document.topic;
    for (int i = 0; i < document.words; ++i)
        for (auto times = static_cast<std::int64_t>(document.count[i]); times > 0; --times) chain.held[*topic++] += 1.0f;
    for (std::size_t k = 0; k < chain.topics; ++k)
        chain.weight[k] = (chain.held[k] + chain.alpha) * chain.inverse[k];
}

void sample_document(SamplerChain& chain, const SampledDocument& document) {
    const std::size_t topics = chain.topics, rows = topics / sampler_columns;
    std::uint16_t* topic = document.topic;
    std::uint64_t random = chain.random;
    const auto row_of = [&](int i) { return chain.word + static_cast<std::size_t>(document.word[i]) * topics; };
    open_document(chain, document);
    for (int i = 0; i < document.words; ++i) {
        if (i + 1 < document.words)
            for (std::size_t k = 0; k < topics; k += sampler_columns) __builtin_prefetch(row_of(i + 1) + k, 1);
        float* word = row_of(i);
        for (auto times = static_cast<std::int64_t>(document.count[i]); times > 0; --times, ++topic) {
            const std::size_t now = *topic;
            const TopicWeights weights{chain.weight, word, chain.keep - now};
            const ColumnSums sums = sum_columns(weights, rows);
            const float others = sum_of_columns(sums.low + sums.high);
            const float same = (chain.held[now] - 1.0f + chain.alpha) * chain.inverse_less[now] * (word[now] - 1.0f);
            const float point = uniform(mixed(random += golden_step)) * (others + same);
            if (point < same) continue;
            const std::size_t drawn = find_topic(weights, rows, sums, point - same, now);
            if (drawn == now) continue;
            move_occurrence(chain, word, now, drawn);
            *topic = static_cast<std::uint16_t>(drawn);
        }
    }
    chain.random = random;
}

}  // namespace
}  // namespace hott
