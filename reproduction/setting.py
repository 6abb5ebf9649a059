"""What can be varied in an experiment besides the method: a setting, whose name can be read back."""

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from hott.compute.ground import Power
from hott.topics.fitted import Inference

STANDARD = "standard"
Vectors: TypeAlias = Literal["glove", "bundled"]


@dataclass(frozen=True)
class Setting:
    """How an experiment departs from the published one. The defaults are the published settings."""

    p: Power = 1  # order of the transport
    stem: bool = False
    # given: those of the study; word2vec: trained on the data set itself; none: every two words are equally
    # far apart in the topic cost.
    vectors: Literal["given", "bundled", "word2vec", "none"] = "given"
    # given: as in the published data set; nltk: without those alone that the authors' code removes.
    stop_words: Literal["given", "kept", "removed", "nltk"] = "given"
    rare: Literal["kept", "dropped"] = "kept"  # words seen twice at most, and words of two letters
    shortest: int = 0  # documents with fewer words are left out
    split: Literal["given", "random"] = "given"  # random: also where there is a published or an ordered one
    train_share: float | None = None  # of a data set that is divided at random
    topics: int | None = None  # None: as the sizes of the study say, like the next
    sweeps: int | None = None
    inference: Inference = "fixed-point"  # of the proportions, once topics are learned
    book_words: int | None = None  # of each book, when topics are learned
    topic_words: int | Literal["all"] = 20  # of each topic, when topics are compared
    threshold: float | None = 1.0  # of the proportions, in units of 1 / (topics + 1); None leaves none out
    train: int | None = None  # so many of the training documents, drawn at random, and 1,000 tests at most
    hubs: bool = False  # corrected for documents that are near everything, with 15 neighbours

    @property
    def label(self) -> str:
        """The departures in one line, "standard" where there are none.

        Examples
        --------
        >>> Setting(p=2, stem=True).label, Setting().label
        ('p=2 stem=yes', 'standard')
        """
        changed = [
            (f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default
        ]
        return " ".join(f"{name}={_word(value)}" for name, value in changed) or STANDARD

    @property
    def counting(self) -> "Setting":
        """The part that decides which words are counted in which documents."""
        return Setting(
            stem=self.stem, vectors=self.vectors, stop_words=self.stop_words, rare=self.rare,
            shortest=self.shortest, split=self.split, train_share=self.train_share, train=self.train,
        )  # fmt: skip


def variant_suffix(vectors: str) -> str:
    """Return what the names of files end in that hold results with these vectors.

    Examples
    --------
    >>> variant_suffix("bundled"), variant_suffix("glove")
    ('', '-glove')
    """
    return "" if vectors == "bundled" else f"-{vectors}"


def departures(label: str) -> dict[str, str]:
    """What a label says.

    Examples
    --------
    >>> departures("p=2 stem=yes"), departures("standard")
    ({'p': '2', 'stem': 'yes'}, {})
    """
    return {} if label == STANDARD else dict(part.split("=") for part in label.split(" "))


def _word(value: object) -> str:
    if value is True:
        return "yes"
    return "none" if value is None else str(value)
