// Pairs of documents made into groups of small problems, and the groups' solutions into certified values.
#include "lockstep_api.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hott::lockstep {

constexpr double not_certified = std::numeric_limits<double>::quiet_NaN();
constexpr int batch_size = 1024;

// What is left of two documents. The first one's sites are numbered from 0 up, the second's from 31 down; `flip` turns
// a node of the group into these numbers, as the rows are the document with more sites left.
struct Batch::Problem {
    double* value;
    int rows, columns, flip;
    double total;  // mass to be moved
    std::int32_t site[nodes];
    double mass[nodes];
};

RoundedCost::RoundedCost(const Ground& ground)
    : sites(ground.sites), cancel(ground.metric), symmetric(ground.symmetric) {
    const std::size_t n = sites;
    exact.assign(ground.cost, ground.cost + n * n);
    if (!symmetric)
        for (std::size_t k = 0; k < n * n; ++k) exact.push_back(ground.cost[k % n * n + k / n]);
    most = *std::max_element(exact.begin(), exact.end());
    unit = most > 0 ? most / max_cost : 1;
    rounded.reserve(exact.size());
    for (double c : exact) rounded.push_back(static_cast<std::int32_t>(std::lround(c / unit)) << index_bits);
}

Batch::Batch(const RoundedCost& cost, Kernel kernel)
    : cost_(cost), kernel_(kernel), problem_(batch_size), difference_(cost.sites, 0.0), group_(new Group) {
    group_->lanes = kernel.lanes;
    group_->table = cost.rounded.data();
}

Batch::~Batch() = default;

void Batch::add(const Document& p, const Document& q, double* value) {
    Problem& x = problem_[count_];
    int n = 0, m = 0;
    double* d = difference_.data();
    if (cost_.cancel) {
        for (int i = 0; i < p.size; ++i) d[p.site[i]] = p.mass[i];
        for (int j = 0; j < q.size; ++j) {
            const int s = q.site[j];
            const double left = q.mass[j] - d[s];
            d[s] = -left;
            const int k = std::max(column_node(m), 0);
            x.site[k] = s, x.mass[k] = left;
            m += left > 0;
        }
        for (int i = 0; i < p.size; ++i) {
            const int s = p.site[i];
            const int k = std::min(n, nodes - 1 - m);
            if (k >= 0) x.site[k] = s, x.mass[k] = d[s];
            n += d[s] > 0;
            d[s] = 0;
        }
        for (int j = 0; j < q.size; ++j) d[q.site[j]] = 0;
    } else {
        n = p.size, m = q.size;
        if (n + m <= nodes) {
            for (int i = 0; i < n; ++i) x.site[i] = p.site[i], x.mass[i] = p.mass[i];
            for (int j = 0; j < m; ++j) x.site[column_node(j)] = q.site[j], x.mass[column_node(j)] = q.mass[j];
        }
    }
    if (n == 0 || m == 0) {
        *value = 0;
        return;
    }
    if (n + m > nodes) {
        *value = not_certified;
        return;
    }
    const bool turned = n < m || (n == m && q < p);
    x.value = value, x.flip = turned ? nodes - 1 : 0, x.rows = std::max(n, m), x.columns = std::min(n, m);
    if (++count_ == batch_size) finish();
}

void Batch::finish() {
    std::vector<int> order(count_);
    int start[(max_columns + 1) * nodes + 1] = {};
    auto key = [&](int k) { return problem_[k].columns * nodes + problem_[k].rows; };
    for (int k = 0; k < count_; ++k) ++start[key(k) + 1];
    for (int s = 1; s <= (max_columns + 1) * nodes; ++s) start[s] += start[s - 1];
    for (int k = 0; k < count_; ++k) order[start[key(k)]++] = k;

    for (int k = 0, end; k < count_; k = end) {
        int rows = 0;
        for (end = k; end < count_ && end < k + kernel_.lanes; ++end) {
            const Problem& x = problem_[order[end]];
            if (std::max(rows, x.rows) + x.columns > nodes) break;
            rows = std::max(rows, x.rows);
        }
        solve_group(order.data() + k, end - k);
    }
    count_ = 0;
}

void Batch::solve_group(const int* members, int count) {
    Group& g = *group_;
    const int lanes = kernel_.lanes;
    g.rows = 0, g.columns = 0;
    for (int l = 0; l < count; ++l) {
        g.rows = std::max(g.rows, problem_[members[l]].rows);
        g.columns = std::max(g.columns, problem_[members[l]].columns);
    }
    for (int l = 0; l < lanes; ++l) pack(problem_[members[std::min(l, count - 1)]], l);
    kernel_.solve(g);

    double value[max_lanes] = {}, rest[max_lanes] = {};
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
        const bool clear = g.near_arcs[l] == x.rows + x.columns - 1 && g.least_flow[l] > 128 && mean > 1e-3 * cost_.most;
        *x.value = clear ? mean * x.total : certified_value(x, l);
    }
}

