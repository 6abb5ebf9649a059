import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import hott
from hott import Corpus, Vocabulary
from hott.embeddings import WordVectors
from hott.vocabulary import ENGLISH, WordGroup

TEXTS = ["The cats run, the dog runs.", "A dog is running after cats!", "Running shoes; cats' shoes."]


# Input is text, so scikit-learn leaves out its checks with matrices, as it does for CountVectorizer. None of
# those left is expected to fail.
@parametrize_with_checks([Vocabulary(), Vocabulary(language="auto", stop_words=None, stem=True)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_counts():
    vocabulary = Vocabulary()
    counts = vocabulary.fit_transform(TEXTS)
    assert vocabulary.words_.tolist() == ["cats", "dog", "run", "running", "runs", "shoes"]
    assert counts.toarray().tolist() == [[1, 1, 1, 0, 1, 0], [1, 1, 0, 1, 0, 0], [1, 0, 0, 1, 0, 2]]
    assert vocabulary.get_feature_names_out() is vocabulary.words_
    assert vocabulary.vectors_ is None


def test_new_texts_count_known_words_only():
    vocabulary = Vocabulary().fit(TEXTS)
    assert vocabulary.transform(["DOGS, dog, dog? Unicorns!", ""]).toarray().tolist() == [
        [0, 2, 0, 0, 0, 0],
        [0] * 6,
    ]


def test_a_corpus_counts_as_its_texts():
    corpus = Corpus(TEXTS)
    vocabulary = Vocabulary().fit(corpus)
    assert (vocabulary.transform(corpus) != vocabulary.transform(iter(TEXTS))).nnz == 0


words = st.sampled_from(["the", "cat", "cats", "run", "running", "ran", "fish", "naïve", "我喜欢猫", "mp3"])
texts = st.lists(st.lists(words, max_size=8).map(" ".join), min_size=1, max_size=8)


@given(
    texts,
    st.booleans(),
    st.sampled_from(["auto", "german", None, ["cat"]]),
    st.sampled_from([1, 2, 0.5]),
    st.sampled_from(["contexts", "keep", "drop"]),
    st.booleans(),
)
def test_fit_transform_is_fit_then_transform(texts, stem, stop_words, min_df, without_vector, keep_rare):
    vocabulary = Vocabulary(
        stop_words=stop_words,
        stem=stem,
        min_df=min_df,
        max_words=4,
        word_vectors={"cat": [1.0, 0.0], "run": [0.5, 0.5], "fish": [0.0, 1.0]},
        without_vector=without_vector,
        keep_rare=keep_rare,
    )
    try:
        counts = vocabulary.fit_transform(texts)
    except ValueError:
        return  # nothing left to count
    assert (counts != vocabulary.transform(texts)).nnz == 0
    report = vocabulary.report_
    dropped = (report.stop_words, report.rare, report.without_vector, report.beyond_limit)
    assert report.kept_tokens == counts.sum()
    assert report.kept_tokens + sum(reason.tokens for reason in dropped) == report.tokens
    assert vocabulary.has_vector_.tolist() == [bool(row.any()) for row in vocabulary.vectors_]
    assert report.no_vector.words == (~vocabulary.has_vector_).sum()


@given(st.lists(st.text("ab cd", max_size=20), min_size=1))
def test_agrees_with_count_vectorizer(texts):
    theirs = CountVectorizer(min_df=2)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:
        return
    ours = Vocabulary(stop_words=None, min_df=2)
    assert (ours.fit_transform(texts) != expected).nnz == 0
    assert ours.words_.tolist() == theirs.get_feature_names_out().tolist()


def test_a_document_of_rare_words_alone_keeps_them():
    texts = ["stars shine", "stars shine bright", "Sternschnuppen verglühen", "7"]
    vocabulary = Vocabulary(min_df=2, keep_rare=True)
    assert vocabulary.fit_transform(texts).sum(axis=1).ravel().tolist() == [[2, 2, 2, 0]]
    assert vocabulary.words_.tolist() == ["shine", "stars", "sternschnuppen", "verglühen"]  # not bright
    assert vocabulary.report_.rare.examples == ("bright",)
    with pytest.raises(ValueError, match="Lower min_df"):
        Vocabulary(min_df=5, keep_rare=True).fit(texts)


class TestStopWords:
    def test_english(self):
        assert Vocabulary().fit(["the interest is high; it isn't we'll"]).words_.tolist() == [
            "high",
            "interest",
        ]
        assert {"the", "isn", "ll"} < ENGLISH

    def test_ones_own(self):
        vocabulary = Vocabulary(stop_words=["Dog", "isn't"]).fit(["the dog isn't here"])
        assert vocabulary.words_.tolist() == ["here", "the"]

    def test_none(self):
        assert Vocabulary(stop_words=None).fit(["the dog"]).words_.tolist() == ["dog", "the"]

    def test_of_another_language(self):
        assert Vocabulary(stop_words="german").fit(["the und dog"]).words_.tolist() == ["dog", "the"]

    def test_a_list_that_is_not_there(self):
        with pytest.raises(
            ValueError, match=r"stop_words must be 'auto', the name of a language, .*, got 'klingon'"
        ):
            Vocabulary(stop_words="klingon").fit(TEXTS)


GERMAN = ["Der Hund jagt die Katzen durch den Garten.", "Die Katze und der Hund sind in den Gärten."]


class TestLanguages:
    def test_says_which_words_are_stop_words(self):
        assert Vocabulary("german").fit(GERMAN).words_.tolist() == [
            "garten",
            "gärten",
            "hund",
            "jagt",
            "katze",
            "katzen",
        ]

    def test_and_how_words_are_stemmed(self):
        vocabulary = Vocabulary("german", stem=True).fit(GERMAN)
        assert vocabulary.words_.tolist() == ["gart", "hund", "jagt", "katz"]
        assert vocabulary.transform(["Den Garten, der Katze"]).toarray().tolist() == [[1, 0, 0, 1]]
        wool = Vocabulary("german", stem=True).fit(["Wolle vom Schaf"])
        assert wool.transform(["Wir wollen Wolle"]).toarray().tolist() == [[0, 1]]  # "wollen" is a stop word
        assert Vocabulary("german", stem="english").fit(GERMAN).words_.tolist() != vocabulary.words_.tolist()

    def test_is_found_out(self):
        vocabulary = Vocabulary("auto", stem=True).fit(GERMAN)
        assert vocabulary.language_ == "german"
        assert vocabulary.words_.tolist() == ["gart", "hund", "jagt", "katz"]
        assert vocabulary.transform(["Gärten"]).toarray().tolist() == [[1, 0, 0, 0]]
        assert (vocabulary.report_.language, vocabulary.report_.note) == ("german", "")

    def test_is_english_with_a_note_where_it_is_not_clear(self):
        vocabulary = Vocabulary("auto").fit(["Schrödinger Heisenberg", "Bohr Planck"])
        assert vocabulary.language_ == "english"
        assert "note: the language is taken to be English" in str(vocabulary.report_)

    def test_there_is_not(self):
        with pytest.raises(ValueError, match=r"language must be one of auto, arabic, .*; got 'klingon'"):
            Vocabulary("klingon").fit(TEXTS)
        with pytest.raises(ValueError, match=r"language must be one of arabic, .*; got 'auto'"):
            Vocabulary.from_words(["one"], language="auto")


def test_rare_words_are_left_out():
    texts = ["one two", "one two", "one three three three", "one"]
    assert Vocabulary(stop_words=None, min_df=2).fit(texts).words_.tolist() == ["one", "two"]
    assert Vocabulary(stop_words=None, min_df=0.75).fit(texts).words_.tolist() == ["one"]


def test_words_in_too_large_a_part_of_the_texts_are_left_out():
    texts = ["ball court", "ball moon", "ball court", "year"]
    assert set(Vocabulary(max_df=0.5).fit(texts).words_) == {"court", "moon", "year"}


def test_the_most_frequent_words_are_kept():
    texts = ["bb aa aa", "cc cc cc bb"]
    assert Vocabulary(max_words=2).fit(texts).words_.tolist() == ["aa", "cc"]  # aa and bb tie: alphabetical
    assert Vocabulary(max_words=9).fit(texts).words_.tolist() == ["aa", "bb", "cc"]


VECTORS = WordVectors(["cats", "run", "running", "ran", "dog"], [[1, 0], [0, 2], [0, 4], [9, 9], [5, 5]])


class TestVectors:
    def test_words_without_one_take_theirs_from_the_words_around_them(self):
        vocabulary = Vocabulary(word_vectors=VECTORS).fit(TEXTS)
        assert vocabulary.words_.tolist() == ["cats", "dog", "run", "running", "runs", "shoes"]
        assert vocabulary.vectors_[:4].tolist() == [[1, 0], [5, 5], [0, 2], [0, 4]]
        assert vocabulary.vectors_.dtype == np.float32
        assert vocabulary.vectors_[4:].all()
        assert vocabulary.has_vector_.all()
        assert vocabulary.report_.from_contexts == WordGroup(2, 3, ("shoes", "runs"))
        assert vocabulary.report_.used == 1

    def test_or_have_none_where_they_stand_alone(self):
        vocabulary = Vocabulary(word_vectors=VECTORS).fit(["cats dog", "zyzzyva"])
        assert vocabulary.words_.tolist() == ["cats", "dog", "zyzzyva"]
        assert vocabulary.has_vector_.tolist() == [True, True, False]
        assert not vocabulary.vectors_[2].any()
        assert vocabulary.report_.no_vector == WordGroup(1, 1, ("zyzzyva",))

    def test_words_without_one_can_stay_without(self):
        vocabulary = Vocabulary(word_vectors=VECTORS, without_vector="keep").fit(TEXTS)
        assert vocabulary.has_vector_.tolist() == [True] * 4 + [False] * 2

    def test_words_without_one_can_be_left_out(self):
        vocabulary = Vocabulary(word_vectors=VECTORS, without_vector="drop").fit(TEXTS)
        assert vocabulary.words_.tolist() == ["cats", "dog", "run", "running"]
        assert vocabulary.vectors_.tolist() == [[1, 0], [5, 5], [0, 2], [0, 4]]
        assert vocabulary.report_.without_vector == WordGroup(2, 3, ("shoes", "runs"))

    def test_a_zero_vector_is_none(self):
        vocabulary = Vocabulary(word_vectors={"cats": [0.0], "dog": [1.0]}, without_vector="keep").fit(TEXTS)
        assert vocabulary.words_[vocabulary.has_vector_].tolist() == ["dog"]

    def test_rare_words_with_one_can_be_kept(self):
        texts = ["dog", "dog zyzzyva zyzzyva", "dog zyzzyva2 cats"]
        arguments = {"word_vectors": {"dog": [1.0, 0.0], "cats": [0.0, 1.0]}, "min_df": 3}
        assert Vocabulary(**arguments).fit(texts).words_.tolist() == ["dog"]
        kept = Vocabulary(**arguments, keep_rare=True).fit(texts)
        assert kept.words_.tolist() == ["cats", "dog", "zyzzyva"]  # met twice, unlike zyzzyva2
        assert kept.report_.rare == WordGroup(1, 1, ("zyzzyva2",))
        alone = Vocabulary(**arguments, keep_rare=True, without_vector="keep").fit(texts)
        assert alone.words_.tolist() == ["cats", "dog"]

    def test_of_a_stem_is_the_average_of_its_words_in_the_texts(self):
        vocabulary = Vocabulary(word_vectors=VECTORS, stem=True, without_vector="drop")
        counts = vocabulary.fit_transform(TEXTS)
        assert vocabulary.words_.tolist() == ["cat", "dog", "run"]
        # run and running are in the texts, ran is not; runs has no vector, but its stem has one
        assert vocabulary.vectors_.tolist() == [[1, 0], [5, 5], [0, 3]]
        assert counts.toarray().tolist() == [[1, 1, 2], [1, 1, 1], [1, 0, 1]]

    def test_a_dictionary_will_do(self):
        vocabulary = Vocabulary(word_vectors={"dog": [1.0, 2.0]}, without_vector="drop").fit(TEXTS)
        assert vocabulary.words_.tolist() == ["dog"]
        assert vocabulary.vectors_.tolist() == [[1.0, 2.0]]

    def test_are_not_copied_by_clone(self):
        assert clone(Vocabulary(word_vectors=VECTORS)).word_vectors is VECTORS

    def test_an_array_is_refused(self):
        with pytest.raises(
            ValueError, match=r"word_vectors must be WordVectors, .* or a mapping .*, got ndarray"
        ):
            Vocabulary(word_vectors=np.eye(3)).fit(TEXTS)


class TestStemming:
    def test_of_words_in_a_row_each_is_stemmed(self):
        vocabulary = Vocabulary(stem=True, ngrams=2).fit(["foxes running the roads"])
        assert vocabulary.words_.tolist() == ["fox", "fox run", "road", "run"]
        assert vocabulary.transform(["a fox runs"]).toarray().tolist() == [[1, 1, 0, 1]]

    def test_stop_words_go_before_the_stemming(self):
        vocabulary = Vocabulary(stem=True, stop_words=["being"]).fit(["be being beings"])
        assert vocabulary.words_.tolist() == ["be"]
        assert vocabulary.transform(["being be"]).toarray().tolist() == [[1]]

    def test_in_another_language(self):
        vocabulary = Vocabulary(stem="german", stop_words=None).fit(["Häuser Haus Hauses"])
        assert vocabulary.words_.tolist() == ["haus"]

    def test_in_an_unknown_language(self):
        with pytest.raises(ValueError, match=r"stem must be True, False or one of .*german.*; got 'klingon'"):
            Vocabulary(stem="klingon").fit(TEXTS)


def test_saved_parts_make_the_vocabulary_again():
    fitted = Vocabulary(word_vectors=VECTORS, stem=True).fit(TEXTS)
    again = Vocabulary.from_words(fitted.words_.tolist(), fitted.vectors_, stem=True)
    assert (again.transform(TEXTS) != fitted.transform(TEXTS)).nnz == 0
    assert np.array_equal(again.vectors_, fitted.vectors_)
    assert again.report_ is None
    with pytest.raises(ValueError, match="words must be unique"):
        Vocabulary.from_words(["a", "a"])
    with pytest.raises(ValueError, match=r"one row a word .*: 1 words, vectors of shape \(2, 1\)"):
        Vocabulary.from_words(["a"], [[1.0], [2.0]])


def test_the_report_accounts_for_the_text():
    texts = ["the cat sat on the mat", "the dog sat", "the zyzzyva sat"]
    vectors = {"cat": [1.0], "dog": [1.0], "sat": [1.0]}
    vocabulary = Vocabulary(word_vectors=vectors, max_words=2, without_vector="drop").fit(texts)
    assert str(vocabulary.report_) == (
        "3 documents, 12 tokens, English\n"
        "kept 2 words, 33.3% of the text, 57.1% without stop words\n"
        "dropped 2 stop words, 41.7% of the text (the, on)\n"
        "dropped 2 words without a vector, 16.7% of the text (mat, zyzzyva)\n"
        "dropped 1 word beyond the limit, 8.3% of the text (dog)"
    )
    vocabulary = Vocabulary(word_vectors=vectors).fit([*texts, "aardvark"])
    assert str(vocabulary.report_) == (
        "4 documents, 13 tokens, English\n"
        "kept 6 words, 61.5% of the text, 100.0% without stop words\n"
        "of these 2 with a vector from the words around, 15.4% (mat, zyzzyva)\n"
        "of these 1 without a vector, 7.7% (aardvark)\n"
        "dropped 2 stop words, 38.5% of the text (the, on)"
    )


@pytest.mark.parametrize(
    ("arguments", "texts", "message"),
    [
        ({}, [], "the texts are empty: there is no document at all"),
        ({}, ["", "1 2 3"], "no word was found in 2 texts"),
        (
            {},
            ["the of", "and"],
            r"no word is left: .* 3 stop words, 100.0% .*Give other stop words, or stop_words=None",
        ),
        ({"min_df": 2}, ["cat", "dog"], r"no word is left: .* 2 words in too few documents.*Lower min_df"),
        (
            {"word_vectors": VECTORS, "without_vector": "drop"},
            ["chien chat"],
            r"2 words without a vector, 100.0% .*\(chat, chien\).*language",
        ),
        ({}, "one text", r"X must be a sequence of texts, got str. Put a single text in a list"),
        ({}, 5, "X must be a sequence of texts, got int"),
        ({}, ["a", None], r"X\[1\] is None \(NoneType\)"),
        ({}, [["a"]], r"X\[0\] is \['a'\] \(list\)"),
        (
            {"min_df": 0},
            TEXTS,
            "min_df must be a whole number of at least 1, or a share from 0.0 to 1.0, got 0",
        ),
        ({"min_df": 1.5}, TEXTS, "got 1.5"),
        (
            {"without_vector": "ignore"},
            TEXTS,
            "without_vector must be one of 'contexts', 'keep', 'drop', not 'ignore'",
        ),
        ({"max_words": 0}, TEXTS, "max_words must be a positive whole number, not 0"),
    ],
)
def test_bad_input_is_named(arguments, texts, message):
    with pytest.raises(ValueError, match=message):
        Vocabulary(**arguments).fit(texts)


def test_in_a_pipeline():
    weights = make_pipeline(Vocabulary(), TfidfTransformer()).fit_transform(TEXTS)
    assert weights.shape == (3, 6)


def test_copies_and_pickles():
    vocabulary = Vocabulary(word_vectors=VECTORS, stem=True).fit(TEXTS)
    for again in (copy.deepcopy(vocabulary), pickle.loads(pickle.dumps(vocabulary))):
        assert (again.transform(TEXTS) != vocabulary.transform(TEXTS)).nnz == 0
        assert np.array_equal(again.vectors_, vocabulary.vectors_)


def test_is_saved_with_the_vectors_of_its_own_words_alone():
    many = WordVectors([f"word{number}" for number in range(10_000)] + ["cats"], np.ones((10_001, 50)))
    vocabulary = Vocabulary(word_vectors=many)
    assert len(pickle.dumps(vocabulary)) > 2_000_000  # unfitted, it needs them all
    vocabulary.fit(TEXTS)
    assert len(pickle.dumps(vocabulary)) < 10_000
    assert vocabulary.get_params()["word_vectors"] is many
    assert clone(vocabulary).word_vectors is many
    again = pickle.loads(pickle.dumps(vocabulary))
    assert again.word_vectors is None
    assert again.get_params().keys() == vocabulary.get_params().keys()


GERMAN_TEXTS = ["Der Hund liegt unter dem Tisch, und die Katze war auf der Bank vor dem Haus."] * 2
ENGLISH_TEXTS = ["The dog is under the table and the cat was on a bench; the war is over now, they die."] * 6


def test_every_text_is_read_in_its_own_language():
    vocabulary = Vocabulary(language="auto").fit(ENGLISH_TEXTS + GERMAN_TEXTS)
    assert vocabulary.language_ == "english,german"
    words = set(vocabulary.words_)
    assert {"hund", "tisch", "dog", "war", "die"} <= words  # "war" and "die" say something in English
    assert words.isdisjoint({"der", "und", "the", "auf"})
    counts = vocabulary.transform(ENGLISH_TEXTS[:1] + GERMAN_TEXTS[:1]).toarray()
    column = vocabulary.vocabulary_["war"]
    assert counts[:, column].tolist() == [1, 0]
    assert vocabulary.report_.tokens == vocabulary.report_.kept_tokens + vocabulary.report_.stop_words.tokens
    assert "English and German" in str(vocabulary.report_)


def test_every_text_is_stemmed_in_its_own_language():
    vocabulary = Vocabulary(language="auto", stem=True).fit(ENGLISH_TEXTS + GERMAN_TEXTS)
    assert {"katz", "tabl"} <= set(vocabulary.words_)
    new = ["Die Katzen sind auf den Tischen", "Two tables and a cat are in the room"]
    counts = vocabulary.transform(new).toarray()
    found = [set(vocabulary.words_[row > 0]) for row in counts]
    assert found == [{"katz", "tisch"}, {"tabl", "cat"}]


def test_vectors_that_suit_the_texts_are_chosen_and_said():
    english = Vocabulary(language="auto", word_vectors="auto").fit(ENGLISH_TEXTS)
    assert english.has_vector_.all()
    with pytest.warns(UserWarning, match="taken to be German"):
        german = Vocabulary(language="auto", word_vectors="auto").fit(
            GERMAN_TEXTS + ["Zinsen und Kredite der Bank."]
        )
    assert german.language_ == "german"
    with pytest.raises(ValueError, match="'auto'"):
        Vocabulary(word_vectors="bundled").fit(ENGLISH_TEXTS)


def test_stemmed_texts_are_recognised_and_matched_to_vectors_by_their_stems():
    """As in WebKB, whose texts have neither stop words nor endings."""
    texts = [
        "galaxi contain countless star planet orbit centr univers",
        "recip need butter flour bake cooki mixtur slowli",
        "scienc univers comput machin learn studi",
    ]
    with pytest.warns(UserWarning, match="The texts look stemmed"):
        index = hott.Index.build(texts, n_topics=2, n_models=1)
    places = index.vocabulary.vocabulary_
    assert index.vocabulary.has_vector_[[places[stem] for stem in ("galaxi", "cooki", "scienc")]].all()
    assert index.search("galaxies", k=1, by="topics")[0].id == "0"
    vocabulary = hott.Vocabulary("auto", word_vectors="auto")
    with pytest.warns(UserWarning, match="The texts look stemmed"):
        vocabulary.fit(texts)
    assert vocabulary.has_vector_[vocabulary.vocabulary_["galaxi"]]
