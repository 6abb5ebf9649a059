// Sums beyond double precision: with twice the digits, and with all of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace hott {

// A sum of two doubles, exactly: the rounded sum and what rounding took away (Knuth).
inline std::pair<double, double> two_sum(double a, double b) {
    const double sum = a + b, b_part = sum - a;
    return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// A number in two doubles that do not overlap. They need not be of like size: 1e300 + 1 has room.
struct TwoDoubles {
    double high = 0, low = 0;

    double value() const { return high + low; }
    TwoDoubles operator-() const { return {-high, -low}; }
    TwoDoubles operator+(const TwoDoubles& other) const {
        const auto [sum, taken] = two_sum(high, other.high);
        const auto [h, l] = two_sum(sum, taken + (low + other.low));
        return {h, l};
    }
    TwoDoubles& operator+=(double x) {
        const auto [sum, taken] = two_sum(high, x);
        high = sum, low += taken;
        return *this;
    }
};

// The same, and no farther from the truth than `error`.
struct Bounded : TwoDoubles {
    double error = 0;

    // Twice what one operation errs by, which makes up for its own rounding.
    static constexpr double rounding = 0x1p-52;

    Bounded(double x = 0) : TwoDoubles{x, 0} {}
    Bounded operator-() const {
        Bounded negated = *this;
        negated.high = -high, negated.low = -low;
        return negated;
    }
    Bounded operator+(const Bounded& other) const {
        const auto [sum, taken] = two_sum(high, other.high);
        const auto [lows, first_loss] = two_sum(low, other.low);
        const auto [rest, second_loss] = two_sum(taken, lows);
        Bounded total;
        std::tie(total.high, total.low) = two_sum(sum, rest);
        // What was lost, not what might be: true ties between costs on a grid are found without a doubt.
        total.error = (1 + 4 * rounding) * (error + other.error + std::abs(first_loss) + std::abs(second_loss));
        return total;
    }
    bool has_sign() const { return error == 0 || std::abs(value()) > (1 + rounding) * error; }
    // The truth is not above this.
    double upper() const {
        const double rest = low + error, sum = high + rest;
        return rest == 0 ? sum : sum + rounding * (std::abs(sum) + std::abs(rest));
    }
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

// x times 2^exponent, rounded once. Most often one exact product.
class PowerOfTwo {
  public:
    explicit PowerOfTwo(int exponent)
        : exponent_(exponent), factor_(std::abs(exponent) < 1000 ? std::ldexp(1.0, exponent) : 0) {}
    double operator*(double x) const { return factor_ > 0 ? factor_ * x : std::ldexp(x, exponent_); }

  private:
    int exponent_;
    double factor_;
};

}  // namespace hott
