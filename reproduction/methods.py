"""The distances that the experiments compare, each fitted on the documents of a task."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from typing import Any

from hott.distances.base import Distance
from hott.distances.blend import Blend
from hott.distances.contextual import ContextualHOTT
from hott.distances.representation import Representation
from hott.distances.topic import HOFTT, HOTT
from hott.distances.topic_space import TopicSpace
from hott.distances.vector import L1, LSI, NBOW, SIF, TFIDF, Cosine, LDADistance
from hott.distances.word import RWMD, WMD
from hott.topics import ContextualTopics
from reproduction.encoder import BUNDLED, Encoded, encoded, read_texts
from reproduction.hdp import HDP
from reproduction.task import Task

# Fixed beforehand on held-out training documents of other splits: half a TF-IDF L1/L1.
BLEND_WEIGHTS = [1, 0.5]


@dataclass(frozen=True)
class Method:
    """A distance by the name it has in tables and figures."""

    name: str
    fitted: Callable[[Task], Distance]
    published: bool = False
    slow: bool = False  # tests are sampled where there are many pairs
    transport: bool = False  # depends on the order p
    random: bool = False  # depends on the seed
    models: int = 0  # topic models that it needs,
    informed: bool = False  # of which kind
    encoder: str = ""  # reads texts, by this encoder
    linear: bool = False  # a support vector machine over what the distance makes of documents
    needs: str = ""  # package that must be installed

    @property
    def available(self) -> bool:
        return not self.needs or find_spec(self.needs) is not None

    def represent(self, task: Task, distance: Distance) -> Representation:
        """The documents of the task as the distance sees them."""
        if isinstance(distance, Encoded):
            return distance.of_task(task)
        if isinstance(distance, ContextualHOTT):
            return distance.represent(read_texts(task), **distance.where(task.study.run).options)
        return distance.represent(task.counts, **distance.where(task.study.run).options)


def hott(task: Task, n_models: int = 1, *, informed: bool = False, uniform: bool = False) -> HOTT:
    """HOTT over the first models of a task; ``uniform``: all topics equally far apart."""
    threshold = task.setting.threshold
    return HOTT.from_models(
        task.spaces(n_models, informed=informed, uniform=uniform),
        n_topics=task.n_topics, p=task.setting.p,
        threshold=None if threshold is None else threshold / (task.n_topics + 1),
    )  # fmt: skip


def _hott_of_learned_number(task: Task) -> HOTT:
    """Fit HOTT over the topics of a hierarchical Dirichlet process, which learns how many there are."""
    topics = HDP(iterations=task.sweeps, random_state=task.seed).fit(task.training_counts).fitted_
    space = TopicSpace(topics, task.compare_topics(topics))
    k = topics.n_topics
    return HOTT.from_models([space], n_topics=k, p=task.setting.p, threshold=1 / (k + 1))


def _plain(name: str, distance: Callable[[Task], Distance], published: bool = False) -> Method:
    return Method(name, lambda task: distance(task).fit(task.training_counts), published)


def _blend(task: Task, informed: bool, uniform: bool = False) -> Blend:
    parts = [hott(task, task.study.sizes.models, informed=informed, uniform=uniform), L1("tfidf")]
    return Blend(parts, BLEND_WEIGHTS, random_state=task.seed).fit(task.training_counts)


def _blend_with_words(task: Task) -> Blend:
    """Fit the blend with WMD over TF-IDF weights as a third part."""
    first = hott(task, task.study.sizes.models, informed=True)
    parts = [first, L1("tfidf"), WMD(task.vectors, weights="tfidf")]
    return Blend(parts, [*BLEND_WEIGHTS, 1], random_state=task.seed).fit(task.training_counts)


def _contextual(task: Task) -> ContextualHOTT:
    """Fit HOTT over topics of words in context, as many clusterings as an index has by default."""
    texts = read_texts(task)
    rows = task.split.train if task.protocol == "clean" else range(len(texts))
    return ContextualHOTT(ContextualTopics(random_state=task.seed)).fit([texts[row] for row in rows])


def _encoder_methods(name: str, encoder: str) -> list[Method]:
    """An encoder's vectors, alone and in the blend; those of a large encoder lie in a file."""
    blended = name.lower() if encoder == BUNDLED else name
    return [
        Method(name, lambda task: encoded(task, encoder), encoder=encoder),
        Method(
            f"Blend + {blended}", lambda task: encoded(task, encoder, _blend(task, informed=True)),
            encoder=encoder, random=True, models=8, informed=True,
        ),
    ]  # fmt: skip


