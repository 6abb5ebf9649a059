// The encoder: a table of words, two layers in which words see one another, a weight for each word.
//
// The text is the sum of its words in context. A text of more than encoder_window words is cut into windows that know
// nothing of each other, so a window is the unit of work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "kernels.hpp"
#include "parallel.hpp"

namespace hott {

// What a matrix is given as: outputs x inputs whole numbers, times a scale for each output; and what is added.
struct LinearWeights {
    const std::int8_t* weights;
    const float* scale;
    const float* bias;
    int outputs, inputs;
};

struct NormWeights {
    const float *weight, *bias;
};

struct LayerWeights {
    NormWeights attention_norm, forward_norm;
    LinearWeights attention, output, up, down;
};

class Encoder {
  public:
    // The table, one row of encoder_size numbers a word, is not copied and must outlive this; all else is.
    Encoder(const std::int8_t* table, const float* table_scale, const float* word_weight, std::int64_t words,
            const float* left, const float* right, const float* gate, float gate_bias,
            const std::vector<LayerWeights>& layers) {
        model_.table = table;
        model_.table_scale = keep(table_scale, words);
        model_.word_weight = keep(word_weight, words);
        model_.left = keep(left, encoder_size);
        model_.right = keep(right, encoder_size);
        model_.gate = keep(gate, encoder_size);
        model_.gate_bias = gate_bias;
        for (int i = 0; i < encoder_layers; ++i) {
            const LayerWeights& given = layers[i];
            EncoderLayer& layer = model_.layers[i];
            layer.attention_norm = keep(given.attention_norm);
            layer.forward_norm = keep(given.forward_norm);
            layer.attention = keep(given.attention);
            layer.output = keep(given.output);
            layer.up = keep(given.up);
            layer.down = keep(given.down);
        }
    }

    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    // word: the words of the texts one after the other, start (texts + 1): where each begins.
    // rows (words x encoder_size): every word in its context.
    void in_context(const std::int32_t* word, const std::int64_t* start, std::int64_t texts, int threads, float* rows,
                    const Watch& watch) const {
        run(word, start, texts, threads, watch,
            [&](const Window& window, std::int64_t, float* x) {
                std::copy_n(x, window.words * encoder_size, rows + window.first * encoder_size);
            });
    }

    // out (texts x encoder_size): the sum of the words of each text.
    void sums(const std::int32_t* word, const std::int64_t* start, std::int64_t texts, int threads, float* out,
              const Watch& watch) const {
        const std::vector<Window> windows = cut(start, texts);
        std::vector<float> parts(windows.size() * encoder_size);
        run(windows, word, threads, watch, [&](const Window& window, std::int64_t number, float* x) {
            float* part = parts.data() + number * encoder_size;
            for (int i = 0; i < window.words; ++i)
                for (int d = 0; d < encoder_size; ++d) part[d] += x[i * encoder_size + d];
        });
        std::fill_n(out, texts * encoder_size, 0.0f);
        for (std::size_t number = 0; number < windows.size(); ++number)  // in their order, whoever made them
            for (int d = 0; d < encoder_size; ++d)
                out[windows[number].text * encoder_size + d] += parts[number * encoder_size + d];
    }

  private:
    struct Window {
        std::int64_t text, first;
        int words;
    };

    struct Free {
        void operator()(void* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    using Memory = std::unique_ptr<void, Free>;

    static Memory allocate(std::size_t bytes) { return Memory(::operator new(bytes, std::align_val_t{64})); }

    static std::vector<Window> cut(const std::int64_t* start, std::int64_t texts) {
        std::vector<Window> windows;
        for (std::int64_t text = 0; text < texts; ++text)
            for (std::int64_t first = start[text]; first < start[text + 1]; first += encoder_window)
                windows.push_back(
                    {text, first, static_cast<int>(std::min<std::int64_t>(encoder_window, start[text + 1] - first))});
        return windows;
    }

    template <class Take>
    void run(const std::int32_t* word, const std::int64_t* start, std::int64_t texts, int threads, const Watch& watch,
             const Take& take) const {
        run(cut(start, texts), word, threads, watch, take);
    }

    template <class Take>
    void run(const std::vector<Window>& windows, const std::int32_t* word, int threads, const Watch& watch,
             const Take& take) const {
        const EncoderKernels& use = encoder_kernels();
        const auto count = static_cast<std::int64_t>(windows.size());
        const int workers = static_cast<int>(std::min<std::int64_t>(std::max(threads, 1), std::max<std::int64_t>(count, 1)));
        std::vector<Memory> scratch;
        std::vector<std::vector<float>> rows(workers, std::vector<float>(encoder_window * encoder_size));
        for (int i = 0; i < workers; ++i) scratch.push_back(allocate(use.scratch_bytes));
        auto body = [&](std::int64_t number, int worker, const std::atomic<bool>&) {
            const Window& window = windows[number];
            float* x = rows[worker].data();
            use.encode_window(model_, word + window.first, window.words, scratch[worker].get(), x);
            take(window, number, x);
        };
        if (count > 1)
            parallel_for(count, workers, body, watch);
        else if (count == 1)  // a question: a thread of its own takes longer than it
            body(0, 0, std::atomic<bool>{false});
    }

    const float* keep(const float* values, std::int64_t count) {
        kept_.push_back(allocate(count * sizeof(float)));
        return std::copy_n(values, count, static_cast<float*>(kept_.back().get())) - count;
    }

    EncoderNorm keep(const NormWeights& norm) { return {keep(norm.weight, encoder_size), keep(norm.bias, encoder_size)}; }

    EncoderLinear keep(const LinearWeights& given) {
        const EncoderKernels& use = encoder_kernels();
        kept_.push_back(allocate(use.weight_bytes * given.outputs * given.inputs));
        void* packed = kept_.back().get();
        kept_.push_back(allocate(given.outputs * sizeof(std::int32_t)));
        auto* start = static_cast<std::int32_t*>(kept_.back().get());
        use.pack_weights(given.weights, given.outputs, given.inputs, packed, start);
        return {given.outputs, given.inputs, packed, start, keep(given.scale, given.outputs),
                keep(given.bias, given.outputs)};
    }

    EncoderModel model_;
    std::vector<Memory> kept_;
};

// out (count): the product of every row of bytes with a query, in whole numbers.
inline void dot_bytes(const std::int8_t* rows, std::int64_t count, std::int64_t dimensions, const std::int16_t* query,
                      int threads, std::int32_t* out, const Watch& watch) {
    constexpr std::int64_t block = 4096;
    const auto products = encoder_kernels().dot_bytes;
    auto body = [&](std::int64_t task, int, const std::atomic<bool>&) {
        const std::int64_t first = task * block;
        products(rows + first * dimensions, std::min(block, count - first), static_cast<std::size_t>(dimensions), query,
                 out + first);
    };
    const std::int64_t tasks = (count + block - 1) / block;
    if (tasks > 1)
        parallel_for(tasks, threads, body, watch);
    else if (tasks == 1)
        body(0, 0, std::atomic<bool>{false});
}

}  // namespace hott
