// Large tables that are read row by row, in no order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hott::sampler {

// Rows of floats that start where a cache line starts. A large table lies in large pages where the system has them:
// rows are read in no order, and with small pages every row is looked up first (20news, 70 topics: 7 % slower, 500
// topics: 27 %; benchmarks/topics.py).
class Table {
  public:
    Table(std::size_t rows, std::size_t stride) : stride_(stride), values_(new float[rows * stride + kLine]) {
        const auto address = reinterpret_cast<std::uintptr_t>(values_.get());
        start_ = values_.get() + (kLine - address / sizeof(float) % kLine) % kLine;
#ifdef __linux__
        constexpr std::uintptr_t page = 4096;
        const std::uintptr_t first = (address + page - 1) / page * page;
        const std::uintptr_t last = (address + rows * stride * sizeof(float)) / page * page;
        if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // only a wish
#endif
        std::fill(start_, start_ + rows * stride, 0.0f);
    }
    float* operator[](std::size_t row) { return start_ + row * stride_; }
    const float* operator[](std::size_t row) const { return start_ + row * stride_; }

  private:
    static constexpr std::size_t kLine = 64 / sizeof(float);
    std::size_t stride_;
    std::unique_ptr<float[]> values_;
    float* start_;
};

}  // namespace hott::sampler
