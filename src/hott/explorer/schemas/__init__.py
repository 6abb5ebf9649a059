"""What the API takes and answers, field by field. The page, the static export and OpenAPI follow it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hott.explain import Quote, ToldTerm, WordMove

MAX_HITS = 100
MAX_QUERY_LENGTH = 200_000  # characters: a long article
MAX_ID_LENGTH = 2_000

Id = Annotated[str, StringConstraints(max_length=MAX_ID_LENGTH)]


class Answer(BaseModel):
    """What is answered; made of the library's results by the names of their fields."""

    model_config = ConfigDict(from_attributes=True)


class Problem(BaseModel):
    """What every error looks like."""

    message: str


class Request(BaseModel):
    """What is asked for; a field that there is not is an error."""

    model_config = ConfigDict(extra="forbid")


# -- topics ----------------------------------------------------------------------------------------------


class WordWeight(Answer):
    word: str
    weight: float = Field(description="The probability of the word in the topic.")


class NearTopic(Answer):
    number: int
    name: str
    distance: float


class TopicCard(Answer):
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


class TopicList(Answer):
    model: int
    models: int
    topics: list[TopicCard] = Field(description="The heaviest in the corpus first, fillers last.")
    order: list[int] = Field(description="Numbers of the topics, similar ones side by side.")
    distances: list[list[float]] = Field(description="Between topics, rows and columns in that order.")
    undo: str | None = Field(description="The last change of topics, which can be undone.")


class TopicEdit(Request):
    """A change of topics. They and all distances stay as they are; it is about what is shown."""

    kind: Literal["rename", "merge", "hide", "show", "undo"]
    topics: Annotated[list[int], Field(max_length=1000)] = []
    name: Annotated[str, StringConstraints(max_length=200)] = ""
    model: int = 0


class TopicsOver(Answer):
    column: str
    groups: list[str] = Field(description="Years, months, or values of the column.")
    documents: list[int]
    topics: list[int] = Field(description="Numbers.")
    names: list[str]
    shares: list[list[float]] = Field(description="One row a topic, one column a group.")


class TopicShare(Answer):
    number: int
    name: str
    proportion: float


# -- documents -------------------------------------------------------------------------------------------


class DocumentName(Answer):
    position: int
    id: str
    title: str = Field(description="Its title; without one its first line, or else its id.")
    label: str | None


class DocumentLine(DocumentName):
    proportion: float | None = Field(description="Of the topic that was asked for.")


class DocumentPage(Answer):
    total: int
    offset: int
    documents: list[DocumentLine]


class DocumentView(DocumentName):
    text: str
    columns: dict[str, str] = Field(description="What else is known of it.")
    topics: list[TopicShare] = Field(description="Of the first model, the heaviest first.")


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


class RowsView(Answer):
    """Documents as a table."""

    positions: list[int]
    columns: dict[str, list[float | str | None]] = Field(
        description="Id, title, the columns of the user, and the rest."
    )


class LabelCount(Answer):
    label: str
    documents: int


class LabelShare(LabelCount):
    of: int = Field(description="All documents with this label.")


class SelectionView(Answer):
    """The documents that are meant, and what is special about them."""

    total: int
    positions: list[int] = Field(description="In the order of the corpus; of a topic, the most of it first.")
    proportions: list[float] | None = Field(description="Of the topic, where one is asked for.")
    labels: list[LabelShare] = Field(description="The most frequent first.")
    words: list[str] = Field(description="That more of these documents have than of the others.")
    topics: list[TopicShare] = Field(description="With how much more of them these have than the corpus.")


# -- all documents together ------------------------------------------------------------------------------


class ColumnInfo(Answer):
    name: str
    type: Literal["category", "yes or no", "number", "date", "text"]
    values: list[LabelCount] = Field(description="Of a category or of yes or no, the most frequent first.")
    first: str | None = Field(description="The least number or the first date.")
    last: str | None
    missing: int


class CorpusInfo(Answer):
    name: str
    version: str = Field(description="Of the library.")
    documents: int
    words: int
    models: int
    topics: int = Field(description="In each model.")
    label: str = Field(description="What the user calls the column of the labels.")
    labels: list[LabelCount] = Field(description="The most frequent first.")
    columns: list[ColumnInfo] = Field(
        description="What documents can be filtered and coloured by; that of the labels, too."
    )
    meaning: bool = Field(description="Whether texts are searched by their meaning, too.")
    editable: bool = Field(description="Whether topics can be renamed, merged and hidden.")
    parquet: bool = Field(description="Whether documents can be had as a Parquet file.")
    unplaced: int = Field(description="Documents without a known word: they cannot be compared with others.")


class ColumnView(Answer):
    """A column as colours need it: categories as codes, all else as numbers."""

    name: str
    names: list[str] = Field(description="Names that `codes` counts in; empty for numbers and dates.")
    codes: list[int] = Field(description="-1 where there is none.")
    numbers: list[float | None] = Field(description="Numbers; of dates, days since 1970.")


