// Relaxed lower bounds between all of some documents and all of others, in single precision.
//
// Mass that both have in common stays. What p has too much of at a site goes to another site of q, at least as far as
// the nearest; what q lacks there comes from another site of p. Each of the two sums is a bound:
//   sum (p - q)+ nearest_q = sum max(p, q) nearest_q - sum q nearest_q, and the same with p and q exchanged,
// so that one maximum and two products a site do for both.
//
// A block has TILE x TILE pairs, a thread 8 x 4 of them, a warp 8 whole rows. While STEP sites are summed, the next are
// copied from device memory to shared memory.

#include "layout.h"

constexpr int TILE = hott::thread::tile, STEP = hott::thread::tile_step, THREADS = hott::thread::tile_threads;
constexpr int DOWN = 8, ACROSS = 4;
static_assert(THREADS == TILE / DOWN * (TILE / ACROSS), "a thread for each part of a tile");

// Quantity t of document d is at [t * stride + d]. Sites are padded with zeros to a multiple of STEP, documents to one
// of TILE.
struct Relaxed {
    int count, stride;
    const float* mass;
    const float* nearest;  // cost to the nearest other site of the document
    const float* own;      // the sum of mass x nearest
};

__device__ void start_copy(float* shared, const float* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "l"(from));
}

// Adds weight x the bound, less `margin`, to out[(i - first) * width + j] for the documents i in first..last of P and
// all j of Q; the first time, `add` is 0. least[(i - first) * tiles + j / TILE] becomes the least of each tile. `first`
// and `width` are multiples of TILE.
extern "C" __global__ void __launch_bounds__(THREADS)
    bound(Relaxed P, Relaxed Q, int sites, int first, int last, float weight, float margin, int add, long long width,
          float* out, int tiles, float* least) {
    __shared__ __align__(16) float tile[2][4][STEP][TILE];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    const int i0 = first + blockIdx.y * TILE, j0 = blockIdx.x * TILE;

    auto copy = [&](int stage, int t0) {
        for (int k = threadIdx.x; k < 4 * STEP * TILE / 4; k += THREADS) {
            const int part = k / (STEP * TILE / 4), t = k / (TILE / 4) % STEP, c = k % (TILE / 4) * 4;
            const float* from = part == 0 ? P.mass : part == 1 ? P.nearest : part == 2 ? Q.mass : Q.nearest;
            const long long line = (t0 + t) * (long long)(part < 2 ? P.stride : Q.stride);
            start_copy(&tile[stage][part][t][c], from + line + (part < 2 ? i0 : j0) + c);
        }
        asm volatile("cp.async.commit_group;");
    };
    float to_q[DOWN][ACROSS] = {}, to_p[DOWN][ACROSS] = {};
    copy(0, 0);
    for (int t0 = 0, stage = 0; t0 < sites; t0 += STEP, stage ^= 1) {
        if (t0 + STEP < sites) {
            copy(stage ^ 1, t0 + STEP);
            asm volatile("cp.async.wait_group 1;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncthreads();
#pragma unroll
        for (int t = 0; t < STEP; ++t) {
            float a[DOWN], a_nearest[DOWN], b[ACROSS], b_nearest[ACROSS];
#pragma unroll
            for (int r = 0; r < DOWN; ++r) a[r] = tile[stage][0][t][y * DOWN + r];
#pragma unroll
            for (int r = 0; r < DOWN; ++r) a_nearest[r] = tile[stage][1][t][y * DOWN + r];
#pragma unroll
            for (int c = 0; c < ACROSS; ++c) b[c] = tile[stage][2][t][x * ACROSS + c];
#pragma unroll
            for (int c = 0; c < ACROSS; ++c) b_nearest[c] = tile[stage][3][t][x * ACROSS + c];
#pragma unroll
            for (int r = 0; r < DOWN; ++r)
#pragma unroll
                for (int c = 0; c < ACROSS; ++c) {
                    const float most = fmaxf(a[r], b[c]);
                    to_q[r][c] = fmaf(most, b_nearest[c], to_q[r][c]);
                    to_p[r][c] = fmaf(most, a_nearest[r], to_p[r][c]);
                }
        }
        __syncthreads();
    }

    const float4 own_q = reinterpret_cast<const float4*>(Q.own + j0)[x];
    const float own[ACROSS] = {own_q.x, own_q.y, own_q.z, own_q.w};
#pragma unroll
    for (int r = 0; r < DOWN; ++r) {
        const int i = i0 + y * DOWN + r;
        if (i >= last) break;
        const float own_p = P.own[i];
        float4* at = reinterpret_cast<float4*>(out + (i - first) * width + j0) + x;
        const float4 before = add ? *at : float4{0, 0, 0, 0};
        float value[ACROSS] = {before.x, before.y, before.z, before.w};
        unsigned lowest = 0x7f800000u;  // infinity; bits of non-negative numbers sort as they do
#pragma unroll
        for (int c = 0; c < ACROSS; ++c) {
            value[c] += weight * fmaxf(fmaxf(to_q[r][c] - own[c], to_p[r][c] - own_p) - margin, 0);
            if (j0 + x * ACROSS + c < Q.count) lowest = min(lowest, __float_as_uint(value[c]));
        }
        *at = float4{value[0], value[1], value[2], value[3]};
        lowest = __reduce_min_sync(0xffffffffu, lowest);
        if (x == 0) least[(i - first) * (long long)tiles + blockIdx.x] = __uint_as_float(lowest);
    }
}
