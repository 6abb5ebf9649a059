// The inner loop of the topic sampler: the weights of all topics for one word occurrence, and a draw from them.
//
// Topics lie in sixteen columns (topic k in column k mod 16). Column sums come first, then one column is chosen by
// halving, then a topic within it. Every sum has one fixed order and nothing is contracted, so a draw is the same
// on every machine, whatever its vector width.
#pragma once

#include <cstddef>

#include "foldin.hpp"

namespace hott::sampler {

using foldin::Lanes;
using foldin::lanes;

constexpr std::size_t kColumns = 2 * foldin::kLanes;  // rows of topics are padded to a multiple of this

// One word in one document, as rows over topics; the weight of topic k is document[k] * (counts[k] + prior[k]).
// The topic that the occurrence has now is weighed apart, without the occurrence itself: here its `keep` is 0, all
// others' is 1.
struct Weights {
    const float *document, *counts, *prior, *keep;
    std::size_t stride;

    float operator[](std::size_t k) const { return document[k] * (counts[k] + prior[k]) * keep[k]; }
};

struct ColumnSums {
    Lanes low, high;
};

HOTT_FOLDIN_INLINE void sum_columns(const Weights& w, ColumnSums& sums) {
    Lanes low = {}, high = {};
    for (std::size_t k = 0; k < w.stride; k += kColumns) {
        const std::size_t l = k + foldin::kLanes;
        low += lanes(w.document + k) * (lanes(w.counts + k) + lanes(w.prior + k)) * lanes(w.keep + k);
        high += lanes(w.document + l) * (lanes(w.counts + l) + lanes(w.prior + l)) * lanes(w.keep + l);
    }
    sums.low = low;
    sums.high = high;
}

// The topic at `point` of the way through the weights, 0 <= point < their sum. Where rounding leads past the end of
// a column, the last topic there that has a weight, or `otherwise`.
HOTT_FOLDIN_INLINE std::size_t find(const Weights& w, const ColumnSums& sums, float point, std::size_t otherwise) {
    float column[kColumns], pair[foldin::kLanes], four[4], eight[2];
    lanes(column) = sums.low;
    lanes(column + foldin::kLanes) = sums.high;
    lanes(pair) = sums.low + sums.high;
    for (int i = 0; i < 4; ++i) four[i] = pair[i] + pair[i + 4];
    for (int i = 0; i < 2; ++i) eight[i] = four[i] + four[i + 2];
    std::size_t k = 0;
    const auto halve = [&](const float* sum, std::size_t step) {
        const bool right = point >= sum[k];
        point -= right ? sum[k] : 0.0f;
        k += right ? step : 0;
    };
    halve(eight, 1);
    halve(four, 2);
    halve(pair, 4);
    halve(column, 8);
    for (; k < w.stride; k += kColumns) {
        const float weight = w[k];
        if (weight > 0.0f) otherwise = k;
        if (point < weight) break;
        point -= weight;
    }
    return otherwise;
}

// out[k] = sum over neighbours of weight * counts[k]: what one word's neighbours say about its topics.
HOTT_FOLDIN_INLINE void blend(const float* const* counts, const float* weight, std::size_t neighbors,
                              std::size_t stride, float* out) {
    for (std::size_t k = 0; k < stride; k += kColumns) {
        Lanes low = {}, high = {};
        for (std::size_t i = 0; i < neighbors; ++i) {
            low += lanes(counts[i] + k) * weight[i];
            high += lanes(counts[i] + k + foldin::kLanes) * weight[i];
        }
        lanes(out + k) = low;
        lanes(out + k + foldin::kLanes) = high;
    }
}

}  // namespace hott::sampler
