// The core as a static page calls it: compiled to WebAssembly (tools/make_wasm.py), one thread, no Python.
//
// Numbers are the same to the bit as those of the Python module, for sums run in the same order everywhere.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "documents.hpp"
#include "foldin.hpp"
#include "kernels.hpp"
#include "pairwise.hpp"
#include "simplex.hpp"

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace hott {

extern const Kernels baseline_kernels;
const Kernels& kernels() { return baseline_kernels; }  // in place of kernels.cpp: there is nothing to choose from

static const Watch nobody = [](std::int64_t, std::int64_t) {};

}  // namespace hott

// What is thrown is a mistake of the caller, or of the core: the page sees that the module stopped (a trap).
extern "C" void* __cxa_allocate_exception(std::size_t) noexcept { __builtin_trap(); }
extern "C" void __cxa_throw(void*, void*, void (*)(void*)) { __builtin_trap(); }

using namespace hott;

EXPORT(allocate) void* allocate(std::size_t bytes) { return std::malloc(bytes); }
EXPORT(release) void release(void* memory) { std::free(memory); }

// Moves a[n] onto b[m]; gives how many arcs carry flow, and writes them to row, column and flow, of n + m entries each.
EXPORT(solve) int solve(int n, int m, const double* a, const double* b, const double* cost, std::int32_t* row,
                 std::int32_t* column, double* flow) {
    Simplex simplex;
    simplex.solve(n, m, a, b, cost, m);
    int count = 0;
    for (const Arc& arc : simplex.arcs())
        if (arc.flow > 0) row[count] = arc.row, column[count] = arc.column, flow[count++] = arc.flow;
    return count;
}

// The least cost from one document to each of several.
EXPORT(distances) void distances(int sites, const double* cost, bool metric, int size, const std::int32_t* site,
                                 const double* mass, int count, const std::int32_t* starts,
                                 const std::int32_t* other_site, const double* other_mass, double* out) {
    const Ground ground(sites, cost, metric);
    const Document one{site, mass, size};
    const auto other = [&](int i) {
        return Document{other_site + starts[i], other_mass + starts[i], starts[i + 1] - starts[i]};
    };
    const std::atomic<bool> stop{false};
    SolverPool solvers(ground, 1);
    for (int i = 0; i < count; ++i) solvers[0].add(one, other(i), out + i);
    solvers[0].finish();
    for (int i = 0; i < count; ++i) solvers[0].complete(one, other(i), out + i, stop);
}

// Topic proportions of a document, given by how often each row of `table` (words x stride) occurs in it.
EXPORT(fold_in) void fold_in(int words, const double* counts, const std::int32_t* word, const float* table,
                             const float* alpha, int topics, int stride, bool gibbs, int steps, int burn_in,
                             std::uint32_t seed_high, std::uint32_t seed_low, double* out) {
    const std::int64_t starts[] = {0, words};
    const FoldInOptions options{gibbs ? FoldInMethod::gibbs : FoldInMethod::fixed_point, steps, burn_in,
                                std::uint64_t{seed_high} << 32 | seed_low};
    const TopicTable of_topics{table, alpha, static_cast<std::size_t>(topics), static_cast<std::size_t>(stride)};
    fold_in({1, starts, word, counts}, of_topics, options, 1, out, nobody);
}
