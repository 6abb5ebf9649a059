"""Cross-validation of labelled corpora whose error is known."""

import numpy as np
import pytest

from hott import HOTT, Corpus
from hott.evaluation import cross_validate, predict


def labelled(n=10, labels=("sky", "sport")):
    texts = {"sky": "stars planets moon orbit telescope", "sport": "goal football match player team"}
    return Corpus(
        [texts[label] for label in labels for _ in range(n)],
        labels=[label for label in labels for _ in range(n)],
    )


def test_cross_validation_classifies_what_is_easy():
    results = cross_validate(labelled(), ["tfidf", "nbow"], n_neighbors=3, folds=4)
    assert [result.distance for result in results] == ["tfidf", "nbow"]
    for result in results:
        assert result.folds == (0.0,) * 4
        assert (result.error, result.deviation) == (0.0, 0.0)
        assert result.seconds > 0
        assert result.to_dict()["folds"] == result.folds


def test_one_distance_needs_no_list_and_a_name_that_there_is_not_is_told_first(monkeypatch):
    [result] = cross_validate(labelled(), "tfidf", n_neighbors=3, folds=4)
    assert result.distance == "tfidf"
    monkeypatch.setattr("hott.evaluation.Vocabulary", lambda *_, **__: pytest.fail("words were learned"))
    with pytest.raises(ValueError, match="There is no distance 'tfdif'"):
        cross_validate(labelled(), "tfdif")


def test_the_error_is_the_mean_over_the_folds():
    """A third of the documents carry the wrong label; no classifier gets those right."""
    corpus = labelled(9)
    labels = [
        "sport" if label == "sky" and row % 3 == 0 else label for row, label in enumerate(corpus.labels)
    ]
    calls = []
    [result] = cross_validate(
        Corpus(corpus.texts, labels=labels), ["tfidf"], folds=3, progress=lambda *done: calls.append(done)
    )
    assert result.error == pytest.approx(3 / 18)
    assert result.error == pytest.approx(np.mean(result.folds))
    assert result.deviation == pytest.approx(np.std(result.folds))
    assert calls == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (Corpus(["a", "b"], labels=["x", None]), "1 of 2 documents have no label"),
        (labelled(10, ("sky",)), "there is only one label"),
        (labelled(4), "'sky' has fewer"),
    ],
)
def test_corpora_that_cannot_be_cross_validated(corpus, message):
    with pytest.raises(ValueError, match=message):
        cross_validate(corpus, ["tfidf"])


def test_just_enough_documents_of_each_label():
    [result] = cross_validate(labelled(5), ["tfidf"], n_neighbors=1)
    assert len(result.folds) == 5


def test_topics_are_learned_once_a_fold_and_change_no_result(monkeypatch):
    learned = []
    fit = HOTT._fit
    monkeypatch.setattr(HOTT, "_fit", lambda *given: learned.append(given[0]) or fit(*given))
    how = {"n_neighbors": 3, "folds": 4, "n_topics": 3, "n_models": 2}
    together = cross_validate(labelled(), ["blend", "hott", "tfidf"], **how)
    assert len(learned) == 4
    alone = [cross_validate(labelled(), [name], **how)[0] for name in ("blend", "hott", "tfidf")]
    assert len(learned) == 12
    assert [(r.distance, r.folds) for r in together] == [(r.distance, r.folds) for r in alone]


SKY = ["planets", "galaxies", "comets", "telescopes", "moons", "nebulae", "eclipses", "meteors", "satellites"]
FOOD = ["loaves", "pastry", "soups", "noodles", "sauces", "cheeses", "desserts", "stews", "omelettes"]
TOLD_BY_MEANING = Corpus(
    [f"a note about {word}" for word in SKY + FOOD], labels=["sky"] * len(SKY) + ["food"] * len(FOOD)
)


def test_a_blend_compares_english_texts_by_meaning():
    """Of two texts with one other word each, counts say nothing."""
    blend, words = cross_validate(TOLD_BY_MEANING, ["blend", "tfidf-l1"], n_neighbors=3, n_models=1)
    assert blend.error == 0
    assert words.error > 0.3


def test_labels_are_predicted_by_meaning():
    new = Corpus(["a note about supernovae", "a note about biscuits"])
    found = predict(TOLD_BY_MEANING, new, "blend", n_neighbors=3, n_models=1)
    assert [one.label for one in found] == ["sky", "food"]


def test_texts_whose_words_are_in_no_other_part_do_not_stop_it():
    texts = ["bread butter", "butter bread", "stars planets", "planets stars", "zebra quagga", "lava basalt"]
    corpus = Corpus(texts, labels=["food", "food", "sky", "sky", "food", "sky"])
    [result] = cross_validate(corpus, ["blend"], folds=3, n_neighbors=1, n_models=1)
    assert 0 < result.error < 1
