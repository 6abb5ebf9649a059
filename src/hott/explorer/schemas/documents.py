"""Documents: one, a page of them, or those that a selection means."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hott.explorer.schemas.limits import MAX_HITS
from hott.explorer.schemas.topics import TopicShare


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
    subject: Annotated[int, Field(ge=0)] | None = Field(None, description="The number of a subject.")
    lasso: Annotated[list[tuple[float, float]], Field(max_length=200)] = Field(
        [], description="Corners of a shape on the final map that they are inside."
    )
    positions: Annotated[list[Annotated[int, Field(ge=0, lt=2**53)]], Field(max_length=MAX_HITS)] | None = (
        Field(None, description="Only documents at these places of the corpus, such as the hits of a search.")
    )


class RowsView(BaseModel):
    """Documents as a table."""

    positions: list[int]
    columns: dict[str, list[str | None]] = Field(description="Id, title, label, and the user's own columns.")


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
