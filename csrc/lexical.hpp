// Scores by words: BM25, one word at a time.
#pragma once

#include <cstdint>

namespace hott {

// score[d] += weight x how often d has the word, held back by `damping`, for every document d that has it.
template <class Count>
void add_bm25(const std::int32_t* document, const Count* count, std::int64_t entries, double weight, double k1,
              const double* damping, double* score) {
    for (std::int64_t e = 0; e < entries; ++e) {
        const double times = static_cast<double>(count[e]);
        score[document[e]] += weight * times * (k1 + 1) / (times + damping[document[e]]);
    }
}

}  // namespace hott
