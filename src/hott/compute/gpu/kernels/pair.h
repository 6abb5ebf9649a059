// The distance of two documents: what is left of them after cancelling, solved in integers, valued in float64.
#pragma once

#include "simplex_thread.h"

namespace hott::thread {

// Documents, sorted by size; quantity k of document d is at [k * count + d], so that neighbouring lanes read
// neighbouring words.
struct Documents {
    int count;
    const int* size;        // sites of the document
    const u16* site;        // by ascending mass
    const double* mass;     // 0 beyond the document's size, where the site is 0 too
    const double* mass_at;  // by site
};

// The cost between sites, from those of the columns' document to those of the rows'.
struct Ground {
    int sites;
    bool free_stay;     // a zero diagonal: equal documents are at distance 0
    double unit;        // the largest cost / max_cost
    float rounding;     // the most that rounding changes a cost, in units
    const int* rounded;  // sites x sites, in units, << index_bits
    const float* rest;   // what rounding took away, in units
};

// The columns: one document, made ready by all threads of a block.
template <int Columns, int Copies>
struct Query {
    int size;
    const double* mass;     // by column, 0 beyond its size
    const double* mass_at;  // by site
    const int* site;        // by column
    const float* rest;      // sites x columns
    CostTable<Columns, Copies> costs;

    static HOTT_DEVICE int bytes(int sites) { return query_bytes(Columns, Copies, sites); }

    HOTT_DEVICE Query(const Ground& ground, const Documents& documents, int d, char* memory, int thread, int threads) {
        // The table of costs and the doubles first, for their alignment.
        int* table = reinterpret_cast<int*>(memory);
        double* masses = reinterpret_cast<double*>(table + ground.sites * Columns * Copies);
        double* masses_at = masses + Columns;
        int* sites = reinterpret_cast<int*>(masses_at + ground.sites);
        float* rests = reinterpret_cast<float*>(sites + Columns);
        size = documents.size[d];
        for (int j = thread; j < Columns; j += threads) {
            masses[j] = j < size ? documents.mass[j * documents.count + d] : 0;
            sites[j] = j < size ? documents.site[j * documents.count + d] : 0;
        }
        for (int s = thread; s < ground.sites; s += threads) masses_at[s] = documents.mass_at[s * documents.count + d];
        for (int k = thread; k < ground.sites * Columns; k += threads) {
            const int s = k % ground.sites, j = k / ground.sites;
            const int from = j < size ? documents.site[j * documents.count + d] * ground.sites + s : s;
            rests[s * Columns + j] = ground.rest[from];
            for (int copy = 0; copy < Copies; ++copy)
                table[costs.place(s, j, copy)] = ground.rounded[from];
        }
        mass = masses, mass_at = masses_at, site = sites, rest = rests;
        costs.table = table, costs.copy = thread % Copies;
    }
};

// One pair. `Metric`: the cost obeys the triangle inequality and is zero on its diagonal, so that common mass stays where
// it is.
template <int Rows, int Columns, int Copies, bool Metric>
class Pair {
  public:
    HOTT_DEVICE Pair(const Ground& ground, const Query<Columns, Copies>& query, const Documents& documents, int d,
                     Scratch<Rows, Columns> lane)
        : ground_(ground), query_(query), documents_(documents), d_(d), lane_(lane), simplex_(query.costs, lane) {}

    // Not a number where the optimum is not certain. A lane with nothing to solve takes part as well.
    HOTT_DEVICE double distance(bool solve) {
        u32 rows = 0, columns = 0;
        const bool differ = split(rows, columns);
        if (!solve || !differ) rows = 0;
        // Rounding moves a cost by `rounding` at most, so a reduced cost by that for each arc of a cycle, of which
        // there are two a row and two a column.
        const int sites = min(count_bits(rows), count_bits(columns));
        const int margin = static_cast<int>(ceilf(2 * sites * ground_.rounding));
        const bool optimal = simplex_.solve(rows, columns, margin);
        if (rows == 0 || columns == 0) return 0;
        const double mean_cost = value_of_unit_mass();
        // What rounding took away is known to 2^-25 of a unit: too little for the least of very different costs.
        if (ground_.rounding > 0 && mean_cost < 64) return not_a_number();
        // Rounding has changed what flows on an arc by less than one unit a node. A flow that should be x below 0 makes
        // the value wrong by x times three costs at most: 3e-8 of it is let pass.
        if (simplex_.least_flow() < Rows + Columns && !is_plan(1e-8f * total_mass / max_cost * mean_cost))
            return not_a_number();
        if (!optimal && !simplex_.is_optimal_unrounded(query_.rest, 1e-9f * mean_cost)) return not_a_number();
        // Both totals are the same but for rounding, which shows when little mass is left: the same choice as the CPU's.
        const double total = total_mass / (count_bits(rows) < count_bits(columns) ? column_scale_ : row_scale_);
        return mean_cost * total * ground_.unit;
    }

