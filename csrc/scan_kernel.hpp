// The inner loop of the coarse bound over sketches (scan.hpp).
//
// Whole numbers throughout, so that every instruction set gives the same. Internal linkage: see simd.hpp.
#pragma once

#include <cstdint>

#include "kernels.hpp"
#include "simd.hpp"

namespace hott {
namespace {

#if defined(__AVX2__)

// A table of 16 numbers is looked up by one shuffle, which gives 0 where bit 7 of the place is set: so a site is first
// moved to 0..15 in its own table and to 128 and above in all others.
template <int Tables>
void add_excess_of(const SketchQuery& p, const std::uint8_t* site, const std::uint8_t* mass, std::int64_t blocks,
                   std::int32_t* sum) {
    const auto tables_of = [](const std::uint8_t* from, __m256i* to) {
        for (int t = 0; t < Tables; ++t)
            to[t] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * t)));
    };
    __m256i at[Tables], cost[Tables];
    tables_of(p.mass, at);
    tables_of(p.cost, cost);
    for (std::int64_t b = 0; b < blocks; ++b, sum += sketch_block) {
        __m256i total = _mm256_setzero_si256();
        for (int pair = 0; pair < sketch_slots / 2; ++pair, site += 32, mass += 32) {
            const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(site));
            __m256i here = _mm256_setzero_si256(), price = here;
            for (int t = 0; t < Tables; ++t) {
                const __m256i place = _mm256_adds_epu8(_mm256_xor_si256(places, _mm256_set1_epi8(static_cast<char>(16 * t))),
                                                       _mm256_set1_epi8(0x70));
                here = _mm256_or_si256(here, _mm256_shuffle_epi8(at[t], place));
                price = _mm256_or_si256(price, _mm256_shuffle_epi8(cost[t], place));
            }
            const __m256i there = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mass));
            total = _mm256_add_epi16(total, _mm256_maddubs_epi16(_mm256_subs_epu8(there, here), price));
        }
        __m256i* out = reinterpret_cast<__m256i*>(sum);
        const __m256i low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(total));
        const __m256i high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(total, 1));
        _mm256_storeu_si256(out, _mm256_add_epi32(_mm256_loadu_si256(out), low));
        _mm256_storeu_si256(out + 1, _mm256_add_epi32(_mm256_loadu_si256(out + 1), high));
    }
}

void add_excess(const SketchQuery& p, const std::uint8_t* site, const std::uint8_t* mass, std::int64_t blocks,
                std::int32_t* sum) {
    switch (p.tables) {
        case 1: return add_excess_of<1>(p, site, mass, blocks, sum);
        case 2: return add_excess_of<2>(p, site, mass, blocks, sum);
        case 3: return add_excess_of<3>(p, site, mass, blocks, sum);
        case 4: return add_excess_of<4>(p, site, mass, blocks, sum);
        case 5: return add_excess_of<5>(p, site, mass, blocks, sum);
        case 6: return add_excess_of<6>(p, site, mass, blocks, sum);
        case 7: return add_excess_of<7>(p, site, mass, blocks, sum);
        case 8: return add_excess_of<8>(p, site, mass, blocks, sum);
        default: return add_excess_of<16>(p, site, mass, blocks, sum);
    }
}

#else

void add_excess(const SketchQuery& p, const std::uint8_t* site, const std::uint8_t* mass, std::int64_t blocks,
                std::int32_t* sum) {
    for (std::int64_t b = 0; b < blocks; ++b, sum += sketch_block)
        for (int pair = 0; pair < sketch_slots / 2; ++pair)
            for (int e = 0; e < 2 * sketch_block; ++e, ++site, ++mass)
                if (*mass > p.mass[*site]) sum[e / 2] += (*mass - p.mass[*site]) * p.cost[*site];
}

#endif

}  // namespace
}  // namespace hott
