// What the inner loops of the relaxed bound read: documents laid out for comparing them with many.
#pragma once

#include <cstdint>

namespace hott {

// One document p.
struct BoundQuery {
    int blocks;                 // of 8 sites of p; the tables below are padded to that
    const float* mass;          // by site: of p
    const float* from_nearest;  // by site: least cost to there from another site of p
    const float* excess;        // by p's sites: their mass
    const float* to;            // sites x p's sites: cost from p's site to the site
    const float* same;          // sites x p's sites: 1 where the two are the same, 0 elsewhere
    const float* dearest;       // 8 times the largest cost
    float margin;               // taken off, so that rounding never lifts the bound above the distance
};

struct Rows32 {
    const std::int64_t* start;
    const std::int32_t* site;
    const double* mass;
};

constexpr int tile_width = 64;

// Some documents q, up to tile_width, site by site.
struct BoundTile {
    int sites, documents;
    const float* mass;     // sites x tile_width
    const float* nearest;  // sites x tile_width: least cost from the site to another site of q
};

// Many documents p, to be compared with tiles.
struct BoundQueries {
    std::int64_t count;
    Rows32 rows;
    const float* from_nearest;  // documents x sites: least cost to there from another site of p
    float margin;
};

// One instruction set's loops: one p against some documents, and many p against a tile (rows of out `stride` apart).
struct BoundKernels {
    void (*one)(const BoundQuery&, const Rows32&, std::int64_t first, std::int64_t last, float* out);
    void (*tile)(const BoundTile&, const BoundQueries&, std::int64_t stride, float* out);
};

extern const BoundKernels baseline_bounds;
#if defined(__x86_64__) && defined(__GNUC__)
extern const BoundKernels avx2_bounds;
#endif

}  // namespace hott
