// Topics by Gibbs sampling on the GPU: the model of csrc/sampler.hpp, many documents at once.
//
// Documents are drawn in batches. All of a batch see the counts of words and topics as they were when it began, less the
// occurrence that is drawn, and the counts within their own document as they are. What they change is added up in whole
// numbers, which may come in any order, and is seen by the next batch. So the same seed gives the same topics, although
// the documents of a batch are drawn in no order. Random numbers are those of the CPU, by occurrence and sweep.
//
// A warp draws a document; lane l has the topics l, l + 32, ... in its registers.
#pragma once

#include "portable.h"
#include "random.h"

namespace hott {

// Several models of the same documents. Tables of a model are words x topics, `topics` padded to a multiple of a warp's
// lanes with topics of no weight.
struct Sampling {
    int models, topics, real_topics, words, all_words, per_word;  // all_words: with those of no document
    float alpha, eta;
    double smoothing;       // eta * words
    double everything;      // occurrences that a word borrows from the corpus at large
    long long occurrences;
    const int* word;         // of every occurrence
    const long long* start;  // the first occurrence of every document
    const int* document;     // in the order in which they are drawn, long ones first
    const u64* seed;         // of every model
    const int* near;         // all_words x per_word: the words to borrow from
    const float* near_weight;
    const float* scale;      // of every word: what borrowed counts are multiplied by
    u16* topic;              // models x occurrences
    int* count;              // models x words x topics: n(k, w)
    int* total;              // models x topics: n(k)
    float* prior;            // models x all_words x topics: eta + strength * borrowed(k | w)
    float* weight;           // models x words x topics: n(k, w) + prior, when the batch began
    float* inverse;          // models x topics: 1 / (n(k) + smoothing), when the batch began
    float* inverse_less;     // models x topics: 1 / (n(k) - 1 + smoothing)

