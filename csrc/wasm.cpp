// The core as a static page calls it: compiled to WebAssembly (tools/make_wasm.py), one thread, no Python.
//
// Numbers are the same to the bit as those of the Python module, for sums run in the same order everywhere.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "documents.hpp"
#include "encoder.hpp"
#include "foldin.hpp"
#include "kernels.hpp"
#include "pairwise.hpp"
#include "sampler.hpp"
#include "simplex.hpp"
#include "spelling.hpp"

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace hott {

// In place of kernels.cpp: there is nothing to choose from.
extern const Kernels baseline_kernels;
extern const EncoderKernels baseline_encoder;
const Kernels& kernels() { return baseline_kernels; }
const EncoderKernels& encoder_kernels() { return baseline_encoder; }

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

// p(topic | word), words x topics, of what was drawn for each word and of the `per_word` words that it borrows from.
EXPORT(topic_shares) void topic_shares(int words, int topics, int per_word, float eta, float strength,
                                       const std::int32_t* starts, const std::int32_t* site, const double* count,
                                       const std::int32_t* near, const float* weight, float* out) {
    const std::vector<std::int64_t> wide(starts, starts + words + 1);
    const Neighborhood neighbors{static_cast<std::size_t>(words), static_cast<std::size_t>(per_word), near, weight};
    topic_shares({words, wide.data(), site, count}, neighbors, static_cast<std::size_t>(topics), eta, strength, out);
}

// An encoder, which is never released. `table` has all first numbers of the words, then all second ones, as the file of
// the encoder has them. `numbers`: table_scale, word_weight, left, right, gate, gate_bias, then of each layer what
// normalises or scales, in the order of the layer; `weights`: its matrices.
EXPORT(make_encoder) const Encoder* make_encoder(int words, const std::int8_t* table, const float* numbers,
                                                 const std::int8_t* weights) {
    auto* rows = new std::int8_t[static_cast<std::size_t>(words) * encoder_size];
    for (int d = 0; d < encoder_size; ++d)
        for (int w = 0; w < words; ++w) rows[w * encoder_size + d] = *table++;
    const auto take = [&](int count) { return (numbers += count) - count; };
    const auto norm = [&] {
        const float* weight = take(encoder_size);
        return NormWeights{weight, take(encoder_size)};
    };
    const auto linear = [&](int outputs, int inputs) {
        const float* scale = take(outputs);
        weights += outputs * inputs;
        return LinearWeights{weights - outputs * inputs, scale, take(outputs), outputs, inputs};
    };
    const float *scale = take(words), *word_weight = take(words), *left = take(encoder_size);
    const float *right = take(encoder_size), *gate = take(encoder_size), gate_bias = *take(1);
    std::vector<LayerWeights> layers(encoder_layers);
    for (LayerWeights& layer : layers) {
        layer.attention_norm = norm();
        layer.attention = linear(3 * encoder_size, encoder_size);
        layer.output = linear(encoder_size, encoder_size);
        layer.forward_norm = norm();
        layer.up = linear(2 * encoder_size, encoder_size);
        layer.down = linear(encoder_size, 2 * encoder_size);
    }
    return new Encoder(rows, scale, word_weight, words, left, right, gate, gate_bias, layers);
}

// Every word of a text in its context, words x encoder_size; and the sum of them.
EXPORT(encode_words) void encode_words(const Encoder* encoder, const std::int32_t* word, int words, float* rows) {
    const std::int64_t starts[] = {0, words};
    encoder->in_context(word, starts, 1, 1, rows, nobody);
}

EXPORT(encode_text) void encode_text(const Encoder* encoder, const std::int32_t* word, int words, float* sum) {
    const std::int64_t starts[] = {0, words};
    encoder->sums(word, starts, 1, 1, sum, nobody);
}

// Products of rows of whole numbers with another row; sums stay below 2^31.
EXPORT(multiply_bytes) void multiply_bytes(const std::int8_t* rows, int count, int dimensions, const std::int16_t* with,
                                           std::int32_t* out) {
    dot_bytes(rows, count, dimensions, with, 1, out, nobody);
}

EXPORT(multiply_shorts) void multiply_shorts(const std::int16_t* rows, int count, int dimensions,
                                             const std::int16_t* with, std::int32_t* out) {
    kernels().dot_products(rows, count, static_cast<std::size_t>(dimensions), with, out);
}

EXPORT(near_spellings) void near_spellings(const std::uint32_t* word, int length, const std::uint32_t* letters,
                                           const std::int32_t* starts, int first, int last, int most,
                                           std::uint8_t* out) {
    std::vector<std::int64_t> wide(starts, starts + last + 1);
    near_spellings(word, length, letters, wide.data(), first, last, most, out);
}
