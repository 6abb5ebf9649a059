"""What is read of documents, queries and filters, piece by piece."""

import numpy as np
import pytest

import hott
from hott import Index
from hott.embeddings.encoder import Encoder
from hott.index.build import min_df_for
from hott.index.file_sizes import measure_parts
from hott.index.filters import _period
from hott.index.meaning import Meeting, MeetingFinder
from hott.index.query import find_phrases, match_phrase
from hott.index.reading import find_heading
from hott.table.columns import infer_column
from hott.table.table import unify_schemas


def test_quotation_marks_of_a_pasted_text_demand_nothing():
    asked = 'works on the "golden ratio"'
    assert find_phrases(asked) == ("golden ratio",)
    assert find_phrases(" ".join([asked, *["and so on"] * 15])) == ()


def test_phrases_stand_in_quotation_marks_and_match_as_they_are_typed():
    assert find_phrases('the "golden ratio" in “modern  art”, and 3" pipes') == ("golden ratio", "modern art")
    assert match_phrase("golden ratio").search("The Golden\nRatio.")
    assert not match_phrase("art").search("party")


def test_a_short_first_line_is_a_heading():
    assert find_heading("\nMars\n\nThe fourth planet.") == "Mars"
    assert find_heading("Only one line.") == ""


def test_a_month_is_from_its_first_moment_to_its_last():
    ends = [str(end) for end in _period("2004-02")]
    assert ends == ["2004-02-01 00:00:00", "2004-02-29 23:59:59.999999"]


def test_rare_words_count_in_small_collections():
    assert [min_df_for(n) for n in (10, 200, 100_000)] == [1, 2, 3]


def test_a_word_of_a_query_is_met_by_one_near_it_in_meaning():
    water = "The cholera came from the pump in Broad Street, by contagion and dirty water."
    asked = Encoder.load().words_in_context("sick")
    [meeting] = MeetingFinder(asked, np.zeros(256, np.float32), {"the", "and"}, str).find(water)
    assert meeting.met == ("cholera", "contagion")
    assert str(Meeting("sick", ("cholera", "contagion"), 0.4)) == "sick ~ cholera, contagion"


def test_written_values_become_what_they_are():
    assert infer_column(["2004", "", "2005"], written=True).tolist() == [2004, None, 2005]
    assert [infer_column(["2004-05-17", None]).kind, infer_column(["007"], written=True).kind] == [
        "date",
        "text",
    ]
    schemas = {"year": "whole"}, {"year": "number", "by": "text"}
    assert unify_schemas(schemas) == {"year": "number", "by": "text"}


def test_what_takes_the_space_adds_up_to_the_file(tmp_path):
    index = hott.Index.build(["Planets orbit stars.", "Goals win a match."], n_topics=2, n_models=1)
    index.save(tmp_path / "small.hott")
    parts = measure_parts(tmp_path / "small.hott")
    assert {"texts", "document vectors", "topics"} <= parts.keys()
    assert sum(parts.values()) == (tmp_path / "small.hott").stat().st_size
    assert index.model.part_names == ("topics", "other.0", "other.1", "postings")


@pytest.mark.parametrize("embeddings", [None, False])
def test_a_foreign_document_of_rare_words_stays_in_a_large_collection(embeddings):
    """Its words are in one document, and the bundled vectors know none of them."""
    foreign = "Donaudampfschiffahrt Kapitänsmütze Sternschnuppenregen Grießnockerlsuppe"
    texts = [*hott.demo.corpus()[:60].texts, foreign]
    index = Index.build(texts, n_topics=4, n_models=1, iterations=5, min_df=2, embeddings=embeddings)
    assert (len(index), index.dropped) == (len(texts), ())
    assert index.search("Grießnockerlsuppe", k=1)[0].id == str(len(texts) - 1)
    assert index.snapshot.topics.positions[-1] == len(texts) - 1
