// One window of the encoder (encoder.hpp): words in, words in their context out.
//
// Every product of matrices is one of whole numbers: a row of each is rounded to -127..127 times a scale of its own, so
// sums are exact in any order, and four products take one instruction where a processor can (AVX-512 VNNI). What is left
// works number by number, or adds in sixteen lanes and these in a fixed order. So the result is the same to the bit for
// every instruction set.
//
// Internal linkage throughout: see simd.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels.hpp"
#include "simd.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace hott {
namespace {

constexpr int lanes = 16;  // what is added together, and the outputs of a matrix that lie side by side

// Sums of products, `width` outputs at a time. Weights lie as [outputs / 16][depth / group][16][group]; of the other
// factor, `group` numbers of one row are repeated for all outputs.
#if defined(__AVX512VNNI__)
constexpr int width = 16, group = 4, rows_at_once = 8, columns_at_once = 2;
using Code = std::uint8_t;  // the instruction wants one factor without a sign: 128 more than the number
using Weight = std::int8_t;
constexpr int code_offset = 128;
[[gnu::always_inline]] inline Ints<16> add_products(Ints<16> sum, Ints<16> weights, Ints<16> codes) {
    return Ints<16>(_mm512_dpbusd_epi32(__m512i(sum), __m512i(codes), __m512i(weights)));
}
#else
using Code = std::int16_t;
using Weight = std::int16_t;
constexpr int group = 2, code_offset = 0;
#if defined(__AVX512BW__)
constexpr int width = 16, rows_at_once = 8, columns_at_once = 2;
[[gnu::always_inline]] inline Ints<16> add_products(Ints<16> sum, Ints<16> weights, Ints<16> codes) {
    return sum + Ints<16>(_mm512_madd_epi16(__m512i(weights), __m512i(codes)));
}
#elif defined(__AVX2__)
constexpr int width = 8, rows_at_once = 4, columns_at_once = 1;
[[gnu::always_inline]] inline Ints<8> add_products(Ints<8> sum, Ints<8> weights, Ints<8> codes) {
    return sum + Ints<8>(_mm256_madd_epi16(__m256i(weights), __m256i(codes)));
}
#elif defined(__SSE2__)
constexpr int width = 4, rows_at_once = 2, columns_at_once = 1;
[[gnu::always_inline]] inline Ints<4> add_products(Ints<4> sum, Ints<4> weights, Ints<4> codes) {
    return sum + Ints<4>(_mm_madd_epi16(__m128i(weights), __m128i(codes)));
}
#elif defined(__wasm_simd128__)
constexpr int width = 4, rows_at_once = 2, columns_at_once = 1;
[[gnu::always_inline]] inline Ints<4> add_products(Ints<4> sum, Ints<4> weights, Ints<4> codes) {
    return sum + Ints<4>(wasm_i32x4_dot_i16x8(v128_t(weights), v128_t(codes)));
}
#else
constexpr int width = 4, rows_at_once = 4, columns_at_once = 1;
[[gnu::always_inline]] inline Ints<4> add_products(Ints<4> sum, Ints<4> a, Ints<4> b) {
    return sum + ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
}
#endif
#endif
using Whole = Ints<width>;
using Lane = Floats<width>;
using Codes = typename VectorOf<Code, width>::type;
using Weights = typename VectorOf<Weight, width>::type;

// Sixteen sums, in as many registers as they take.
struct Sums {
    Lane part[lanes / width] = {};
    [[gnu::always_inline]] float total() const {
        float x[lanes];
        std::memcpy(x, part, sizeof(x));
        for (int half = lanes / 2; half > 0; half /= 2)
            for (int i = 0; i < half; ++i) x[i] += x[i + half];
        return x[0];
    }
};

[[gnu::always_inline]] inline float largest(Lane x) {
    float most = x[0];
    for (int i = 1; i < width; ++i) most = x[i] > most ? x[i] : most;
    return most;
}

[[gnu::always_inline]] inline Lane larger(Lane a, Lane b) { return a > b ? a : b; }

[[gnu::always_inline]] inline Lane magnitude(Lane x) { return larger(x, -x); }

[[gnu::always_inline]] inline Whole round(Lane x) {
    return __builtin_convertvector(x + (x < 0 ? all<Lane>(-0.5f) : all<Lane>(0.5f)), Whole);
}

[[gnu::always_inline]] inline Lane exponential(Lane x) {
    x = larger(x, all<Lane>(-87.0f));
    x = x > 88.0f ? all<Lane>(88.0f) : x;
    const Lane shifted = x * 1.44269504f + 12582912.0f;  // 1.5 x 2^23: rounds to a whole number
    const Lane power = shifted - 12582912.0f;
    const Lane r = (x - power * 0.693359375f) + power * 2.12194440e-4f;
    Lane y = 1.9875691500e-4f * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * r * r + r + 1.0f;
    const Whole bits = (__builtin_convertvector(power, Whole) + 127) << 23;
    Lane scale;
    std::memcpy(&scale, &bits, sizeof(scale));
    return y * scale;
}

// x times the normal distribution's share below x; the error function by Abramowitz and Stegun 7.1.26, to 1.5e-7.
[[gnu::always_inline]] inline Lane gelu(Lane x) {
    const Lane z = magnitude(x) * 0.70710678f;
    const Lane t = 1.0f / (1.0f + 0.3275911f * z);
    Lane y = 1.061405429f * t - 1.453152027f;
    y = y * t + 1.421413741f;
    y = y * t - 0.284496736f;
    y = y * t + 0.254829592f;
    const Lane erf = 1.0f - y * t * exponential(-z * z);
    return 0.5f * x * (1.0f + (x < 0 ? -erf : erf));
}

// Numbers as whole multiples of the scale that is returned, the largest 127 of them.
[[gnu::always_inline]] inline float quantise(const float* values, int count, Code* codes) {
    Lane most = all<Lane>(0);
    for (int i = 0; i < count; i += width) most = larger(magnitude(load<Lane>(values + i)), most);
    const float peak = largest(most), inverse = peak > 0 ? 127.0f / peak : 0.0f;
    for (int i = 0; i < count; i += width)
        store<Codes>(codes + i, __builtin_convertvector(round(load<Lane>(values + i) * inverse) + code_offset, Codes));
    return peak / 127.0f;
}

inline std::size_t place(int output, int input, int depth) {
    return (static_cast<std::size_t>(output / lanes) * depth + input / group * group) * lanes +
           output % lanes * group + input % group;
}

// One of the two factors of a product, made ready.
struct Packed {
    int outputs, depth;  // multiples of 16
    const Weight* weights;
    const std::int32_t* start;  // by output: what takes the offset of the codes off again
    const float* scale;         // by output
};

template <int Rows, int Columns>
inline void multiply_block(const Code* codes, const float* code_scale, const Packed& with, int column, const float* bias,
                           bool add, std::ptrdiff_t stride, float* out) {
    constexpr int parts = lanes / width;
    Whole sum[Rows][Columns * parts];
    for (int r = 0; r < Rows; ++r)
        for (int c = 0; c < Columns * parts; ++c) sum[r][c] = load<Whole>(with.start + column + c * width);
    const Weight* weights = with.weights + static_cast<std::size_t>(column) * with.depth;
    const std::size_t next_column = static_cast<std::size_t>(with.depth) * lanes;
    for (int k = 0; k < with.depth; k += group, weights += group * lanes) {
        Whole w[Columns * parts];
        for (int c = 0; c < Columns * parts; ++c)
            std::memcpy(&w[c], weights + c / parts * next_column + c % parts * width * group, sizeof(w[c]));
        for (int r = 0; r < Rows; ++r) {
            std::int32_t few;
            std::memcpy(&few, codes + static_cast<std::ptrdiff_t>(r) * with.depth + k, sizeof(few));
            const Whole repeated = all<Whole>(few);
            for (int c = 0; c < Columns * parts; ++c) sum[r][c] = add_products(sum[r][c], w[c], repeated);
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int c = 0; c < Columns * parts; ++c) {
            const int j = column + c * width;
            Lane x = __builtin_convertvector(sum[r][c], Lane) * (code_scale[r] * load<Lane>(with.scale + j));
            if (bias) x = x + load<Lane>(bias + j);
            float* to = out + r * stride + j;
            store<Lane>(to, add ? load<Lane>(to) + x : x);
        }
}

// out = codes x with + bias, or added to what is there. Columns first: a few columns of `with` stay in the first-level
// cache while all rows pass.
inline void multiply(const Code* codes, const float* code_scale, int rows, const Packed& with, const float* bias, bool add,
                     std::ptrdiff_t stride, float* out) {
    for (int column = 0; column < with.outputs; column += columns_at_once * lanes) {
        int r = 0;
        const bool wide = column + columns_at_once * lanes <= with.outputs;
        for (; wide && r + rows_at_once <= rows; r += rows_at_once)
            multiply_block<rows_at_once, columns_at_once>(codes + static_cast<std::ptrdiff_t>(r) * with.depth,
                                                          code_scale + r, with, column, bias, add, stride, out + r * stride);
        for (; r < rows; ++r)
            for (int c = column; c < with.outputs && c < column + columns_at_once * lanes; c += lanes)
                multiply_block<1, 1>(codes + static_cast<std::ptrdiff_t>(r) * with.depth, code_scale + r, with, c, bias,
                                     add, stride, out + r * stride);
    }
}

inline void normalise(const float* x, const float* weight, const float* bias, float* out) {
    constexpr int n = encoder_size, parts = lanes / width;
    Sums sums, squares;
    for (int i = 0; i < n; i += width) sums.part[i / width % parts] += load<Lane>(x + i);
    const float mean = sums.total() / n;
    for (int i = 0; i < n; i += width) {
        const Lane d = load<Lane>(x + i) - mean;
        squares.part[i / width % parts] += d * d;
    }
    const float inverse = 1.0f / __builtin_sqrtf(squares.total() / n + 1e-5f);
    for (int i = 0; i < n; i += width)
        store<Lane>(out + i, (load<Lane>(x + i) - mean) * inverse * load<Lane>(weight + i) + load<Lane>(bias + i));
}

// Room for one window.
struct Scratch {
    alignas(64) float wide[encoder_window * 3 * encoder_size];
    alignas(64) float row[2 * encoder_size];
    alignas(64) float mixed[encoder_window * encoder_size];
    alignas(64) float scores[encoder_window * encoder_window];
    alignas(64) float code_scale[encoder_window];
    alignas(64) float other_scale[encoder_window];
    alignas(64) std::int32_t start[encoder_window];
    alignas(64) Code codes[encoder_window * 2 * encoder_size];
    alignas(64) Code few[encoder_size];
    alignas(64) Weight weights[encoder_window * encoder_window];
};

inline Packed packed(const EncoderLinear& linear) {
    return {linear.outputs, linear.inputs, static_cast<const Weight*>(linear.packed), linear.start, linear.scale};
}

constexpr int head_size = encoder_size / encoder_heads;

// The keys of a head as a factor: an output is a word.
inline Packed pack_keys(const float* keys, std::ptrdiff_t stride, int words, int padded, Scratch& s) {
    for (int j = 0; j < padded; ++j) {
        Code* codes = s.few;
        std::int32_t sum = 0;
        for (int i = 0; i < head_size; ++i) codes[i] = static_cast<Code>(code_offset);
        s.other_scale[j] = j < words ? quantise(keys + j * stride, head_size, codes) : 0.0f;
        Weight* to = s.weights + place(j, 0, head_size);
        for (int i = 0; i < head_size; i += group, to += group * lanes)
            for (int g = 0; g < group; ++g) to[g] = static_cast<Weight>(codes[i + g] - code_offset);
        for (int i = 0; i < head_size; ++i) sum += codes[i] - code_offset;
        s.start[j] = -code_offset * sum;
    }
    return {padded, head_size, s.weights, s.start, s.other_scale};
}

// The values of a head as a factor: an output is a number of theirs, its depth the words.
inline Packed pack_values(const float* values, std::ptrdiff_t stride, int words, int padded, Scratch& s) {
    for (int d = 0; d < head_size; d += width) {
        Lane most = all<Lane>(0);
        for (int j = 0; j < words; ++j) most = larger(magnitude(load<Lane>(values + j * stride + d)), most);
        const Lane inverse = most > 0 ? 127.0f / most : all<Lane>(0);
        Whole sum = all<Whole>(0);
        for (int j = 0; j < padded; ++j) {
            const Whole whole = j < words ? round(load<Lane>(values + j * stride + d) * inverse) : all<Whole>(0);
            sum += whole;
            Weight few[width];
            store<Weights>(few, __builtin_convertvector(whole, Weights));
            Weight* to = s.weights + place(d, j, padded);
            for (int l = 0; l < width; ++l) to[l * group] = few[l];
        }
        store<Lane>(s.other_scale + d, most / 127.0f);
        store<Whole>(s.start + d, sum * -code_offset);
    }
    return {head_size, padded, s.weights, s.start, s.other_scale};
}

// Attention of one head: its columns of `mixed`, from the queries, keys and values in `wide`.
inline void attend(int words, int head, Scratch& s) {
    constexpr int stride = 3 * encoder_size;
    const int padded = (words + lanes - 1) / lanes * lanes;
    const float* queries = s.wide + head * head_size;
    const Packed keys = pack_keys(queries + encoder_size, stride, words, padded, s);
    for (int i = 0; i < words; ++i)
        s.code_scale[i] = quantise(queries + i * stride, head_size, s.codes + i * head_size) / 8;  // the root of 64
    multiply(s.codes, s.code_scale, words, keys, nullptr, false, padded, s.scores);
    for (int i = 0; i < words; ++i) {
        float* row = s.scores + i * padded;
        for (int j = words; j < padded; ++j) row[j] = row[0];
        Lane most = load<Lane>(row);
        for (int j = width; j < padded; j += width) most = larger(load<Lane>(row + j), most);
        const float peak = largest(most);
        for (int j = 0; j < padded; j += width) store<Lane>(row + j, exponential(load<Lane>(row + j) - peak));
        for (int j = words; j < padded; ++j) row[j] = 0;
        Code* codes = s.codes + i * padded;
        quantise(row, padded, codes);
        std::int32_t sum = 0;
        for (int j = 0; j < padded; ++j) sum += codes[j] - code_offset;
        s.code_scale[i] = 1.0f / static_cast<float>(sum);  // so that the shares of all words add up to 1
    }
    const Packed values = pack_values(queries + 2 * encoder_size, stride, words, padded, s);
    multiply(s.codes, s.code_scale, words, values, nullptr, false, encoder_size, s.mixed + head * head_size);
}

void pack_weights(const std::int8_t* weights, int outputs, int inputs, void* packed, std::int32_t* start) {
    Weight* to = static_cast<Weight*>(packed);
    for (int j = 0; j < outputs; ++j) {
        std::int32_t sum = 0;
        for (int i = 0; i < inputs; ++i) {
            to[place(j, i, inputs)] = weights[static_cast<std::ptrdiff_t>(j) * inputs + i];
            sum += weights[static_cast<std::ptrdiff_t>(j) * inputs + i];
        }
        start[j] = -code_offset * sum;
    }
}

void encode_window(const EncoderModel& model, const std::int32_t* word, int words, void* scratch, float* x) {
    constexpr int n = encoder_size;
    Scratch& s = *static_cast<Scratch*>(scratch);
    for (int i = 0; i < words; ++i) {
        const std::int8_t* codes = model.table + static_cast<std::ptrdiff_t>(word[i]) * n;
        const float scale = model.table_scale[word[i]];
        for (int d = 0; d < n; ++d) s.mixed[i * n + d] = codes[d] * scale;
    }
    for (int i = 0; i < words; ++i)
        for (int d = 0; d < n; ++d) {
            const float* alone = s.mixed + i * n + d;
            float sum = *alone;
            if (i > 0) sum += model.left[d] * alone[-n];
            if (i + 1 < words) sum += model.right[d] * alone[n];
            x[i * n + d] = sum;
        }
    for (const EncoderLayer& layer : model.layers) {
        for (int i = 0; i < words; ++i) {
            normalise(x + i * n, layer.attention_norm.weight, layer.attention_norm.bias, s.row);
            s.code_scale[i] = quantise(s.row, n, s.codes + i * n);
        }
        multiply(s.codes, s.code_scale, words, packed(layer.attention), layer.attention.bias, false, 3 * n, s.wide);
        for (int head = 0; head < encoder_heads; ++head) attend(words, head, s);
        for (int i = 0; i < words; ++i) s.code_scale[i] = quantise(s.mixed + i * n, n, s.codes + i * n);
        multiply(s.codes, s.code_scale, words, packed(layer.output), layer.output.bias, true, n, x);
        for (int i = 0; i < words; ++i) {
            normalise(x + i * n, layer.forward_norm.weight, layer.forward_norm.bias, s.row);
            s.code_scale[i] = quantise(s.row, n, s.codes + i * n);
        }
        multiply(s.codes, s.code_scale, words, packed(layer.up), layer.up.bias, false, 2 * n, s.wide);
        for (int i = 0; i < words; ++i) {
            for (int d = 0; d < 2 * n; d += width) store<Lane>(s.row + d, gelu(load<Lane>(s.wide + i * 2 * n + d)));
            s.code_scale[i] = quantise(s.row, 2 * n, s.codes + i * 2 * n);
        }
        multiply(s.codes, s.code_scale, words, packed(layer.down), layer.down.bias, true, n, x);
    }
    for (int i = 0; i < words; ++i) {
        Sums products;
        for (int d = 0; d < n; d += width)
            products.part[d / width % (lanes / width)] += load<Lane>(x + i * n + d) * load<Lane>(model.gate + d);
        const float logarithm = products.total() + model.gate_bias + model.word_weight[word[i]];
        const Lane weight = exponential(all<Lane>(logarithm));
        for (int d = 0; d < n; d += width) store<Lane>(x + i * n + d, load<Lane>(x + i * n + d) * weight);
    }
}

// Four rows at a time, so that `with` is loaded once for four.
void dot_bytes(const std::int8_t* rows, std::int64_t count, std::size_t dimensions, const std::int16_t* with,
               std::int32_t* out) {
    for (; count >= 4; count -= 4, rows += 4 * dimensions, out += 4) {
        const std::int8_t *a = rows, *b = a + dimensions, *c = b + dimensions, *d = c + dimensions;
        std::int32_t sum[4] = {};
        for (std::size_t i = 0; i < dimensions; ++i) {
            const std::int16_t x = with[i];
            sum[0] += static_cast<std::int16_t>(a[i]) * x;
            sum[1] += static_cast<std::int16_t>(b[i]) * x;
            sum[2] += static_cast<std::int16_t>(c[i]) * x;
            sum[3] += static_cast<std::int16_t>(d[i]) * x;
        }
        for (int r = 0; r < 4; ++r) out[r] = sum[r];
    }
    for (; count > 0; --count, rows += dimensions, ++out) {
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < dimensions; ++i) sum += static_cast<std::int16_t>(rows[i]) * with[i];
        *out = sum;
    }
}

constexpr EncoderKernels encoder_kernels_for(const char* name) {
    return {name, sizeof(Scratch), sizeof(Weight), pack_weights, encode_window, dot_bytes};
}

}  // namespace
}  // namespace hott