  private:
    HOTT_DEVICE double row_mass(int i) const {
        const double mass = documents_.mass[i * documents_.count + d_];
        return Metric ? left_over(mass, query_.mass_at[lane_.site(i)]) : mass;
    }
    HOTT_DEVICE double column_mass(int j) const {
        const double mass = query_.mass[j];
        return Metric ? left_over(mass, documents_.mass_at[query_.site[j] * documents_.count + d_]) : mass;
    }

    // The integer masses. False where equal documents are at distance 0, and these are.
    HOTT_DEVICE bool split(u32& rows, u32& columns) {
        bool differ = Metric || !ground_.free_stay || documents_.size[d_] != query_.size;
        double row_total = 0, column_total = 0;
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i) {
            lane_.site(i) = documents_.site[i * documents_.count + d_];
            const double mass = row_mass(i);
            row_total += mass;
            lane_.exact_mass(i, mass);
            if (!Metric) differ = differ || (i < query_.size && mass != query_.mass_at[lane_.site(i)]);
        }
        HOTT_UNROLL
        for (int j = 0; j < Columns; ++j) {
            const double mass = column_mass(j);
            column_total += mass;
            lane_.exact_mass(Rows + j, mass);
        }
        // Rows are rounded up and columns down: no ties, and never less to give than to take. Where there is no row there
        // is no mass, so that the start is the same however many rows the kernel has.
        const double scale = total_mass / (row_total * column_total);
        row_scale_ = scale * column_total, column_scale_ = scale * row_total;
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i) {
            const double mass = lane_.exact_mass(i);
            if (mass > 0) rows |= 1u << i;
            lane_.mass(i) = static_cast<u32>(mass * row_scale_) + (mass > 0);
        }
        HOTT_UNROLL
        for (int j = 0; j < Columns; ++j) {
            const double mass = lane_.exact_mass(Rows + j);
            if (mass > 0) columns |= 1u << j;
            lane_.mass(Rows + j) = static_cast<u32>(mass * column_scale_);
        }
        return differ;
    }

    HOTT_DEVICE bool is_plan(float tolerance) const {
        auto extra = [&](int node) {
            const double mass = node < Rows ? row_mass(node) * row_scale_ : column_mass(node - Rows) * column_scale_;
            const float below = mass - static_cast<double>(static_cast<u32>(mass));
            return node < Rows ? 1 - below : below;
        };
        return simplex_.is_plan_unrounded(extra, tolerance);
    }

    // In units: the dual value, of the masses as they are, and what rounding took from the costs on the plan.
    HOTT_DEVICE double value_of_unit_mass() const {
        double rows = 0, columns = 0;
        HOTT_UNROLL
        for (int i = 0; i < Rows; ++i) rows += simplex_.row_potential(i) * row_mass(i);
        HOTT_UNROLL
        for (int j = 0; j < Columns; ++j) columns += simplex_.column_potential(j) * column_mass(j);
        const double dual = (rows * row_scale_ + columns * column_scale_) / (1 << index_bits);
        return max(dual + simplex_.sum_over_plan(query_.rest), 0.0) / total_mass;
    }

    const Ground& ground_;
    const Query<Columns, Copies>& query_;
    const Documents& documents_;
    const int d_;
    Scratch<Rows, Columns> lane_;
    Simplex<Rows, Columns, Copies> simplex_;
    double row_scale_, column_scale_;  // from masses to integers
};

}  // namespace hott::thread
