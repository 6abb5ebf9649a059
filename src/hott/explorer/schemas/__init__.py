"""What the API takes, field by field; what it answers is in docs/explorer-api.md."""

import json
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MAX_HITS = 100
MAX_QUERY_LENGTH = 200_000  # characters: a long article
MAX_ID_LENGTH = 2_000

Answer = dict[str, Any]
"""What is answered: values that JSON has."""


def to_json(value: Any) -> bytes:
    """Write a value as JSON; numbers of NumPy as those of Python, half a character as a question mark."""
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=np.generic.item
    )
    return text.encode(errors="replace")


Id = Annotated[str, StringConstraints(max_length=MAX_ID_LENGTH)]


class Problem(BaseModel):
    """What every error looks like."""

    message: str


class Request(BaseModel):
    """What is asked for; a field that there is not is an error."""

    model_config = ConfigDict(extra="forbid")


class TopicEdit(Request):
    """A change of topics. They and all distances stay as they are; it is about what is shown."""

    kind: Literal["rename", "merge", "hide", "show", "undo"]
    topics: Annotated[list[int], Field(max_length=1000)] = []
    name: Annotated[str, StringConstraints(max_length=200)] = ""
    model: int = 0


Condition = Annotated[str, StringConstraints(max_length=1000)]
Cell = float | Annotated[str, StringConstraints(max_length=5000)] | None


class Selection(Request):
    """Which documents are meant: those for which all of it holds."""

    where: Annotated[list[Condition], Field(max_length=50)] = Field(
        [],
        description="Conditions such as label=sport or year=2004..2005; those of a column are alternatives.",
    )
    words: Annotated[str, StringConstraints(max_length=200)] = Field(
        "", description="All of them in the title or the text."
    )
    topic: Annotated[int, Field(ge=0)] | None = Field(
        None, description="At least a tenth of this topic of the first model."
    )
    subject: Annotated[int, Field(ge=0)] | None = Field(None, description="The number of a subject.")
    lasso: Annotated[list[tuple[float, float]], Field(max_length=200)] = Field(
        [], description="Corners of a shape on the final map that they are inside."
    )
    positions: Annotated[list[Annotated[int, Field(ge=0, lt=2**53)]], Field(max_length=MAX_HITS)] | None = (
        Field(None, description="Only documents at these places of the corpus, such as the hits of a search.")
    )


class RowsRequest(Selection):
    """A selection of documents for a file, with whatever the page knows of them besides."""

    text: bool = Field(False, description="Whether the texts are asked for, too.")
    extra: dict[
        Annotated[str, StringConstraints(max_length=1000)], Annotated[list[Cell], Field(max_length=MAX_HITS)]
    ] = Field({}, description="Further columns: a value for each document.")


class SearchRequest(Request):
    """Either a text or the id of a document."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUERY_LENGTH)] | None = None
    id: Id | None = None
    k: Annotated[int, Field(ge=1, le=MAX_HITS)] = 10
    by: Literal["both", "words", "topics", "meaning"] = Field(
        "both", description="What a text is searched by."
    )
    within: Selection | None = Field(None, description="Find only documents of this selection.")
    reasons: bool = Field(True, description="Whether to say why: it takes longer than finding them.")


class MarkRequest(Request):
    """A document, and either the text or the id of the document that it was found by."""

    id: Id
    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUERY_LENGTH)] | None = None
    like: Id | None = None


class ComparisonSide(Request):
    """A document by its id, or all documents of a selection."""

    id: Id | None = None
    selection: Selection | None = None
    name: Annotated[str, StringConstraints(max_length=300)] = ""


class ComparisonRequest(Request):
    a: ComparisonSide
    b: ComparisonSide


class WithoutRequest(ComparisonRequest):
    """A comparison, and a term to take out of both sides."""

    term: Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class ContrastRequest(Request):
    """Two sets of documents; without a second one, all other documents."""

    a: ComparisonSide
    b: ComparisonSide | None = None
