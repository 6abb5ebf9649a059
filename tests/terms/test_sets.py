"""Names of sets of documents and contrasts between them."""

from itertools import permutations

import hott
from hott.terms import DocumentSet, TermStatistics, contrast, name_sets
from hott.terms.sets import special_terms

DOCUMENTS = list(hott.demo.corpus())
STATISTICS = TermStatistics.of([document.text for document in DOCUMENTS], "english")
LABELS = sorted({document.label for document in DOCUMENTS})


def texts(label: str) -> list[str]:
    return [document.text for document in DOCUMENTS if document.label == label]


SETS = {label: DocumentSet.of(texts(label), STATISTICS) for label in LABELS}


def test_names_tell_what_sets_are_about():
    names = dict(zip(LABELS, (str(name) for name in name_sets(SETS.values()))))
    expected = {
        "astronomy": "star planet",
        "cooking": "cook salt heat",
        "economics": "price market",
        "football": "goal team",
        "medicine": "patient disease doctor blood",
        "music": "music note string song",
        "physics": "light energy particle",
        "tennis": "court Wimbledon serve",
    }
    for label, words in expected.items():
        assert any(word in names[label] for word in words.split()), names


def test_no_two_names_begin_alike_and_none_repeats_a_word():
    names = name_sets([*SETS.values(), DocumentSet.of(texts("tennis")[:15], STATISTICS)])
    first = [name.terms[0].text for name in names]
    assert len(set(first)) == len(first)
    for name in names:
        words = [word for term in name.terms for word in term.words]
        assert len(set(words)) == len(words)


def test_a_row_of_names_is_told_with_what_they_have_to_do_with():
    pairs = [("Australia", "India"), ("India", "Pakistan"), ("Pakistan", "Australia")] * 4
    texts = [
        f"{a} met {b}, and then {a} won." + " It was cricket." * (k % 2) for k, (a, b) in enumerate(pairs)
    ]
    others = [f"The keeper of {place} was late for the match." for place in ("York", "Bath", "Leeds")] * 5
    [name] = name_sets([DocumentSet.of(texts, TermStatistics.of([*texts, *others], "english"))])
    assert [term.is_thing for term in name.terms] == [False, False, True, False]
    assert name.terms[2].text == "cricket"


def test_a_row_of_names_stays_one_where_a_plain_word_alone_is_beside_it():
    pairs = [("Australia", "India"), ("India", "Pakistan"), ("Pakistan", "Australia")] * 4
    found = {}
    for word in ("people", "crickets"):
        texts = [
            f"{a} met {b}, and {a} won." + f" It was {word} and {word}." * (k % 2)
            for k, (a, b) in enumerate(pairs)
        ]
        others = [f"The keeper was late {why}." for why in (f"for {word}", "in York", "in Bath", "again")] * 3
        [name] = name_sets([DocumentSet.of(texts, TermStatistics.of([*texts, *others], "english"))])
        found[word] = [term.text for term in name.terms].index(word)
    assert found == {"people": 3, "crickets": 2}


def test_a_word_with_and_without_a_hyphen_is_told_once():
    texts = ["A non-commutative torus."] * 4
    texts += [f"A noncommutative {noun}." for noun in ("ring", "field", "group", "map")]
    others = ["The court has a net."] * 40
    told = special_terms(DocumentSet.of(texts, TermStatistics.of(texts + others, "english")))
    assert sum(term.text.replace("-", "") == "noncommutative" for term in told) == 1


def test_special_terms_are_in_the_documents_as_often_as_they_say():
    for label in LABELS:
        for term in special_terms(SETS[label]):
            there = sum(term.text.casefold() in text.casefold() for text in texts(label))
            assert term.inside > 0
            assert there > 0


def test_greetings_are_chaff_and_subjects_are_not():
    chat = [
        "Thanks in advance, guys, please reply by mail.",
        "Hello, please post a reply, thanks.",
        "Thanks guys.",
    ]
    space = [
        "NASA launched an orbiter.",
        "The orbiter reached an orbit.",
        "NASA tracks the orbiter in orbit.",
    ]
    statistics = TermStatistics.of([*chat * 5, *space * 5], "english")
    first, second = name_sets([DocumentSet.of(group * 5, statistics) for group in (chat, space)])
    assert first.is_chaff
    assert not second.is_chaff


def test_in_the_name_of_a_subject_plain_words_come_last_and_leaders_stay_in_the_name():
    names = name_sets(SETS.values(), taken=["stars"])
    for name in names:
        plain = [term.is_plain for term in name.terms[1:]]
        assert name.is_chaff or plain == sorted(plain)
    [sky] = [name for name in names if "stars" in str(name)]
    assert sky.terms[0].text != "stars"


