// Folding in, step by step, on CPU and GPU: theta_k <- alpha_k + theta_k sum_w n_w phi_kw / sum_j phi_jw theta_j.
//
// Topics lie in eight lanes, of one vector register on the CPU, of eight threads on the GPU. Sums run in the same order
// on both and nothing is contracted, so the results are the same to the bit. The ratio does not depend on the scale of
// theta, so nothing is normalised until the end. A word that no topic knows has no ratio and is passed over.
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include "functions.h"

namespace hott {

constexpr int fold_in_lanes = 8;
constexpr int fold_in_rows = 4;  // words handled together, so that theta and the sums are loaded once for four

namespace {

// `Lanes` is eight numbers, or this thread's of eight: made by `Lanes::at(p)` from eight in memory and put back there by
// `put(p)`, with products, sums and their `total`. `words.row(w)` are the probabilities of the document's word w under
// every topic, `words.count(w)` how often it occurs: 0 for those past the last, up to a multiple of fold_in_rows.
template <class Lanes, class Words>
HOTT_DEVICE void fold_in(const Words& words, int word_count, int topics, const float* alpha, int steps, float* theta,
                         float* sums) {
    for (int step = 0; step < steps; ++step) {
        for (int k = 0; k < topics; k += fold_in_lanes) Lanes::zero().put(sums + k);
        for (int w = 0; w < word_count; w += fold_in_rows) {
            const float *a = words.row(w), *b = words.row(w + 1), *c = words.row(w + 2), *d = words.row(w + 3);
            Lanes dot[fold_in_rows] = {Lanes::zero(), Lanes::zero(), Lanes::zero(), Lanes::zero()};
            for (int k = 0; k < topics; k += fold_in_lanes) {
                const Lanes t = Lanes::at(theta + k);
                dot[0] = dot[0] + Lanes::at(a + k) * t;
                dot[1] = dot[1] + Lanes::at(b + k) * t;
                dot[2] = dot[2] + Lanes::at(c + k) * t;
                dot[3] = dot[3] + Lanes::at(d + k) * t;
            }
            float weight[fold_in_rows];
            HOTT_UNROLL
            for (int i = 0; i < fold_in_rows; ++i) {
                const float total = dot[i].total();
                weight[i] = total > 0.0f ? words.count(w + i) / total : 0.0f;
            }
            for (int k = 0; k < topics; k += fold_in_lanes) {
                const Lanes left = Lanes::at(a + k) * weight[0] + Lanes::at(b + k) * weight[1];
                const Lanes right = Lanes::at(c + k) * weight[2] + Lanes::at(d + k) * weight[3];
                (Lanes::at(sums + k) + (left + right)).put(sums + k);
            }
        }
        for (int k = 0; k < topics; k += fold_in_lanes)
            (Lanes::at(alpha + k) + Lanes::at(theta + k) * Lanes::at(sums + k)).put(theta + k);
    }
}

}  // namespace
}  // namespace hott
