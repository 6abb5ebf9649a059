"""Comparisons of documents and of groups."""

from typing import Annotated

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


class ThemeWord(BaseModel):
    word: str
    mass: float = Field(description="The part of its document that it carries.")
    forms: list[str]
    in_both: bool = Field(description="Whether the other document has the word, too.")


class SentenceMark(BaseModel):
    start: int
    end: int
    strength: float


class ThemeSentence(BaseModel):
    document: str
    text: str
    start: int
    marks: list[SentenceMark]


class ThemeView(BaseModel):
    number: int
    name: str
    is_other: bool
    weight: float = Field(description="How much the theme says beside the first.")
    mass_a: float
    mass_b: float
    both: float = Field(description="Mass that stays in the theme.")
    cost: float = Field(description="What that adds to the distance.")
    words_a: list[ThemeWord]
    words_b: list[ThemeWord]
    sentences_a: list[ThemeSentence]
    sentences_b: list[ThemeSentence]


class SideView(BaseModel):
    id: str
    title: str
    documents: int
    of: int = Field(description="Documents of the selection; of many, some that stand for all are compared.")
    label: str | None
    marks: list[tuple[int, int, int, float]] = Field(
        description="Words of the text that carry a theme: start, end (in UTF-16 units), theme, strength."
    )


class MoveView(BaseModel):
    source: int = Field(description="The number of a theme.")
    target: int
    mass: float
    cost: float = Field(description="What it adds to the distance.")


class WordStep(BaseModel):
    source: str
    target: str
    mass: float
    cost: float
    source_theme: int
    target_theme: int


class ComparisonView(BaseModel):
    """What `Comparison.to_dict` gives, with labels and marks."""

    distance: float = Field(description="The mean over all models.")
    topics: float = Field(description="What the topics add to the distance; words add the rest.")
    far: float = Field(description="The distance of topics that have nothing to do with each other.")
    both: float
    why: str
    sentences: list[str]
    a: SideView
    b: SideView
    themes: list[ThemeView]
    shared: list[int]
    only_a: list[int]
    only_b: list[int]
    moves: list[MoveView] = Field(description="Between themes; costs sum to the distance.")
    flow: list[WordStep] = Field(description="Between words, the heaviest first.")
