// From lower bounds to nearest documents: which pairs to solve first, which are left to solve, which are nearest.
//
// A block has one query, whose bounds to n documents are at bounds[q * width], non-negative, and the least of every TILE
// of them at least[q * tiles]. The bits of such numbers sort as the numbers do.

#include "layout.h"

constexpr int TILE = hott::thread::tile;

// The sum over all threads of the block; each gets it.
__device__ int block_sum(int mine) {
    __shared__ int total;
    __syncthreads();
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const int warp = __reduce_add_sync(0xffffffffu, mine);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, warp);
    __syncthreads();
    return total;
}

// The k-th smallest of bits(0), ..., bits(count - 1).
template <class Bits>
__device__ unsigned kth_smallest(int k, int count, Bits bits) {
    unsigned low = 0, high = 0x7f800000u;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        int mine = 0;
        for (int i = threadIdx.x; i < count; i += blockDim.x) mine += bits(i) <= middle;
        if (block_sum(mine) >= k) high = middle;
        else low = middle + 1;
    }
    return low;
}

// k documents with bounds as small as any, or nearly so: those in the k tiles that have the smallest.
extern "C" __global__ void seeds(const float* bounds, long long width, int n, const float* least, int tiles, int k,
                                 int* out) {
    extern __shared__ int chosen[];  // k tiles
    __shared__ int tiles_chosen, taken;
    const unsigned* row = reinterpret_cast<const unsigned*>(bounds + blockIdx.x * width);
    const unsigned* tile_least = reinterpret_cast<const unsigned*>(least + (long long)blockIdx.x * tiles);

    const unsigned small = kth_smallest(min(k, tiles), tiles, [&](int i) { return tile_least[i]; });
    if (threadIdx.x == 0) tiles_chosen = taken = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < tiles; i += blockDim.x)
        if (tile_least[i] <= small) {
            const int place = atomicAdd(&tiles_chosen, 1);
            if (place < k) chosen[place] = i;
        }
    __syncthreads();
    const int count = min(tiles_chosen, k) * TILE;
    auto document = [&](int i) { return chosen[i / TILE] * TILE + i % TILE; };
    auto bits = [&](int i) { return document(i) < n ? row[document(i)] : 0x7f800001u; };
    const unsigned most = kth_smallest(k, count, bits);
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        if (bits(i) <= most) {
            const int place = atomicAdd(&taken, 1);
            if (place < k) out[blockIdx.x * (long long)k + place] = document(i);
        }
}

// The documents whose bound is not above the query's threshold: how many, without `starts`; with it, their numbers
// too, from documents[starts[q]] on.
extern "C" __global__ void candidates(const float* bounds, long long width, int n, const float* least, int tiles,
                                      const float* thresholds, int* counts, const long long* starts, int* documents,
                                      int* queries) {
    __shared__ int taken;
    const float* row = bounds + blockIdx.x * width;
    const float* tile_least = least + (long long)blockIdx.x * tiles;
    const float threshold = thresholds[blockIdx.x];
    const int lane = threadIdx.x % 32;
    int mine = 0;
    if (threadIdx.x == 0) taken = 0;
    __syncthreads();
    for (int tile = threadIdx.x / 32; tile < tiles; tile += blockDim.x / 32) {
        if (tile_least[tile] > threshold) continue;
        for (int d = tile * TILE + lane; d < min((tile + 1) * TILE, n); d += 32) {
            if (row[d] > threshold) continue;
            ++mine;
            if (starts) {
                const long long place = starts[blockIdx.x] + atomicAdd(&taken, 1);
                documents[place] = d, queries[place] = blockIdx.x;
            }
        }
    }
    const int total = block_sum(mine);
    if (threadIdx.x == 0 && !starts) counts[blockIdx.x] = total;
}

// The k nearest documents of each query, nearest first, those of equal distance by number. Values are non-negative.
extern "C" __global__ void nearest(const double* values, const int* documents, const long long* starts, int k,
                                   double* distances, long long* indices) {
    struct Best {
        long long bits;  // of the value
        int document;
        __device__ bool operator<(const Best& other) const {
            return bits < other.bits || (bits == other.bits && document < other.document);
        }
    };
    __shared__ Best of_warp[32];
    const long long first = starts[blockIdx.x], last = starts[blockIdx.x + 1];
    const Best none{0x7fffffffffffffffLL, 0x7fffffff};
    Best found{-1, -1};
    for (int rank = 0; rank < k; ++rank) {
        Best best = none;
        for (long long i = first + threadIdx.x; i < last; i += blockDim.x) {
            const Best here{__double_as_longlong(values[i]), documents[i]};
            if (found < here && here < best) best = here;
        }
        for (int step = 16; step > 0; step /= 2) {
            const Best other{__shfl_xor_sync(0xffffffffu, best.bits, step),
                             __shfl_xor_sync(0xffffffffu, best.document, step)};
            if (other < best) best = other;
        }
        __syncthreads();
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
        __syncthreads();
        found = of_warp[0];
        for (int warp = 1; warp < blockDim.x / 32; ++warp)
            if (of_warp[warp] < found) found = of_warp[warp];
        if (threadIdx.x == 0) {
            distances[blockIdx.x * (long long)k + rank] = __longlong_as_double(found.bits);
            indices[blockIdx.x * (long long)k + rank] = found.document;
        }
    }
}
