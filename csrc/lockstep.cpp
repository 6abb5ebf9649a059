// Pairs of documents made into groups of small problems, and the groups' solutions into certified values.
#include "lockstep_api.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hott::lockstep {

constexpr double not_certified = std::numeric_limits<double>::quiet_NaN();
constexpr int batch_size = 1024;

// Rows are the document with more sites left. Nodes are numbered as in a group.
struct Batch::Problem {
    double* value;
    double total;  // mass to be moved
    int rows, columns;
    bool turned;  // the rows are the second document
    std::int32_t site[nodes];
    double mass[nodes];
};

RoundedCost::RoundedCost(const Ground& ground)
    : sites_(ground.sites), cancel_(ground.metric), exact_(ground.cost) {
    const std::size_t n = ground.sites;
    const double most = *std::max_element(exact_, exact_ + n * n), scale = most > 0 ? max_cost / most : 0;
    rounded_.resize(n * n);
    for (std::size_t k = 0; k < n * n; ++k)
        rounded_[k] = static_cast<std::int32_t>(std::lround(exact_[k] * scale)) * (1 << index_bits);
    if (ground.symmetric) return;
    turned_exact_.resize(n * n);
    turned_rounded_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            turned_exact_[j * n + i] = exact_[i * n + j];
            turned_rounded_[j * n + i] = rounded_[i * n + j];
        }
}

Batch::Batch(const RoundedCost& cost, Kernel kernel)
    : cost_(cost), kernel_(kernel), problem_(batch_size), difference_(cost.sites(), 0.0), group_(new Group) {
    group_->lanes = kernel.lanes;
}

Batch::~Batch() = default;

void Batch::add(const Document& p, const Document& q, double* value) {
    Problem& x = problem_[count_];
    int n = 0, m = 0;
    double* d = difference_.data();
    std::int32_t p_site[nodes + 1], q_site[nodes + 1];
    double p_mass[nodes + 1], q_mass[nodes + 1];
    if (cost_.cancel()) {
        for (int i = 0; i < p.size; ++i) d[p.site[i]] = p.mass[i];
        for (int j = 0; j < q.size; ++j) {
            const int s = q.site[j];
            const double left = q.mass[j] - d[s];
            d[s] = -left;
            q_site[m] = s, q_mass[m] = left;
            m += left > 0 && m < nodes;
        }
        for (int i = 0; i < p.size; ++i) {
            const int s = p.site[i];
            p_site[n] = s, p_mass[n] = d[s];
            n += d[s] > 0 && n < nodes;
            d[s] = 0;
        }
        for (int j = 0; j < q.size; ++j) d[q.site[j]] = 0;
    } else {
        n = std::min(p.size, nodes), m = std::min(q.size, nodes);
        std::copy_n(p.site, n, p_site), std::copy_n(p.mass, n, p_mass);
        std::copy_n(q.site, m, q_site), std::copy_n(q.mass, m, q_mass);
    }
    if (n == 0 || m == 0) {
        *value = 0;
        return;
    }
    if (n + m > nodes) {
        *value = not_certified;
        return;
    }
    x.turned = n < m || (n == m && q < p);
    const std::int32_t *rs = p_site, *cs = q_site;
    const double *rm = p_mass, *cm = q_mass;
    if (x.turned) std::swap(rs, cs), std::swap(rm, cm), std::swap(n, m);
    x.value = value, x.rows = n, x.columns = m;
    double total = 0, other = 0;
    for (int i = 0; i < n; ++i) x.site[i] = rs[i], total += rm[i];
    for (int j = 0; j < m; ++j) x.site[column_node(j)] = cs[j], other += cm[j];
    const double a = total_mass / total, b = total_mass / other;
    for (int i = 0; i < n; ++i) x.mass[i] = rm[i] * a;
    for (int j = 0; j < m; ++j) x.mass[column_node(j)] = cm[j] * b;
    x.total = total;
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
    for (int l = 0; l < lanes; ++l) {
        const Problem& x = problem_[members[std::min(l, count - 1)]];
        g.row_count[l] = x.rows, g.column_count[l] = x.columns;
        std::int32_t* cost = g.cost + l;
        const std::int32_t* table = cost_.rounded(x.turned);
        for (int i = 0; i < x.rows; ++i, cost += g.columns * lanes) {
            const std::int32_t* row = table + static_cast<std::ptrdiff_t>(x.site[i]) * cost_.sites();
            int j = 0;
            for (; j < x.columns; ++j) cost[j * lanes] = row[x.site[column_node(j)]];
            for (; j < g.columns; ++j) cost[j * lanes] = 0;
        }
        for (int i = x.rows; i < g.rows; ++i, cost += g.columns * lanes)
            for (int j = 0; j < g.columns; ++j) cost[j * lanes] = 0;
        // Every row gets one unit more than its rounded mass, against ties; a column takes what that makes in all.
        int excess = 0;
        for (int i = 0; i < x.rows; ++i) {
            const int mass = static_cast<int>(x.mass[i] + 1.5);
            g.mass[i * lanes + l] = mass, excess += mass;
        }
        for (int i = x.rows; i < g.rows; ++i) g.mass[i * lanes + l] = 0;
        for (int j = 0; j < x.columns; ++j) {
            const int mass = static_cast<int>(x.mass[column_node(j)] + 0.5);
            g.mass[column_node(j) * lanes + l] = mass, excess -= mass;
        }
        g.mass[column_node(0) * lanes + l] += excess;
        for (int j = x.columns; j < g.columns; ++j) g.mass[column_node(j) * lanes + l] = 0;
    }
    kernel_.solve(g);
    for (int l = 0; l < count; ++l) {
        const Problem& x = problem_[members[l]];
        *x.value = certified_value(x, l);
    }
}

double Batch::certified_value(const Problem& x, int lane) {
    const Group& g = *group_;
    if (g.unfinished[lane]) return not_certified;
    const double* exact = cost_.exact(x.turned);
    const int sites = cost_.sites();
    const std::uint32_t child_is_row = g.child_is_row[lane];
    double signed_cost[nodes], potential[nodes], flow[nodes];
    auto slot = [&](int s) {
        const int arc = g.arc[s * g.lanes + lane], i = arc >> index_bits, j = arc & (max_columns - 1);
        const double c = exact[static_cast<std::ptrdiff_t>(x.site[i]) * sites + x.site[column_node(j)]];
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
    for (int i = 0; i < x.rows; ++i) climb(i, x.mass[i]);
    for (int j = 0; j < x.columns; ++j) climb(column_node(j), -x.mass[column_node(j)]);
    double value = 0, least_flow = 0, least = 0;
    auto check = [&](int s) {
        value += flow[s] * signed_cost[s];
        least_flow = std::min(least_flow, child_is_row >> s & 1 ? flow[s] : -flow[s]);
    };
    for (int i = 0; i < x.rows; ++i) check(i);
    for (int j = 0; j < x.columns; ++j) check(column_node(j));
    for (int i = 0; i < x.rows; ++i) {
        const double* row = exact + static_cast<std::ptrdiff_t>(x.site[i]) * sites;
        for (int j = 0; j < x.columns; ++j)
            least = std::min(least, row[x.site[column_node(j)]] - potential[i] + potential[column_node(j)]);
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
