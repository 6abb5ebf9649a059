"""Comparisons of documents and of groups."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hott.explorer.schemas.documents import Selection
from hott.explorer.schemas.limits import Id


class ComparisonSide(BaseModel):
    """A document by its id, or all documents of a selection."""

    model_config = ConfigDict(extra="forbid")

    id: Id | None = None
    selection: Selection | None = None
    name: Annotated[str, StringConstraints(max_length=300)] = ""


class ComparisonRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    a: ComparisonSide
    b: ComparisonSide


class ContrastRequest(BaseModel):
    """Two sets of documents; without a second one, all other documents."""

    model_config = ConfigDict(extra="forbid")

    a: ComparisonSide
    b: ComparisonSide | None = None


class ContrastTerm(BaseModel):
    text: str
    inside: int = Field(description="Documents of this side that have it.")
    outside: int = Field(description="Documents of the other side that have it.")


class ContrastSide(BaseModel):
    documents: int
    terms: list[ContrastTerm]
    sentences: list[str] = Field(description="Typical of the side: they have most of its terms.")


class ContrastView(BaseModel):
    """How two sets of documents differ: the terms that more of the one have than of the other."""

    a: ContrastSide
    b: ContrastSide


class SideView(BaseModel):
    id: str
    title: str
    documents: int
    of: int = Field(description="Documents of the selection; of many, some that stand for all are compared.")
    label: str | None
    text: str | None = Field(description="Of a group, typical sentences; None for a document.")
    marks: list[tuple[int, int, int]] = Field(
        description="Told terms in the text: start, end (in UTF-16 units), number of their group."
    )


class TermView(BaseModel):
    text: str
    where: Literal["both", "near", "only_a", "only_b"]
    part: float = Field(description="Of the distance.")


class RestView(BaseModel):
    part: float = Field(description="Of the distance that no term has.")
    words: int


class GroupView(BaseModel):
    name: str
    terms_a: list[str]
    terms_b: list[str]


class QuoteView(BaseModel):
    text: str
    start: int
    marks: list[tuple[int, int, int]]


class WordStep(BaseModel):
    source: str
    target: str
    mass: float
    cost: float


class ComparisonView(BaseModel):
    """What `Comparison.to_dict` gives, with labels and marks."""

    distance: float = Field(description="The mean over all models.")
    topics: float = Field(description="The distance of the topics alone.")
    closer_than: float | None = Field(description="Share of random pairs that are farther apart.")
    why: str
    lines: list[str]
    a: SideView
    b: SideView
    terms: list[TermView]
    rest: RestView
    groups: list[GroupView] = Field(description="Terms that belong together, each group in one colour.")
    quotes: list[tuple[QuoteView, QuoteView]] = Field(description="Sentences side by side.")
    flow: list[WordStep] = Field(description="Between words, the heaviest first.")
