// Exact distances of many pairs of small documents: what the rest of the core sees of the lockstep kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "documents.hpp"
#include "lockstep_group.hpp"

namespace hott::lockstep {

// A ground cost made ready: rounded to integers for the pivots, and as it is for the values.
class RoundedCost {
  public:
    explicit RoundedCost(const Ground& ground);

    // Costs from the first document's sites to the second's (`turned`: the other way), sites x sites.
    const double* exact(bool turned) const { return turned && !turned_exact_.empty() ? turned_exact_.data() : exact_; }
    const std::int32_t* rounded(bool turned) const {
        return turned && !turned_rounded_.empty() ? turned_rounded_.data() : rounded_.data();
    }
    int sites() const { return sites_; }
    bool cancel() const { return cancel_; }

  private:
    int sites_;
    bool cancel_;
    const double* exact_;
    std::vector<double> turned_exact_;
    std::vector<std::int32_t> rounded_, turned_rounded_;
};

// The fastest kernel that this machine can run.
Kernel best_kernel();
// All that it can run.
std::vector<Kernel> kernels();

// Pairs to be solved, collected and solved in groups of like size. One per thread. A pair's value depends on the pair
// alone, to the bit, and for a symmetric cost not on its order.
class Batch {
  public:
    explicit Batch(const RoundedCost& cost, Kernel kernel = best_kernel());
    ~Batch();

    // *value becomes the distance of p to q at the latest when finish() returns, or NaN where this kernel cannot
    // certify it: more than 32 sites left after cancelling, costs that tie to more digits than it keeps.
    void add(const Document& p, const Document& q, double* value);
    void finish();

  private:
    struct Problem;
    void solve_group(const int* members, int count);
    double certified_value(const Problem& problem, int lane);

    const RoundedCost& cost_;
    Kernel kernel_;
    int count_ = 0;
    std::vector<Problem> problem_;
    std::vector<double> difference_;  // by site, 0 between calls
    std::unique_ptr<Group> group_;
};

}  // namespace hott::lockstep
