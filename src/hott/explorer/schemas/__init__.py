"""What the API answers, field by field. The page, the static export and the OpenAPI description follow it."""

from pydantic import BaseModel

from hott.explorer.schemas.comparison import (
    ComparisonRequest,
    ComparisonSide,
    ComparisonView,
    ContrastRequest,
    ContrastSide,
    ContrastTerm,
    ContrastView,
    GroupView,
    QuoteView,
    RestView,
    SideView,
    TermView,
    WordStep,
)
from hott.explorer.schemas.corpus import (
    ColumnInfo,
    ColumnView,
    CopyList,
    CopyView,
    CorpusInfo,
    DistanceView,
    LabelCount,
    MapView,
    NameView,
    SubjectList,
    SubjectView,
)
from hott.explorer.schemas.documents import (
    DocumentLine,
    DocumentPage,
    DocumentView,
    LabelShare,
    RowsView,
    Selection,
    SelectionView,
)
from hott.explorer.schemas.limits import MAX_HITS, MAX_ID_LENGTH, MAX_QUERY_LENGTH, Id
from hott.explorer.schemas.search import (
    HitLine,
    MarkRequest,
    MarkView,
    QueryWord,
    SearchRequest,
    SearchResult,
)
from hott.explorer.schemas.topics import (
    Join,
    NearTopic,
    TopicCard,
    TopicEdit,
    TopicList,
    TopicShare,
    TopicsOver,
    WordWeight,
)

__all__ = [
    "MAX_HITS",
    "MAX_ID_LENGTH",
    "MAX_QUERY_LENGTH",
    "ColumnInfo",
    "ColumnView",
    "ComparisonRequest",
    "ComparisonSide",
    "ComparisonView",
    "ContrastRequest",
    "ContrastSide",
    "ContrastTerm",
    "ContrastView",
    "CopyList",
    "CopyView",
    "CorpusInfo",
    "DistanceView",
    "DocumentLine",
    "DocumentPage",
    "DocumentView",
    "GroupView",
    "HitLine",
    "Id",
    "Join",
    "LabelCount",
    "LabelShare",
    "MapView",
    "MarkRequest",
    "MarkView",
    "NameView",
    "NearTopic",
    "Problem",
    "QueryWord",
    "QuoteView",
    "RestView",
    "RowsView",
    "SearchRequest",
    "SearchResult",
    "Selection",
    "SelectionView",
    "SideView",
    "SubjectList",
    "SubjectView",
    "TermView",
    "TopicCard",
    "TopicEdit",
    "TopicList",
    "TopicShare",
    "TopicsOver",
    "WordStep",
    "WordWeight",
]


class Problem(BaseModel):
    """What every error looks like."""

    message: str
