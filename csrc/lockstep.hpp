// Exact distances of many pairs of small documents: what the rest of the core sees of the lockstep kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common_mass.hpp"
#include "documents.hpp"
#include "lockstep_group.hpp"

namespace hott::lockstep {

// A ground cost made ready, which must outlive it: rounded to integers for the pivots, and as it is for the values. The
// cost from site s of the first document to site t of the second is at s * sites + t. Unless the cost is symmetric, a
// second table follows: from site s of the second to site t of the first.
struct RoundedCost {
    explicit RoundedCost(const Ground& ground);

    int sites;
    bool cancel, symmetric, free_stay;  // as in Ground
    double top;                         // the largest cost that is rounded; those above count as much
    bool clipped;                       // whether there are such
    double unit;                        // what 1 means in `rounded`
    const double* exact;
    std::vector<std::int32_t> rounded;  // << index_bits; empty: not for this kernel, by number or size
    std::vector<double> both;           // the exact costs, where they are not symmetric
};

// Pairs to be solved, collected and solved in groups of like size. One per thread. A pair's value depends on the pair
// alone, to the bit, and for a symmetric cost not on its order.
class Batch {
  public:
    explicit Batch(const RoundedCost& cost);
    ~Batch();

    // *value becomes the distance of p to q, at the latest when finish() returns. NaN where this kernel cannot certify
    // it to 1e-9: more than 64 sites left after cancelling, costs or masses that decide in digits that rounding took.
    // The documents must stay where they are until finish().
    void add(const Document& p, const Document& q, double* value);
    void finish();

  private:
    struct Problem;
    void solve_all();
    void solve_group(const int* members, int count);
    bool uses_clipped(const Problem& problem, int lane) const;
    double certified_mean(const Problem& problem, int lane) const;

    const RoundedCost& cost_;
    int count_ = 0, used_ = 0;
    // Memory that few pairs hardly touch is never cleared.
    std::unique_ptr<Problem[]> problem_;
    std::unique_ptr<int[]> order_;
    std::unique_ptr<std::int32_t[]> site_;  // of all problems, one after the other
    std::unique_ptr<double[]> mass_;
    CommonMass common_;
    std::unique_ptr<Group> group_;
};

}  // namespace hott::lockstep
