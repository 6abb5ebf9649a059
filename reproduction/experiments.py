"""The experiments: one table. A full run goes through it from top to bottom."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from reproduction import bounds, interpretability, judgement, links, maps, relation, statistics, timing
from reproduction.knn import Grid, grids
from reproduction.methods import METHODS, PUBLISHED
from reproduction.provenance import stamp
from reproduction.runner import Cell, each, run_cells
from reproduction.setting import Setting
from reproduction.study import Study
from reproduction.tables import Table


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper, and the cells to compute."""

    name: str
    about: str
    cells: Callable[[Study], list[Cell]]
    uses: tuple[str, ...] = ()  # sizes that its numbers depend on
    both: bool = True  # by default with the bundled vectors, too
    timed: bool = False  # measures time: nothing else runs beside it

    def run(self, study: Study, only: "Only | None" = None, force: bool = False) -> list[str]:
        """Compute what is missing; returns what failed."""
        return run_cells(self.missing(study, only, force).values(), self.table(study), self.name)

    def missing(self, study: Study, only: "Only | None" = None, force: bool = False) -> dict[int, Cell]:
        """The cells that are to be computed, by their places among all; ``force``: also the finished."""
        table = self.table(study)
        return {
            place: cell
            for place, cell in enumerate(self.cells(study))
            if (only is None or only.wants(cell)) and (force or not table.has(cell.key))
        }

    def table(self, study: Study) -> Table:
        """The table that its rows are written to."""
        return Table(study.out / f"{self.name}.csv", stamp(study, self.uses))


@dataclass(frozen=True)
class Only:
    """Which cells of an experiment to compute; None for all."""

    methods: Collection[str] | None = None
    protocol: str | None = None
    settings: Collection[str] | None = None  # by their labels

    def wants(self, cell: Cell) -> bool:
        method = cell.key.get("method", cell.key.get("distance"))
        wanted = self.methods is None or method is None or method in self.methods
        wanted = wanted and (self.settings is None or cell.key.get("setting") in (None, *self.settings))
        return wanted and self.protocol in (None, cell.key.get("protocol", self.protocol))


