// The inner loops of the core, once for each instruction set, and the table by which they are called.
//
// A loop is written once, in a header of internal linkage (*_kernel.hpp, simplex_lanes.hpp) that kernels_for.hpp collects;
// kernels_*.cpp compile them all for one instruction set each. To add one: declare here what it reads and its pointer in
// `Kernels`, and name it in kernels_for.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foldin_steps.h"
#include "lockstep_group.hpp"

namespace hott {

// The general simplex: costs, and the potentials of rows and columns, in one of two kinds of numbers: int32_t or double.
template <class Price>
struct Prices {
    const Price* cost;
    std::ptrdiff_t stride;
    int columns;  // of the table, padding included
    Price* u;
    Price* v;
    const Price* row(int i) const { return cost + i * stride; }
};

struct Candidate {
    int row, column;  // row -1: none
};

constexpr int padding = 16;  // rows of integer costs are padded to a multiple of this, so that no loop has a tail

// Lower bounds: one document p, made ready to be compared with many.
struct BoundQuery {
    int blocks;                 // of 8 sites of p; the tables below are padded to that
    const float* mass;          // by site: of p
    const float* from_nearest;  // by site: least cost to there from another site of p
    const float* excess;        // by p's sites: their mass
    const float* to;            // sites x p's sites: cost from p's site to the site
    const float* same;          // sites x p's sites: 1 where the two are the same, 0 elsewhere
    const float* dearest;       // 8 times the largest cost
    // Taken off, so that rounding never lifts a bound above the distance: 2^-23 of it for so many terms and every site of
    // q, and `margin`.
    int terms;
    float margin;
};

struct BoundRows {
    const std::int64_t* start;
    const std::int32_t* site;
    const double* mass;
};

// The same in compact form (scan.hpp).
struct CompactRows {
    const std::int64_t* start;
    const std::uint8_t* site;
    const std::uint16_t* mass;
};

// Sketches (scan.hpp): so many documents side by side, so many of their topics.
constexpr int sketch_block = 16, sketch_slots = 8;

struct SketchQuery {
    int tables;                // of 16 sites
    const std::uint8_t* mass;  // by site
    const std::uint8_t* cost;  // by site, below 128
};

constexpr int tile_width = 64;

// Some documents q, up to tile_width, site by site.
struct BoundTile {
    int sites, documents;
    const float* mass;     // sites x tile_width
    const float* nearest;  // sites x tile_width: least cost from the site to another site of q
    float margin, margin_of_site;  // taken off: once, and for every site of p
};

// Many documents p, to be compared with tiles.
struct BoundQueries {
    std::int64_t count;
    BoundRows rows;
    const float* from_nearest;  // documents x sites: least cost to there from another site of p
};

// Folding in: one document, as the update of its topic proportions reads and changes it.
struct FoldInDocument {
    std::size_t words, topics;    // padded to multiples of fold_in_rows and fold_in_lanes
    const float* const* word;     // the probabilities of each word under every topic
    const float* count;           // of each word; 0 in the padding
    const float* alpha;
    float* theta;
    float* sums;                  // scratch, as many as topics
};

// Sampling topics: one model, as rows over topics. With n(k) the occurrences of topic k, and n(d, k) those in the present
// document:
struct SamplerChain {
    std::size_t topics;  // padded to a multiple of sampler_columns: the length of a row
    float alpha;
    double smoothing;     // eta * words
    float* word;          // words x topics: n(k, w) + eta + strength * borrowed(k | w)
    float* held;          // n(d, k)
    float* product;       // of the occurrence that is drawn: what each topic weighs
    float* weight;        // (n(d, k) + alpha) / (n(k) + smoothing)
    float* inverse_less;  // 1 / (n(k) - 1 + smoothing)
    float* inverse;       // 1 / (n(k) + smoothing)
    float* inverse_more;  // 1 / (n(k) + 1 + smoothing)
    const float* keep;    // 0, with as many ones on either side as there are topics
    std::int64_t* total;  // n(k)
    std::uint16_t* topic; // of every occurrence in the present document
    std::uint64_t random; // state of the random numbers
};

struct SampledDocument {
    std::int64_t occurrences;
    const std::int32_t* word;  // of every occurrence
};

constexpr int sampler_columns = 16, max_chains = 4;

struct Kernels {
    const char* name;  // of the instruction set

