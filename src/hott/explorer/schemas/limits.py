"""How long things may be that someone asks for."""

from typing import Annotated

from pydantic import StringConstraints

MOST_HITS = 100
LONGEST_QUERY = 200_000  # characters: a long article
LONGEST_ID = 2_000

Id = Annotated[str, StringConstraints(max_length=LONGEST_ID)]