    HOTT_DEVICE long long table(int model) const { return static_cast<long long>(model) * words * topics; }
};

// One occurrence of one model gets its first topic.
HOTT_DEVICE void begin_occurrence(const Sampling& s, int model, long long i) {
    const u32 topic = any_of(s.real_topics, mixed(s.seed[model] + (i + 1) * golden_step));
    s.topic[model * s.occurrences + i] = static_cast<u16>(topic);
    add_to(s.count + s.table(model) + static_cast<long long>(s.word[i]) * s.topics + topic, 1);
    add_to(s.total + model * s.topics + topic, 1);
}

// The prior of a word in a model by the counts of its neighbours. A word of no document has what it borrows, no more.
HOTT_DEVICE void borrow_word(const Sampling& s, int model, int w) {
    const int* total = s.total + model * s.topics;
    const float scale = s.scale[w], eta = w < s.words ? s.eta : 0.0f;
    float* prior = s.prior + (static_cast<long long>(model) * s.all_words + w) * s.topics;
    for (int k = own_lane(); k < s.real_topics; k += warp_lanes) {
        float sum = static_cast<float>(s.everything * total[k] / s.occurrences);
        for (int i = 0; i < s.per_word; ++i) {
            const long long row = s.near[static_cast<long long>(w) * s.per_word + i];
            const int count = s.count[s.table(model) + row * s.topics + k];
            sum += product(static_cast<float>(count), s.near_weight[static_cast<long long>(w) * s.per_word + i]);
        }
        prior[k] = eta + product(scale, sum);
    }
}

// What the next batch sees: of one word of a model, and of one topic.
HOTT_DEVICE void weigh_word(const Sampling& s, int model, int w) {
    const long long row = s.table(model) + static_cast<long long>(w) * s.topics;
    const float* prior = s.prior + (static_cast<long long>(model) * s.all_words + w) * s.topics;
    for (int k = own_lane(); k < s.real_topics; k += warp_lanes)
        s.weight[row + k] = static_cast<float>(s.count[row + k]) + prior[k];
}

HOTT_DEVICE void weigh_topic(const Sampling& s, int place) {
    s.inverse[place] = static_cast<float>(1.0 / (s.total[place] + s.smoothing));
    s.inverse_less[place] = static_cast<float>(1.0 / (s.total[place] - 1 + s.smoothing));
}

// A topic for an occurrence that has the topic `now`, of a word with this row of weights, at `point` of the way from 0
// to 1. Each lane finds where in its own topics the point would lie; the lane in whose sum it lies is right.
template <int Rows>
HOTT_DEVICE int draw_topic(const float* held, const float* inverse, const float* weight, float alpha, float inverse_less,
                           int now, float point) {
    const int lane = own_lane(), row_of_now = now % warp_lanes == lane ? now / warp_lanes : -1;
    float mass[Rows], own = 0;
    HOTT_UNROLL
    for (int r = 0; r < Rows; ++r) {
        mass[r] = product(product(held[r] + alpha, inverse[r]), weight[r]);
        if (r == row_of_now) mass[r] = product(product(held[r] - 1 + alpha, inverse_less), weight[r] - 1);
        own += mass[r];
    }
    const float up_to = sum_up_to_lane(own);
    point *= from_lane(up_to, warp_lanes - 1);
    float sum = up_to - own;
    int found = now;  // where rounding leads astray
    bool looking = true;
    HOTT_UNROLL
    for (int r = 0; r < Rows; ++r) {
        sum += mass[r];
        if (looking && sum > point && mass[r] > 0) found = r * warp_lanes + lane, looking = false;
    }
    const int right = first_lane(up_to > point);
    return right < 0 ? now : from_lane(found, right);
}

// Adds to the lane's count of a topic, if it has that topic.
template <int Rows>
HOTT_DEVICE void count_topic(float* held, int topic, float more) {
    const int row = topic % warp_lanes == own_lane() ? topic / warp_lanes : -1;
    HOTT_UNROLL
    for (int r = 0; r < Rows; ++r)
        if (r == row) held[r] += more;
}

// Draws the topic of every occurrence in a document once. `numbers`: random numbers that were drawn before this sweep.
template <int Rows>
HOTT_DEVICE void sample_document(const Sampling& s, int model, int document, u64 numbers) {
    const int lane = own_lane();
    const long long first = s.start[document], last = s.start[document + 1];
    const float* weights = s.weight + s.table(model) + lane;
    int* counts = s.count + s.table(model);
    u16* topics = s.topic + model * s.occurrences;
    const u64 seed = s.seed[model] + numbers * golden_step;

    float held[Rows] = {}, before[Rows], inverse[Rows];
    for (long long at = first; at < last; at += warp_lanes) {
        const int here = static_cast<int>(min(last - at, static_cast<long long>(warp_lanes)));
        const int topic = lane < here ? topics[at + lane] : 0;
        for (int i = 0; i < here; ++i) count_topic<Rows>(held, from_lane(topic, i), 1);
    }
    HOTT_UNROLL
    for (int r = 0; r < Rows; ++r) {
        before[r] = held[r];
        inverse[r] = s.inverse[model * s.topics + r * warp_lanes + lane];
    }
    for (long long at = first; at < last; at += warp_lanes) {
        const int here = static_cast<int>(min(last - at, static_cast<long long>(warp_lanes)));
        int word = 0, topic = 0;
        if (lane < here) word = s.word[at + lane], topic = topics[at + lane];
        const float point = uniform(mixed(seed + (at + lane + 1) * golden_step));
        // The weights do not change meanwhile, so those of the next occurrence are fetched while this one is drawn.
        float weight[Rows], next[Rows];
        const auto fetch = [&](int i) {
            const float* row = weights + static_cast<long long>(from_lane(word, i)) * s.topics;
            HOTT_UNROLL
            for (int r = 0; r < Rows; ++r) next[r] = row[r * warp_lanes];
        };
        fetch(0);
        for (int i = 0; i < here; ++i) {
            HOTT_UNROLL
            for (int r = 0; r < Rows; ++r) weight[r] = next[r];
            if (i + 1 < here) fetch(i + 1);
            const int now = from_lane(topic, i);
            const float less = s.inverse_less[model * s.topics + now];
            const int drawn = draw_topic<Rows>(held, inverse, weight, s.alpha, less, now, from_lane(point, i));
            if (drawn == now) continue;
            count_topic<Rows>(held, now, -1);
            count_topic<Rows>(held, drawn, 1);
            if (lane == i) {
                topic = drawn;
                add_to(counts + static_cast<long long>(word) * s.topics + now, -1);
                add_to(counts + static_cast<long long>(word) * s.topics + drawn, 1);
            }
        }
        if (lane < here) topics[at + lane] = static_cast<u16>(topic);
    }
    HOTT_UNROLL
    for (int r = 0; r < Rows; ++r)
        if (held[r] != before[r])
            add_to(s.total + model * s.topics + r * warp_lanes + lane, static_cast<int>(held[r] - before[r]));
}

}  // namespace hott
