// Sums beyond double precision: twice as many digits, with a bound on what is still lost; and all of them.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

namespace hott {

// A sum of two doubles, exactly: the rounded sum and what rounding took away (Knuth).
inline std::pair<double, double> two_sum(double a, double b) {
    const double sum = a + b, b_part = sum - a;
    return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// A number kept in two doubles that do not overlap. It may be wrong by `error`, never by more. The two need not be of
// like size: 1e300 + 1 has room.
struct TwoDoubles {
    double high = 0, low = 0, error = 0;

    static constexpr double rounding = 0x1p-52;  // twice what one operation errs by, which makes up for its own rounding

    TwoDoubles operator+(const TwoDoubles& other) const {
        const auto [sum, taken] = two_sum(high, other.high);
        const double rest = taken + (low + other.low);
        const auto [h, l] = two_sum(sum, rest);
        return {h, l, error + other.error + rounding * (std::abs(rest) + std::abs(low + other.low))};
    }
    TwoDoubles operator-() const { return {-high, -low, error}; }
    double value() const { return high + low; }

    // -1 or 1 for sure, 0 where it cannot tell.
    int sign() const {
        const double sum = high + low;
        return std::abs(sum) > (1 + rounding) * error ? (sum > 0) - (sum < 0) : 0;
    }
    bool is_zero() const { return high == 0 && low == 0 && error == 0; }
};

// A sum of any numbers, exactly: doubles that do not overlap, the largest last (Shewchuk; as Python's math.fsum).
class ExactSum {
  public:
    void clear() { parts_.clear(); }
    void add(double x) {
        std::size_t kept = 0;
        for (double part : parts_) {
            const auto [sum, taken] = two_sum(x, part);
            if (taken != 0) parts_[kept++] = taken;
            x = sum;
        }
        parts_.resize(kept);
        if (x != 0) parts_.push_back(x);
    }
    // Of the right sign, and right to the last digit but one.
    double value() const {
        double sum = 0;
        for (double part : parts_) sum += part;
        return sum;
    }

  private:
    std::vector<double> parts_;
};

}  // namespace hott
