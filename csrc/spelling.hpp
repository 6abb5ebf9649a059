// How far apart spellings are: letters put in, left out, changed, or swapped with the next one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace hott {

constexpr int max_edits = 3;

// Edits between two words (optimal string alignment); `most + 1` when there are more than `most`. Only cells
// within `most` of the diagonal are filled, so that the time is linear in the length of the words.
inline int edits(const std::uint32_t* a, std::int64_t n, const std::uint32_t* b, std::int64_t m, int most) {
    if (n - m > most || m - n > most) return most + 1;
    const int width = 2 * most + 1;
    int rows[3][2 * max_edits + 1];
    int *row = rows[0], *last = rows[1], *before = rows[2];
    for (std::int64_t i = 0; i <= n; ++i) {
        int least = most + 1;
        for (int c = 0; c < width; ++c) {
            const std::int64_t j = i + c - most;
            int value = most + 1;
            if (i == 0 || j == 0) {
                if (j >= 0) value = static_cast<int>(std::min<std::int64_t>(i + j, most + 1));
            } else if (j > 0 && j <= m) {
                value = std::min(value, last[c] + (a[i - 1] != b[j - 1]));
                if (c + 1 < width) value = std::min(value, last[c + 1] + 1);
                if (c > 0) value = std::min(value, row[c - 1] + 1);
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                    value = std::min(value, before[c] + 1);
            }
            row[c] = value;
            least = std::min(least, value);
        }
        if (least > most) return most + 1;
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[m - n + most];
}

// out[w] = edits from `word` to the words w from `first` to `last` of a list, one after the other in `letters`.
// Words with another first letter and other ones after it are not looked at: mistakes are seldom there.
inline void near_spellings(const std::uint32_t* word, std::int64_t length, const std::uint32_t* letters,
                           const std::int64_t* starts, std::int64_t first, std::int64_t last, int most,
                           std::uint8_t* out) {
    for (std::int64_t w = first; w < last; ++w) {
        const std::uint32_t* other = letters + starts[w];
        const std::int64_t size = starts[w + 1] - starts[w];
        const bool begins_alike =
            length && size && (other[0] == word[0] ||
                               (length > 2 && size > 2 && other[1] == word[1] && other[2] == word[2]));
        *out++ = static_cast<std::uint8_t>(begins_alike ? edits(word, length, other, size, most) : most + 1);
    }
}

}  // namespace hott
