// The inner loop of folding in (foldin.hpp) on the CPU.
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include <cstddef>

#include "foldin_steps.h"
#include "kernels.hpp"
#include "simd.hpp"

namespace hott {
namespace {

struct EightTopics {
    Floats<fold_in_lanes> value;

    static EightTopics zero() { return {Floats<fold_in_lanes>{}}; }
    static EightTopics at(const float* p) { return {load<Floats<fold_in_lanes>>(p)}; }
    void put(float* p) const { store(p, value); }
    float total() const {
        return ((value[0] + value[4]) + (value[2] + value[6])) + ((value[1] + value[5]) + (value[3] + value[7]));
    }
};
inline EightTopics operator+(const EightTopics& a, const EightTopics& b) { return {a.value + b.value}; }
inline EightTopics operator*(const EightTopics& a, const EightTopics& b) { return {a.value * b.value}; }
inline EightTopics operator*(const EightTopics& a, float b) { return {a.value * b}; }

void fold_in_steps(const FoldInDocument& document, int steps) {
    struct {
        const float* const* rows;
        const float* counts;
        const float* row(int w) const { return rows[w]; }
        float count(int w) const { return counts[w]; }
    } const words{document.word, document.count};
    fold_in<EightTopics>(words, static_cast<int>(document.words), static_cast<int>(document.topics), document.alpha,
                         steps, document.theta, document.sums);
}

}  // namespace
}  // namespace hott
