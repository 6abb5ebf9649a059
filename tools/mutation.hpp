// Operators, numbers and choices that one variable can change, put into a copy of csrc by mutate_core.py: all changes are
// compiled at once, and one of them is switched on when the program runs.
#pragma once

#include <algorithm>
#include <type_traits>

extern "C" int hott_change;                // the one that is on; 0: none
extern "C" unsigned char hott_reached[];  // 1 for those that were come by

namespace mutation {

inline bool on(int id) {
    hott_reached[id] = 1;
    return hott_change == id;
}

template <int id>
struct Here {};

template <class T, int id>
struct Left {
    T value;
};

// `a + b` becomes `a + here + b`: the first half keeps a, the second does the one or the other.
#define MUTATION_OPERATOR(op, other)                                                                                \
    template <class T, int id>                                                                                      \
    inline Left<T, id> operator op(const T& a, Here<id>) {                                                          \
        return {a};                                                                                                 \
    }                                                                                                               \
    template <class T, class U, int id>                                                                             \
    inline auto operator op(const Left<T, id>& a, const U& b) -> decltype(a.value op b) {                           \
        return on(id) ? static_cast<decltype(a.value op b)>(a.value other b) : a.value op b;             \
    }
MUTATION_OPERATOR(+, -)
MUTATION_OPERATOR(-, +)
MUTATION_OPERATOR(*, +)
MUTATION_OPERATOR(/, *)
MUTATION_OPERATOR(<, <=)
MUTATION_OPERATOR(<=, <)
MUTATION_OPERATOR(>, >=)
MUTATION_OPERATOR(>=, >)
MUTATION_OPERATOR(==, !=)
MUTATION_OPERATOR(!=, ==)
#undef MUTATION_OPERATOR

template <int id, class T>
inline T number(T x) {
    if (!on(id)) return x;
    return std::is_same_v<T, bool> ? !x : std::is_integral_v<T> || x == 0 ? x + 1 : x * 4096;
}

template <int id, class T>
inline T smaller(const T& a, const T& b) {
    return on(id) ? std::max(a, b) : std::min(a, b);
}

template <int id, class T>
inline T larger(const T& a, const T& b) {
    return on(id) ? std::min(a, b) : std::max(a, b);
}

}  // namespace mutation
