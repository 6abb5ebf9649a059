// The distance between two documents by the general solver, after cancelling what they have in common.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "documents.hpp"
#include "simplex.hpp"

namespace hott {

// A workspace; one per thread.
class PairSolver {
  public:
    template <class Ground>  // sites x sites, or a table of words (words.hpp)
    double operator()(const Ground& ground, Document p, Document q, const std::atomic<bool>* stop) {
        if (ground.free_stay && p == q) return 0;
        if (ground.symmetric && q < p) std::swap(p, q);
        split(p, q, ground.metric);
        if (a_.empty() || b_.empty()) return 0;  // what is left is less than rounding
        gather(ground);
        return simplex_.solve(static_cast<int>(a_.size()), static_cast<int>(b_.size()), a_.data(), b_.data(),
                              cost_.data(), static_cast<std::ptrdiff_t>(b_.size()), stop);
    }

  private:
    // The masses to be moved. A merge of the two supports; common mass is left out when it may stay.
    void split(const Document& p, const Document& q, bool cancel) {
        rows_.clear(), columns_.clear(), a_.clear(), b_.clear();
        constexpr int end = std::numeric_limits<int>::max();
        for (int i = 0, j = 0;;) {
            const int s = i < p.size ? p.site[i] : end, t = j < q.size ? q.site[j] : end, site = std::min(s, t);
            if (site == end) break;
            double from = s == site ? p.mass[i++] : 0, to = t == site ? q.mass[j++] : 0;
            const double common = cancel ? std::min(from, to) : 0;
            from -= common, to -= common;
            if (from > 0) rows_.push_back(site), a_.push_back(from);
            if (to > 0) columns_.push_back(site), b_.push_back(to);
        }
        // Both sides must carry the same mass; rounding in the sums may have moved them apart.
        const double left = std::accumulate(a_.begin(), a_.end(), 0.0), right = std::accumulate(b_.begin(), b_.end(), 0.0);
        if (right > 0)
            for (double& mass : b_) mass *= left / right;
    }

    template <class Ground>
    void gather(const Ground& ground) {
        cost_.resize(a_.size() * b_.size());
        double* to = cost_.data();
        for (int s : rows_)
            for (int t : columns_) *to++ = ground.row(s)[t];
    }

    std::vector<int> rows_, columns_;
    std::vector<double> a_, b_, cost_;
    Simplex simplex_;
};

}  // namespace hott
