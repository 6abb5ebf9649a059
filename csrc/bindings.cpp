// The only file that knows Python: arrays in, arrays out. Arguments were checked by the Python facade.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bounds.hpp"
#include "documents.hpp"
#include "encoder.hpp"
#include "foldin.hpp"
#include "kernels.hpp"
#include "layout.h"
#include "lexical.hpp"
#include "nearest_vectors.hpp"
#include "pairwise.hpp"
#include "parallel.hpp"
#include "sampler.hpp"
#include "scan.hpp"
#include "simplex.hpp"
#include "smallest.hpp"
#include "sparse_l1.hpp"
#include "spelling.hpp"
#include "precision.h"
#include "words.hpp"

namespace nb = nanobind;
using namespace hott;

template <class T, class... Shape>
using Input = nb::ndarray<const T, nb::c_contig, nb::device::cpu, Shape...>;
template <class T, class... Shape>
using Output = nb::ndarray<T, nb::c_contig, nb::device::cpu, Shape...>;
using Vector = Input<double, nb::ndim<1>>;
using Matrix = Input<double, nb::ndim<2>>;
using Numbers = Input<std::int64_t, nb::ndim<1>>;
using Rows = std::tuple<Numbers, Input<std::int32_t, nb::ndim<1>>, Vector>;  // CSR: indptr, indices, data

static Documents documents(const Rows& rows) {
    const auto& [start, site, mass] = rows;
    return {static_cast<std::int64_t>(start.size()) - 1, start.data(), site.data(), mass.data()};
}

template <class Site>
using CompactInput = std::tuple<Numbers, Input<Site, nb::ndim<1>>, Input<std::uint16_t, nb::ndim<1>>>;

template <class Site>
static Compact<Site> compact(const CompactInput<Site>& rows) {
    const auto& [start, site, mass] = rows;
    return {static_cast<std::int64_t>(start.size()) - 1, start.data(), site.data(), mass.data()};
}

template <class Site>
static bool is_sound_rows(CompactInput<Site> rows, std::int64_t sites) {
    nb::gil_scoped_release release;
    return is_sound(compact(rows), sites);
}

// A fresh numpy array that owns a copy of the values.
template <class T, class Values>
static nb::ndarray<nb::numpy, T, nb::ndim<1>> array(const Values& values, std::size_t count) {
    T* copy = new T[count];
    std::copy_n(values, count, copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return {copy, {count}, owner};
}

// Called by the waiting thread, without the GIL: lets Ctrl-C through and tells `report` how far the work is.
static Watch watching(nb::object report) {
    return [report](std::int64_t done, std::int64_t total) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!report.is_none()) report(done, total);
    };
}

static auto solve(Vector a, Vector b, Matrix cost) {
    Simplex simplex;
    const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
    double value = 0;
    Watch watch = watching(nb::none());
    {
        nb::gil_scoped_release release;
        auto run = [&](std::int64_t, int, const std::atomic<bool>& stop) {
            value = simplex.solve(n, m, a.data(), b.data(), cost.data(), m, &stop);
        };
        // A thread of its own costs more than a small problem; a large one must not shut out Ctrl-C.
        if (static_cast<std::int64_t>(n) * m > 10000)
            parallel_for(1, 1, run, watch);
        else
            run(0, 0, std::atomic<bool>{false});
    }
    std::vector<Arc> arcs = simplex.arcs();
    std::sort(arcs.begin(), arcs.end(),
              [](const Arc& x, const Arc& y) { return std::pair(x.row, x.column) < std::pair(y.row, y.column); });
    std::vector<std::int32_t> rows, columns;
    std::vector<double> flows;
    for (const Arc& arc : arcs)
        if (arc.flow > 0) rows.push_back(arc.row), columns.push_back(arc.column), flows.push_back(arc.flow);
    const auto [u, v] = simplex.potentials();
    return nb::make_tuple(value, array<std::int32_t>(rows.data(), rows.size()),
                          array<std::int32_t>(columns.data(), columns.size()),
                          array<double>(flows.data(), flows.size()), array<double>(u.data(), n),
                          array<double>(v.data(), m), simplex.pivots());
}