class DistanceView(Answer):
    distances: list[float | None] = Field(
        description="From one document to each, in the order of the corpus."
    )


class MapView(Answer):
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


class ProgressView(Answer):
    final: bool = Field(description="Whether the map is laid out.")
    done: float = Field(description="The part of laying it out that is done.")
    work: dict[str, float] = Field(description="The part of what else is computed, by the path asked for.")


class NameView(Answer):
    """One entry a document in every list, in the order of the corpus."""

    ids: list[str]
    titles: list[str] = Field(description="The title, or else the first line of the text, or else the id.")


class SubjectView(Answer):
    number: int
    name: str
    terms: list[str] = Field(description="That more of its documents have than of the others.")
    parent: int | None = Field(description="The number of the subject that it is a part of.")
    is_chaff: bool = Field(description="Whether it is about nothing, such as greetings.")
    positions: list[int] = Field(description="Its documents, the most typical first.")


class SubjectList(Answer):
    """What the documents are about, from a few large subjects to many small ones."""

    level: int = Field(description="The level, from 1, that has about a dozen or two.")
    levels: list[list[int]] = Field(description="Numbers of the subjects of each level, the largest first.")
    subjects: list[SubjectView]


class CopyView(Answer):
    positions: list[int]
    likeness: float
    are_exact: bool


class CopyList(Answer):
    copies: list[CopyView] = Field(description="Exact ones first, then the most alike.")


# -- searches --------------------------------------------------------------------------------------------


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


class MarkView(Answer):
    """Where in a document what was searched for is."""

    words: list[str] = Field(description="Words of the text, or terms of the document.")
    marks: list[tuple[int, int, int]] = Field(
        description="Start, end and number of the word, in UTF-16 units; words near it in meaning too."
    )
    passage: int = Field(description="Where the passage begins that has the most of it.")


class HitLine(DocumentName):
    distance: float | None = Field(description="None where no word of the document is known.")
    score: float
    words: float = Field(description="What the words add to the score.")
    topics: float = Field(description="What the topics add to it.")
    meaning: float = Field(description="What nearness in meaning adds to it.")
    snippet: str
    marks: list[tuple[int, int]] = Field(description="Start and end of words, in UTF-16 units.")
    why: str = Field(description="The reason in one line, where it was asked for.")


class QueryWord(Answer):
    word: str
    how: Literal["same", "parts", "spelled like", "near in meaning", "in no document"]
    by: list[str] = Field(description="What it was searched by, where it is in no document.")
    met: list[str] = Field(description="Words of the hits near it in meaning, where reasons are asked for.")


class SearchResult(Answer):
    hits: list[HitLine]
    computed: int = Field(description="Documents whose exact distance was needed.")
    pruned: int = Field(description="Documents that a bound ruled out.")
    notes: list[str] = Field(description="What words that are in no document were searched by.")
    words: list[QueryWord] = Field(description="The words of the text, stop words left out.")
    topics: list[TopicShare] = Field(description="What the query is about, in topics of the first model.")


# -- comparisons -----------------------------------------------------------------------------------------


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


class WithoutView(Answer):
    distance: float | None = Field(description="Of both without the term; None where no word is left.")


class ContrastRequest(Request):
    """Two sets of documents; without a second one, all other documents."""

    a: ComparisonSide
    b: ComparisonSide | None = None


class ContrastTerm(Answer):
    text: str
    inside: int = Field(description="Documents of this side that have it.")
    outside: int = Field(description="Documents of the other side that have it.")


class ContrastSide(Answer):
    documents: int
    terms: list[ContrastTerm]
    sentences: list[str] = Field(description="Typical of the side: they have most of its terms.")


class ContrastView(Answer):
    """How two sets of documents differ: the terms that more of the one have than of the other."""

    a: ContrastSide
    b: ContrastSide


class SideView(Answer):
    id: str
    title: str
    documents: int
    of: int = Field(description="Documents of the selection; of many, some that stand for all are compared.")
    label: str | None
    text: str | None = Field(description="Of a group, typical sentences; None for a document.")
    marks: list[tuple[int, int, int]] = Field(
        description="Told terms in the text: start, end (in UTF-16 units), number of their group."
    )


class RestView(Answer):
    part: float = Field(description="Of the distance that no term has.")
    words: int


class GroupView(Answer):
    name: str
    terms_a: list[str]
    terms_b: list[str]


class ComparisonView(Answer):
    """What `Comparison.to_dict` gives, with labels and marks."""

    distance: float = Field(description="The mean over all models.")
    topics: float = Field(description="The distance of the topics alone.")
    closer_than: float | None = Field(description="Share of random pairs that are farther apart.")
    why: str
    lines: list[str]
    a: SideView
    b: SideView
    terms: list[ToldTerm]
    rest: RestView
    groups: list[GroupView] = Field(description="Terms that belong together, each group in one colour.")
    quotes: list[tuple[Quote, Quote]] = Field(description="Sentences side by side.")
    flow: list[WordMove] = Field(description="Between words, the heaviest first.")
