// Exact distances of one document, a block, to many others, a thread each.
//
// Compiled for one class of sizes: ROWS and COLUMNS are the most sites of the two documents, COPIES those of the table
// of costs, METRIC says whether these obey the triangle inequality, THREADS are those of a block, BLOCKS the blocks that
// a multiprocessor should hold.
#include "pair.h"

using namespace hott::thread;

// Where values go that are not certain: their number, and their places in the output as far as there is room.
struct Failures {
    int* count;
    long long* place;
    int room;
};

// The documents queries[block] of `columns` against documents of `rows`. With `starts`, query q has the entries
// starts[q] to starts[q + 1] of the list, and the value of entry k goes to out[k]; without, every query has the entries
// `first` to `last` (the documents so numbered, without a list), and the value of document d goes to
// out[line[q] * line_step + column[d] * column_step].
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    exact(Documents columns, Documents rows, Ground ground, const int* queries, const int* starts,
          const int* list, int first, int last, const int* line, const int* column, long long line_step,
          long long column_step, double* out, Failures failures) {
    extern __shared__ char memory[];
    const int q = blockIdx.x;
    const Query<COLUMNS, COPIES> query(ground, columns, queries[q], memory, threadIdx.x, THREADS);
    const Scratch<ROWS, COLUMNS> lane(memory + Query<COLUMNS, COPIES>::bytes(ground.sites), threadIdx.x,
                                            THREADS);
    __syncthreads();
    if (starts) first = starts[q], last = starts[q + 1];
    const int mine = threadIdx.x % 32;
    for (int warp = first + blockIdx.y * THREADS + threadIdx.x - mine; warp < last; warp += THREADS * gridDim.y) {
        const int k = warp + mine, d = k < last ? (list ? list[k] : k) : -1;
        const double value =
            Pair<ROWS, COLUMNS, COPIES, METRIC>(ground, query, rows, max(d, 0), lane).distance(d >= 0);
        if (d < 0) continue;
        const long long place = starts ? k : line[q] * line_step + column[d] * column_step;
        out[place] = value;
        if (isnan(value)) {
            const int n = atomicAdd(failures.count, 1);
            if (n < failures.room) failures.place[n] = place;
        }
    }
}
