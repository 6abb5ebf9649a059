// What the batch functions work on: distributions as rows of a CSR matrix, and the cost between sites.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hott {

// One distribution: its sites in ascending order, each with a positive mass; the masses sum to 1.
struct Document {
    const std::int32_t* site;
    const double* mass;
    int size;
};

struct Documents {
    std::int64_t count;
    const std::int64_t* start;
    const std::int32_t* site;
    const double* mass;

    Document operator[](std::int64_t i) const {
        return {site + start[i], mass + start[i], static_cast<int>(start[i + 1] - start[i])};
    }
};

inline bool operator==(const Document& p, const Document& q) {
    return p.size == q.size && std::equal(p.site, p.site + p.size, q.site) && std::equal(p.mass, p.mass + p.size, q.mass);
}

// An order of documents by content. Pairs are solved smaller one first, so that (p, q) and (q, p) are the same
// problem and give the same number to the bit.
inline bool operator<(const Document& p, const Document& q) {
    if (p.size != q.size) return p.size < q.size;
    const auto sites = std::mismatch(p.site, p.site + p.size, q.site);
    if (sites.first != p.site + p.size) return *sites.first < *sites.second;
    return std::lexicographical_compare(p.mass, p.mass + p.size, q.mass, q.mass + q.size);
}

struct Ground {
    int sites;
    const double* cost;  // sites x sites, row-major
    bool metric;         // triangle inequality and a zero diagonal: common mass may stay where it is
    bool symmetric;
    bool free_stay;      // zero diagonal: equal documents are at distance 0

    Ground(int sites, const double* cost, bool metric) : sites(sites), cost(cost), metric(metric) {
        symmetric = free_stay = true;
        for (int i = 0; i < sites; ++i) {
            free_stay = free_stay && row(i)[i] == 0;
            for (int j = 0; j < i && symmetric; ++j) symmetric = row(i)[j] == row(j)[i];
        }
    }
    const double* row(int i) const { return cost + static_cast<std::int64_t>(i) * sites; }
    double between(int i, int j, bool) const { return row(i)[j]; }  // either way where it is symmetric
};

}  // namespace hott
