// The inner loop of the topic sampler (sampler.hpp): the topics of one document are drawn anew, one occurrence at a time.
//
// Several chains take turns at every occurrence. A draw is a long row of steps that wait for each other, so the processor
// works on one chain while another waits; and which topic it will be nobody can predict, so a wrong guess is paid once
// for all chains (r8, 70 topics: 30 ns a draw with one chain, 24 with two, 20 with four; benchmarks/topics.py).
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

// Weighs all topics but the one that the occurrence has now, which is weighed apart without the occurrence itself: its
// `keep` is 0, all others' is 1. Writes the weights and their sums over columns, and returns the sum of all.
template <std::size_t Rows>
inline float weigh_topics(const SamplerChain& chain, const float* word, const float* keep, float* column) {
    const std::size_t rows = Rows ? Rows : chain.topics / sampler_columns;
    HalfRow low = {}, high = {};
    const auto weigh = [&](std::size_t k) {
        const HalfRow x = load<HalfRow>(chain.weight + k) * load<HalfRow>(word + k) * load<HalfRow>(keep + k);
        store(chain.product + k, x);
        return x;
    };
    for (std::size_t k = 0; k < rows * sampler_columns; k += sampler_columns) {
        low += weigh(k);
        high += weigh(k + half_columns);
    }
    store(column, low);
    store(column + half_columns, high);
    return sum(low + high);
}

// The topic at `point` of the way through the weights, 0 <= point < their sum; `otherwise` where rounding leads past
// the end. First one of four groups of columns, then a column, then a topic, each time by counting the sums that
// were passed: which it is nobody can predict, so there are no branches.
template <std::size_t Rows>
inline std::size_t find_topic(const SamplerChain& chain, const float* column, float point, std::size_t otherwise) {
    const std::size_t rows = Rows ? Rows : chain.topics / sampler_columns;
    using Four = Floats<4>;
    const Four one = load<Four>(column), two = one + load<Four>(column + 4), three = two + load<Four>(column + 8);
    const Four whole = three + load<Four>(column + 12);
    float passed[4][4] = {};
    store(passed[1], one);
    store(passed[2], two);
    store(passed[3], three);
    const float group[4] = {0.0f, whole[0], whole[0] + whole[1], (whole[0] + whole[1]) + whole[2]};

    const std::size_t g = (point >= group[1]) + (point >= group[2]) + (point >= group[3]);
    point -= group[g];
    const std::size_t c = (point >= passed[1][g]) + (point >= passed[2][g]) + (point >= passed[3][g]);
    point -= passed[c][g];

    const std::size_t place = 4 * c + g;
    std::size_t row = 0;
    float sum = 0.0f;
    for (std::size_t i = 0; i < rows; ++i) {
        sum += chain.product[i * sampler_columns + place];
        row += point >= sum;
    }
    return row < rows ? row * sampler_columns + place : otherwise;
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
inline void open_document(SamplerChain& chain, std::int64_t occurrences) {
    for (std::size_t k = 0; k < chain.topics; ++k) chain.held[k] = 0.0f;
    for (std::int64_t i = 0; i < occurrences; ++i) chain.held[chain.topic[i]] += 1.0f;
    for (std::size_t k = 0; k < chain.topics; ++k)
        chain.weight[k] = (chain.held[k] + chain.alpha) * chain.inverse[k];
}

// The topic of an occurrence of a word with this row of weights.
template <std::size_t Rows>
inline std::size_t draw_topic(SamplerChain& chain, const float* word, std::size_t now) {
    alignas(64) float column[sampler_columns];
    const float others = weigh_topics<Rows>(chain, word, chain.keep - now, column);
    const float same = (chain.held[now] - 1.0f + chain.alpha) * chain.inverse_less[now] * (word[now] - 1.0f);
    const float point = uniform(mixed(chain.random += golden_step)) * (others + same);
    const std::size_t other = find_topic<Rows>(chain, column, point - same, now);
    return point < same ? now : other;
}

template <int Chains, std::size_t Rows>
void sample_with(SamplerChain* const* given, const SampledDocument& document) {
    SamplerChain chain[Chains];  // copies, which the compiler knows to lie apart
    for (int c = 0; c < Chains; ++c) open_document(chain[c] = *given[c], document.occurrences);
    const std::size_t topics = Rows ? Rows * sampler_columns : chain[0].topics;
    for (std::int64_t i = 0; i < document.occurrences; ++i) {
        const std::size_t row = static_cast<std::size_t>(document.word[i]) * topics;
        if (i + 1 < document.occurrences) {
            const std::size_t next = static_cast<std::size_t>(document.word[i + 1]) * topics;
            for (int c = 0; c < Chains; ++c)
                for (std::size_t k = 0; k < topics; k += sampler_columns) __builtin_prefetch(chain[c].word + next + k, 1);
        }
        std::size_t drawn[Chains];
        int moving[Chains], moved = 0;
        for (int c = 0; c < Chains; ++c) {
            const std::size_t now = chain[c].topic[i];
            drawn[c] = draw_topic<Rows>(chain[c], chain[c].word + row, now);
            moving[moved] = c;
            moved += drawn[c] != now;
        }
        for (int m = 0; m < moved; ++m) {
            SamplerChain& one = chain[moving[m]];
            const std::size_t to = drawn[moving[m]];
            move_occurrence(one, one.word + row, one.topic[i], to);
            one.topic[i] = static_cast<std::uint16_t>(to);
        }
    }
    for (int c = 0; c < Chains; ++c) given[c]->random = chain[c].random;
}

// With 65 to 80 topics, 70 by default, their number is known to the compiler: 10 % faster.
template <int Chains>
void sample_chains(SamplerChain* const* chain, const SampledDocument& document) {
    if (chain[0]->topics == 5 * sampler_columns) return sample_with<Chains, 5>(chain, document);
    sample_with<Chains, 0>(chain, document);
}

void sample_document(SamplerChain* const* chain, int chains, const SampledDocument& document) {
    if (chains == 1) return sample_chains<1>(chain, document);
    if (chains == 2) return sample_chains<2>(chain, document);
    if (chains == 3) return sample_chains<3>(chain, document);
    sample_chains<4>(chain, document);
}

}  // namespace
}  // namespace hott
