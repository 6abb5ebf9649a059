"""Files of documents and of word vectors, in every format, with something wrong in them."""

import csv
import gzip
import io
import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from mutations import changed_bytes, changed_json

import hott
from tests.corpus.readers.structured import File, make_file

Case = dict[str, Any]  # "name", "content", "zipped", "options"

ROWS = [
    {"id": "a1", "title": "Cats", "text": 'Cats purr, "meow" and\nsleep.', "label": "pets"},
    {"id": "b2", "title": "Älter", "text": "Älter werden; schön!", "label": None},
    {"id": "c3", "title": "", "text": "", "label": "none"},
]
TOKENS = [
    *(b'" "" , ; { } [ null - text id PAR1 NaN 1e999 \\u \\ud800'.split()),
    *(
        b" ",
        b"\n",
        b"\r\n",
        b"\t",
        b"\0",
        b"\x1a",
        b"\x85",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\x1f\x8b",
    ),
    *(b"9" * 30, b"[" * 2000, b"a" * 20_000),
]
ENCODINGS = [
    *(None, None, None, "utf-8", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "shift_jis", "utf-7"),
    *("cp500", "ascii", "rot13", "idna", "unicode_escape", "big5", "iso2022_jp", "hz", "none"),
]


class InputFiles:
    """``hott.read``: documents, or a ``ValueError`` that says what is wrong."""

    name = "input"
    allowed = (ValueError,)

    def base(self, rng: random.Random) -> Case:
        name, content = rng.choice(_documents())
        return {"name": name, "content": content, "zipped": rng.random() < 0.3, "options": {}}

    def change(self, case: Case, rng: random.Random) -> Case:
        if rng.random() < 0.2:
            case["options"] = _options(rng)
        elif case["name"].endswith(".jsonl") and rng.random() < 0.3:
            case["content"] = _changed_rows(case["content"], rng)
        elif rng.random() < 0.05:
            case["content"] = (
                case["content"].decode("utf-8", "replace").encode(rng.choice(["utf-16", "utf-32"]))
            )
        else:
            case["content"] = changed_bytes(case["content"], rng, TOKENS)
        if case["zipped"] and rng.random() < 0.2:
            case["content"], case["zipped"] = changed_bytes(gzip.compress(case["content"]), rng), False
        return case

    def run(self, case: Case, folder: Path) -> str:
        path = folder / f"case{case['name']}"
        path.write_bytes(gzip.compress(case["content"], 1) if case["zipped"] else case["content"])
        try:
            corpus = hott.read(path, **{"on_error": "skip", **case["options"]})
        finally:
            path.unlink()
        assert len(corpus) >= 1
        for document in corpus[:20]:
            assert {type(document.text), type(document.id)} == {str}
        repr(corpus)
        hott.Vocabulary().fit_transform(corpus)
        return "read"


class StructuredFiles:
    """``hott.read`` on files whose structure is hostile: nested parts, repeated headers, sizes that lie."""

    name = "structure"
    allowed = (ValueError,)

    def base(self, rng: random.Random) -> File:
        return make_file(rng)

    def change(self, case: File, rng: random.Random) -> File:
        if rng.random() < 0.8:
            return make_file(rng)
        return replace(case, content=changed_bytes(case.content, rng, TOKENS))

    def run(self, case: File, folder: Path) -> str:
        path = folder / case.name
        path.write_bytes(case.content)
        try:
            corpus = hott.read(path, on_error="skip", id=False)
        except ValueError as error:
            if "case" not in str(error):
                raise AssertionError("the file is not named") from error
            raise
        finally:
            path.unlink()
        size = sum(len(document.text) for document in corpus)
        assert size <= max(128_000_000, 400 * len(case.content)), (
            f"{size} characters out of {len(case.content)}"
        )
        return "read"


class VectorFiles:
    """``hott.embeddings.load``: vectors, or a ``ValueError`` that says what is wrong."""

    name = "vectors"
    allowed = (ValueError,)

    def base(self, rng: random.Random) -> Case:
        return {"content": rng.choice(_vectors()), "zipped": rng.random() < 0.3, "options": {}}

    def change(self, case: Case, rng: random.Random) -> Case:
        if rng.random() < 0.1:
            words = [None, ["cat"], ["cat", "none"], []]
            case["options"] = {"limit": rng.choice([None, 1, 2]), "words": rng.choice(words)}
        elif case["zipped"] and rng.random() < 0.1:
            case["content"], case["zipped"] = changed_bytes(gzip.compress(case["content"]), rng), False
        else:
            case["content"] = changed_bytes(case["content"], rng, TOKENS)
        return case

    def run(self, case: Case, folder: Path) -> str:
        path = folder / "case.vec"
        path.write_bytes(gzip.compress(case["content"], 1) if case["zipped"] else case["content"])
        vectors = hott.embeddings.load(path, **case["options"])
        assert len(vectors) >= 1
        assert np.isfinite(vectors.vectors).all()
        assert vectors.vectors.shape == (len(vectors.words), vectors.dimensions)
        return "read"


@cache
def _documents() -> list[tuple[str, bytes]]:
    found = []
    for ending, delimiter in ((".csv", ","), (".csv", ";"), (".tsv", "\t")):
        out = io.StringIO()
        writer = csv.DictWriter(out, list(ROWS[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(ROWS)
        found.append((ending, out.getvalue().encode()))
    found.append((".jsonl", "".join(json.dumps(row) + "\n" for row in ROWS).encode()))
    found.append((".txt", ROWS[0]["text"].encode()))
    for options in ({}, {"compression": "none", "use_dictionary": False}, {"row_group_size": 1}):
        out = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(ROWS), out, **options)
        found.append((".parquet", out.getvalue()))
    return found


@cache
def _vectors() -> list[bytes]:
    words = ["cat", "dog", "naïve"]
    numbers = np.arange(9, dtype="<f4").reshape(3, 3) / 7
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, numbers.tolist())]
    binary = b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(words, numbers))
    glove = "\n".join(lines).encode()
    return [glove, b"3 3\n" + glove + b"\n", b"3 3\n" + binary, b"3 3\n" + binary.replace(b"\n", b"")]


def _options(rng: random.Random) -> dict[str, Any]:
    options = {
        "encoding": rng.choice(ENCODINGS),
        "on_error": rng.choice(["skip", "raise"]),
        "format": rng.choice([None, None, None, "csv", "tsv", "jsonl", "parquet", "text"]),
        "id": rng.choice([None, False, "id", "title"]),
        "text": rng.choice([None, "text", "title"]),
        "label": rng.choice([None, False, "nothing"]),
    }
    return {key: value for key, value in options.items() if value is not None}


def _changed_rows(content: bytes, rng: random.Random) -> bytes:
    try:
        rows = [json.loads(line) for line in content.splitlines()]
    except (ValueError, RecursionError):
        return content
    rows = changed_json(rows, rng)
    return "".join(json.dumps(row) + "\n" for row in (rows if isinstance(rows, list) else [rows])).encode()
