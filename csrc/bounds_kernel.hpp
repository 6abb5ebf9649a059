// The inner loop of the relaxed bound (bounds.hpp), for one instruction set.
//
// Internal linkage, nothing of the standard library: the source is compiled for several instruction sets in one
// program, and the linker must never take one copy for another.
#pragma once

#include <cstdint>
#include <cstring>

#include "bounds_query.hpp"

namespace hott {
namespace {

constexpr int block = 8;  // floats worked on together

#if defined(__GNUC__)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors only pass between functions that are inlined
#endif
typedef float Floats __attribute__((vector_size(4 * block)));
inline Floats least(Floats a, Floats b) { return a < b ? a : b; }
inline Floats product(Floats a, Floats b) { return a * b; }
#else
struct Floats {
    float lane[block];
    float operator[](int k) const { return lane[k]; }
};
inline Floats least(Floats a, Floats b) {
    for (int k = 0; k < block; ++k) a.lane[k] = a[k] < b[k] ? a[k] : b[k];
    return a;
}
inline Floats product(Floats a, Floats b) {
    for (int k = 0; k < block; ++k) a.lane[k] *= b[k];
    return a;
}
#endif

inline Floats load(const float* from) {
    Floats v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

// `Blocks` known at compile time: the nearest costs stay in registers.
template <int Blocks>
void bounds_of(const BoundQuery& p, const Rows32& Q, std::int64_t first, std::int64_t last, float* out) {
    for (std::int64_t j = first; j < last; ++j) {
        // By p's sites: the least cost from there to another site of q.
        Floats nearest[Blocks];
        for (int b = 0; b < Blocks; ++b) nearest[b] = load(p.dearest);
        float back = 0, stays[Blocks * block + 1];
        int place[Blocks * block + 1], common = 0;
        for (std::int64_t k = Q.start[j]; k < Q.start[j + 1]; ++k) {
            const int site = Q.site[k];
            const float mass = static_cast<float>(Q.mass[k]), here = p.mass[site];
            const float* to = p.to + static_cast<std::int64_t>(site) * (Blocks * block);
            for (int b = 0; b < Blocks; ++b) nearest[b] = least(nearest[b], load(to + b * block));
            const bool more = mass > here;
            back += (more ? mass - here : 0.0f) * p.from_nearest[site];
            stays[common] = more ? here : mass;
            place[common] = p.place[site];
            common += here > 0;
        }
        float by_site[Blocks * block], forth = 0;
        std::memcpy(by_site, nearest, sizeof by_site);
        for (int b = 0; b < Blocks; ++b) {
            const Floats terms = product(nearest[b], load(p.excess + b * block));
            for (int k = 0; k < block; ++k) forth += terms[k];
        }
        for (int k = 0; k < common; ++k) forth -= stays[k] * by_site[place[k]];
        const float larger = (forth > back ? forth : back) - p.margin;
        *out++ = larger > 0 ? larger : 0;
    }
}

void bounds_for(const BoundQuery& p, const Rows32& Q, std::int64_t first, std::int64_t last, float* out) {
    switch (p.blocks) {
        case 1: return bounds_of<1>(p, Q, first, last, out);
        case 2: return bounds_of<2>(p, Q, first, last, out);
        case 3: return bounds_of<3>(p, Q, first, last, out);
        case 4: return bounds_of<4>(p, Q, first, last, out);
        case 6: return bounds_of<6>(p, Q, first, last, out);
        case 9: return bounds_of<9>(p, Q, first, last, out);
        case 16: return bounds_of<16>(p, Q, first, last, out);
    }
}

}  // namespace
}  // namespace hott
