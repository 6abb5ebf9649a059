"""Searches and what they find."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hott.explorer.schemas.documents import Selection
from hott.explorer.schemas.limits import LONGEST_QUERY, MOST_HITS, Id
from hott.explorer.schemas.topics import TopicShare


class SearchRequest(BaseModel):
    """Either a text or the id of a document."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY)] | None = None
    id: Id | None = None
    k: Annotated[int, Field(ge=1, le=MOST_HITS)] = 10
    by: Literal["both", "words", "topics"] = Field("both", description="What a text is searched by.")
    within: Selection | None = Field(None, description="Find only documents of this selection.")
    reasons: bool = Field(True, description="Whether to say why: it takes longer than finding them.")


class HitLine(BaseModel):
    position: int
    id: str
    title: str
    label: str | None
    distance: float | None = Field(description="None where no word of the document is known.")
    score: float
    words: float = Field(description="What the words add to the score.")
    topics: float = Field(description="What the topics add to it.")
    snippet: str
    marks: list[tuple[int, int]] = Field(description="Start and end of words, in characters.")
    why: str = Field(description="The reason in one line, where it was asked for.")


class SearchResult(BaseModel):
    hits: list[HitLine]
    computed: int = Field(description="Documents whose exact distance was needed.")
    pruned: int = Field(description="Documents that a bound ruled out.")
    notes: list[str] = Field(description="What words that are in no document were searched by.")
    topics: list[TopicShare] = Field(description="What the query is about, in topics of the first model.")
