"""REPORT.md, the pictures, and the tables that a page of the documentation includes: all from the results."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from hott.utils.atomic import atomic_write
from reproduction import knn_sections as knn
from reproduction import sections
from reproduction.claims import CLAIMS
from reproduction.experiments import EXPERIMENTS
from reproduction.figures import draw_all
from reproduction.provenance import remembered
from reproduction.published import published
from reproduction.report_tables import markdown
from reproduction.results import Results
from reproduction.setting import Vectors, variant_suffix

TITLES: dict[Vectors, str] = {"glove": "With GloVe", "bundled": "With the bundled vectors"}


@dataclass(frozen=True)
class Section:
    """A part of the report: a table, what it shows, and pictures."""

    name: str
    title: str
    about: str
    body: Callable[[Results], str]
    pictures: tuple[str, ...] = ()
    vectors: tuple[Vectors, ...] = ("glove", "bundled")  # a table for each; one alone has no heading

    def fill(self, results: Results) -> str:
        """Write the tables; nothing where there are no results."""
        parts = [(name, self.body(results.under(name))) for name in self.vectors]
        if len(parts) == 1:
            return parts[0][1]
        return "\n".join(f"**{TITLES[name]}**\n\n{text}" for name, text in parts if text)

    def drawn(self, out: Path) -> list[str]:
        """List the pictures that there are."""
        names = [f"{Path(name).stem}{variant_suffix(v)}.png" for name in self.pictures for v in self.vectors]
        return [name for name in names if (out / name).exists()]


def claims(results: Results) -> str:
    """List every claim of the paper, our number and a verdict, and those of the bundled vectors."""
    rows = []
    verdicts: dict[Vectors, Counter[str]] = {"glove": Counter(), "bundled": Counter()}
    for number, claim in enumerate(CLAIMS, 1):
        (verdict, found), (other, theirs) = (claim.verdict(results.under(name)) for name in verdicts)
        verdicts["glove"][verdict] += 1
        verdicts["bundled"][other] += 1
        ours, source = ("", "") if found is None else (found.ours, found.source)
        beside = "" if theirs is None or other == verdict else f"{other}: {theirs.ours} ({theirs.source})"
        rows.append([str(number), claim.place, claim.says, claim.published, ours, verdict, source, beside])
    said = "\n\n".join(f"{TITLES[name]}, {_count(found)}" for name, found in verdicts.items())
    head = ["", "place", "the paper says", "published", "ours, GloVe", "verdict", "from",
            "where the bundled vectors say otherwise"]  # fmt: skip
    return f"{said}\n\n" + markdown(head, rows, words=True)


def _count(verdicts: Counter[str]) -> str:
    said = [
        f"{verdicts[name] + verdicts[f'{name}, within chance']} {word} "
        f"({verdicts[f'{name}, within chance']} of them within chance)"
        for name, word in (("holds", "hold"), ("fails", "fail"))
    ]
    return f"of {len(CLAIMS)} claims {', '.join(said)}, {verdicts['untested']} are untested."


def claims_table(out: Path) -> str:
    """The claims, for the terminal."""
    return claims(Results(out))


def provenance(results: Results) -> str:
    """List which version, settings and machine each table was computed with."""
    rows, minutes = [], {"seconds": 0.0, "processor_seconds": 0.0}
    for name, view in product(EXPERIMENTS, (results.under("glove"), results.under("bundled"))):
        own = view.rows(name)
        if not own:
            continue
        commits, machines = (
            ", ".join(dict.fromkeys(row.get(column) or "not recorded" for row in own))
            for column in ("commit", "machine")
        )
        taken = {clock: sum(float(row.get(clock) or 0) for row in own) / 60 for clock in minutes}
        minutes = {clock: minutes[clock] + taken[clock] for clock in minutes}
        last = own[-1]
        rows.append(
            [name, view.vectors, str(len(own)), str(view.left_out(name)), last["version"], commits,
             last.get("settings") or "not recorded", machines,
             *(f"{spent:.1f}" for spent in taken.values()), max(row["finished"] for row in own)[:10]]
        )  # fmt: skip
    if not rows:
        return ""
    head = [
        "table",
        "vectors",
        "rows",
        "of another kind, not shown",
        "version",
        "commit",
        "settings",
        "machine",
    ]
    known = remembered(results.out)
    shown = {name for row in rows for cell in row[6:8] for name in cell.split(", ")}
    details = [f"- {name}: {_plain(known[name])}" for name in sorted(shown) if name in known]
    clock, processor = minutes.values()
    together = f"Together {clock:.0f} minutes by the clock, {processor:.0f} of processor time.\n"
    table = markdown([*head, "minutes", "of processor time", "finished"], rows, words=True)
    return "\n".join([together, table, *details, ""])


def _plain(entry: object) -> str:
    if isinstance(entry, dict):
        return ", ".join(f"{name} {_plain(value)}" for name, value in entry.items() if value is not None)
    return str(entry)


SECTIONS = (
    Section("claims", "What the paper claims", (
        "Verdicts are computed. *Within chance*: the 95 % interval, over documents drawn again, allows the "
        "contrary. *Untested*: there are no results to tell by."), claims, vectors=("glove",)),
    Section("targets", "Targets", "Clean protocol where none is named.", knn.targets, vectors=("bundled",)),
    Section("clean", "k-NN, clean protocol, 7 neighbours", (
        "Test error in per cent. Vocabulary, topics and weights from training documents only; test documents "
        "equal to a training document left out. ± is the standard deviation over splits and seeds, or the "
        "standard error where there is one. normalised: error divided by that of nBOW, mean over data sets, "
        "with its 95 % interval. Vectors: of the bundled encoder, less their mean. Blend + vectors: the "
        "distance of an index by default. HOTT, contextual: over topics of words in context. Blend + "
        "WMD-TF-IDF: with an equal part of WMD over TF-IDF weights, tried and not in the product."),
        knn.clean, ("knn-clean.png", "knn-clean-normalised.png")),
    Section("means", "k-NN, clean protocol, mean of seven text sets", (
        "Mean error in per cent over the seven text sets, five runs of each. Hubs corrected: documents that "
        "are near everything count less (CSLS, ten nearest). MiniLM and mpnet: all-MiniLM-L6-v2 and "
        "all-mpnet-base-v2. Linear SVM: over TF-IDF, no neighbours. From 200 documents: drawn at random from "
        "the training documents, with 1,000 test documents at most; words of any frequency."),
        knn.means, vectors=("bundled",)),
    Section("hubs", "k-NN, clean protocol, hubs corrected, 15 neighbours", "",
        knn.under(knn.HUBS, "error"), vectors=("bundled",)),
    Section("few", "k-NN, clean protocol, from 200 documents", "7 neighbours.",
        knn.under(knn.FEW, "error_k7"), vectors=("bundled",)),
    Section("differences", "Differences", (
        "Clean protocol, 7 neighbours, seven text sets: paired over the documents that both methods were "
        "tested on, mean over data sets. McNemar's exact test pools the first split of each."),
        knn.differences),
    Section("ranks", "Ranks", "Clean protocol, 7 neighbours, text sets.", knn.ranks),
    Section("clean-chosen", "k-NN, clean protocol, chosen neighbours", (
        "The number of neighbours (1 to 19) was chosen on 200 training documents that have no copy, the same "
        "for every method."), knn.clean_chosen),
    Section("reevaluation", "Beside the re-evaluation of 2022", (
        "Clean protocol, 7 neighbours; in brackets their errors, on data sets and splits that are not quite "
        "ours."), knn.against_2022),
    Section("paper", "k-NN, paper protocol", (
        "As the authors' code does: vocabulary, topics and weights from all documents; 7 neighbours. In "
        "brackets the published error."), knn.paper, ("knn-paper.png", "knn-paper-normalised.png")),
    Section("appendix", "Appendix: W2 and stemming", (
        "Paper protocol, first split, 7 neighbours, smaller samples for slow distances; normalised by nBOW "
        "of the same words."), knn.appendix,
        ("appendix-w2.png", "appendix-w2-normalised.png", "appendix-w1-stemmed.png",
         "appendix-w1-stemmed-normalised.png", "appendix-w2-stemmed.png",
         "appendix-w2-stemmed-normalised.png")),
    Section("sensitivity", "Sensitivity", (
        "k-NN error in per cent, 7 neighbours, one setting changed at a time. topic words = all: every word "
        "that was seen in the topic."), knn.settings("sensitivity"), ("sensitivity.png",)),
    Section("preparation", "What topics are learned from", (
        "rare = dropped: without words seen twice at most and words of two letters, as the authors' code "
        "drops them; shortest: without documents of fewer words."), knn.settings("preparation")),
    Section("departures", "What each departure is worth", (
        "HOTT in the paper's protocol, one setting changed at a time; in brackets the published error. "
        "Differences are of the same runs and documents."), knn.departures_of_hott, vectors=("glove",)),
    Section("statistics", "Data sets", (
        "In brackets the published numbers. Overlap: common words among all words of two documents, mean "
        "over pairs. Topics a document: after truncation at 1/71."), sections.statistics),
    Section("timing", "Pairs of documents a second", (
        "One core, processor time, all pairs of two random groups of documents; topics and word vectors are "
        "given. POT: `ot.emd2` on the same problems in the same run, one call a pair. Published: Gurobi from "
        "Python on an i7-6700K."), sections.timing),
    Section("costs", "Learning and comparing", (
        "Seconds of one core. The paper says that learning topics is dwarfed by the matrix of all distances; "
        "ours are computed faster, so the balance is another one."), sections.costs),
    Section("relation", "Relation to WMD", (
        "Distance matrices of random documents. Mantel: correlation with exact WMD, with its 95 % interval. "
        "Difference: Frobenius norm of the difference to it, which depends on the length of the word vectors "
        "and the number of documents; relative: divided by the norm of the WMD matrix."), sections.relation),
    Section("granularity", "HOTT and WMD as topics become more", (
        "Correlation of HOTT with exact WMD over the distances of the same random documents (Mantel), with "
        "its 95 % interval."), sections.granularity),
    Section("bounds", "Bounds on real documents", (
        "Mean ratios over random pairs, and how often the two sides are equal (to a thousandth)."),
        sections.bounds, ("rwmd-fails.png",)),
    Section("judgement", "Agreement with human judgement", (
        "Not in the paper: correlation of nearness with the similarity that people gave to each pair of 50 "
        "news documents (Lee et al., 2005), with its 95 % interval. Vocabulary, weights and topics from the "
        "300 documents of the background corpus."), sections.judgement, vectors=("bundled",)),
    Section("links", "Link prediction", (
        "F1 score in per cent of a linear SVM on labelled pairs of hep-th papers, a random fifth held out "
        "(the competition's own test labels are not public). Distances see abstracts alone. phi0: the "
        "distance alone; phi1 adds common title words, phi2 common authors, phi3 the signed and phi4 the "
        "absolute difference of years. In brackets the published scores."), sections.links),
    Section("maps", "t-SNE", (
        "Accuracy in per cent of 7 nearest neighbours in the plane (five shuffled folds), with its 95 % "
        "interval, beside the share of the largest class."), sections.tsne, ("maps.png",)),
    Section("books", "Two books", "", sections.books, ("interpretability.png", "themes.png")),
    Section("provenance", "Where the numbers come from", (
        "Rows of different versions or settings are never shown together; those of another kind than the "
        "newest are computed again by the next run."), provenance, vectors=("glove",)),
)  # fmt: skip


def write_report(out: Path) -> Path:
    """Write REPORT.md and the pictures of whatever results there are in a folder; returns its path."""
    out.mkdir(parents=True, exist_ok=True)
    draw_all(out)
    path = out / "REPORT.md"
    with atomic_write(path) as file:
        file.write(render(out).encode())
    return path


def render(out: Path) -> str:
    """Write the text of the report."""
    results = Results(out)
    parts = [
        "# Results beside the published ones\n\n"
        "Written by `python -m reproduction report` from the CSV files and predictions in this folder. "
        f"Numbers in round brackets were published: {published()['source']}\n\n"
        "An asterisk marks a number that was measured on a sample of the test documents; the CSV files say "
        "how many. Square brackets hold 95 % intervals.\n"
    ]
    for section in SECTIONS:
        body = section.fill(results)
        if body:
            pictures = "".join(f"\n![{section.title}: {name}]({name})\n" for name in section.drawn(out))
            about = f"{section.about}\n\n" if section.about else ""
            parts.append(f"## {section.title}\n\n{about}{body}{pictures}")
    return "\n".join(parts)


_BLOCK = re.compile(r"(<!-- include: ([\w-]+) -->\n).*?(<!-- /include -->)", re.DOTALL)


def included(text: str, out: Path) -> str:
    """A page with its blocks ``<!-- include: name --> ... <!-- /include -->`` filled from the results.

    The names are those of :data:`SECTIONS`.
    """
    results = Results(out)
    known = {section.name: section for section in SECTIONS}

    def fill(match: re.Match[str]) -> str:
        start, name, end = match.groups()
        if name not in known:
            raise ValueError(f"There is no table {name!r} to include. There are: {', '.join(known)}.")
        return f"{start}{known[name].fill(results) or 'No results yet.' + chr(10)}{end}"

    return _BLOCK.sub(fill, text)


def include(page: Path, out: Path) -> None:
    """Bring the included tables of a page up to date."""
    text = included(page.read_text(encoding="utf-8"), out)
    with atomic_write(page) as file:
        file.write(text.encode())
