// The distance between two documents by the general solver, after cancelling what they have in common.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common_mass.hpp"
#include "documents.hpp"
#include "simplex.hpp"

namespace hott {

// A workspace; one per thread.
class PairSolver {
  public:
    template <class Ground>  // sites x sites, or a table of words (words.hpp)
    double operator()(const Ground& ground, Document p, Document q, const std::atomic<bool>* stop) {
        if (ground.free_stay && p == q) return 0;
        const bool swapped = ground.symmetric && q < p;
        if (swapped) std::swap(p, q);
        split(p, q, ground.sites, ground.metric);
        if (a_.empty() || b_.empty()) return 0;  // what is left is less than rounding
        gather(ground, swapped);
        return simplex_.solve(static_cast<int>(a_.size()), static_cast<int>(b_.size()), a_.data(), b_.data(),
                              cost_.data(), static_cast<std::ptrdiff_t>(b_.size()), stop);
    }

  private:
    // The masses to be moved, and where from and to.
    void split(const Document& p, const Document& q, int sites, bool cancel) {
        rows_.resize(p.size), a_.resize(p.size), columns_.resize(q.size), b_.resize(q.size);
        common_.set_first(p, sites, cancel);
        const LeftOver left = common_.split(q, {rows_.data(), a_.data()}, {columns_.data(), b_.data()});
        rows_.resize(left.rows), a_.resize(left.rows), columns_.resize(left.columns), b_.resize(left.columns);
    }

    template <class Ground>
    void gather(const Ground& ground, bool swapped) {
        cost_.resize(a_.size() * b_.size());
        double* to = cost_.data();
        for (int s : rows_)
            for (int t : columns_) *to++ = ground.between(s, t, swapped);
    }

    CommonMass common_;
    std::vector<std::int32_t> rows_, columns_;
    std::vector<double> a_, b_, cost_;
    Simplex simplex_;
};

}  // namespace hott
