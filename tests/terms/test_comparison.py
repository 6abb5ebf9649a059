"""What a comparison in terms says is true, mirrors, and is what a person would have said."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hott
from hott.terms import (
    DocumentTerms,
    SentenceSpace,
    TermComparison,
    TermStatistics,
    alignment,
    compare_terms,
    find_terms,
)
from hott.terms.lexicon import lexicon_of

PAIRS = json.loads((Path(__file__).parent.parent / "data" / "shared-terms.json").read_text())["pairs"]
DOCUMENTS = {document.id: document for document in hott.demo.corpus()}
VECTORS = hott.embeddings.default()


@cache
def collection() -> tuple[TermStatistics, SentenceSpace]:
    texts = [document.text for document in DOCUMENTS.values()]
    statistics = TermStatistics.of(texts, "english")
    return statistics, SentenceSpace.fit(texts, hott.encoder.Encoder.load().encode, statistics)


@cache
def terms(id: str) -> DocumentTerms:
    return find_terms(DOCUMENTS[id].text, collection()[0], DOCUMENTS[id].title)


def compared(a: str, b: str) -> TermComparison:
    statistics, space = collection()
    return compare_terms(terms(a), terms(b), statistics, VECTORS, space)


def random_pairs(n: int) -> list[tuple[str, str]]:
    ids, draw = list(DOCUMENTS), np.random.default_rng(7)
    return [tuple(ids[i] for i in draw.choice(len(ids), 2, replace=False)) for _ in range(n)]


def flat(text: str) -> str:
    return " ".join(text.casefold().split())


def keys(text: str) -> set[int]:
    return {lexicon_of("english").key(word) for word in text.replace("-", " ").split()}


def test_it_says_what_a_person_would_have_said():
    missed = []
    for a, b, expected in PAIRS:
        five = compared(a, b).both[:5]
        if not any(keys(word) <= {*term.words} for word in expected for term in five):
            missed.append((a, b, [str(term) for term in five]))
    assert len(missed) <= 2, missed


def check(c: TermComparison, d: TermComparison) -> None:
    """Check that what a comparison tells is true, on one side only, and mirrored in the other direction."""
    texts = flat(c.a.text), flat(c.b.text)
    assert all(flat(term.a) in texts[0] and flat(term.b) in texts[1] for term in c.both)
    assert all(flat(pair.a.text) in texts[0] and flat(pair.b.text) in texts[1] for pair in c.near)
    assert all(flat(term.text) in texts[0] for term in c.only_a)
    assert all(flat(term.text) in texts[1] for term in c.only_b)
    assert all(left in c.a.text and right in c.b.text for left, right in c.sentences)
    both = {word for term in c.both for word in term.words}
    only_a, only_b = ({word for term in side for word in term.words} for side in (c.only_a, c.only_b))
    near_a, near_b = ({w for pair in c.near for w in getattr(pair, side).words} for side in ("a", "b"))
    sides = (both, only_a, only_b, near_a, near_b)
    assert sum(map(len, sides)) == len(set().union(*sides))
    assert [(t.a, t.b) for t in c.both] == [(t.b, t.a) for t in d.both]
    assert [(p.a, p.b) for p in c.near] == [(p.b, p.a) for p in d.near]
    assert (c.only_a, c.only_b) == (d.only_b, d.only_a)
    assert c.sentences == tuple((left, right) for right, left in d.sentences)
    assert [(g.terms_a, g.terms_b) for g in c.groups] == [(g.terms_b, g.terms_a) for g in d.groups]


@pytest.mark.parametrize("part", range(4))
def test_what_is_told_of_articles_is_true_and_mirrored(part):
    for a, b in [*random_pairs(50), *((a, b) for a, b, _ in PAIRS)][part::4]:
        check(compared(a, b), compared(b, a))


PIECES = (
    "A comet has a long tail of dust.", "Comets: dust, ice and TAILS!", "Paula Radcliffe won in Athens.",
    "Then Paula and Radcliffe's coach left Athens.\n\n", "> Who saw the turbine?\n", "bob@a.edu writes:\n",
    "The 13-man squad met Mr. Smith.", "It was pre-Columbian America's road.", "I've read O'Brien.",
    "England: Robinson, Balshaw, Tait, Noon, Lewsey, Barkley, Dawson, Rowntree, Stevens.\n", "In May 1970,",
    "the \\mathcal{N} theory of $h_{\\mu}$", "我喜欢猫。", "Die Straßenbahn fährt nach Köln.", "DNA/RNA",
    '- 4" knife - 2 1/2" knives ', "Mosquitoes carry malaria; a fever follows.", "A mosquito's fever, again…",
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(*[st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join)] * 2)
def test_what_is_told_of_made_texts_is_true_and_mirrored(a, b):
    check(compare_texts(a, b), compare_texts(b, a))


def test_a_text_beside_itself_has_each_sentence_beside_itself():
    text = "A comet has a long tail of dust. In May 1970, A comet has a long tail of dust."
    compared = compare_texts(text, text)
    assert compared.sentences
    assert all(a == b for a, b in compared.sentences)


def test_pairs_with_a_shared_term_are_never_said_to_have_nothing_in_common():
    for a, b in random_pairs(120):
        c = compared(a, b)
        said = c.lines[0]
        assert said.startswith(("Both: ", "Little in common: ", "Nothing in common."))
        if said == "Nothing in common.":
            strong = [
                {t.text.casefold() for t in terms(side).terms if t.weight > 3 and not t.is_minor}
                for side in (a, b)
            ]
            assert strong[0].isdisjoint(strong[1])


def compare_texts(a: str, b: str) -> TermComparison:
    statistics = collection()[0].merge(TermStatistics.of([a, b], "english"))
    found = (find_terms(text, statistics) for text in (a, b))
    return compare_terms(*found, statistics, VECTORS, collection()[1])


def test_a_first_name_of_two_people_is_not_shared():
    c = compare_texts(
        "We saw Ian Bell bat in the rain at Lord's.", "We saw Ian Thorpe swim a lane in the rain."
    )
    assert "Ian" not in {term.a for term in c.both}
    alone = compare_texts(
        "We saw Ian Bell bat. Then Ian left the rain.", "We saw Ian Thorpe swim. Then Ian left."
    )
    assert "Ian" in {term.a for term in alone.both}


def test_the_same_word_of_two_names_is_not_shared_though_one_text_has_it_alone():
    c = compare_texts(
        "He met Wayne Bridge. The boot of Bridge is wet.", "They ran at Stamford Bridge in the rain."
    )
    assert "Bridge" not in map(str, c.both)
    c = compare_texts("The belts of James Van Allen are far away.", "It was printed by Allen in the city.")
    assert "Allen" not in map(str, c.both)
    c = compare_texts("He saw New York and its New York Times.", "They ran in the New York Marathon of May.")
    assert "New York" in map(str, c.both)


def test_a_word_of_a_compound_is_not_shared():
    c = compare_texts("A self-avoiding polymer is long.", "Nobody avoids the rain.")
    assert not c.both


def test_what_is_only_mentioned_is_not_told_of_the_other_alone():
    a = "The winger left Toulouse in tears. The ball was oval and the grass was wet."
    b = "> Was it Toulouse?\nThe oval ball is made of leather."
    c = compare_texts(a, b)
    assert "Toulouse" not in {term.text for term in c.only_a}
    assert "winger" in {term.text for term in c.only_a}


def test_words_of_one_stem_that_mean_other_things_are_not_shared():
    c = compare_texts("We determine the author of it.", "Determinism has some authority for us.")
    assert not c.both
    assert compare_texts("The match was settled.", "They settle a match.").both


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("It was Williams then.", "He was William then."),
        ("A vaccine such as BCG is old.", "He was king from 570 BC on."),
        ("The office was closed.", "An officer was seen."),
    ],
)
def test_forms_that_are_other_words_or_other_names_are_not_shared(a, b):
    assert not compare_texts(a, b).both


def test_forms_of_one_name_are_shared():
    c = compare_texts("An army of Greeks was there.", "In Athens a Greek vase was found in Egyptian sand.")
    assert "Greeks/Greek" in map(str, c.both)


def test_a_word_of_a_name_is_not_shared_with_the_plain_word():
    a = "NASA sent the probe called Dawn to Ceres. The strait leads to the Red Sea near Suez."
    b = "They slept until dawn under a red blanket by the sea."
    texts = [
        a,
        b,
        "At dawn the red fox left.",
        "Until dawn, a red light.",
        "It was dawn.",
        "A red rose at dawn.",
    ]
    statistics = TermStatistics.of(texts, "english")
    left, right = (find_terms(text, statistics) for text in (a, b))
    assert "Red Sea" in [term.text for term in left.terms]
    assert [str(term).casefold() for term in compare_terms(left, right, statistics).both] == ["sea"]


def test_near_terms_are_near_as_the_encoder_reads_them():
    c = compare_texts("He left for a holiday.", "A vaccine presents a danger.")
    assert "holiday ~ presents" not in map(str, c.near)
    c = compare_texts("The comet came long ago.", "A goal was scored earlier.")
    assert not c.near
    c = compare_texts("The traders left.", "The brokers stayed.")
    assert "traders ~ brokers" in map(str, c.near)


@pytest.mark.parametrize("most", [4, 2])
def test_terms_are_read_once_and_as_many_are_kept_as_may_be(monkeypatch, most):
    monkeypatch.setattr(alignment, "_MAX_KEPT", most)
    encode, read = hott.encoder.Encoder.load().encode, []
    space = SentenceSpace(lambda texts: read.extend(texts) or encode(texts), np.zeros(256), 0.0, 1.0)
    for terms in (["comet", "late goal"], ["late goal", "dust", "late goal"], [], ["comet"]):
        assert np.array_equal(space.read_terms(terms), encode(terms))
        assert len(space._kept) <= most
    assert read == ["comet", "late goal", "dust"] + ["comet"] * (most == 2)


def test_terms_are_placed_as_their_vectors_are_whatever_was_placed_before():
    vectors = hott.embeddings.WordVectors(["comet", "goal"], [[1.0, 0.0], [0.0, 1.0]])
    for terms in (["comet"], ["goal", "comet", "comet-goal", "dust"], []):
        expected = [
            {"comet": [1, 0], "goal": [0, 1], "dust": [0, 0]}.get(term, [0.5**0.5] * 2) for term in terms
        ]
        placed = alignment.place_terms(terms, vectors)
        assert placed.shape == (len(terms), 2)
        assert np.allclose(placed, np.reshape(expected, (-1, 2)))


def test_names_that_look_alike_are_not_one_family():
    c = compare_texts("In Arsenal's team the striker was Henry.", "On the left the Belgian Henri ran.")
    assert not {"Henry", "Henri"} & {term.a for term in c.both}
    c = compare_texts("The army of Israel was there.", "The Israeli army was there.")
    assert "Israel" in {term.a for term in c.both}


def test_names_are_told_in_full():
    c = compare_texts(
        "Paula was ill in Athens. The runner Paula Radcliffe stopped. Paula rested. We saw Wayne Bridge and "
        "then Bridge fell.",
        "In May Paula ran. The runner Paula Radcliffe was paid by the city, and Paula won.",
    )
    assert "Paula Radcliffe" in {term.a for term in c.both}
    assert "Paula" not in {term.a for term in c.both}
    assert "Wayne Bridge" in {term.text for term in c.only_a}
    assert not {"Bridge", "Paula"} & {term.text for term in c.only_a}


def test_a_word_of_a_compound_is_not_near():
    assert not compare_texts("It was a see-saw match.", "The comet was seen.").near


def test_other_names_are_not_near_however_alike():
    c = compare_texts("We met Jose Mourinho at the match.", "We met Josep Guardiola at the game.")
    assert not [pair for pair in c.near if pair.a.text[0].isupper()]


def test_common_words_make_little_in_common():
    c = compare_texts("The road was built by men who carried stone.", "A clock was built and carried home.")
    assert c.why.startswith("Little in common: ")


def test_near_terms_are_neither_seasons_nor_a_person_and_a_role():
    c = compare_texts(
        "In winter Sven Eriksson keeps the points of his side.", "In summer a winger was on the spot."
    )
    assert not c.near


def test_a_text_in_three_to_five_lines():
    lines = str(compared("tennis/grass-courts", "tennis/clay-courts")).splitlines()
    assert lines[0] == "Both: courts, championships, ball, surface, players."
    assert lines[1] == "Near: soil ~ ground."
    assert lines[2].startswith("Only A: turf, baseline, grass")
    assert lines[3].startswith("Only B: Rafael Nadal, Roland Garros, clay")
    assert 3 <= len(lines) <= 5


def test_marks_are_where_the_terms_are():
    c = compared("economics/tulip-mania", "economics/stock-exchange")
    assert 1 <= len(c.groups) <= 6
    for group in c.groups:
        assert max(len(group.terms_a), len(group.terms_b)) <= 6
        for terms_told, spans, id in (
            (group.terms_a, group.spans_a, "economics/tulip-mania"),
            (group.terms_b, group.spans_b, "economics/stock-exchange"),
        ):
            marked = {key for s, e in spans for key in keys(DOCUMENTS[id].text[s:e])}
            assert all(keys(text) <= marked for text in terms_told)


def test_texts_without_sentences_or_words_compare():
    statistics, space = collection()
    empty, lone = (find_terms(text, statistics) for text in ("", "Comet"))
    assert str(compare_terms(empty, lone, statistics, VECTORS, space)) == "Nothing in common.\nOnly B: comet."
    assert compare_terms(empty, empty, statistics).lines == ("Nothing in common.",)


def test_what_the_title_of_one_names_is_not_told_of_the_other_alone():
    texts = ["Its disc is a pale band of light.", "A cluster lies beside the Milky Way, far from its disc."]
    statistics = TermStatistics.of(texts, "english")
    galaxy, cluster = find_terms(texts[0], statistics, "The Milky Way"), find_terms(texts[1], statistics)
    assert "Milky Way" in [term.text for term in cluster.terms]
    for terms in (
        compare_terms(galaxy, cluster, statistics).only_b,
        compare_terms(cluster, galaxy, statistics).only_a,
    ):
        assert [term.text for term in terms][:1] == ["cluster"]
        assert "Milky Way" not in [term.text for term in terms]


@pytest.mark.parametrize(
    "other",
    [
        "New Zealand have a fine side this year.",  # where a capital may be that of the sentence
        "The referee of the match will come from abroad.\n\nPaul Honiss (New Zealand)",  # in no sentence
        "New Zealand Cricket has great compassion for them.",  # in a longer name
    ],
)
def test_a_name_that_begins_with_a_common_word_is_told_in_full(other):
    a = "A new coach took the side to New Zealand in the spring."
    texts = [
        a,
        other,
        "They met New Zealand twice.",
        "The squad left for New Zealand.",
        "A new net was bought.",
    ]
    statistics = TermStatistics.of(texts, "english")
    left, right = (find_terms(text, statistics) for text in (a, other))
    told = [str(term) for term in compare_terms(left, right, statistics).both]
    assert "New Zealand" in told
    assert "Zealand" not in told