template <class Real>
static void smallest_of_rows(Input<Real, nb::ndim<2>> values, int threads, Output<std::int64_t, nb::ndim<2>> out) {
    Watch watch = watching(nb::none());
    nb::gil_scoped_release release;
    smallest(values.data(), static_cast<std::int64_t>(values.shape(0)), static_cast<std::int64_t>(values.shape(1)),
             static_cast<std::int64_t>(out.shape(1)), threads, out.data(), watch);
}

template <class Real>
static nb::tuple places_not_above(Input<Real, nb::ndim<2>> values, Vector limits, int threads) {
    Watch watch = watching(nb::none());
    Places found;
    {
        nb::gil_scoped_release release;
        found = not_above(values.data(), static_cast<std::int64_t>(values.shape(0)),
                          static_cast<std::int64_t>(values.shape(1)), limits.data(), threads, watch);
    }
    return nb::make_tuple(array<std::int64_t>(found.rows.data(), found.rows.size()),
                          array<std::int64_t>(found.columns.data(), found.columns.size()));
}

template <class Count>
static void add_bm25_of(Input<std::int32_t, nb::ndim<1>> documents, Input<Count, nb::ndim<1>> counts, double weight,
                        double k1, Vector damping, Output<double, nb::ndim<1>> scores) {
    nb::gil_scoped_release release;
    add_bm25(documents.data(), counts.data(), static_cast<std::int64_t>(documents.size()), weight, k1, damping.data(),
             scores.data());
}

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of hott. Use hott.transport and the other modules, which check their arguments.";
    // A program may end while a daemon thread still holds an encoder or postings: that is no leak worth a page of text.
    nb::set_leak_warnings(false);
    nb::exception<NotOptimal>(m, "NotOptimalError", PyExc_RuntimeError);

    // What Python must know of the kernels.
    m.attr("INSTRUCTIONS") = kernels().name;
    m.attr("FOLD_IN_LANES") = fold_in_lanes;
    m.attr("BORROWING") =
        nb::make_tuple(sampler::first_borrowing, sampler::borrowing_interval, sampler::everything);
    m.attr("GPU_MAX_COST") = thread::max_cost;
    m.attr("GPU_INDEX_BITS") = thread::index_bits;
    m.attr("GPU_MAX_SIDE") = thread::max_side;
    m.attr("GPU_TILE") = nb::make_tuple(thread::tile, thread::tile_step, thread::tile_threads);
    m.def(
        "gpu_shared_bytes",
        [](int rows, int columns, int copies, int threads, int sites) {
            return thread::query_bytes(columns, copies, sites) + threads * thread::scratch_bytes(rows, columns);
        },
        nb::arg("rows"), nb::arg("columns"), nb::arg("copies"), nb::arg("threads"), nb::arg("sites"));

    m.def("solve", &solve, nb::arg("a"), nb::arg("b"), nb::arg("cost"));

    m.def(
        "pairwise",
        [](Rows P, std::optional<Rows> Q, Matrix cost, bool metric, int threads, Output<double, nb::ndim<2>> out,
           nb::object report) {
            const Documents p = documents(P), q = Q ? documents(*Q) : p;
            Watch watch = watching(report);
            nb::gil_scoped_release release;
            const Ground ground(static_cast<int>(cost.shape(0)), cost.data(), metric);
            return pairwise(p, q, ground, !Q && ground.symmetric, threads, out.data(), watch);
        },
        nb::arg("P"), nb::arg("Q").none(), nb::arg("cost"), nb::arg("metric"), nb::arg("threads"), nb::arg("out"),
        nb::arg("report").none());

    m.def(
        "pairs",
        [](Rows P, std::optional<Rows> Q, Matrix cost, bool metric, Numbers rows, Numbers cols, int threads,
           Output<double, nb::ndim<1>> out) {
            const Documents p = documents(P), q = Q ? documents(*Q) : p;
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            const Ground ground(static_cast<int>(cost.shape(0)), cost.data(), metric);
            listed_pairs(p, q, rows.data(), cols.data(), static_cast<std::int64_t>(rows.size()), ground, threads,
                         out.data(), watch);
        },
        nb::arg("P"), nb::arg("Q").none(), nb::arg("cost"), nb::arg("metric"), nb::arg("rows"), nb::arg("cols"),
        nb::arg("threads"), nb::arg("out"));

    m.def(
        "lower_bound",
        [](Rows P, std::optional<Rows> Q, Matrix cost, double scale, int threads, Output<float, nb::ndim<2>> out) {
            const Documents p = documents(P), q = Q ? documents(*Q) : p;
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            const Ground ground(static_cast<int>(cost.shape(0)), cost.data(), true);
            lower_bounds(p, q, ground, scale, threads, out.data(), watch);
        },
        nb::arg("P"), nb::arg("Q").none(), nb::arg("cost"), nb::arg("scale"), nb::arg("threads"), nb::arg("out"));

    const auto def_add_bm25 = [&m](auto add) {
        m.def("add_bm25", add, nb::arg("documents"), nb::arg("counts"), nb::arg("weight"), nb::arg("k1"),
              nb::arg("damping"), nb::arg("scores"));
    };
    def_add_bm25(&add_bm25_of<std::uint8_t>);
    def_add_bm25(&add_bm25_of<std::uint16_t>);
    def_add_bm25(&add_bm25_of<std::int32_t>);

    m.attr("MAX_EDITS") = max_edits;
    m.def(
        "near_spellings",
        [](Input<std::uint32_t, nb::ndim<1>> word, Input<std::uint32_t, nb::ndim<1>> letters,
           Input<std::int64_t, nb::ndim<1>> starts, std::int64_t first, int most,
           Output<std::uint8_t, nb::ndim<1>> out) {
            nb::gil_scoped_release release;
            near_spellings(word.data(), static_cast<std::int64_t>(word.size()), letters.data(), starts.data(), first,
                           first + static_cast<std::int64_t>(out.size()), most, out.data());
        },
        nb::arg("word"), nb::arg("letters"), nb::arg("starts"), nb::arg("first"), nb::arg("most"), nb::arg("out"));

    m.def("is_sound", &is_sound_rows<std::uint8_t>, nb::arg("rows"), nb::arg("sites"));
    m.def("is_sound", &is_sound_rows<std::uint16_t>, nb::arg("rows"), nb::arg("sites"));
    m.def("is_sound", &is_sound_rows<std::int32_t>, nb::arg("rows"), nb::arg("sites"));

    m.attr("SKETCH_BLOCK") = sketch_block;
    m.attr("SKETCH_SLOTS") = sketch_slots;
    using Bytes = Input<std::uint8_t, nb::ndim<2>>;
    m.def(
        "sketch",
        [](CompactInput<std::uint8_t> rows, int threads, Output<std::uint8_t, nb::ndim<2>> site,
           Output<std::uint8_t, nb::ndim<2>> mass) {
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            sketch(compact(rows), threads, site.data(), mass.data(), watch);
        },
        nb::arg("rows"), nb::arg("threads"), nb::arg("site"), nb::arg("mass"));
    m.def(
        "scan",
        [](std::vector<std::tuple<Bytes, Bytes, Bytes, Bytes>> given, Input<float, nb::ndim<1>> factors, int threads,
           Output<float, nb::ndim<2>> out) {
            std::vector<SketchModel> models;
            for (const auto& [site, mass, query_mass, query_cost] : given)
                models.push_back({site.data(), mass.data(), static_cast<int>(query_mass.shape(1) / 16), query_mass.data(),
                                  query_cost.data()});
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            scan(models, static_cast<std::int64_t>(out.shape(0)), static_cast<std::int64_t>(out.shape(1)), factors.data(),
                 threads, out.data(), watch);
        },
        nb::arg("models"), nb::arg("factors"), nb::arg("threads"), nb::arg("out"));
    m.def(
        "listed_bounds",
        [](std::vector<std::tuple<Rows, CompactInput<std::uint8_t>, Matrix>> given, double share, Numbers rows, Numbers cols,
           Input<double, nb::ndim<1>> limits, int threads, Output<double, nb::ndim<1>> out) {
            std::vector<ListedModel> models;
            for (const auto& [P, Q, cost] : given)
                models.emplace_back(documents(P), compact(Q), Ground(static_cast<int>(cost.shape(0)), cost.data(), true));
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            listed_bounds(models, share, rows.data(), cols.data(), limits.data(), static_cast<std::int64_t>(rows.size()),
                          threads, out.data(), watch);
        },
        nb::arg("models"), nb::arg("share"), nb::arg("rows"), nb::arg("cols"), nb::arg("limits"), nb::arg("threads"),
        nb::arg("out"));

    m.def("smallest", &smallest_of_rows<float>, nb::arg("values"), nb::arg("threads"), nb::arg("out"));
    m.def("smallest", &smallest_of_rows<double>, nb::arg("values"), nb::arg("threads"), nb::arg("out"));
    m.def("not_above", &places_not_above<float>, nb::arg("values"), nb::arg("limits"), nb::arg("threads"));
    m.def("not_above", &places_not_above<double>, nb::arg("values"), nb::arg("limits"), nb::arg("threads"));

    nb::class_<InvertedIndex>(m, "InvertedIndex")
        .def(
            "__init__", [](InvertedIndex* self, Rows rows, std::int64_t sites) {
                new (self) InvertedIndex(documents(rows), sites);
            },
            nb::arg("rows"), nb::arg("sites"))
        // Another process makes its own.
        .def("__reduce__", [](const InvertedIndex&) {
            return nb::make_tuple(nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(Py_None))), nb::make_tuple());
        });
    m.def(
        "sparse_l1",
        [](Rows P, const InvertedIndex& Q, int threads, Output<double, nb::ndim<2>> out) {
            const Documents p = documents(P);
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            sparse_l1(p, Q, threads, out.data(), watch);
        },
        nb::arg("P"), nb::arg("Q"), nb::arg("threads"), nb::arg("out"));

    m.def(
        "word_pairs",
        [](Rows P, Rows Q, Numbers rows, Numbers cols, Input<std::int32_t, nb::ndim<1>> row_of, Matrix cost, bool metric,
           bool relaxed, int threads, Output<double, nb::ndim<1>> out) {
            const Documents p = documents(P), q = documents(Q);
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            const WordTable table{static_cast<int>(cost.shape(1)), row_of.data(), cost.data(), metric};
            (relaxed ? relaxed_word_pairs : word_pairs)(p, q, rows.data(), cols.data(),
                                                        static_cast<std::int64_t>(rows.size()), table, threads,
                                                        out.data(), watch);
        },
        nb::arg("P"), nb::arg("Q"), nb::arg("rows"), nb::arg("cols"), nb::arg("row_of"), nb::arg("cost"),
        nb::arg("metric"), nb::arg("relaxed"), nb::arg("threads"), nb::arg("out"));

    m.def(
        "nearest_words",
        [](Rows Q, Matrix cost, bool transposed, int threads, Output<double, nb::ndim<2>> nearest) {
            const Documents q = documents(Q);
            const auto n = static_cast<std::int64_t>(cost.shape(0)), m = static_cast<std::int64_t>(cost.shape(1));
            const WordCosts table = transposed ? WordCosts{m, n, 1, m, cost.data()} : WordCosts{n, m, m, 1, cost.data()};
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            nearest_words(q, table, threads, nearest.data(), watch);
        },
        nb::arg("Q"), nb::arg("cost"), nb::arg("transposed"), nb::arg("threads"), nb::arg("nearest"));

    m.def(
        "send_to_nearest",
        [](Rows by_word, Rows receivers, Input<std::int32_t, nb::ndim<1>> place_of, Matrix nearest, int threads,
           Output<double, nb::ndim<2>> out) {
            const auto& [start, document, mass] = by_word;
            const Senders senders{static_cast<std::int64_t>(start.size()) - 1, start.data(), document.data(),
                                  mass.data()};
            const Documents to = documents(receivers);
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            send_to_nearest(senders, static_cast<std::int64_t>(out.shape(1)), to, place_of.data(), nearest.data(),
                            threads, out.data(), watch);
        },
        nb::arg("by_word"), nb::arg("receivers"), nb::arg("place_of"), nb::arg("nearest"), nb::arg("threads"),
        nb::arg("out"));

    m.def(
        "fold_in",
        [](Rows counts, Input<float, nb::ndim<2>> table, Input<float, nb::ndim<1>> alpha, bool gibbs, int steps,
           int burn_in, std::uint64_t seed, int threads, Output<double, nb::ndim<2>> out, nb::object report) {
            const TopicTable topics{table.data(), alpha.data(), out.shape(1), table.shape(1)};
            const FoldInOptions options{gibbs ? FoldInMethod::gibbs : FoldInMethod::fixed_point, steps, burn_in, seed};
            Watch watch = watching(report);
            nb::gil_scoped_release release;
            fold_in(documents(counts), topics, options, threads, out.data(), watch);
        },
        nb::arg("counts"), nb::arg("table"), nb::arg("alpha"), nb::arg("gibbs"), nb::arg("steps"), nb::arg("burn_in"),
        nb::arg("seed"), nb::arg("threads"), nb::arg("out"), nb::arg("report").none());

    m.def(
        "nearest_vectors",
        [](Input<std::int16_t, nb::ndim<2>> queries, Input<std::int16_t, nb::ndim<2>> candidates, bool among, int threads,
           Output<std::int32_t, nb::ndim<2>> index, Output<std::int32_t, nb::ndim<2>> product) {
            const auto vectors = [](const auto& rows) {
                return Vectors{rows.data(), static_cast<std::int64_t>(rows.shape(0)), rows.shape(1)};
            };
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            nearest_vectors(vectors(queries), vectors(candidates), among, index.shape(1), threads, index.data(),
                            product.data(), watch);
        },
        nb::arg("queries"), nb::arg("candidates"), nb::arg("among"), nb::arg("threads"), nb::arg("index"),
        nb::arg("product"));

    using Floats = Input<float, nb::ndim<1>>;
    using LinearInput = std::tuple<Input<std::int8_t, nb::ndim<2>>, Floats, Floats>;  // weights, scale, bias
    using NormInput = std::tuple<Floats, Floats>;
    m.attr("ENCODER_INSTRUCTIONS") = encoder_kernels().name;
    m.attr("ENCODER_SHAPE") = nb::make_tuple(encoder_size, encoder_heads, encoder_layers, encoder_window);
    nb::class_<Encoder>(m, "Encoder")
        .def(
            "__init__",
            [](Encoder* self, Input<std::int8_t, nb::ndim<2>> table, Floats table_scale, Floats word_weight, Floats left,
               Floats right, Floats gate, float gate_bias,
               std::vector<std::tuple<NormInput, LinearInput, LinearInput, NormInput, LinearInput, LinearInput>> layers) {
                const auto norm = [](const NormInput& given) {
                    return NormWeights{std::get<0>(given).data(), std::get<1>(given).data()};
                };
                const auto linear = [](const LinearInput& given) {
                    const auto& [weights, scale, bias] = given;
                    return LinearWeights{weights.data(), scale.data(), bias.data(), static_cast<int>(weights.shape(0)),
                                         static_cast<int>(weights.shape(1))};
                };
                std::vector<LayerWeights> all;
                for (const auto& [norm1, attention, output, norm2, up, down] : layers)
                    all.push_back({norm(norm1), norm(norm2), linear(attention), linear(output), linear(up), linear(down)});
                new (self) Encoder(table.data(), table_scale.data(), word_weight.data(),
                                   static_cast<std::int64_t>(table.shape(0)), left.data(), right.data(), gate.data(),
                                   gate_bias, all);
            },
            nb::arg("table"), nb::arg("table_scale"), nb::arg("word_weight"), nb::arg("left"), nb::arg("right"),
            nb::arg("gate"), nb::arg("gate_bias"), nb::arg("layers"), nb::keep_alive<1, 2>())
        .def(
            "in_context",
            [](const Encoder& self, Input<std::int32_t, nb::ndim<1>> words, Numbers starts, int threads,
               Output<float, nb::ndim<2>> rows) {
                Watch watch = watching(nb::none());
                nb::gil_scoped_release release;
                self.in_context(words.data(), starts.data(), static_cast<std::int64_t>(starts.size()) - 1, threads,
                                rows.data(), watch);
            },
            nb::arg("words"), nb::arg("starts"), nb::arg("threads"), nb::arg("rows"))
        .def(
            "sums",
            [](const Encoder& self, Input<std::int32_t, nb::ndim<1>> words, Numbers starts, int threads,
               Output<float, nb::ndim<2>> out) {
                Watch watch = watching(nb::none());
                nb::gil_scoped_release release;
                self.sums(words.data(), starts.data(), static_cast<std::int64_t>(starts.size()) - 1, threads, out.data(),
                          watch);
            },
            nb::arg("words"), nb::arg("starts"), nb::arg("threads"), nb::arg("out"));
    m.def(
        "dot_bytes",
        [](Input<std::int8_t, nb::ndim<2>> rows, Input<std::int16_t, nb::ndim<1>> query, int threads,
           Output<std::int32_t, nb::ndim<1>> out) {
            Watch watch = watching(nb::none());
            nb::gil_scoped_release release;
            dot_bytes(rows.data(), static_cast<std::int64_t>(rows.shape(0)), static_cast<std::int64_t>(rows.shape(1)),
                      query.data(), threads, out.data(), watch);
        },
        nb::arg("rows"), nb::arg("query"), nb::arg("threads"), nb::arg("out"));

    m.def(
        "sample_topics",
        [](Rows counts, std::size_t words, Input<std::int32_t, nb::ndim<2>> neighbors,
           Input<float, nb::ndim<2>> weights, int sweeps, float alpha, float eta, float strength,
           Input<std::uint64_t, nb::ndim<1>> seeds, int threads, Output<float, nb::ndim<3>> drawn,
           std::optional<Output<std::uint16_t, nb::ndim<2>>> topic_of, nb::object report) {
            const Documents rows = documents(counts);
            const Neighborhood near{weights.shape(0), weights.shape(1), neighbors.data(), weights.data()};
            const SamplerSettings settings{drawn.shape(2), sweeps, alpha, eta, strength};
            Watch watch = watching(report);
            nb::gil_scoped_release release;
            sample_topics(rows, words, near, settings, seeds.data(), static_cast<std::int64_t>(seeds.size()), threads,
                          drawn.data(), topic_of ? topic_of->data() : nullptr, watch);
        },
        nb::arg("counts"), nb::arg("words"), nb::arg("neighbors"), nb::arg("weights"), nb::arg("sweeps"),
        nb::arg("alpha"), nb::arg("eta"), nb::arg("strength"), nb::arg("seeds"), nb::arg("threads"),
        nb::arg("drawn"), nb::arg("topic_of").none(), nb::arg("report").none());

    m.def(
        "topic_shares",
        [](Rows counts, Input<std::int32_t, nb::ndim<2>> neighbors, Input<float, nb::ndim<2>> weights, float eta,
           float strength, Output<float, nb::ndim<2>> out) {
            const Documents rows = documents(counts);
            const Neighborhood near{weights.shape(0), weights.shape(1), neighbors.data(), weights.data()};
            nb::gil_scoped_release release;
            topic_shares(rows, near, out.shape(1), eta, strength, out.data());
        },
        nb::arg("counts"), nb::arg("neighbors"), nb::arg("weights"), nb::arg("eta"), nb::arg("strength"),
        nb::arg("out"));
}
