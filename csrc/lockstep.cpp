// Pairs of documents made into groups of small problems, and the groups' solutions into certified values.
#include "lockstep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels.hpp"

namespace hott::lockstep {

constexpr double not_certified = std::numeric_limits<double>::quiet_NaN();
constexpr int max_sites = 2048;  // larger tables would leave the cache
constexpr int batch_size = 512;  // enough to find problems of like size

// What is left of two documents. The first one's sites are numbered from 0 up, the second's from 63 down. The rows are
// the document with more sites left; `flip` turns its numbers, counted from 0 up, into these.
struct Batch::Problem {
    double* value;
    int rows, columns, flip;
    double row_total, column_total;
    std::int32_t site[2 * nodes];
    double mass[2 * nodes];

    int row(int i) const { return i ^ flip; }
    int column(int j) const { return (2 * nodes - 1 - j) ^ flip; }
};

RoundedCost::RoundedCost(const Ground& ground)
    : sites(ground.sites), cancel(ground.metric), symmetric(ground.symmetric), free_stay(ground.free_stay) {
    if (sites > max_sites) return;
    const std::size_t n = sites, size = n * n;
    exact = ground.cost;
    top = *std::max_element(exact, exact + size);
    if (top > 1e290 || (top > 0 && top < 1e-290)) return;  // sums might leave the range of doubles
    // A few sites far from all others must not take the digits of the rest.
    std::vector<double> sorted(exact, exact + size);
    std::nth_element(sorted.begin(), sorted.begin() + size / 2, sorted.end());
    const double usual = sorted[size / 2];
    clipped = top > 256 * usual && usual > 0;
    if (clipped) top = 32 * usual;
    unit = std::max(top / max_cost, std::numeric_limits<double>::min());
    if (!symmetric) {
        both.assign(exact, exact + size);
        for (std::size_t k = 0; k < size; ++k) both.push_back(exact[k % n * n + k / n]);
        exact = both.data();
    }
    rounded.resize(symmetric ? size : 2 * size);
    for (std::size_t k = 0; k < rounded.size(); ++k)
        rounded[k] = static_cast<std::int32_t>(std::lround(std::min(exact[k], top) / unit)) << index_bits;
}

Batch::Batch(const RoundedCost& cost)
    : cost_(cost), problem_(batch_size), order_(batch_size), group_(new Group) {
    group_->table = cost.rounded.data();
}

Batch::~Batch() = default;

void Batch::add(const Document& p, const Document& q, double* value) {
    if (p.size > nodes || q.size > nodes || cost_.rounded.empty()) {
        *value = not_certified;
        return;
    }
    if (p.mass != common_.first().mass || p.site != common_.first().site)  // most often, many pairs in turn share it
        common_.set_first(p, cost_.sites, cost_.cancel);
    Problem& x = problem_[count_];
    const int end = 2 * nodes - 1;
    auto [n, m, total, other] = common_.split(q, {x.site, x.mass, 1}, {x.site + end, x.mass + end, -1});
    if (n == 0 || m == 0 || (cost_.free_stay && p == q)) {
        *value = 0;
        return;
    }
    const bool turned = n < m || (n == m && q < p);
    if (turned) std::swap(n, m), std::swap(total, other);
    if (n + m > nodes || total < 1e-30 || std::abs(total - other) > 1e-10 * total) {  // or rounding is all that is left
        *value = not_certified;
        return;
    }
    x.value = value, x.flip = turned ? 2 * nodes - 1 : 0, x.rows = n, x.columns = m;
    x.row_total = total, x.column_total = other;
    if (++count_ == batch_size) solve_all();
}

void Batch::finish() {
    solve_all();
    common_.set_first({}, 0, false);
}

// Problems of like size together: in a group, all wait for the slowest.
void Batch::solve_all() {
    int start[(max_columns + 1) * nodes + 1] = {};
    auto key = [&](int k) { return problem_[k].columns * nodes + problem_[k].rows; };
    for (int k = 0; k < count_; ++k) ++start[key(k) + 1];
    for (int s = 1; s <= (max_columns + 1) * nodes; ++s) start[s] += start[s - 1];
    for (int k = 0; k < count_; ++k) order_[start[key(k)]++] = k;

    for (int k = 0, end; k < count_; k = end) {
        int rows = 0;
        for (end = k; end < count_ && end < k + lanes; ++end) {
            const Problem& x = problem_[order_[end]];
            if (std::max(rows, x.rows) + x.columns > nodes) break;
            rows = std::max(rows, x.rows);
        }
        solve_group(order_.data() + k, end - k);
    }
    count_ = 0;
}

void Batch::solve_group(const int* members, int count) {
    Group& g = *group_;
    g.rows = 0, g.columns = 0;
    for (int l = 0; l < count; ++l) {
        g.rows = std::max(g.rows, problem_[members[l]].rows);
        g.columns = std::max(g.columns, problem_[members[l]].columns);
    }
    for (int l = 0; l < lanes; ++l) pack(problem_[members[std::min(l, count - 1)]], l);
    kernels().solve_group(g);

    // The value: what the rounded masses cost, exactly, and what the potentials say of the rest of the masses.
    double value[lanes] = {}, rest[lanes] = {};
    auto evaluate = [&](int node) {
        for (int l = 0; l < lanes; ++l) {
            value[l] += g.flow[node * lanes + l] * cost_.exact[g.arc[node * lanes + l]];
            rest[l] += g.potential[node * lanes + l] * rest_[node * lanes + l];
        }
    };
    for (int i = 0; i < g.rows; ++i) evaluate(i);
    for (int j = 0; j < g.columns; ++j) evaluate(column_node(j));
    for (int l = 0; l < count; ++l) {
        const Problem& x = problem_[members[l]];
        const double mean = (value[l] + rest[l] * cost_.unit / (1 << index_bits)) / total_mass;
        // No other arc could enter under the exact costs, none leave under the exact masses. A potential is off by half
        // a unit for each arc of its path, the rest of a mass is below 1.5, and as much again in one column: 1,500 of
        // their product in all, which must be less than 1e-9 of the value.
        const bool clear = g.near_arcs[l] == x.rows + x.columns - 1 && g.least_flow[l] > near_flow &&
                           mean > 5e-3 * cost_.top && !(cost_.clipped && uses_clipped(x, l));
        *x.value = clear ? mean * x.row_total : certified_value(x, l);
    }
}

bool Batch::uses_clipped(const Problem& x, int lane) const {
    const auto is_clipped = [&](int slot) { return cost_.exact[group_->arc[slot * lanes + lane]] > cost_.top; };
    for (int i = 0; i < x.rows; ++i)
        if (is_clipped(i)) return true;
    for (int j = 0; j < x.columns; ++j)
        if (is_clipped(column_node(j))) return true;
    return false;
}

void Batch::pack(const Problem& x, int lane) {
    Group& g = *group_;
    const int base = x.flip && !cost_.symmetric ? cost_.sites : 0;
    const double a = total_mass / x.row_total, b = total_mass / x.column_total;
    // Every row gets one unit more than its rounded mass, against ties; a column takes what that makes in all.
    int excess = 0;
    g.row_count[lane] = x.rows, g.column_count[lane] = x.columns;
    for (int i = 0; i < x.rows; ++i) {
        const double mass = x.mass[x.row(i)] * a;
        const int rounded = static_cast<int>(mass + 1.5), k = i * lanes + lane;
        excess += rounded;
        g.place[k] = (x.site[x.row(i)] + base) * cost_.sites;
        g.mass[k] = rounded;
        rest_[k] = mass - rounded;
    }
    for (int j = 0; j < x.columns; ++j) {
        const double mass = x.mass[x.column(j)] * b;
        const int rounded = static_cast<int>(mass + 0.5), k = column_node(j) * lanes + lane;
        excess -= rounded;
        g.place[k] = x.site[x.column(j)];
        g.mass[k] = rounded;
        rest_[k] = rounded - mass;
    }
    g.mass[column_node(0) * lanes + lane] += excess;
    rest_[column_node(0) * lanes + lane] += excess;
    auto clear = [&](int k) { g.place[k] = g.mass[k] = 0, rest_[k] = 0; };
    for (int i = x.rows; i < g.rows; ++i) clear(i * lanes + lane);
    for (int j = x.columns; j < g.columns; ++j) clear(column_node(j) * lanes + lane);
}

// The basis put to the test with exact costs and masses. It is needed for few pairs (one in 700 of 20news), so it is
// written for one problem.
double Batch::certified_value(const Problem& x, int lane) const {
    const Group& g = *group_;
    if (g.near_arcs[lane] < 0) return not_certified;
    auto at = [lane](int node) { return node * lanes + lane; };
    auto is_row = [&](int slot) { return (static_cast<std::uint32_t>(g.child_is_row[lane]) >> slot & 1) != 0; };
    auto for_nodes = [&](auto f) {
        for (int i = 0; i < x.rows; ++i) f(i, 1);
        for (int j = 0; j < x.columns; ++j) f(column_node(j), -1);
    };
    double arc_cost[nodes], flow[nodes], potential[nodes];  // a column's potential and mass are negative
    for_nodes([&](int slot, int) {
        const double c = cost_.exact[g.arc[at(slot)]];
        arc_cost[slot] = is_row(slot) ? c : -c;
        flow[slot] = 0;
    });
    for_nodes([&](int node, int sign) {
        const double mass = sign * g.mass[at(node)] + rest_[at(node)];
        potential[node] = 0;
        std::uint32_t path = g.path[at(node)];
        for (int slot = 0; path; ++slot, path >>= 1)
            if (path & 1) {
                potential[node] += arc_cost[slot];
                flow[slot] += mass;
            }
    });
    double value = 0, lacking = 0, farthest = 0, least = 0, greatest = 0;
    for_nodes([&](int slot, int) {
        value += flow[slot] * arc_cost[slot];
        lacking += std::max(is_row(slot) ? -flow[slot] : flow[slot], 0.0);
        farthest = std::max(farthest, std::abs(potential[slot]));
    });
    for (int i = 0; i < x.rows; ++i)
        for (int j = 0; j < x.columns; ++j) {
            const int node = column_node(j);
            const double reduced = cost_.exact[g.place[at(i)] + g.place[at(node)]] - potential[i] + potential[node];
            least = std::min(least, reduced);
            greatest = std::max(greatest, reduced);
        }
    // What arcs of negative reduced cost could save, and what it costs to make up for flows below 0. Potentials and
    // flows are sums of up to 31 costs and masses, and the value of 31 products: all their rounding is less than 2^-40.
    const double doubt = (0x1p-40 * farthest - least) * total_mass + lacking * greatest;
    return doubt <= 1e-9 * value ? value / total_mass * x.row_total : not_certified;
}

}  // namespace hott::lockstep
