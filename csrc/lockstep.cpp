// Pairs of documents made into groups of small problems, and the groups' solutions into certified values.
#include "lockstep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels.hpp"

namespace hott::lockstep {

constexpr double not_certified = std::numeric_limits<double>::quiet_NaN();
constexpr int max_sites = 2048;   // larger tables would leave the cache
constexpr int batch_size = 2048;  // enough to find problems of like size

constexpr int room = 32768;       // sites of a batch, few enough to stay in the cache

// What is left of two documents. The rows are the document with more sites left.
struct Batch::Problem {
    double* value;
    int words, rows, columns;
    int row_start, column_start;  // of their sites and masses
    bool turned;                  // the rows are the second document
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
    : cost_(cost), problem_(new Problem[batch_size]), order_(new int[batch_size]),
      site_(new std::int32_t[room + max_nodes]), mass_(new double[room + max_nodes]), group_(new Group) {
    group_->sites = cost.sites, group_->rounded = cost.rounded.data(), group_->exact = cost.exact;
}

Batch::~Batch() = default;

void Batch::add(const Document& p, const Document& q, double* value) {
    if (p.size > max_nodes || q.size > max_nodes || cost_.rounded.empty()) {
        *value = not_certified;
        return;
    }
    if (p.mass != common_.first().mass || p.site != common_.first().site)  // most often, many pairs in turn share it
        common_.set_first(p, cost_.sites, cost_.cancel);
    if (used_ + p.size + q.size > room) solve_all();
    int first = used_, second = used_ + p.size;
    auto [n, m] = common_.split(q, {&site_[first], &mass_[first]}, {&site_[second], &mass_[second]});
    if (n == 0 || m == 0 || (cost_.free_stay && p == q)) {
        *value = 0;
        return;
    }
    const bool turned = n < m || (n == m && q < p);
    if (turned) std::swap(n, m), std::swap(first, second);
    const int words = n + m <= word_bits ? 1 : 2;
    if (n + padded_columns(words, m) > words * word_bits) {
        *value = not_certified;
        return;
    }
    problem_[count_] = {value, words, n, m, first, second, turned};
    used_ += p.size + q.size;
    if (++count_ == batch_size) solve_all();
}

void Batch::finish() {
    solve_all();
    common_.set_first({}, 0, false);
}

// Problems of like size together: in a group, all wait for the slowest.
void Batch::solve_all() {
    constexpr int sizes = max_columns * max_nodes;
    int start[max_words * sizes + 1] = {};
    auto key = [&](int k) {
        const Problem& x = problem_[k];
        return (x.words - 1) * sizes + (x.columns - 1) * max_nodes + x.rows;
    };
    for (int k = 0; k < count_; ++k) ++start[key(k) + 1];
    for (int s = 1; s <= max_words * sizes; ++s) start[s] += start[s - 1];
    for (int k = 0; k < count_; ++k) order_[start[key(k)]++] = k;

    for (int k = 0, end; k < count_; k = end) {
        const int words = problem_[order_[k]].words;
        int rows = 0;
        for (end = k; end < count_ && end < k + lanes; ++end) {
            const Problem& x = problem_[order_[end]];
            if (x.words != words || std::max(rows, x.rows) + padded_columns(words, x.columns) > words * word_bits) break;
            rows = std::max(rows, x.rows);
        }
        solve_group(order_.get() + k, end - k);
    }
    count_ = used_ = 0;
}

void Batch::solve_group(const int* members, int count) {
    Group& g = *group_;
    g.words = problem_[members[0]].words;
    for (int l = 0; l < lanes; ++l) {
        const Problem& x = problem_[members[std::min(l, count - 1)]];
        g.row_count[l] = x.rows, g.column_count[l] = x.columns;
        g.row_site[l] = &site_[x.row_start], g.row_mass[l] = &mass_[x.row_start];
        g.column_site[l] = &site_[x.column_start], g.column_mass[l] = &mass_[x.column_start];
        g.first[l] = x.turned && !cost_.symmetric ? cost_.sites : 0;
    }
    kernels().solve_group(g);

    // A potential is off by half a unit for each arc of its path, the rest of a mass is below 1.5, and as much again in one
    // column; so many of their products in all, which must be less than 1e-9 of the value.
    const double errors = 1.5 * g.nodes() * g.nodes();
    const double least_mean = errors * 1e9 / (static_cast<double>(max_cost) * total_mass) * cost_.top;
    for (int l = 0; l < count; ++l) {
        const Problem& x = problem_[members[l]];
        const double total = g.row_total[l];
        if (total < 1e-30 || std::abs(total - g.column_total[l]) > 1e-10 * total) {  // rounding is all that is left
            *x.value = not_certified;
            continue;
        }
        const double mean = (g.value[l] + g.value_of_rest[l] * cost_.unit / (1 << index_bits)) / total_mass;
        // No other arc could enter under the exact costs, none leave under the exact masses.
        const bool clear = g.near_arcs[l] == x.rows + x.columns - 1 && g.least_flow[l] > near_flow(g.nodes()) &&
                           mean > least_mean && !(cost_.clipped && uses_clipped(x, l));
        *x.value = (clear ? mean : certified_mean(x, l)) * total;
    }
}

bool Batch::uses_clipped(const Problem& x, int lane) const {
    const auto is_clipped = [&](int slot) { return cost_.exact[group_->arc[slot * lanes + lane]] > cost_.top; };
    for (int i = 0; i < x.rows; ++i)
        if (is_clipped(i)) return true;
    for (int j = 0; j < x.columns; ++j)
        if (is_clipped(group_->column_node(j))) return true;
    return false;
}

// The basis put to the test with exact costs and masses. It is needed for few pairs (one in 700 of 20news), so it is
// written for one problem.
double Batch::certified_mean(const Problem& x, int lane) const {
    const Group& g = *group_;
    if (g.near_arcs[lane] < 0) return not_certified;
    auto at = [lane](int node) { return node * lanes + lane; };
    // A set of slots whose words are so many quantities apart.
    auto set = [&](const std::int32_t* words, int apart) {
        std::uint64_t slots = 0;
        for (int w = 0; w < g.words; ++w)
            slots |= std::uint64_t{static_cast<std::uint32_t>(words[w * apart * lanes + lane])} << (w * word_bits);
        return slots;
    };
    auto is_row = [&](int slot) { return (set(g.child_is_row, 1) >> slot & 1) != 0; };
    auto for_nodes = [&](auto f) {
        for (int i = 0; i < x.rows; ++i) f(i, 1);
        for (int j = 0; j < x.columns; ++j) f(g.column_node(j), -1);
    };
    double arc_cost[max_nodes], flow[max_nodes], potential[max_nodes];  // a column's potential and mass are negative
    for_nodes([&](int slot, int) {
        const double c = cost_.exact[g.arc[at(slot)]];
        arc_cost[slot] = is_row(slot) ? c : -c;
        flow[slot] = 0;
    });
    for_nodes([&](int node, int sign) {
        const double mass = sign * g.mass[at(node)] + g.rest[at(node)];
        potential[node] = 0;
        std::uint64_t path = set(g.path + node * lanes, max_nodes);
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
            const int node = g.column_node(j);
            const double reduced = cost_.exact[g.place[at(i)] + g.place[at(node)]] - potential[i] + potential[node];
            least = std::min(least, reduced);
            greatest = std::max(greatest, reduced);
        }
    // What arcs of negative reduced cost could save, and what it costs to make up for flows below 0. Potentials and
    // flows are sums of up to 63 costs and masses, and the value of 63 products: all their rounding is less than 2^-40.
    const double doubt = (0x1p-40 * farthest - least) * total_mass + lacking * greatest;
    return doubt <= 1e-9 * value ? value / total_mass : not_certified;
}

}  // namespace hott::lockstep
