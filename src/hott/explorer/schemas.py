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
    editable: bool = Field(description="Whether topics can be renamed, merged and hidden.")
    unplaced: int = Field(description="Documents without a known word: they cannot be compared with others.")


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
    is_hidden: bool = Field(description="Whether someone chose not to see it.")
    words: list[WordWeight] = Field(description="The most relevant first.")
    members: list[int] = Field(description="Numbers of the topics that were merged into it, its own first.")
    nearest: list[NearTopic]
    typical: list[int] = Field(description="Positions of the documents that have the most of it.")
    x: float = Field(description="Its place on the map of topics, by the distances between them.")
    y: float


class Join(BaseModel):
    """Two groups of topics that become one at a height; a tree has them in the order of the heights."""

    left: int = Field(description="A place in `order`, or the number of topics plus that of an earlier join.")
    right: int
    height: float


class TopicList(BaseModel):
    model: int
    models: int
    topics: list[TopicCard] = Field(description="The heaviest in the corpus first, fillers last.")
    order: list[int] = Field(description="Numbers of the topics, similar ones side by side.")
    distances: list[list[float]] = Field(description="Between topics, rows and columns in that order.")
    tree: list[Join] = Field(description="Which topics are alike, from the nearest to all.")
    undo: str | None = Field(description="The last change of topics, which can be undone.")


class TopicEdit(BaseModel):
    """A change of topics. They and all distances stay as they are; it is about what is shown."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["rename", "merge", "hide", "show", "undo"]
    topics: Annotated[list[int], Field(max_length=1000)] = []
    name: Annotated[str, StringConstraints(max_length=200)] = ""
    model: int = 0


class TopicsOver(BaseModel):
    column: str
    groups: list[str] = Field(description="Years, months, or values of the column.")
    documents: list[int]
    topics: list[int] = Field(description="Numbers.")
    names: list[str]
    shares: list[list[float]] = Field(description="One row a topic, one column a group.")


class DocumentLine(BaseModel):
    position: int
    id: str
    title: str = Field(description="Its title; without one its first line, or else its id.")
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
    position: int
    id: str
    title: str
    label: str | None
    text: str
    columns: dict[str, str] = Field(description="What else is known of it.")
    topics: list[TopicShare] = Field(description="Of the first model, the heaviest first.")


class Selection(BaseModel):
    """Which documents are meant: those for which all of it holds."""

    model_config = ConfigDict(extra="forbid")

    where: Annotated[list[Annotated[str, StringConstraints(max_length=1000)]], Field(max_length=50)] = Field(
        [],
        description="Conditions such as label=sport or year=2004..2005; those of a column are alternatives.",
    )
    words: Annotated[str, StringConstraints(max_length=200)] = Field(
        "", description="All of them in the title or the text."
    )
    topic: Annotated[int, Field(ge=0)] | None = Field(
        None, description="At least a tenth of this topic of the first model."
    )
    cluster: Annotated[int, Field(ge=0)] | None = None
    min_size: Annotated[int, Field(ge=2)] = Field(5, description="Of the clusters.")
    lasso: Annotated[list[tuple[float, float]], Field(max_length=200)] = Field(
        [], description="Corners of a shape on the final map that they are inside."
    )


class LabelShare(BaseModel):
    label: str
    documents: int
    of: int = Field(description="All documents with this label.")


class SelectionView(BaseModel):
    """The documents that are meant, and what is special about them."""

    total: int
    positions: list[int] = Field(description="In the order of the corpus; of a topic, the most of it first.")
    proportions: list[float] | None = Field(description="Of the topic, where one is asked for.")
    labels: list[LabelShare] = Field(description="The most frequent first.")
    words: list[str] = Field(description="That more of these documents have than of the others.")
    topics: list[TopicShare] = Field(description="With how much more of them these have than the corpus.")


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


class Region(BaseModel):
    x: float
    y: float
    words: list[str]
    documents: int


class RegionView(BaseModel):
    """Names of regions of the map, at several levels: few large regions first."""

    levels: list[list[Region]]


class ClusterView(BaseModel):
    number: int
    name: str
    words: list[str]
    positions: list[int]


class ClusterList(BaseModel):
    clusters: list[ClusterView] = Field(description="The largest first.")
    unclustered: int


class CopyView(BaseModel):
    positions: list[int]
    likeness: float
    are_exact: bool


class CopyList(BaseModel):
    copies: list[CopyView] = Field(description="Exact ones first, then the most alike.")


class SearchRequest(BaseModel):
    """Either a text or the id of a document."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY)] | None = None
    id: Id | None = None
    k: Annotated[int, Field(ge=1, le=MOST_HITS)] = 10
    by: Literal["both", "words", "topics"] = Field("both", description="What a text is searched by.")
    where: Annotated[list[Annotated[str, StringConstraints(max_length=1000)]], Field(max_length=50)] = Field(
        [], description="Find only documents for which these hold, as in a selection."
    )
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
