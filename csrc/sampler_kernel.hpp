// The inner loop of the topic sampler: the weights of all topics for one word occurrence, and a draw from them.
//
// Topics lie in sixteen columns (topic k in column k mod 16). Column sums come first, then one column is chosen by
// halving, then a topic within it. Every sum has one fixed order and nothing is contracted, so a draw is the same
// on every machine, whatever its vector width.
#pragma once

#include <cstddef>

#if defined(__GNUC__) && defined(__x86_64__)
#define HOTT_SAMPLER_X86 1
#endif
#define HOTT_SAMPLER_INLINE inline __attribute__((always_inline))

namespace hott::sampler {

constexpr std::size_t kLanes = 8;
// Eight floats read and written in place, wherever they lie.
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float)), aligned(alignof(float)), may_alias));
inline const Lanes& lanes(const float* p) { return *reinterpret_cast<const Lanes*>(p); }
inline Lanes& lanes(float* p) { return *reinterpret_cast<Lanes*>(p); }
HOTT_SAMPLER_INLINE float sum(const Lanes& x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

constexpr std::size_t kColumns = 2 * kLanes;  // rows of topics are padded to a multiple of this

// One word in one document, as rows over topics; the weight of topic k is document[k] * word[k]. The topic that the
// occurrence has now is weighed apart, without the occurrence itself: here its `keep` is 0, all others' is 1.
struct Weights {
    const float *document, *word, *keep;
    std::size_t stride;

    float operator[](std::size_t k) const { return document[k] * word[k] * keep[k]; }
};

struct ColumnSums {
    Lanes low, high;
};

HOTT_SAMPLER_INLINE void sum_columns(const Weights& w, ColumnSums& sums) {
    Lanes low = {}, high = {};
    for (std::size_t k = 0; k < w.stride; k += kColumns) {
        const std::size_t l = k + kLanes;
        low += lanes(w.document + k) * lanes(w.word + k) * lanes(w.keep + k);
        high += lanes(w.document + l) * lanes(w.word + l) * lanes(w.keep + l);
    }
    sums.low = low;
    sums.high = high;
}

// The topic at `point` of the way through the weights, 0 <= point < their sum; `otherwise` where rounding leads past
// the end. First one of four groups of columns, then a column, then a topic, each time by counting the sums that
// were passed: which it is nobody can predict, so there are no branches.
HOTT_SAMPLER_INLINE std::size_t find(const Weights& w, const ColumnSums& sums, float point, std::size_t otherwise) {
    float column[kColumns], passed[4][4], group[4];
    lanes(column) = sums.low;
    lanes(column + kLanes) = sums.high;
    for (int g = 0; g < 4; ++g) passed[0][g] = 0.0f;
    for (int c = 1; c < 4; ++c)
        for (int g = 0; g < 4; ++g) passed[c][g] = passed[c - 1][g] + column[4 * (c - 1) + g];
    group[0] = 0.0f;
    for (int g = 0; g < 3; ++g) group[g + 1] = group[g] + (passed[3][g] + column[12 + g]);

    const std::size_t g = (point >= group[1]) + (point >= group[2]) + (point >= group[3]);
    point -= group[g];
    const std::size_t c = (point >= passed[1][g]) + (point >= passed[2][g]) + (point >= passed[3][g]);
    point -= passed[c][g];

    const std::size_t rows = w.stride / kColumns;
    std::size_t row = 0;
    float sum = 0.0f;
    for (std::size_t i = 0; i < rows; ++i) {
        sum += w[i * kColumns + 4 * c + g];
        row += point >= sum;
    }
    return row < rows ? row * kColumns + 4 * c + g : otherwise;
}

// out += factor * row
HOTT_SAMPLER_INLINE void add_scaled(const float* row, float factor, std::size_t stride, float* out) {
    for (std::size_t k = 0; k < stride; k += kLanes) lanes(out + k) += lanes(row + k) * factor;
}

}  // namespace hott::sampler
