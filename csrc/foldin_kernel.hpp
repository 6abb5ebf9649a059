// The inner loop of folding in (foldin.hpp). Sums run in the same order on every machine.
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include <cstddef>

#include "kernels.hpp"
#include "simd.hpp"

namespace hott {
namespace {

using Topics = Floats<fold_in_lanes>;

inline float sum(Topics x) { return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])); }

// theta_k <- alpha_k + theta_k sum_w n_w phi_kw / sum_j phi_jw theta_j. The ratio does not depend on the scale
// of theta, so nothing is normalised until the end. A word that no topic knows has no ratio and is passed over.
void fold_in_steps(const FoldInDocument& document, int steps) {
    const auto at = [](const float* p) { return load<Topics>(p); };
    // Copies, which stores to theta and the sums do not change.
    const std::size_t topics = document.topics, words = document.words;
    float *const theta = document.theta, *const sums = document.sums;
    for (int step = 0; step < steps; ++step) {
        for (std::size_t k = 0; k < topics; ++k) sums[k] = 0;
        for (std::size_t w = 0; w < words; w += fold_in_rows) {
            const float *a = document.word[w], *b = document.word[w + 1], *c = document.word[w + 2],
                        *d = document.word[w + 3];
            Topics dot[fold_in_rows] = {};
            for (std::size_t k = 0; k < topics; k += fold_in_lanes) {
                const Topics t = at(theta + k);
                dot[0] += at(a + k) * t;
                dot[1] += at(b + k) * t;
                dot[2] += at(c + k) * t;
                dot[3] += at(d + k) * t;
            }
            float weight[fold_in_rows];
            for (std::size_t i = 0; i < fold_in_rows; ++i) {
                const float total = sum(dot[i]);
                weight[i] = total > 0.0f ? document.count[w + i] / total : 0.0f;
            }
            for (std::size_t k = 0; k < topics; k += fold_in_lanes) {
                const Topics left = at(a + k) * weight[0] + at(b + k) * weight[1];
                const Topics right = at(c + k) * weight[2] + at(d + k) * weight[3];
                store(sums + k, at(sums + k) + (left + right));
            }
        }
        for (std::size_t k = 0; k < topics; k += fold_in_lanes)
            store(theta + k, at(document.alpha + k) + at(theta + k) * at(sums + k));
    }
}

}  // namespace
}  // namespace hott
