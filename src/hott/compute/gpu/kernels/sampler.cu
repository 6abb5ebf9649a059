// The steps of sampling topics (sampler.h), each over all models. Compiled for up to ROWS * 32 topics.
#include "sampler.h"

using namespace hott;

// The thing, of so many, that this thread or warp works on; models take turns, so that all begin with long documents.
__device__ long long own_thing(int lanes) { return (blockIdx.x * (long long)blockDim.x + threadIdx.x) / lanes; }

extern "C" __global__ void begin(Sampling s, long long count) {
    const long long i = own_thing(1);
    if (i < count) begin_occurrence(s, i % s.models, i / s.models);
}

extern "C" __global__ void borrow(Sampling s, long long count) {
    const long long i = own_thing(warp_lanes);
    if (i < count) borrow_word(s, i % s.models, i / s.models);
}

extern "C" __global__ void weigh(Sampling s, long long count) {
    const long long i = own_thing(warp_lanes), topic = own_thing(1);
    if (i < count) weigh_word(s, i % s.models, i / s.models);
    if (topic < s.models * s.topics) weigh_topic(s, topic);
}

// The documents from the `first` on in the order in which they are drawn.
extern "C" __global__ void __launch_bounds__(128) sample(Sampling s, long long count, int first, u64 numbers) {
    const long long i = own_thing(warp_lanes);
    if (i < count) sample_document<ROWS>(s, i % s.models, s.document[first + i / s.models], numbers);
}
