"""What the API answers, field by field. The page, the static export and the OpenAPI description follow it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MOST_HITS = 100
LONGEST_QUERY = 200_000  # characters: a long article
LONGEST_ID = 2_000

Id = Annotated[str, StringConstraints(max_length=LONGEST_ID)]


class Problem(BaseModel):
    """What every error looks like."""

    message: str


class LabelCount(BaseModel):
    label: str
    documents: int


class CorpusInfo(BaseModel):
    name: str
    version: str = Field(description="Of the library.")
    documents: int
    words: int
    models: int
    topics: int = Field(description="In each model.")
    labels: list[LabelCount] = Field(description="The most frequent first.")
    unplaced: int = Field(description="Documents without a known word: they have no distance from anything.")


class WordWeight(BaseModel):
    word: str
    weight: float = Field(description="The probability of the word in the topic.")


class NearTopic(BaseModel):
    number: int
    name: str
    distance: float


class TopicCard(BaseModel):
    number: int
    name: str
    weight: float = Field(description="Its share of the corpus.")
    coherence: float | None = Field(description="How much its words occur together (NPMI), from -1 to 1.")
    is_filler: bool = Field(description="Words that do not belong together, a little of them everywhere.")
    words: list[WordWeight] = Field(description="The most distinctive first.")
    nearest: list[NearTopic]


class TopicList(BaseModel):
    model: int
    models: int
    topics: list[TopicCard] = Field(description="The heaviest in the corpus first, fillers last.")
    order: list[int] = Field(description="Numbers of the topics, similar ones side by side.")
    distances: list[list[float]] = Field(description="Between topics, rows and columns in that order.")


class DocumentLine(BaseModel):
    id: str
    title: str
    label: str | None
    proportion: float | None = Field(description="Of the topic that was asked for.")


class DocumentPage(BaseModel):
    total: int
    offset: int
    documents: list[DocumentLine]


class TopicShare(BaseModel):
    number: int
    name: str
    proportion: float


class DocumentView(BaseModel):
    id: str
    title: str
    label: str | None
    text: str
    topics: list[TopicShare] = Field(description="Of the first model, the heaviest first.")


class SearchRequest(BaseModel):
    """Either a text or the id of a document."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY)] | None = None
    id: Id | None = None
    k: Annotated[int, Field(ge=1, le=MOST_HITS)] = 10
    by: Literal["both", "words", "topics"] = Field("both", description="What a text is searched by.")


class HitLine(BaseModel):
    id: str
    title: str
    label: str | None
    distance: float | None = Field(description="None where no word of the document is known.")
    score: float
    snippet: str
    marks: list[tuple[int, int]] = Field(description="Start and end of words, in characters.")
    why: str


class SearchResult(BaseModel):
    hits: list[HitLine]
    computed: int = Field(description="Documents whose exact distance was needed.")
    pruned: int = Field(description="Documents that a bound ruled out.")
    notes: list[str] = Field(description="What words that are in no document were searched by.")


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


class MapView(BaseModel):
    """One entry a document in every list, in the order of the corpus."""

    state: Literal["preliminary", "final"] = Field(
        description="Preliminary while the map is being laid out: two principal axes of the proportions."
    )
    ids: list[str]
    titles: list[str]
    x: list[float | None]
    y: list[float | None]
    labels: list[str] = Field(description="Names that `label` counts in.")
    label: list[int] = Field(description="-1 where there is none.")
    topics: list[str] = Field(description="Names that `topic` counts in, by the number of the topic.")
    topic: list[int] = Field(description="The heaviest topic in the first model; -1 where there is none.")