_NEIGHBOURS = ("validation", "word_pairs", "side_pairs", "book_tests")
_TRANSPORT = ("HOTT", "HOFTT", "RWMD", "WMD-T20")
_TEXTS = ("bbcsport", "twitter", "ohsumed", "r8", "classic", "amazon", "20news")
_CUT = ("WMD-T10", "WMD-T50", "WMD-T100")  # of the paper's protocol alone
_LARGE = ("MiniLM", "mpnet", "Blend + MiniLM", "Blend + mpnet")
_NEW = (
    "Vectors", "HOTT, contextual", "Blend + vectors", "Blend + WMD-TF-IDF",
    *_LARGE, "wordllama", "Linear SVM",
)  # fmt: skip
_LOCAL = ("Blend", "Blend + vectors", "Vectors", *_LARGE)  # also with hubs corrected
_FEW = ("TF-IDF L1/L1", "HOTT", "Blend", "Blend + vectors", "Vectors", "HOTT, contextual", "MiniLM", "mpnet")
_ALL = tuple(name for name in METHODS if name not in (*_CUT, "HOTT, HDP", *_NEW))
# Every word of two books is thousands of words: the exact distance of one to all others takes minutes.
_BOOKS_WITHOUT = (("gutenberg", "WMD"), ("gutenberg", "WMD-TF-IDF"))
_PUBLISHED = tuple(PUBLISHED)
_CONTROLS = (
    "HOTT", "HOTT, 0/1 cost", "HOTT, informed", "HOTT, informed, 0/1 cost", "HOTT, informed, 8 models",
    "HOTT, informed, 8 models, 0/1 cost", "Blend", "Blend, 0/1 cost",
)  # fmt: skip

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "knn", "k-NN classification, two protocols (figures 4 and 5)",
            grids(
                "knn",
                Grid(_ALL, ("clean",), runs=True, main=True,
                     without=_BOOKS_WITHOUT),
                # As published, and the exact distance that the relaxed one stands for.
                Grid((*_PUBLISHED, *_CUT, "WMD"), ("paper",), runs=True, main=True,
                     without=_BOOKS_WITHOUT),
            ),
            _NEIGHBOURS,
        ),
        Experiment(
            "now", "k-NN with what a text is compared by today: the blend with vectors, contextual topics",
            grids(
                "now",
                Grid(_NEW, ("clean",), datasets=_TEXTS, runs=True, main=True),
                Grid(_LOCAL, ("clean",), (Setting(hubs=True),), _TEXTS, runs=True, main=True),
                Grid(_FEW, ("clean",), (Setting(train=200),), _TEXTS, runs=True, main=True),
            ),
            _NEIGHBOURS,
        ),
        Experiment(
            "appendix", "k-NN with W2, with stemming, and with both (figures 8 to 13)",
            grids(
                "appendix",
                Grid(_PUBLISHED, settings=(Setting(p=2), Setting(stem=True), Setting(p=2, stem=True))),
            ),
            _NEIGHBOURS,
        ),
        Experiment(
            "sensitivity", "word vectors, topics, topic words, threshold (figure 6)",
            grids(
                "sensitivity",
                Grid(_TRANSPORT, datasets=("r8",), settings=(Setting(vectors="word2vec"),)),
                Grid(("HOTT", "HOFTT"), datasets=("r8",), settings=(Setting(vectors="none"),)),
                Grid(("HOTT, HDP",), datasets=("r8",), runs=True),
                Grid(("LDA", "LSI", "HOTT", "HOFTT"), datasets=("classic",),
                     settings=tuple(Setting(topics=n) for n in (10, 20, 30, 40, 50, 60, 80, 90, 100))),
                Grid(("HOTT", "HOFTT"), datasets=("r8",),
                     settings=tuple(Setting(topic_words=n) for n in (10, 50, 100, "all"))),
                Grid(("HOTT",), datasets=("r8", "classic"),
                     settings=tuple(Setting(threshold=t) for t in (None, 0.25, 0.5, 2.0, 4.0))),
                Grid(_CONTROLS, ("clean",), datasets=("ohsumed", "classic"),
                     settings=tuple(Setting(topics=n) for n in (35, 140))),
                Grid(_CONTROLS, ("clean",), datasets=("ohsumed", "classic"),
                     settings=(Setting(vectors="word2vec"), Setting(vectors="none"))),
            ),
            _NEIGHBOURS,
        ),
        Experiment(
            "preparation", "what topics are learned from: rare words, sweeps, short messages, book words",
            grids(
                "preparation",
                Grid(("LDA", "HOTT"), datasets=_TEXTS, runs=True, settings=(Setting(rare="dropped"),)),
                Grid(("HOTT",), datasets=_TEXTS, runs=True,
                     settings=(Setting(vectors="bundled"), Setting(sweeps=1500), Setting(inference="gibbs"))),
                # Tweets keep their stop words; the rest of the authors' preparation, and all of it.
                Grid(("HOTT",), datasets=("twitter", "bbcsport"), runs=True, settings=(
                    Setting(stop_words="removed"), Setting(stop_words="kept"), Setting(shortest=5),
                    Setting(topic_words=100), Setting(topic_words="all"), Setting(stem=True),
                    Setting(train_share=0.75),
                    Setting(stem=True, stop_words="removed", rare="dropped", sweeps=1500))),
                # 13,336 messages have 20 words or more, which is about as many as the paper has.
                Grid(("nBOW", "TF-IDF", "LDA", "Blend"), ("clean", "paper"), datasets=("20news",),
                     settings=(Setting(shortest=20), Setting(shortest=40))),
                Grid(("HOTT",), ("clean", "paper"), datasets=("20news",), runs=True,
                     settings=(Setting(shortest=20), Setting(shortest=40))),
                Grid(("HOTT",), datasets=("20news",), runs=True, settings=(
                    Setting(split="random"), Setting(stop_words="kept"), Setting(stem=True),
                    Setting(topic_words=100), Setting(shortest=20, split="random"),
                    Setting(shortest=20, sweeps=1500),
                    Setting(stem=True, rare="dropped", shortest=20, sweeps=1500))),
                # An order of appearance that is not that of the authors divides books as chance does.
                Grid(("LDA", "HOTT"), datasets=("gutenberg",),
                     settings=(Setting(book_words=500), Setting(book_words=20_000), Setting(topics=200))),
                Grid(("nBOW", "Cosine", "LDA"), datasets=("20news", "gutenberg"),
                     settings=(Setting(split="random"),)),
                Grid(("HOTT",), datasets=("gutenberg",), settings=(
                    Setting(vectors="bundled"), Setting(split="random"), Setting(stem=True),
                    Setting(rare="dropped"), Setting(topic_words=100),
                    Setting(book_words=500, sweeps=1500))),
                # The authors' list of stop words is half as long, and what it keeps tells authors apart.
                Grid(("nBOW", "Cosine", "TF-IDF", "LDA", "HOTT"), datasets=("gutenberg",), runs=True,
                     settings=(Setting(stop_words="nltk"), Setting(stop_words="nltk", split="random"),
                               Setting(stem=True, stop_words="nltk", rare="dropped"),
                               Setting(stem=True, stop_words="nltk", rare="dropped", split="random"))),
            ),
            _NEIGHBOURS, both=False,
        ),
        Experiment("statistics", "statistics of the data sets (table 1, left)",
                   each(statistics.measure, None)),
        Experiment("timing", "pairs of documents a second, beside POT (table 1, right)",
                   each(timing.measure, None, method=timing.TIMED, solver=("hott", "POT"),
                        skip=("RWMD", "POT")), ("timing_seconds",), timed=True),
        Experiment("costs", "learning topics and comparing documents, in seconds",
                   each(timing.measure_preparation, None), timed=True),
        Experiment("relation", "relation of HOTT and RWMD to WMD (table 3)",
                   each(relation.measure, relation.DATASETS), ("relation_documents",)),
        Experiment("granularity", "HOTT beside WMD as topics become more",
                   each(relation.measure_granularity, relation.GROWING,
                        n_topics=[str(n) for n in relation.TOPICS]), ("relation_documents",), both=False),
        Experiment("bounds", "how often bounds hold, and how close they are",
                   each(bounds.measure, None), ("bound_pairs",)),
        Experiment("judgement", "agreement with human judgement",
                   each(judgement.measure, first=judgement.lee_task, protocol="clean",
                        method=[name for name in _ALL if METHODS[name].available])),
        Experiment("links", "prediction of citations (table 2)",
                   each(links.measure, first=links.Citations, distance=links.DISTANCES),
                   ("link_pairs", "link_test_share")),
        Experiment("maps", "t-SNE pictures (figures 7 and 14)",
                   each(maps.measure, maps.DATASETS, method=maps.MAPPED), ("map_documents",)),
        Experiment("interpretability", "two books and their topics (figure 1)",
                   each(interpretability.measure, (interpretability.DATASET,))),
    )
}  # fmt: skip
