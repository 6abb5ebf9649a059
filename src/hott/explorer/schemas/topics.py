"""Topics, and what people may change about them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints


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


class TopicShare(BaseModel):
    number: int
    name: str
    proportion: float
