// L1 distances between all documents of two sets of sparse rows, by an inverted index of the second.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "documents.hpp"
#include "parallel.hpp"

namespace hott {

// For every site the documents that have mass there, in order.
class InvertedIndex {
  public:
    struct Posting {
        std::int64_t document;
        double mass;
    };

    InvertedIndex(const Documents& documents, std::int64_t sites) : start_(sites + 1, 0) {
        const std::int64_t entries = documents.start[documents.count] - documents.start[0];
        const std::int32_t* site = documents.site + documents.start[0];
        for (std::int64_t e = 0; e < entries; ++e) ++start_[site[e] + 1];
        for (std::int64_t s = 0; s < sites; ++s) start_[s + 1] += start_[s];
        postings_.resize(entries);
        std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
        for (std::int64_t d = 0; d < documents.count; ++d) {
            const Document document = documents[d];
            for (int e = 0; e < document.size; ++e) postings_[next[document.site[e]]++] = {d, document.mass[e]};
        }
    }
    const Posting* begin(std::int64_t site) const { return postings_.data() + start_[site]; }
    const Posting* end(std::int64_t site) const { return postings_.data() + start_[site + 1]; }

  private:
    std::vector<std::int64_t> start_;
    std::vector<Posting> postings_;
};

// out (P.count x Q.count) = sum |p - q| = sum p + sum q - 2 sum min(p, q), where only the sites that two documents
// share enter the last sum. All sums run over ascending sites, so that equal documents are at distance exactly 0.
inline void sparse_l1(const Documents& P, const Documents& Q, std::int64_t sites, int threads, double* out,
                      const Watch& watch) {
    constexpr std::int64_t chunk = 16;
    const auto total = [](const Document& d) {
        double sum = 0;
        for (int e = 0; e < d.size; ++e) sum += d.mass[e];
        return sum;
    };
    const InvertedIndex index(Q, sites);
    std::vector<double> totals(Q.count);
    for (std::int64_t j = 0; j < Q.count; ++j) totals[j] = total(Q[j]);

    auto rows = [&](std::int64_t task, int, const std::atomic<bool>& stop) {
        for (std::int64_t i = task * chunk; i < std::min(P.count, (task + 1) * chunk) && !stop; ++i) {
            const Document p = P[i];
            double* row = out + i * Q.count;
            std::fill_n(row, Q.count, 0.0);
            for (int e = 0; e < p.size; ++e)
                for (const auto *q = index.begin(p.site[e]), *end = index.end(p.site[e]); q != end; ++q)
                    row[q->document] += std::min(p.mass[e], q->mass);
            const double sum = total(p);
            for (std::int64_t j = 0; j < Q.count; ++j) row[j] = std::max(0.0, sum + totals[j] - 2 * row[j]);
        }
    };
    parallel_for((P.count + chunk - 1) / chunk, threads, rows,
                 [&](std::int64_t done) { watch(std::min(done * chunk, P.count), P.count); });
}

}  // namespace hott
