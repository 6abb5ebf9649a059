// How the GPU's kernels lay out memory and work: what Python, which has these numbers from the core, must know as well.
#pragma once

#include "portable.h"

namespace hott::thread {

// Bytes of shared memory that a block needs for the document of its columns.
HOTT_BOTH constexpr int query_bytes(int columns, int copies, int sites) {
    return sites * columns * (copies + 1) * 4 + (columns + sites) * 8 + columns * 4;
}

// Words and bytes of it that a thread needs for its problem.
HOTT_BOTH constexpr int scratch_words(int nodes) { return (nodes > 32 ? 3 : 2) * nodes; }
HOTT_BOTH constexpr int scratch_bytes(int rows, int columns) {
    return scratch_words(rows + columns) * 4 + (2 * rows + columns) * 2;
}

// Bounds come in tiles of so many documents by as many, summed so many sites at a time by so many threads.
constexpr int tile = 128, tile_step = 8, tile_threads = 512;

}  // namespace hott::thread
