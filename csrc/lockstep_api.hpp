// Exact distances of many pairs of small documents: what the rest of the core sees of the lockstep kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "documents.hpp"
#include "lockstep_group.hpp"

namespace hott::lockstep {

// A ground cost made ready: rounded to integers for the pivots, and as it is for the values. The cost from site s of a
// problem's rows to site t of its columns is at row_place(s, turned) + t, where `turned` says that the rows are the
// second document of the pair.
struct RoundedCost {
    explicit RoundedCost(const Ground& ground);
    int row_place(int site, bool turned) const { return (site + (turned && !symmetric ? sites : 0)) * sites; }

    int sites;
    bool cancel, symmetric;
    double unit;  // what 1 means in `rounded`
    double most;
    std::vector<double> exact;
    std::vector<std::int32_t> rounded;  // << index_bits
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
    void pack(Problem& problem, int lane);
    double certified_value(const Problem& problem, int lane) const;

    const RoundedCost& cost_;
    Kernel kernel_;
    int count_ = 0;
    std::vector<Problem> problem_;
    std::vector<double> difference_;  // by site, 0 between calls
    std::unique_ptr<Group> group_;
    double rest_[nodes * max_lanes];  // exact mass less rounded mass of a row; of a column, negated
};

}  // namespace hott::lockstep