void Batch::pack(Problem& x, int lane) {
    Group& g = *group_;
    const int lanes = kernel_.lanes;
    double total = 0, other = 0;
    for (int i = 0; i < x.rows; ++i) total += x.mass[i ^ x.flip];
    for (int j = 0; j < x.columns; ++j) other += x.mass[column_node(j) ^ x.flip];
    x.total = total;
    g.row_count[lane] = x.rows, g.column_count[lane] = x.columns;
    // Every row gets one unit more than its rounded mass, against ties; a column takes what that makes in all.
    int excess = 0;
    const double a = total_mass / total, b = total_mass / other;
    for (int i = 0; i < g.rows; ++i) {
        const bool live = i < x.rows;
        const double mass = live ? x.mass[i ^ x.flip] * a : 0;
        const int rounded = live ? static_cast<int>(mass + 1.5) : 0, k = i * lanes + lane;
        excess += rounded;
        g.place[k] = live ? cost_.row_place(x.site[i ^ x.flip], x.flip) : 0;
        g.mass[k] = rounded;
        rest_[k] = mass - rounded;
    }
    for (int j = 0; j < g.columns; ++j) {
        const bool live = j < x.columns;
        const int node = column_node(j), k = node * lanes + lane;
        const double mass = live ? x.mass[node ^ x.flip] * b : 0;
        const int rounded = static_cast<int>(mass + 0.5);
        excess -= rounded;
        g.place[k] = live ? x.site[node ^ x.flip] : 0;
        g.mass[k] = rounded;
        rest_[k] = rounded - mass;
    }
    const int k = column_node(0) * lanes + lane;
    g.mass[k] += excess;
    rest_[k] += excess;
}

double Batch::certified_value(const Problem& x, int lane) const {
    const Group& g = *group_;
    if (g.near_arcs[lane] < 0) return not_certified;
    const std::uint32_t child_is_row = g.child_is_row[lane];
    double signed_cost[nodes], potential[nodes], flow[nodes];
    auto slot = [&](int s) {
        const double c = cost_.exact[g.arc[s * g.lanes + lane]];
        signed_cost[s] = child_is_row >> s & 1 ? c : -c;
        flow[s] = 0;
    };
    for (int i = 0; i < x.rows; ++i) slot(i);
    for (int j = 0; j < x.columns; ++j) slot(column_node(j));
    auto climb = [&](int node, double mass) {
        double sum = 0;
        for (std::uint32_t path = g.path[node * g.lanes + lane]; path; path &= path - 1) {
            const int s = __builtin_ctz(path);
            sum += signed_cost[s];
            flow[s] += mass;
        }
        potential[node] = sum;
    };
    for (int i = 0; i < x.rows; ++i) climb(i, g.mass[i * g.lanes + lane] + rest_[i * g.lanes + lane]);
    for (int j = 0; j < x.columns; ++j) climb(column_node(j), rest_[column_node(j) * g.lanes + lane] - g.mass[column_node(j) * g.lanes + lane]);
    double value = 0, least_flow = 0, least = 0;
    auto check = [&](int s) {
        value += flow[s] * signed_cost[s];
        least_flow = std::min(least_flow, child_is_row >> s & 1 ? flow[s] : -flow[s]);
    };
    for (int i = 0; i < x.rows; ++i) check(i);
    for (int j = 0; j < x.columns; ++j) check(column_node(j));
    for (int i = 0; i < x.rows; ++i) {
        const double* row = cost_.exact.data() + g.place[i * g.lanes + lane];
        for (int j = 0; j < x.columns; ++j)
            least = std::min(least, row[x.site[column_node(j) ^ x.flip]] - potential[i] + potential[column_node(j)]);
    }
    if (least_flow < -1e-4 || -least * total_mass > 1e-10 * value) return not_certified;
    return value / total_mass * x.total;
}

extern const Kernel baseline_kernel;
#if defined(__x86_64__) && defined(__GNUC__)
extern const Kernel avx2_kernel, avx512_kernel;
#endif

std::vector<Kernel> kernels() {
    std::vector<Kernel> found{baseline_kernel};
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) found.push_back(avx2_kernel);
    if (__builtin_cpu_supports("avx512f")) found.push_back(avx512_kernel);
#endif
    return found;
}

Kernel best_kernel() { return kernels().back(); }

}  // namespace hott::lockstep
