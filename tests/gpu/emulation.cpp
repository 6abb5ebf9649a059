// The kernel's solver run on the CPU, one lane at a time: the same source, compiled by the system's C++ compiler.
#include <cstddef>
#include <vector>

#include "pair.h"

namespace {

template <int Rows, int Columns, bool Metric>
void run(const hott::Documents& columns, const hott::Documents& rows, const hott::Ground& ground, int q, double* out) {
    constexpr int copies = 2;
    using Query = hott::Query<Columns, copies>;
    using Lane = hott::Scratch<Rows, Columns>;
    const std::size_t shared = Query::bytes(ground.sites);
    std::vector<double> memory((shared + Lane::bytes) / sizeof(double) + 4);
    char* start = reinterpret_cast<char*>((reinterpret_cast<std::size_t>(memory.data()) + 15) / 16 * 16);
    const Query query(ground, columns, q, start, 0, 1);
    const Lane lane(start + shared, 0, 1);
    for (int d = 0; d < rows.count && rows.size[d] <= Rows; ++d)
        out[d] = hott::Pair<Rows, Columns, copies, Metric>(ground, query, rows, d, lane).distance(true);
}

template <int Rows, int Columns>
void run(bool metric, const hott::Documents& columns, const hott::Documents& rows, const hott::Ground& ground, int q,
         double* out) {
    (metric ? run<Rows, Columns, true> : run<Rows, Columns, false>)(columns, rows, ground, q, out);
}

}  // namespace

// Distances of document q of `columns` to those of `rows`, sorted by size, that are not larger than the kernel allows.
extern "C" void emulate(bool metric, int row_class, const hott::Documents* columns, const hott::Documents* rows,
                        const hott::Ground* ground, int q, double* out) {
    (row_class == 8 ? run<8, 6> : row_class == 24 ? run<24, 8> : run<16, 16>)(metric, *columns, *rows, *ground, q, out);
}
