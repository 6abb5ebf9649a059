// What two documents leave to be moved when the mass that they have in common stays.
#pragma once

#include <cstdint>
#include <vector>

#include "documents.hpp"
#include "portable.h"

namespace hott {

struct LeftOver {
    int rows, columns;
};

// A workspace; one per thread.
class CommonMass {
  public:
    // Where the sites of a document and their masses go.
    struct Target {
        std::int32_t* site;
        double* mass;
    };

    const Document& first() const { return first_; }

    // The document that is split against others; most often, many in turn. Unless `cancel`, nothing stays.
    void set_first(const Document& p, std::size_t sites, bool cancel) {
        for (int i = 0; i < first_.size; ++i) mass_[first_.site[i]] = 0, place_[first_.site[i]] = 0;
        first_ = p;
        if (mass_.size() < sites) mass_.resize(sites, 0.0), place_.resize(sites, 0);
        left_.assign(p.mass, p.mass + p.size);
        left_.insert(left_.begin(), 0.0);
        for (int i = 0; i < p.size && cancel; ++i) mass_[p.site[i]] = p.mass[i], place_[p.site[i]] = i + 1;
    }

    // The sites where the first document has mass left, and those where q has, in ascending order. The targets have room
    // for all; without branches, a site that keeps nothing is overwritten by the next.
    LeftOver split(const Document& q, Target rows, Target columns) {
        LeftOver left{};
        double* first_left = left_.data() + 1;  // before them: where masses go that the first does not have
        for (int j = 0; j < q.size; ++j) {
            const std::int32_t site = q.site[j];
            const double more = q.mass[j] - mass_[site];
            left_[place_[site]] = -more;
            columns.site[left.columns] = site, columns.mass[left.columns] = more;
            left.columns += more > 0;
        }
        for (int i = 0; i < first_.size; ++i) {
            rows.site[left.rows] = first_.site[i], rows.mass[left.rows] = first_left[i];
            left.rows += first_left[i] > 0;
            first_left[i] = first_.mass[i];
        }
        return left;
    }

  private:
    Document first_{};
    std::vector<double> mass_;          // of the first document by site
    std::vector<double> left_;          // what is left of it while another is split, else its masses
    std::vector<std::int32_t> place_;   // by site: 1 + which of its sites; 0: none
};

}  // namespace hott
