"""What the API answers, field by field. The page, the static export and the OpenAPI description follow it."""

from pydantic import BaseModel

from hott.explorer.schemas.comparison import (
    ComparisonRequest,
    ComparisonSide,
    ComparisonView,
    GroupView,
    QuoteView,
    RestView,
    SideView,
    TermView,
    WordStep,
)
from hott.explorer.schemas.corpus import (
    ClusterList,
    ClusterView,
    ColumnInfo,
    ColumnView,
    CopyList,
    CopyView,
    CorpusInfo,
    DistanceView,
    LabelCount,
    MapView,
    NameView,
    Region,
    RegionView,
)
from hott.explorer.schemas.documents import (
    DocumentLine,
    DocumentPage,
    DocumentView,
    LabelShare,
    Selection,
    SelectionView,
)
from hott.explorer.schemas.limits import LONGEST_ID, LONGEST_QUERY, MOST_HITS, Id
from hott.explorer.schemas.search import HitLine, SearchRequest, SearchResult
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
    "LONGEST_ID",
    "LONGEST_QUERY",
    "MOST_HITS",
    "ClusterList",
    "ClusterView",
    "ColumnInfo",
    "ColumnView",
    "ComparisonRequest",
    "ComparisonSide",
    "ComparisonView",
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
    "NameView",
    "NearTopic",
    "Problem",
    "QuoteView",
    "Region",
    "RegionView",
    "RestView",
    "SearchRequest",
    "SearchResult",
    "Selection",
    "SelectionView",
    "SideView",
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
