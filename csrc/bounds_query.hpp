// What the inner loop of the relaxed bound reads: one document p, laid out for comparing it with many.
#pragma once

#include <cstdint>

namespace hott {

struct BoundQuery {
    int blocks;                 // of 8 sites of p; the tables below are padded to that
    const float* mass;          // by site: of p
    const float* from_nearest;  // by site: least cost to there from another site of p
    const int* place;           // by site: which of p's sites it is
    const float* excess;        // by p's sites: their mass
    const float* to;            // sites x p's sites: cost from p's site to the site
    const float* dearest;       // 8 times the largest cost
    float margin;               // taken off, so that rounding never lifts the bound above the distance
};

struct Rows32 {
    const std::int64_t* start;
    const std::int32_t* site;
    const double* mass;
};

using BoundKernel = void (*)(const BoundQuery&, const Rows32&, std::int64_t first, std::int64_t last, float* out);

extern const BoundKernel baseline_bounds;
#if defined(__x86_64__) && defined(__GNUC__)
extern const BoundKernel avx2_bounds;
#endif

}  // namespace hott
