"""What is said of all documents together: their columns, the map, groups of them."""

from typing import Literal

from pydantic import BaseModel, Field


class LabelCount(BaseModel):
    label: str
    documents: int


class ColumnInfo(BaseModel):
    name: str
    type: Literal["category", "yes or no", "number", "date", "text"]
    values: list[LabelCount] = Field(description="Of a category or of yes or no, the most frequent first.")
    first: str | None = Field(description="The least number or the first date.")
    last: str | None
    missing: int


class CorpusInfo(BaseModel):
    name: str
    version: str = Field(description="Of the library.")
    documents: int
    words: int
    models: int
    topics: int = Field(description="In each model.")
    labels: list[LabelCount] = Field(description="The most frequent first.")
    columns: list[ColumnInfo] = Field(
        description="What documents can be filtered and coloured by; label too."
    )
    meaning: bool = Field(description="Whether texts are searched by their meaning, too.")
    editable: bool = Field(description="Whether topics can be renamed, merged and hidden.")
    unplaced: int = Field(description="Documents without a known word: they cannot be compared with others.")


class ColumnView(BaseModel):
    """A column as colours need it: categories as codes, all else as numbers."""

    name: str
    names: list[str] = Field(description="Names that `codes` counts in; empty for numbers and dates.")
    codes: list[int] = Field(description="-1 where there is none.")
    numbers: list[float | None] = Field(description="Numbers; of dates, days since 1970.")


class DistanceView(BaseModel):
    distances: list[float | None] = Field(
        description="From one document to each, in the order of the corpus."
    )


class MapView(BaseModel):
    """One entry a document in every list, in the order of the corpus."""

    state: Literal["preliminary", "final"] = Field(
        description="Preliminary while the map is being laid out: two principal axes of the proportions."
    )
    x: list[float | None]
    y: list[float | None]
    labels: list[str] = Field(description="Names that `label` counts in.")
    label: list[int] = Field(description="-1 where there is none.")
    topics: list[str] = Field(description="Names that `topic` counts in, by the number of the topic.")
    topic: list[int] = Field(description="The heaviest topic in the first model; -1 where there is none.")


class NameView(BaseModel):
    """One entry a document in every list, in the order of the corpus."""

    ids: list[str]
    titles: list[str] = Field(description="The title, or else the first line of the text, or else the id.")


class SubjectView(BaseModel):
    number: int
    name: str
    terms: list[str] = Field(description="That more of its documents have than of the others.")
    parent: int | None = Field(description="The number of the subject that it is a part of.")
    is_chaff: bool = Field(description="Whether it is about nothing, such as greetings.")
    positions: list[int] = Field(description="Its documents, the most typical first.")


class SubjectList(BaseModel):
    """What the documents are about, from a few large subjects to many small ones."""

    level: int = Field(description="The level, from 1, that has about a dozen or two.")
    levels: list[list[int]] = Field(description="Numbers of the subjects of each level, the largest first.")
    subjects: list[SubjectView]


class CopyView(BaseModel):
    positions: list[int]
    likeness: float
    are_exact: bool


class CopyList(BaseModel):
    copies: list[CopyView] = Field(description="Exact ones first, then the most alike.")
