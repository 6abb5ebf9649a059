"""Labels of new documents."""

import json

import pandas as pd
import pytest

from hott import Corpus
from hott.cli.app import run
from hott.evaluation import predict
from tests.index.test_filters import BALL, FOOD, SKY


def rows(n):
    themes = {"sky": SKY, "food": FOOD, "ball": BALL}
    return [
        (" ".join(words.split()[(i + j) % 8] for j in range(5)), label)
        for i in range(n)
        for label, words in themes.items()
    ]


@pytest.mark.parametrize("distance", ["hott", "tfidf", "wmd"])
def test_new_documents_get_the_label_of_their_neighbours(distance):
    texts, labels = zip(*rows(6))
    train = Corpus(texts, labels=labels)
    new = Corpus(["telescope and comet", "dough and butter", "penalty league", "1234"])
    with pytest.warns(UserWarning, match="commonest label goes to 1 document without a known word: '3'"):
        found = predict(train, new, distance, n_neighbors=3, n_topics=3, n_models=1)
    assert [one.label for one in found][:3] == ["sky", "food", "ball"]
    assert all(0 < one.share <= 1 for one in found)
    with pytest.raises(ValueError, match="1 of 2 have none"):
        predict(Corpus(["a b", "c d"], labels=["x", None]), new)


def test_the_command(tmp_path, capsys):
    train, new, out = tmp_path / "train.csv", tmp_path / "new.csv", tmp_path / "labels.csv"
    pd.DataFrame(rows(6), columns=["text", "kind"]).to_csv(train, index=False)
    new.write_text("id,text\na,telescope comet\nb,dough butter\n")
    common = ["classify", "--train", str(train), "--predict", str(new), "--label", "kind", "-d", "tfidf"]
    assert run([*common, "-k", "3", "-o", str(out)]) == 0
    assert pd.read_csv(out)["label"].tolist() == ["sky", "food"]
    capsys.readouterr()
    assert run([*common, "-k", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["id"] == "a"
    assert run(["classify"]) == 2


def test_word_vectors_of_ones_own(tmp_path, capsys):
    """As for German, of which the bundled ones know little."""
    train, new, vectors = tmp_path / "train.csv", tmp_path / "new.csv", tmp_path / "vectors.vec"
    train.write_text("text,kind\nStern,sky\nTeig,food\nKomet Mehl,both\n")
    new.write_text("id,text\na,Komet\nb,Mehl\n")  # which have words of the third alone
    vectors.write_text("4 2\nstern 1 0\nkomet .8 .1\nteig 0 1\nmehl .1 .8\n")
    files = ["--train", str(train), "--label", "kind", "--predict", str(new)]
    settings = ["-d", "wcd", "-k", "1", "--language", "german", "--json"]
    assert run(["classify", *files, *settings, "--vectors", str(vectors)]) == 0
    assert [one["label"] for one in json.loads(capsys.readouterr().out)] == ["sky", "food"]


def test_labels_are_found_by_the_blend_unless_told_otherwise_and_that_is_said(tmp_path, capsys):
    train, new = tmp_path / "train.csv", tmp_path / "new.csv"
    pd.DataFrame(rows(6), columns=["text", "kind"]).to_csv(train, index=False)
    new.write_text("id,text\na,telescope comet\nb,dough butter\n")
    common = ["classify", "--train", str(train), "--predict", str(new), "--label", "kind", "--models", "1"]
    assert run([*common, "-k", "3", "--topics", "3"]) == 0
    title, _, _, *labels = capsys.readouterr().out.splitlines()
    assert title == "Labels by the 3 nearest labelled documents, distance blend"
    assert [line.split() for line in labels if line] == [["sky", "100%", "a"], ["food", "100%", "b"]]
    assert run(["classify", str(train), "--label", "kind", "--models", "1", "--folds", "2", "--json"]) == 0
    compared = [result["distance"] for result in json.loads(capsys.readouterr().out)]
    assert compared == ["blend", "hott", "tfidf"]