    // Solves a group of small problems.
    void (*solve_group)(lockstep::Group&);

    // The arc of rows first..last - 1 with the least cost - u - v, if that is below `bar`.
    Candidate (*best_rounded_arc)(const Prices<std::int32_t>&, int first, int last, std::int32_t bar);
    Candidate (*best_exact_arc)(const Prices<double>&, int first, int last, double bar);
    // The first of rows first..last - 1 in which the columns with cost - v <= u are not as many as `expected`; or last.
    int (*first_unclear_row)(const Prices<double>&, const std::int32_t* expected, int first, int last);
    // One row's share of the column means, and the largest cost seen in each column.
    void (*add_row)(const double* cost, double weight, int columns, double* mean, double* largest);
    // Costs x unit as integers, none above `most`, unless that is negative.
    void (*round_row)(const double* cost, double unit, double most, int columns, std::int32_t* rounded);

    // Bounds of one p against the documents first..last - 1, and of many p against a tile (rows of out `stride` apart).
    void (*bounds_of_one)(const BoundQuery&, const BoundRows&, std::int64_t first, std::int64_t last, float* out);
    void (*bounds_in_tile)(const BoundTile&, const BoundQueries&, std::int64_t stride, float* out);
    // Bounds of one p against listed documents.
    void (*bounds_of_listed)(const BoundQuery&, const CompactRows&, const std::int64_t* listed, std::int64_t count, float* out);
    // For every document in blocks of sketches, sum += what it has too much x cost.
    void (*add_excess)(const SketchQuery&, const std::uint8_t* site, const std::uint8_t* mass, std::int64_t blocks,
                       std::int32_t* sum);

    // Updates theta so many times.
    void (*fold_in)(const FoldInDocument&, int steps);

    // Draws the topic of every occurrence in a document once, for up to max_chains chains with as many topics and words.
    void (*sample_document)(SamplerChain* const*, int chains, const SampledDocument&);

    // Products of `count` vectors, one after the other, with another. They are whole numbers, with sums below 2^31.
    void (*dot_products)(const std::int16_t* vectors, std::int64_t count, std::size_t dimensions,
                         const std::int16_t* with, std::int32_t* out);
};

// The fastest that this machine can run, chosen on the first call; with HOTT_INSTRUCTIONS in the environment, the one of
// that name. Results are the same to the bit.
const Kernels& kernels();

// The encoder (encoder.hpp). Its numbers are what its packed file was learned for.
constexpr int encoder_size = 256, encoder_heads = 4, encoder_layers = 2, encoder_window = 128;

struct EncoderLinear {
    int outputs, inputs;
    const void* packed;         // weights as pack_weights lays them out
    const std::int32_t* start;  // by output, as pack_weights makes it
    const float* scale;         // by output: of the weights
    const float* bias;
};

struct EncoderNorm {
    const float *weight, *bias;
};

struct EncoderLayer {
    EncoderNorm attention_norm, forward_norm;
    EncoderLinear attention, output, up, down;
};

struct EncoderModel {
    const std::int8_t* table;   // words x encoder_size, times
    const float* table_scale;   // by word
    const float* word_weight;   // by word: the logarithm of its weight
    const float *left, *right;  // share of either neighbour
    const float* gate;          // what a word's context adds to its weight
    float gate_bias;
    EncoderLayer layers[encoder_layers];
};

struct EncoderKernels {
    const char* name;
    std::size_t scratch_bytes;  // for encode_window, aligned to 64
    std::size_t weight_bytes;   // of one weight, packed
    void (*pack_weights)(const std::int8_t* weights, int outputs, int inputs, void* packed, std::int32_t* start);
    // rows (words x encoder_size): every word of a window in its context, times its weight.
    void (*encode_window)(const EncoderModel&, const std::int32_t* word, int words, void* scratch, float* rows);
    // Products of `count` rows of bytes with another vector. Sums stay below 2^31.
    void (*dot_bytes)(const std::int8_t* rows, std::int64_t count, std::size_t dimensions, const std::int16_t* with,
                      std::int32_t* out);
};

// Chosen like the others, and the same to the bit as well.
const EncoderKernels& encoder_kernels();

}  // namespace hott
