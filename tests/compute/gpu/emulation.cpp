// The kernels run on the CPU, one lane at a time: the same source, compiled by the system's C++ compiler.
#include <cstddef>
#include <vector>

#include "pair.h"
#include "sampler.h"

namespace gpu = hott::thread;

namespace {

template <int Rows, int Columns, bool Metric>
void run(const gpu::Documents& columns, const gpu::Documents& rows, const gpu::Ground& ground, int q, double* out) {
    constexpr int copies = 2;
    using Query = gpu::Query<Columns, copies>;
    using Lane = gpu::Scratch<Rows, Columns>;
    const std::size_t shared = Query::bytes(ground.sites);
    std::vector<double> memory((shared + Lane::bytes) / sizeof(double) + 4);
    char* start = reinterpret_cast<char*>((reinterpret_cast<std::size_t>(memory.data()) + 15) / 16 * 16);
    const Query query(ground, columns, q, start, 0, 1);
    const Lane lane(start + shared, 0, 1);
    for (int d = 0; d < rows.count && rows.size[d] <= Rows; ++d)
        out[d] = gpu::Pair<Rows, Columns, copies, Metric>(ground, query, rows, d, lane).distance(true);
}

template <int Rows, int Columns>
void run(bool metric, const gpu::Documents& columns, const gpu::Documents& rows, const gpu::Ground& ground, int q,
         double* out) {
    (metric ? run<Rows, Columns, true> : run<Rows, Columns, false>)(columns, rows, ground, q, out);
}

}  // namespace

// Distances of document q of `columns` to those of `rows`, sorted by size, that are not larger than the kernel for so many
// rows and columns allows.
extern "C" void emulate(bool metric, int most_rows, int most_columns, const gpu::Documents* columns,
                        const gpu::Documents* rows, const gpu::Ground* ground, int q, double* out) {
    struct Kernel {
        int rows, columns;
        decltype(&run<8, 6>) run;
    };
    constexpr Kernel kernels[] = {{8, 6, run<8, 6>},     {16, 16, run<16, 16>}, {24, 8, run<24, 8>},
                                  {12, 20, run<12, 20>}, {24, 16, run<24, 16>}, {20, 24, run<20, 24>},
                                  {32, 32, run<32, 32>}};
    for (const Kernel& kernel : kernels)
        if (kernel.rows == most_rows && kernel.columns == most_columns)
            kernel.run(metric, *columns, *rows, *ground, q, out);
}

// The steps of sampling topics, each for all models; the documents of a batch one after the other.
extern "C" {

void begin(int, const hott::Sampling* s, long long count) {
    for (long long i = 0; i < count; ++i) hott::begin_occurrence(*s, i % s->models, i / s->models);
}

void borrow(int, const hott::Sampling* s, long long count) {
    for (long long i = 0; i < count; ++i) hott::borrow_word(*s, i % s->models, i / s->models);
}

void weigh(int, const hott::Sampling* s, long long count) {
    for (long long i = 0; i < count; ++i) hott::weigh_word(*s, i % s->models, i / s->models);
    for (int k = 0; k < s->models * s->topics; ++k) hott::weigh_topic(*s, k);
}

void sample(int rows, const hott::Sampling* s, long long count, int first, hott::u64 numbers) {
    const auto draw = rows == 1 ? hott::sample_document<1> : rows == 3 ? hott::sample_document<3>
                                                                       : hott::sample_document<20>;
    for (long long i = 0; i < count; ++i) draw(*s, i % s->models, s->document[first + i / s->models], numbers);
}
}
