"""What the paper claims, one by one: the place, the words, the published number, and how ours is looked up.

Verdicts come from the tables in the folder of the results.
"""

from dataclasses import dataclass

from reproduction.finding import Finding, Look, conjoin, judge_any
from reproduction.findings import (
    all_pairs,
    books_match,
    dwarfed,
    faster,
    granularity,
    links_ahead,
    looser,
    maps_better,
    metric,
    metric_on_documents,
    relation,
    same_words,
    single_word_topics,
    statistic,
    twitter_map,
    untested,
)
from reproduction.knn_findings import (
    ABOVE,
    BELOW,
    BOTH,
    NOT_BELOW,
    STEM,
    W2,
    Rule,
    against,
    as_published,
    at_most,
    best_on_average,
    beyond,
    change,
    degrade_with_topics,
    less,
    level,
    no_best,
    robust_everywhere,
    tfidf_strong,
    truncation,
    within,
)
from reproduction.published import column, published, published_normalised
from reproduction.results import Results
from reproduction.sources import SOURCES

TEXTS = tuple(name for name in SOURCES if name != "gutenberg")
SHORT = ("twitter", "classic", "r8")
LONGER = tuple(name for name in SOURCES if name != "twitter")
MIN_BOOKS = 30  # that both methods must have seen


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and the function that looks it up in our results (None: not tested)."""

    place: str
    says: str
    published: str
    look: Look

    def verdict(self, results: Results) -> tuple[str, Finding | None]:
        found = self.look(results)
        return ("untested" if found is None else found.verdict), found


def _published_average(*names: str) -> str:
    return ", ".join(f"{name} {published_normalised(name):.2f}" for name in names)


def _f1(*names: str) -> str:
    return "; ".join(f"{n} {column('link_prediction_f1', n, 'phi4')}" for n in names) + " (phi4)"


_KEPT = {d: v[4] for d, v in published()["dataset_statistics"].items() if d != "columns"}

CLAIMS = (
    # -- theory
    Claim("§4, app. A", "HOTT is a metric on topic proportions", "proved", metric),
    Claim("app. A", "HOTT is a metric on documents that are mixtures of distinct topics in one way only",
          "proved", metric_on_documents),
    Claim("§4", "With one topic for each word, HOTT is WMD", "stated", single_word_topics),
    Claim("§4, §5.3", "As topics become more, HOTT approaches WMD", "stated", granularity),
    Claim("§4", "WMD is at most HOTT plus two terms of topic modelling loss", "proved",
          all_pairs("wmd_below_bound", "wmd_over_bound", vacuous=0.5)),
    Claim("§4", "RWMD is a lower bound of WMD", "stated", all_pairs("rwmd_below_wmd", "rwmd_over_wmd")),
    Claim("§4", "RWMD is at most the Hausdorff distance of the words", "proved",
          all_pairs("rwmd_below_hausdorff", "rwmd_over_hausdorff")),
    Claim("§4, fig. 2", "RWMD is 0 for documents with the same words in other shares", "stated", same_words),
    Claim("§4", "The closer the words of two documents, the looser RWMD", "stated", looser),
    # -- size and speed
    Claim("§4, table 1", "A document has few topics after truncation, of 70",
          f"{min(_KEPT.values())} to {max(_KEPT.values())}",
          statistic("topics_kept", lambda found: max(found.values()) < 35, ".1f")),
    Claim("§5.2", "On every data set that is fewer than the 20 words of WMD-T20", "13.3 at most",
          statistic("topics_kept", lambda found: max(found.values()) < 20, ".1f")),
    Claim("table 1", "gutenberg has by far the largest overlap of words", "0.25, others 0.066 at most",
          statistic("iou", lambda found: found.get("gutenberg", 0) == max(found.values()), ".3f")),
    Claim("§5.1, table 1", "HOTT outperforms RWMD and WMD in speed (all sets but twitter)",
          "1.2 to 5,700 times",
          faster(("HOTT",), ("RWMD", "WMD"), LONGER)),
    Claim("table 1", "On twitter RWMD and WMD are faster than HOTT", "1.7 and 1.6 times",
          faster(("RWMD", "WMD"), ("HOTT",), ("twitter",))),
    Claim("§5.2, table 1", "WMD-T20 is slower than HOTT (all sets but twitter)", "1.4 to 4.8 times",
          faster(("HOTT",), ("WMD-T20",), LONGER)),
    Claim("table 1", "HOTT is faster than HOFTT", "1.03 to 1.26 times", faster(("HOTT",), ("HOFTT",))),
    Claim("table 1", "HOTT excels on long documents: on gutenberg hundreds of times RWMD", "860 times",
          faster(("HOTT",), ("RWMD",), ("gutenberg",), times=100)),
    Claim("§5.1", "Learning topics and their distances is dwarfed by the matrix of all documents", "stated",
          dwarfed),
    # -- k-NN
    Claim("§5.2", "There is no uniformly best method", "fig. 4", no_best),
    Claim("§5.2, fig. 5", "HOTT performs best on average", _published_average("HOTT", "HOFTT", "RWMD"),
          best_on_average()),
    Claim("§5.2, fig. 4", "HOTT's errors", "as in figure 4", as_published),
    Claim("§5.2", "HOTT is better than RWMD on gutenberg", "19 against 29",
          less("HOTT", "RWMD", ("gutenberg",), least=MIN_BOOKS)),
    Claim("§5.2", "TF-IDF is strong on ohsumed and 20news", "38 and 31, first on both", tfidf_strong),
    Claim("§5.2", "HOTT is most powerful on larger corpora of longer documents: better than RWMD there",
          "gutenberg 19 against 29, 20news 32 against 46",
          conjoin(less("HOTT", "RWMD", ("gutenberg",), least=MIN_BOOKS), less("HOTT", "RWMD", ("20news",)))),
    Claim("§5.2", "On shorter documents RWMD and HOTT are similar (twitter, classic, r8; within 1 point)",
          "differences +1, +1.3, −0.8", level("HOTT", "RWMD", 1.0, SHORT)),
    Claim("§5.2", "HOTT performs as well as HOFTT (within 1 point)", "mean difference +0.1",
          level("HOTT", "HOFTT", 1.0)),
    Claim("§5.2, fig. 5", "WMD-T20 performs noticeably worse than HOTT",
          _published_average("WMD-T20", "HOTT"), less("HOTT", "WMD-T20")),
    Claim("§5.2", "Truncating words degrades WMD", "stated", less("WMD", "WMD-T20")),
    Claim("§5.2", "Truncating WMD further makes it worse still (10 words against 20)", "stated",
          less("WMD-T20", "WMD-T10")),
    Claim("§5.2", "Truncating less quickly leads to impractical run-time: with 50 and 100 words WMD is "
          "slower than HOTT (all sets but twitter)", "stated",
          faster(("HOTT",), ("WMD-T50", "WMD-T100"), LONGER)),
    Claim("§5.2", "RWMD has nearly identical performance to WMD (within 1 point; from Kusner et al.)",
          "cited", level("RWMD", "WMD", 1.0)),
    Claim("§4", "HOTT is as accurate as WMD (within 1 point)", "stated", level("HOTT", "WMD", 1.0)),
    # -- appendix
    Claim("app. C, fig. 11", "With W2, HOTT and HOFTT are the best on average", "figure",
          best_on_average(W2, ("HOTT", "HOFTT"))),
    Claim("app. C, fig. 9", "Stemmed, HOTT and HOFTT are the best on average", "figure",
          best_on_average(STEM, ("HOTT", "HOFTT"))),
    Claim("app. C, fig. 13", "With W2 and stemming, HOTT and HOFTT are the best on average", "figure",
          best_on_average(BOTH, ("HOTT", "HOFTT"))),
    Claim("app. C", "W2 degrades RWMD and WMD-T20", "figure", change(("RWMD", "WMD-T20"), W2, ABOVE)),
    Claim("app. C", "HOTT and HOFTT perform equally well with W1 and W2 (within 1 point)", "figure",
          change(("HOTT", "HOFTT"), W2, within(1.0))),
    Claim("app. C", "Stemming improves nBOW", "figure", change(("nBOW",), STEM, BELOW)),
    Claim("app. C", "Stemming degrades RWMD and WMD-T20", "figure", change(("RWMD", "WMD-T20"), STEM, ABOVE)),
    Claim("app. C", "Stemming has no effect on HOTT and HOFTT (within 1 point)", "figure",
          change(("HOTT", "HOFTT"), STEM, within(1.0))),
    Claim("app. C", "With W2 and stemming, RWMD is no longer superior to LDA and Cosine", "figure",
          conjoin(*(against("RWMD", other, NOT_BELOW, setting=BOTH) for other in ("LDA", "Cosine")))),
    Claim("app. C", "HOTT and HOFTT are more robust than RWMD and WMD-T20 to both", "stated",
          robust_everywhere),
    # -- sensitivity
    Claim("§5.3, fig. 6a", "With word2vec trained on r8, RWMD and WMD-T20 drop", "figure",
          change(("RWMD", "WMD-T20"), "vectors=word2vec", ABOVE, ("r8",))),
    Claim("§5.3, fig. 6a", "HOTT and HOFTT remain stable (within 1 point)", "figure",
          change(("HOTT", "HOFTT"), "vectors=word2vec", within(1.0), ("r8",))),
    Claim("§5.3, fig. 6b", "LDA and LSI may degrade with too many topics (classic: by more than 1 point)",
          "figure", degrade_with_topics(("LDA", "LSI"), 1.0)),
    Claim("§5.3, fig. 6b", "HOTT and HOFTT are robust to too many topics (classic, up to 100 instead of 70: "
          "at most 1.5 points worse)", "figure",
          change(("HOTT", "HOFTT"), [f"topics={n}" for n in (80, 90, 100)], at_most(1.5), ("classic",))),
    Claim("§5.3, fig. 6b", "On classic HOTT is better than HOFTT", "5.1 against 5.7",
          less("HOTT", "HOFTT", ("classic",))),
    Claim("§5.3, fig. 6c", "Keeping 10 to 100 words of a topic makes no significant difference (r8)",
          "figure", truncation),
    Claim("§5.3, fig. 6c", "No truncation results in unstable performance (r8: off by more than 1 point)",
          "figure",
          change(("HOTT", "HOFTT"), "topic_words=all", beyond(1.0), ("r8",), judge_any)),
    Claim("§4", "Truncating proportions costs no performance (r8 and classic: at most 0.5 points)", "stated",
          conjoin(*(change(("HOTT",), "threshold=none", Rule(low=-0.5), (d,)) for d in ("r8", "classic")))),
    Claim("§5.3", "The number of topics can be learned by other inference (r8: at most 1 point worse)",
          "stated", against("HOTT, HDP", "HOTT", at_most(1.0), ("r8",))),
    # -- applications
    Claim("§5.4, fig. 7", "t-SNE: HOTT separates the labels of classic better than RWMD", "picture",
          maps_better(("classic",))),
    Claim("app. C, fig. 14", "t-SNE: HOTT's clusters align better with the labels on the other sets",
          "pictures", maps_better(tuple(d for d in TEXTS if d not in ("classic", "twitter")))),
    Claim("app. C, fig. 14", "t-SNE: both methods perform poorly on twitter", "picture", twitter_map),
    Claim("§5.5, table 2", "HOFTT and HOTT are more effective than RWMD and WMD-T20 in all tests",
          _f1("HOFTT", "HOTT", "RWMD", "WMD-T20"), links_ahead(("HOFTT", "HOTT"), ("RWMD", "WMD-T20"))),
    Claim("table 2", "HOFTT is first in every column", _f1("HOFTT", "HOTT"),
          links_ahead(("HOFTT",), ("HOTT",))),
    Claim("§5.5, table 2", "Using no distance degrades the performance in every column",
          _f1("WMD-T20", "None"), links_ahead(("HOFTT", "HOTT", "RWMD", "WMD-T20"), ("None",))),
    Claim("app. B, table 3", "RWMD is more strongly correlated with WMD than HOTT", "0.89 against 0.60",
          relation("mantel_rwmd", "mantel_hott", ".2f")),
    Claim("app. B, table 3", "HOTT is on average a better approximation of WMD than RWMD",
          "difference 88 against 96", relation("l2_rwmd", "l2_hott", ".1f")),
    Claim("fig. 1", "Transport between two books matches topics that are alike in meaning", "figure",
          books_match),
    Claim("§6", "Learning vectors, topics and transport together would be better", "conjecture", untested),
)  # fmt: skip
