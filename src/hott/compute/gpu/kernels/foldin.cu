// Topic proportions of documents, the topics being given: eight threads a document.
#include "portable.h"
#include "foldin_steps.h"

using namespace hott;

// The threads of this document among those of the warp, and this thread's place among them.
__device__ unsigned own_group() { return 0xffu << (threadIdx.x % 32 / fold_in_lanes * fold_in_lanes); }
__device__ int place_in_group() { return threadIdx.x % fold_in_lanes; }

// This thread's of eight topics.
struct OneTopic {
    float value;

    __device__ static OneTopic zero() { return {0.0f}; }
    __device__ static OneTopic at(const float* p) { return {p[place_in_group()]}; }
    __device__ void put(float* p) const { p[place_in_group()] = value; }
    __device__ float total() const {
        float sum = value;
        for (int other = fold_in_lanes / 2; other > 0; other /= 2)
            sum = __fadd_rn(sum, __shfl_xor_sync(own_group(), sum, other));
        return sum;
    }
};
__device__ OneTopic operator+(OneTopic a, OneTopic b) { return {__fadd_rn(a.value, b.value)}; }
__device__ OneTopic operator*(OneTopic a, OneTopic b) { return {__fmul_rn(a.value, b.value)}; }
__device__ OneTopic operator*(OneTopic a, float b) { return {__fmul_rn(a.value, b)}; }

// A document's words, and none where they end.
struct Words {
    int count_in_all, topics;
    const int* word;
    const double* times;
    const float* table;

    __device__ const float* row(int w) const { return table + (w < count_in_all ? (long long)word[w] * topics : 0); }
    __device__ float count(int w) const { return w < count_in_all ? (float)times[w] : 0.0f; }
};

// The documents of the list `number`; `out` has a row for each from `first_row` on. `topics` is padded to a multiple of
// eight, `real_topics` is not.
extern "C" __global__ void foldin(const long long* start, const int* word, const double* times, const int* number,
                                  int count, int topics, int real_topics, const float* table, const float* alpha,
                                  int steps, int first_row, double* out) {
    extern __shared__ float memory[];
    float* theta = memory + threadIdx.x / fold_in_lanes * 2 * topics;
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / fold_in_lanes;
    if (i >= count) return;
    const long long document = number[i], from = start[document];
    const Words words{(int)(start[document + 1] - from), topics, word + from, times + from, table};
    for (int k = place_in_group(); k < topics; k += fold_in_lanes) theta[k] = 1.0f;
    fold_in<OneTopic>(words, words.count_in_all, topics, alpha, steps, theta, theta + topics);
    __syncwarp(own_group());
    // As the CPU does: a sum in the order of the topics.
    double total = 0;
    for (int k = 0; k < real_topics; ++k) total += theta[k];
    double* row = out + (document - first_row) * real_topics;
    for (int k = place_in_group(); k < real_topics; k += fold_in_lanes)
        row[k] = total > 0 ? theta[k] / total : 1.0 / real_topics;
}
