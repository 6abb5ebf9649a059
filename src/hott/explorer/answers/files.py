"""Documents as files to take away."""

import io
from typing import Any

import numpy as np
from fastapi import Response
from numpy.typing import NDArray

from hott.explorer import schemas
from hott.explorer.answers.documents import Documents
from hott.table.table import to_arrow
from hott.utils.optional import import_optional


class Files(Documents):
    """What is shown, for other programs."""

    def table(self, request: schemas.TableRequest) -> Response:
        """Give documents as a Parquet file: all columns with their types, subject and place on the map."""
        parquet = import_optional("pyarrow.parquet", extra="parquet")
        listed = request.positions
        rows, proportions = self.find_selected(request)
        if listed is not None:
            rows = np.array([i for i in listed if i in set(rows.tolist())], np.intp)  # as they are shown
        if request.extra and {len(values) for values in request.extra.values()} != {len(rows)}:
            raise ValueError(f"extra columns must have a value for each of the {len(rows)} documents.")
        found = to_arrow(self.index.documents.rows(rows.tolist(), self.table_columns(request.text)))
        more: dict[str, Any] = {} if proportions is None else {"proportion": proportions.tolist()}
        for name, values in (more | request.extra | self._places(rows)).items():
            while name in found.column_names:
                name += "_"
            found = found.append_column(name, [values])
        content = io.BytesIO()
        parquet.write_table(found, content)
        return Response(content.getvalue(), media_type="application/vnd.apache.parquet")

    def _places(self, rows: NDArray[np.intp]) -> dict[str, list[Any]]:
        """Give the subject of each document, at the level that is shown first, and its place on the map."""
        subjects, subject_of = self.subjects(), dict[int, str]()
        shown = set(subjects.levels[subjects.level - 1]) if subjects.levels else set()
        for subject in subjects.subjects:
            if subject.number in shown:
                subject_of |= dict.fromkeys(subject.positions, subject.name)
        x, y = self.points()[rows].round(4).T.tolist()
        return {"subject": [subject_of.get(i) for i in rows.tolist()], "x": x, "y": y}
