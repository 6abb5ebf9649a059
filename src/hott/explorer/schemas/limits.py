"""How long things may be that someone asks for."""

from typing import Annotated

from pydantic import StringConstraints

MAX_HITS = 100
MAX_QUERY_LENGTH = 200_000  # characters: a long article
MAX_ID_LENGTH = 2_000

Id = Annotated[str, StringConstraints(max_length=MAX_ID_LENGTH)]
