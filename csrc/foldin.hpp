// Topic proportions of documents, the topics being given ("folding in").
//
// Two ways: the fixed point of a mean-field update, and averaged Gibbs sweeps. Both look at one document at a
// time, so its proportions depend on its counts, the topics and the seed alone: not on the batch, the order or
// the number of threads. Sums run over eight lanes in a fixed order and nothing is contracted, so they do not
// depend on the machine's vector width either: an index made elsewhere still finds its own documents at
// distance exactly 0.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "documents.hpp"
#include "pairwise.hpp"
#include "parallel.hpp"

#if defined(__GNUC__) && defined(__x86_64__)
#define HOTT_FOLDIN_X86 1
#endif

namespace hott {

// Word-major topics: the probabilities of one word under every topic are one contiguous row, so a document of
// fifty words works on fifty short rows that stay in the first-level cache.
struct TopicTable {
    const float* probability;  // n_words x stride
    const float* alpha;        // stride, zero in the padding
    std::size_t n_topics;
    std::size_t stride;  // n_topics, padded with zeros to a multiple of foldin::kLanes

    const float* row(std::int32_t word) const { return probability + static_cast<std::size_t>(word) * stride; }
};

enum class FoldInMethod { fixed_point, gibbs };

struct FoldInOptions {
    FoldInMethod method;
    int steps;           // updates of the fixed point, or Gibbs sweeps over the document
    int burn_in;         // Gibbs: sweeps left out of the average
    std::uint64_t seed;  // Gibbs: of the topic model; the document's own words are mixed into it
};

namespace foldin {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kRows = 4;  // words handled together, so that theta and the sums are loaded once for four

// Eight floats read and written in place, wherever they lie.
#if defined(__GNUC__)
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float)), aligned(alignof(float)), may_alias));
#define HOTT_FOLDIN_INLINE inline __attribute__((always_inline))
#else
struct Lanes {
    float lane[kLanes];

