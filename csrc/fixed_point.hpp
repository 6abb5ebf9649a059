// Sums and differences of masses without rounding: a fixed-point number with all the digits that doubles can have.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "exact_sum.hpp"

namespace hott {

// A number in units of 2^-1074, below 2^13, in two's complement: what is below 0 may be added, but not compared.
class FixedPoint {
  public:
    explicit FixedPoint(std::uint64_t units = 0) : digit_{units} {}

    // A double below 2^11, exactly.
    static FixedPoint of(double x) {
        if (x < 0) return -of(-x);
        FixedPoint number;
        int exponent;
        const auto fraction = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53));
        const int low = exponent - 53 + 1074;  // what the last bit of the fraction counts for, in units
        if (low < 0) {
            number.digit_[0] = fraction >> -low;  // a subnormal number: the bits shifted out are 0
        } else {
            number.digit_[low / 64] = fraction << low % 64;
            if (low % 64 > 0) number.digit_[low / 64 + 1] = fraction >> (64 - low % 64);
        }
        return number;
    }

    FixedPoint& operator-=(const FixedPoint& other) {
        bool borrow = false;
        for (int k = 0; k < digits; ++k) {
            const std::uint64_t less = digit_[k] - other.digit_[k], rest = less - borrow;
            borrow = less > digit_[k] || rest > less;
            digit_[k] = rest;
        }
        return *this;
    }
    FixedPoint operator-() const { return FixedPoint() -= *this; }
    FixedPoint& operator+=(const FixedPoint& other) { return *this -= -other; }

    friend bool operator<(const FixedPoint& x, const FixedPoint& y) {
        for (int k = digits - 1; k > 0; --k)
            if (x.digit_[k] != y.digit_[k]) return x.digit_[k] < y.digit_[k];
        return x.digit_[0] < y.digit_[0];
    }
    friend bool operator<=(const FixedPoint& x, const FixedPoint& y) { return !(y < x); }

  private:
    static constexpr int digits = 17;  // of 64 bits each
    std::uint64_t digit_[digits];      // the last is the highest
};

}  // namespace hott
