// The inner loop of the search for the nearest vectors (nearest_vectors.hpp).
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hott {
namespace {

// Four vectors at a time, so that `with` is loaded once for four.
void dot_products(const std::int16_t* vectors, std::int64_t count, std::size_t dimensions, const std::int16_t* with,
                  std::int32_t* out) {
    for (; count >= 4; count -= 4, vectors += 4 * dimensions, out += 4) {
        const std::int16_t *a = vectors, *b = a + dimensions, *c = b + dimensions, *d = c + dimensions;
        std::int32_t sum[4] = {};
        for (std::size_t i = 0; i < dimensions; ++i) {
            const std::int32_t x = with[i];
            sum[0] += a[i] * x;
            sum[1] += b[i] * x;
            sum[2] += c[i] * x;
            sum[3] += d[i] * x;
        }
        for (int q = 0; q < 4; ++q) out[q] = sum[q];
    }
    for (; count > 0; --count, vectors += dimensions, ++out) {
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < dimensions; ++i) sum += vectors[i] * std::int32_t{with[i]};
        *out = sum;
    }
}

}  // namespace
}  // namespace hott