def test_a_contrast_quotes_no_sentence_twice():
    stars = ["A comet has a tail of dust."] * 3 + ["The comet shines at night."] * 2
    statistics = TermStatistics.of([*stars, *["The keeper was late."] * 5], "english")
    sides = [DocumentSet.of(part, statistics) for part in (stars, ["The keeper was late."] * 5)]
    found = contrast(*sides, n=2, sentences=3)
    assert sorted(found.sentences_a) == ["A comet has a tail of dust.", "The comet shines at night."]
    assert found.sentences_b == ("The keeper was late.",)


def test_a_contrast_counts_documents_of_both_sides_and_quotes_them():
    found = contrast(SETS["tennis"], SETS["football"])
    assert {"Wimbledon", "serve"} & {term.text for term in found.a}
    assert "goal" in " ".join(term.text for term in found.b)
    assert all(term.inside > term.outside and term.z > 0 for term in (*found.a, *found.b))
    joined = " ".join(" ".join(text.split()) for text in texts("tennis"))
    assert len(found.sentences_a) == 2
    assert all(sentence in joined for sentence in found.sentences_a)


def test_sets_are_mirrored():
    one, two = SETS["music"], SETS["physics"]
    there, back = contrast(one, two), contrast(two, one)
    assert (there.a, there.b) == (back.b, back.a)
    assert str(there).startswith("A: ")


def pair(words: tuple[str, ...]) -> list[str]:
    return [f"There was the {one}, and then the {other}." for one, other in permutations(words, 2)]


def name_of(texts: list[str], n: int) -> list[str]:
    others = ["A cook boils water in a pot."] * 30
    [name] = name_sets([DocumentSet.of(texts, TermStatistics.of(texts + others, "english"))], n)
    return [term.text for term in name.terms]


def test_words_of_one_family_are_told_once_in_a_name():
    texts = ["He was in Israel.", "The Israeli won.", "Israel is old.", "An Israeli sang."] * 3
    assert len({"Israel", "Israeli"} & set(name_of(texts, 10))) == 1


def test_what_other_terms_are_near_to_comes_first_in_a_name():
    words = ("gravel", "orchestra", "piano", "melody")
    texts = [
        f"There was the {one}, and then the {other}." for one in words for other in words if one != other
    ]
    assert name_of(texts, 10)[-1] == "gravel"


def test_a_set_about_common_things_is_no_chaff():
    words = ("children", "women", "school", "behavior", "survey", "disorder", "persons")
    texts = [
        f"There was the {one}, and then the {other}." for one in words for other in words if one != other
    ]
    others = ["The women had children at school."] * 4 + ["A cook boils water in a pot."] * 100
    statistics = TermStatistics.of(texts + others, "english")
    [name] = name_sets([DocumentSet.of(texts, statistics)])
    assert not name.is_chaff


def test_names_begin_with_what_sets_them_apart_from_those_beside():
    def games(own: str) -> list[str]:
        return [
            f"The team, the players and the season of {own}.",
            f"A team and its players in the season: {own}.",
        ]

    others = ["A cook boils water in a pot."] * 60
    groups = games("hockey") * 6, games("baseball") * 6
    statistics = TermStatistics.of([*groups[0], *groups[1], *others], "english")
    names = name_sets(DocumentSet.of(group, statistics) for group in groups)
    assert [name.terms[0].text for name in names] == ["hockey", "baseball"]


def test_a_set_whose_documents_share_hardly_a_term_is_chaff():
    nouns = (
        "comet",
        "goal",
        "turbine",
        "malaria",
        "waltz",
        "guilder",
        "yeast",
        "fresco",
        "glacier",
        "helmet",
    )
    texts = [f"It was the {noun}." for noun in nouns] + ["It was a sonnet."] * 3
    statistics = TermStatistics.of([*texts, *["A cook boils water in a pot."] * 40], "english")
    [name] = name_sets([DocumentSet.of(texts, statistics)])
    assert name.is_chaff


def test_a_set_writes_a_word_as_most_of_its_documents_do():
    shout = "The PRESIDENT. " * 9
    texts = [f"{shout} Then the PRESIDENT spoke.", *["They met the President of it."] * 4]
    statistics = TermStatistics.of([*texts, *["A cook boils water in a pot."] * 40], "english")
    assert special_terms(DocumentSet.of(texts, statistics))[0].text == "President"