def _topic_methods() -> list[Method]:
    """HOTT over plain and informed topics, averaged over models or not, with and without word geometry."""
    made = []
    for informed, n, uniform in product((False, True), (1, 4, 8), (False, True)):
        name = ", ".join(
            ["HOTT"] + ["informed"] * informed + [f"{n} models"] * (n > 1) + ["0/1 cost"] * uniform
        )

        def fitted(task: Task, n: int = n, informed: bool = informed, uniform: bool = uniform) -> Distance:
            return hott(task, min(n, task.study.sizes.models), informed=informed, uniform=uniform)

        made.append(
            Method(name, fitted, name == "HOTT", transport=True, random=True, models=n, informed=informed)
        )
    for informed, uniform in product((True, False), (False, True)):
        name = ", ".join(["Blend"] + ["plain LDA"] * (not informed) + ["0/1 cost"] * uniform)

        def blended(task: Task, informed: bool = informed, uniform: bool = uniform) -> Distance:
            return _blend(task, informed, uniform)

        made.append(Method(name, blended, transport=True, random=True, models=8, informed=informed))
    return made


def _word_transport(name: str, published: bool = False, **settings: Any) -> Method:
    kind = RWMD if name == "RWMD" else WMD
    return Method(
        name,
        lambda task: kind(task.vectors, p=task.setting.p, **settings).fit(task.training_counts),
        published, slow=True, transport=True,
    )  # fmt: skip


METHODS = {
    method.name: method
    for method in (
        _plain("nBOW", lambda task: NBOW(), published=True),
        _plain("LSI", lambda task: LSI(task.n_topics), published=True),
        _plain("SIF", lambda task: SIF(task.vectors), published=True),
        Method(
            "LDA", lambda task: LDADistance(topic_model=task.topics(1)[0]).fit(task.training_counts),
            published=True, random=True, models=1,
        ),
        _plain("Cosine", lambda task: Cosine(), published=True),
        _plain("TF-IDF", lambda task: TFIDF(), published=True),
        _plain("BOW L1/L1", lambda task: L1()),
        _plain("TF-IDF L1/L1", lambda task: L1("tfidf")),
        *_topic_methods(),
        _word_transport("WMD-T20", published=True, max_words=20),
        *(_word_transport(f"WMD-T{n}", max_words=n) for n in (10, 50, 100)),
        _word_transport("RWMD", published=True),
        Method(
            "HOFTT", lambda task: HOFTT.from_models(task.spaces(1), n_topics=task.n_topics, p=task.setting.p),
            published=True, slow=True, transport=True, random=True, models=1,
        ),
        Method(
            "HOTT, HDP", _hott_of_learned_number, transport=True, random=True, needs="tomotopy",
        ),
        _word_transport("WMD"),
        _word_transport("WMD-TF-IDF", weights="tfidf"),
        # What a text is compared by today: its words as they are meant there.
        *_encoder_methods("Vectors", BUNDLED),
        Method("HOTT, contextual", _contextual, encoder=BUNDLED, transport=True, random=True),
        Method(
            "Blend + WMD-TF-IDF", _blend_with_words, slow=True, transport=True, random=True, models=8,
            informed=True,
        ),
        # What others do: large encoders, static vectors learned for texts, no neighbours at all.
        *_encoder_methods("MiniLM", "minilm"),
        *_encoder_methods("mpnet", "mpnet"),
        _encoder_methods("wordllama", "wordllama")[0],
        Method("Linear SVM", lambda task: TFIDF().fit(task.training_counts), linear=True),
    )
}  # fmt: skip
PUBLISHED = [method.name for method in METHODS.values() if method.published]


def methods_named(names: list[str]) -> list[Method]:
    """The methods with these names.

    Examples
    --------
    >>> [method.name for method in methods_named(["HOTT", "nBOW"])]
    ['nBOW', 'HOTT']
    >>> methods_named(["hott"])
    Traceback (most recent call last):
    ValueError: There is no method 'hott'. There are: nBOW, LSI, SIF, ...
    """
    for name in names:
        if name not in METHODS:
            raise ValueError(f"There is no method {name!r}. There are: {', '.join(METHODS)}.")
    return [method for name, method in METHODS.items() if name in names]