    float operator[](std::size_t l) const { return lane[l]; }
    template <class F>
    static Lanes each(F f) {
        Lanes out;
        for (std::size_t l = 0; l < kLanes; ++l) out.lane[l] = f(l);
        return out;
    }
    friend Lanes operator+(const Lanes& a, const Lanes& b) { return each([&](auto l) { return a[l] + b[l]; }); }
    friend Lanes operator*(const Lanes& a, const Lanes& b) { return each([&](auto l) { return a[l] * b[l]; }); }
    friend Lanes operator*(const Lanes& a, float b) { return each([&](auto l) { return a[l] * b; }); }
    Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
};
#define HOTT_FOLDIN_INLINE inline
#endif
inline const Lanes& lanes(const float* p) { return *reinterpret_cast<const Lanes*>(p); }
inline Lanes& lanes(float* p) { return *reinterpret_cast<Lanes*>(p); }
inline float sum(const Lanes& x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// One thread's scratch space, kept from document to document.
struct Workspace {
    std::vector<const float*> rows;   // of the document's words, padded to a multiple of kRows
    std::vector<float> counts;        // the same, zero in the padding
    std::vector<float> theta, sums;   // per topic, padded
    std::vector<double> cumulative;   // Gibbs
    std::vector<const float*> token;  // Gibbs: one entry per word occurrence
    std::vector<std::int32_t> topic_of, tokens_of;

    explicit Workspace(const TopicTable& topics)
        : theta(topics.stride), sums(topics.stride), cumulative(topics.n_topics), tokens_of(topics.n_topics) {}
};

// theta_k <- alpha_k + theta_k sum_w n_w phi_kw / sum_j phi_jw theta_j. The ratio does not depend on the scale
// of theta, so nothing is normalised until the end. A word that no topic knows has no ratio and is passed over.
HOTT_FOLDIN_INLINE void update(const TopicTable& topics, Workspace& work) {
    const std::size_t stride = topics.stride;
    float* theta = work.theta.data();
    float* sums = work.sums.data();
    std::fill(sums, sums + stride, 0.0f);
    for (std::size_t w = 0; w < work.rows.size(); w += kRows) {
        const float *a = work.rows[w], *b = work.rows[w + 1], *c = work.rows[w + 2], *d = work.rows[w + 3];
        Lanes dot[kRows] = {};
        for (std::size_t k = 0; k < stride; k += kLanes) {
            const Lanes& t = lanes(theta + k);
            dot[0] += lanes(a + k) * t;
            dot[1] += lanes(b + k) * t;
            dot[2] += lanes(c + k) * t;
            dot[3] += lanes(d + k) * t;
        }
        float weight[kRows];
        for (std::size_t i = 0; i < kRows; ++i) {
            const float total = sum(dot[i]);
            weight[i] = total > 0.0f ? work.counts[w + i] / total : 0.0f;
        }
        for (std::size_t k = 0; k < stride; k += kLanes) {
            const Lanes left = lanes(a + k) * weight[0] + lanes(b + k) * weight[1];
            const Lanes right = lanes(c + k) * weight[2] + lanes(d + k) * weight[3];
            lanes(sums + k) += left + right;
        }
    }
    for (std::size_t k = 0; k < stride; k += kLanes)
        lanes(theta + k) = lanes(topics.alpha + k) + lanes(theta + k) * lanes(sums + k);
}

inline void fixed_point_portable(const TopicTable& topics, int steps, Workspace& work) {
    for (int step = 0; step < steps; ++step) update(topics, work);
}

#ifdef HOTT_FOLDIN_X86
// The same source, twice as fast in 256-bit registers; the same numbers, since no multiply-add is fused.
__attribute__((target("avx2"))) inline void fixed_point_avx2(const TopicTable& topics, int steps, Workspace& work) {
    for (int step = 0; step < steps; ++step) update(topics, work);
}
#endif

inline void fixed_point(const TopicTable& topics, const Document& document, int steps, Workspace& work, double* out) {
    const std::size_t padded = (document.size + kRows - 1) / kRows * kRows;
    work.rows.assign(padded, topics.probability);
    work.counts.assign(padded, 0.0f);
    for (int i = 0; i < document.size; ++i) {
        work.rows[i] = topics.row(document.site[i]);
        work.counts[i] = static_cast<float>(document.mass[i]);
    }
    std::fill(work.theta.begin(), work.theta.end(), 1.0f);
#ifdef HOTT_FOLDIN_X86
    if (__builtin_cpu_supports("avx2"))
        fixed_point_avx2(topics, steps, work);
    else
#endif
        fixed_point_portable(topics, steps, work);
    for (std::size_t k = 0; k < topics.n_topics; ++k) out[k] = work.theta[k];
}

// SplitMix64: one multiplication-free state step and a good mixer; also used to hash the document.
struct Random {
    std::uint64_t state;

    std::uint64_t next() {
        std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

// The sampler's seed comes from what the document says, so the same text always draws the same topics.
inline Random seeded(std::uint64_t seed, const Document& document) {
    Random mix{seed};
    for (int i = 0; i < document.size; ++i) {
        mix.state = mix.next() ^ static_cast<std::uint64_t>(document.site[i]);
        mix.state = mix.next() ^ static_cast<std::uint64_t>(document.mass[i]);
    }
    return mix;
}

// Draws a topic with probability proportional to (alpha_k + tokens_k) phi_kw. Without a prior (alpha = 0) every
// topic the word knows may be out of tokens; the word then speaks for itself.
inline std::int32_t draw(const TopicTable& topics, const float* row, Random& random, Workspace& work) {
    double total = 0.0;
    for (std::size_t k = 0; k < topics.n_topics; ++k)
        work.cumulative[k] = total += (static_cast<double>(topics.alpha[k]) + work.tokens_of[k]) * row[k];
    if (total == 0.0)
        for (std::size_t k = 0; k < topics.n_topics; ++k) work.cumulative[k] = total += row[k];
    const auto at = std::upper_bound(work.cumulative.begin(), work.cumulative.end(), random.uniform() * total);
    return static_cast<std::int32_t>(at - work.cumulative.begin());
}

inline void gibbs(const TopicTable& topics, const Document& document, const FoldInOptions& options, Workspace& work,
                  double* out) {
    work.token.clear();
    for (int i = 0; i < document.size; ++i) {
        const float* row = topics.row(document.site[i]);
        if (std::any_of(row, row + topics.n_topics, [](float p) { return p > 0.0f; }))
            work.token.insert(work.token.end(), static_cast<std::size_t>(document.mass[i]), row);
    }
    work.topic_of.resize(work.token.size());
    std::fill(work.tokens_of.begin(), work.tokens_of.end(), 0);
    Random random = seeded(options.seed, document);
    for (std::size_t i = 0; i < work.token.size(); ++i)
        ++work.tokens_of[work.topic_of[i] = draw(topics, work.token[i], random, work)];

    std::fill(out, out + topics.n_topics, 0.0);
    for (int sweep = 0; sweep < options.steps; ++sweep) {
        for (std::size_t i = 0; i < work.token.size(); ++i) {
            --work.tokens_of[work.topic_of[i]];
            ++work.tokens_of[work.topic_of[i] = draw(topics, work.token[i], random, work)];
        }
        if (sweep >= options.burn_in)
            for (std::size_t k = 0; k < topics.n_topics; ++k)
                out[k] += static_cast<double>(topics.alpha[k]) + work.tokens_of[k];
    }
}

// A document without a word that the topics know gets the prior; without a prior, every topic alike.
inline void normalise(const TopicTable& topics, double* out) {
    double total = 0.0;
    for (std::size_t k = 0; k < topics.n_topics; ++k) total += out[k];
    for (std::size_t k = 0; k < topics.n_topics; ++k)
        out[k] = total > 0.0 ? out[k] / total : 1.0 / static_cast<double>(topics.n_topics);
}

}  // namespace foldin

// Fills out (documents.count x topics.n_topics) with proportions; every row sums to 1. Here a document's sites are
// its words and its masses their counts.
inline void fold_in(const Documents& documents, const TopicTable& topics, const FoldInOptions& options, int threads,
                    double* out, const Watch& watch) {
    constexpr std::int64_t chunk = 64;
    std::vector<foldin::Workspace> work(threads, foldin::Workspace(topics));
    auto run = [&](std::int64_t task, int worker, const std::atomic<bool>& stop) {
        for (std::int64_t i = task * chunk; i < std::min(documents.count, (task + 1) * chunk) && !stop; ++i) {
            double* proportions = out + i * static_cast<std::int64_t>(topics.n_topics);
            if (options.method == FoldInMethod::fixed_point)
                foldin::fixed_point(topics, documents[i], options.steps, work[worker], proportions);
            else
                foldin::gibbs(topics, documents[i], options, work[worker], proportions);
            foldin::normalise(topics, proportions);
        }
    };
    parallel_for((documents.count + chunk - 1) / chunk, threads, run,
                 [&](std::int64_t finished) { watch(std::min(finished * chunk, documents.count), documents.count); });
}

}  // namespace hott
