// L1 distances between all documents of two sets of sparse rows, by an inverted index of the second.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "documents.hpp"
#include "parallel.hpp"

namespace hott {

// For every site the documents that have mass there, in order; and what each document has in all. Made once for many
// searches: it takes as long as some.
class InvertedIndex {
  public:
    InvertedIndex(const Documents& documents, std::int64_t sites) : totals(documents.count), start_(sites + 1, 0) {
        const std::int64_t entries = documents.start[documents.count] - documents.start[0];
        const std::int32_t* site = documents.site + documents.start[0];
        for (std::int64_t e = 0; e < entries; ++e) ++start_[site[e] + 1];
        for (std::int64_t s = 0; s < sites; ++s) start_[s + 1] += start_[s];
        document_.resize(entries);
        mass_.resize(entries);
        std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
        for (std::int64_t d = 0; d < documents.count; ++d) {
            const Document document = documents[d];
            totals[d] = total(document);
            for (int e = 0; e < document.size; ++e) {
                const std::int64_t place = next[document.site[e]]++;
                document_[place] = static_cast<std::int32_t>(d);
                mass_[place] = document.mass[e];
            }
        }
    }

    std::int64_t count() const { return static_cast<std::int64_t>(totals.size()); }

    // Adds to every document what it has in common with a mass at a site.
    void add_common(std::int64_t site, double mass, double* sum) const {
        for (std::int64_t e = start_[site]; e < start_[site + 1]; ++e) sum[document_[e]] += std::min(mass, mass_[e]);
    }

    static double total(const Document& d) {
        double sum = 0;
        for (int e = 0; e < d.size; ++e) sum += d.mass[e];
        return sum;
    }

    std::vector<double> totals;

  private:
    std::vector<std::int64_t> start_;
    std::vector<std::int32_t> document_;
    std::vector<double> mass_;
};

// out (P.count x Q.count) = sum |p - q| = sum p + sum q - 2 sum min(p, q), where only the sites that two documents
// share enter the last sum. All sums run over ascending sites, so that equal documents are at distance exactly 0.
inline void sparse_l1(const Documents& P, const InvertedIndex& Q, int threads, double* out, const Watch& watch) {
    constexpr std::int64_t chunk = 16;
    auto rows = [&](std::int64_t task, int, const std::atomic<bool>& stop) {
        for (std::int64_t i = task * chunk; i < std::min(P.count, (task + 1) * chunk) && !stop; ++i) {
            const Document p = P[i];
            double* row = out + i * Q.count();
            std::fill_n(row, Q.count(), 0.0);
            for (int e = 0; e < p.size; ++e) Q.add_common(p.site[e], p.mass[e], row);
            const double sum = InvertedIndex::total(p);
            for (std::int64_t j = 0; j < Q.count(); ++j) row[j] = std::max(0.0, sum + Q.totals[j] - 2 * row[j]);
        }
    };
    parallel_for((P.count + chunk - 1) / chunk, threads, rows, watch);
}

}  // namespace hott
