// Relaxed lower bounds between all of some documents and all of others, in single precision.
//
// Mass that both have in common stays. What p has too much of at a site goes to another site of q, at least as far as
// the nearest; what q lacks there comes from another site of p. Each of the two sums is a bound:
//   sum (p - q)+ nearest_q = sum max(p, q) nearest_q - sum q nearest_q, and the same with p and q exchanged,
// so that one maximum and two products a site do for both.
//
// A block has TILE x TILE pairs, a thread 8 x 4 of them.

constexpr int TILE = 128, STEP = 8, DOWN = 8, ACROSS = 4, THREADS = TILE / DOWN * (TILE / ACROSS);

// Quantity t of document d is at [t * count + d]. `own` is the sum of the document's mass x nearest.
struct Relaxed {
    int count;
    const float* mass;
    const float* nearest;  // cost to the nearest other site of the document
    const float* own;
};

// Adds weight x the bound, less `margin`, to out[(i - first) * width + j] for the documents i in first..last of P and
// all j of Q; the first time, `add` is 0. least[(i - first) * tiles + j / TILE] becomes the least of each tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    bound(Relaxed P, Relaxed Q, int sites, int first, int last, float weight, float margin, int add, long long width,
          float* out, int tiles, float* least) {
    __shared__ float p[STEP][TILE], p_nearest[STEP][TILE], q[STEP][TILE], q_nearest[STEP][TILE];
    __shared__ unsigned lowest[TILE];
    const int x = threadIdx.x % (TILE / ACROSS), y = threadIdx.x / (TILE / ACROSS);
    const int i0 = first + blockIdx.y * TILE, j0 = blockIdx.x * TILE;
    float to_q[DOWN][ACROSS] = {}, to_p[DOWN][ACROSS] = {};
    for (int t0 = 0; t0 < sites; t0 += STEP) {
        __syncthreads();
        for (int k = threadIdx.x; k < STEP * TILE; k += THREADS) {
            const int t = k / TILE, c = k % TILE;
            const bool in_p = t0 + t < sites && i0 + c < last, in_q = t0 + t < sites && j0 + c < Q.count;
            const long long at_p = (t0 + t) * (long long)P.count + i0 + c, at_q = (t0 + t) * (long long)Q.count + j0 + c;
            p[t][c] = in_p ? P.mass[at_p] : 0;
            p_nearest[t][c] = in_p ? P.nearest[at_p] : 0;
            q[t][c] = in_q ? Q.mass[at_q] : 0;
            q_nearest[t][c] = in_q ? Q.nearest[at_q] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int t = 0; t < STEP; ++t) {
            float a[DOWN], a_nearest[DOWN], b[ACROSS], b_nearest[ACROSS];
#pragma unroll
            for (int r = 0; r < DOWN; ++r) a[r] = p[t][y * DOWN + r], a_nearest[r] = p_nearest[t][y * DOWN + r];
#pragma unroll
            for (int c = 0; c < ACROSS; ++c) b[c] = q[t][x * ACROSS + c], b_nearest[c] = q_nearest[t][x * ACROSS + c];
#pragma unroll
            for (int r = 0; r < DOWN; ++r)
#pragma unroll
                for (int c = 0; c < ACROSS; ++c) {
                    const float most = fmaxf(a[r], b[c]);
                    to_q[r][c] = fmaf(most, b_nearest[c], to_q[r][c]);
                    to_p[r][c] = fmaf(most, a_nearest[r], to_p[r][c]);
                }
        }
    }
    if (threadIdx.x < TILE) lowest[threadIdx.x] = 0x7f800000u;  // infinity
    __syncthreads();
#pragma unroll
    for (int r = 0; r < DOWN; ++r) {
        const int i = i0 + y * DOWN + r;
        float row_least = __uint_as_float(0x7f800000u);
#pragma unroll
        for (int c = 0; c < ACROSS; ++c) {
            const int j = j0 + x * ACROSS + c;
            if (i >= last || j >= Q.count) continue;
            float value = fmaxf(to_q[r][c] - Q.own[j], to_p[r][c] - P.own[i]) - margin;
            value = weight * fmaxf(value, 0);
            float* at = out + (i - first) * width + j;
            if (add) value += *at;
            *at = value;
            row_least = fminf(row_least, value);
        }
        atomicMin(&lowest[y * DOWN + r], __float_as_uint(row_least));  // bits of non-negative numbers sort as they do
    }
    __syncthreads();
    if (threadIdx.x < TILE && i0 + threadIdx.x < last)
        least[(i0 + threadIdx.x - first) * (long long)tiles + blockIdx.x] = __uint_as_float(lowest[threadIdx.x]);
}
