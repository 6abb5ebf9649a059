"""Searches and what they find."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hott.explorer.schemas.documents import Selection
from hott.explorer.schemas.limits import MAX_HITS, MAX_QUERY_LENGTH, Id
from hott.explorer.schemas.topics import TopicShare


class SearchRequest(BaseModel):
    """Either a text or the id of a document."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUERY_LENGTH)] | None = None
    id: Id | None = None
    k: Annotated[int, Field(ge=1, le=MAX_HITS)] = 10
    by: Literal["both", "words", "topics", "meaning"] = Field(
        "both", description="What a text is searched by."
    )
    within: Selection | None = Field(None, description="Find only documents of this selection.")
    reasons: bool = Field(True, description="Whether to say why: it takes longer than finding them.")


class MarkRequest(BaseModel):
    """A document, and either the text or the id of the document that it was found by."""

    model_config = ConfigDict(extra="forbid")

    id: Id
    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUERY_LENGTH)] | None = None
    like: Id | None = None


class MarkView(BaseModel):
    """Where in a document what was searched for is."""

    words: list[str] = Field(description="Words of the text, or terms of the document.")
    marks: list[tuple[int, int, int]] = Field(
        description="Start, end and number of the word, in UTF-16 units; words near it in meaning too."
    )
    passage: int = Field(description="Where the passage begins that has the most of it.")


class HitLine(BaseModel):
    position: int
    id: str
    title: str
    label: str | None
    distance: float | None = Field(description="None where no word of the document is known.")
    score: float
    words: float = Field(description="What the words add to the score.")
    topics: float = Field(description="What the topics add to it.")
    meaning: float = Field(description="What nearness in meaning adds to it.")
    snippet: str
    marks: list[tuple[int, int]] = Field(description="Start and end of words, in characters.")
    why: str = Field(description="The reason in one line, where it was asked for.")


class QueryWord(BaseModel):
    word: str
    how: Literal["same", "parts", "spelled like", "near in meaning", "in no document"]
    by: list[str] = Field(description="What it was searched by, where it is in no document.")
    met: list[str] = Field(description="Words of the hits near it in meaning, where reasons are asked for.")


class SearchResult(BaseModel):
    hits: list[HitLine]
    computed: int = Field(description="Documents whose exact distance was needed.")
    pruned: int = Field(description="Documents that a bound ruled out.")
    notes: list[str] = Field(description="What words that are in no document were searched by.")
    words: list[QueryWord] = Field(description="The words of the text, stop words left out.")
    topics: list[TopicShare] = Field(description="What the query is about, in topics of the first model.")
