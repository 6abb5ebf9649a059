"""Index files with something wrong in them: bytes, header, numbers, tables; with checksums that are right."""

import copy
import io
import json
import math
import random
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from mutations import INTERESTING, changed_bytes, changed_json

import hott
from hott.storage._format import CHUNK, FORMAT, PREAMBLE_SIZE, Preamble
from hott.storage._table import blocks_of
from hott.table.columns import Texts

Case = dict[str, Any]  # "header": what the JSON holds; "contents": the bytes of each part; "raw": of the file


class IndexFiles:
    """``hott.open`` and the answers of an index: a ``StorageError`` or an answer, whatever the file holds."""

    name = "index"
    allowed = (hott.storage.StorageError,)

    def base(self, rng: random.Random) -> Case:
        return copy.deepcopy(rng.choice(_bases()))

    def change(self, case: Case, rng: random.Random) -> Case:
        if "raw" in case or rng.random() < 0.05:
            return {"raw": changed_bytes(packed(case), rng)}
        changes = [
            _change_header,
            _change_header,
            _change_numbers,
            _change_numbers,
            _change_shape,
            _change_table,
        ]
        rng.choice(changes)(case, rng)
        return case

    def run(self, case: Case, folder: Path) -> str:
        path = folder / "case.hott"
        path.write_bytes(packed(case))
        index = hott.open(path, verify=True)
        asked: list[Callable[[], Any]] = [
            lambda: index.search(text="word1 word2 word3 word1", k=3, threads=1),
            lambda: index.search(id=index.documents.ids[0], k=2, threads=1),
            lambda: str(index.compare(*index.documents.ids[:2])),
            lambda: [topic.name for topic in index.topics],
            lambda: index.documents[0],
            lambda: index.distances(threads=1),
            lambda: (index.info(), index.names, index.colors(), repr(index)),
        ]
        refused = 0
        for ask in asked:
            try:
                ask()
            except ValueError:  # StorageError is one: text without a known word, a document that is not there
                refused += 1
        return f"opened, {refused} of {len(asked)} questions refused"


def packed(case: Case) -> bytes:
    """A file that is sound as far as its checksums go."""
    if "raw" in case:
        return case["raw"]
    header, out = copy.deepcopy(case["header"]), io.BytesIO(bytes(PREAMBLE_SIZE))
    out.seek(PREAMBLE_SIZE)
    for entry in header["parts"] if isinstance(header.get("parts"), list) else []:
        content = case["contents"].get(_name(entry))
        if content is None:
            continue
        padded = content + bytes(-len(content) % 64)
        right = {
            "offset": out.tell(),
            "length": len(content),
            "checksums": [
                zlib.crc32(padded[start : start + CHUNK]) for start in range(0, len(content), CHUNK)
            ],
        }
        # Only what nobody has changed is put right.
        entry.update({key: value for key, value in right.items() if entry.get(key) == "right"})
        out.write(padded)
    text = json.dumps(header).encode("utf-8", "replace")
    place = out.tell()
    out.write(text)
    out.seek(0)
    out.write(Preamble(FORMAT, zlib.crc32(text), place, len(text), place + len(text)).pack())
    return out.getvalue()


@cache
def _bases() -> list[Case]:
    """Sound indexes: with and without vectors, with documents that were dropped or have no known word."""
    import tempfile

    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(30)]
    vectors = hott.embeddings.WordVectors(words, rng.normal(size=(len(words), 4)))
    texts = [" ".join(rng.choice(words, 20)) for _ in range(12)]
    corpora = [
        (hott.Corpus(texts), {"embeddings": vectors}),
        (
            hott.Corpus([*texts, "nothing known"], labels=["a"] * 13),
            {"embeddings": vectors, "on_empty": "nan"},
        ),
        (hott.Corpus([*texts, "17"], titles=["t"] * 13), {"embeddings": False, "on_empty": "drop"}),
    ]
    cases = []
    for corpus, options in corpora:
        index = hott.Index.build(corpus, n_topics=3, n_models=2, iterations=5, threads=1, **options)
        with tempfile.TemporaryDirectory() as folder:
            index.save(Path(folder, "x.hott"))
            content = Path(folder, "x.hott").read_bytes()
        header = json.loads(content[Preamble.unpack(content).header_offset :])
        contents = {}
        for entry in header["parts"]:
            contents[entry["name"]] = content[entry["offset"] : entry["offset"] + entry["length"]]
            entry.update(offset="right", length="right", checksums="right")
        cases.append({"header": header, "contents": contents})
    return cases


def _arrays(case: Case) -> list[dict[str, Any]]:
    parts = case["header"].get("parts")
    entries = (
        [entry for entry in parts if _name(entry) in case["contents"]] if isinstance(parts, list) else []
    )
    return [entry for entry in entries if isinstance(entry, dict)]


def _name(entry: Any) -> str:
    """The name of a part, "" where something else stands there by now."""
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else ""


def _change_header(case: Case, rng: random.Random) -> None:
    # Mostly what the index itself wrote: what the format wants is checked in one place.
    inner = case["header"].get("header")
    if rng.random() < 0.7 and inner:
        case["header"]["header"] = changed_json(inner, rng)
    else:
        changed_json(case["header"], rng)


def _change_numbers(case: Case, rng: random.Random) -> None:
    """Other values in an array, at one place or at all."""
    entries = _arrays(case)
    if not entries:
        return
    entry = rng.choice(entries)
    try:
        values = np.frombuffer(case["contents"][entry["name"]], entry["dtype"]).copy()
    except (KeyError, TypeError, ValueError):
        return
    if not values.size:
        return
    if values.dtype.kind == "f":
        odd: Any = [0, -0.0, -1, 1, 2, 0.5, 1e-300, 1e300, 3.5e38, math.nan, math.inf, -math.inf]
    else:
        limits = np.iinfo(values.dtype) if values.dtype.kind in "iu" else None
        odd = [n for n in [*INTERESTING, -1, -64] if limits is None or limits.min <= n <= limits.max]
    with np.errstate(over="ignore"):
        where = (
            slice(None)
            if rng.random() < 0.15
            else rng.sample(range(values.size), min(values.size, rng.choice([1, 1, 3])))
        )
        values[where] = rng.choice(odd)
    case["contents"][entry["name"]] = values.tobytes()


def _change_shape(case: Case, rng: random.Random) -> None:
    """Another size, which the header tells as well: more topics than distances between them, and so on."""
    entries = _arrays(case)
    if not entries:
        return
    entry = rng.choice(entries)
    shape = entry.get("shape")
    if not isinstance(shape, list) or not all(type(n) is int for n in shape):
        return
    try:
        values = np.frombuffer(case["contents"][entry["name"]], entry["dtype"]).reshape(shape)
        match rng.randrange(5):
            case 0:
                values = values[: len(values) // 2]
            case 1:
                values = np.concatenate([values, values])
            case 2:
                values = values.T
            case 3:
                values = values.astype(rng.choice(["<f4", "<f8", "<i4", "<i8", "|u1", "|b1"]))
            case 4:
                values = values.reshape(rng.choice([(-1,), (1, -1), (-1, 1)]))
    except (KeyError, TypeError, ValueError):
        return
    entry["dtype"], entry["shape"] = values.dtype.str, list(values.shape)
    case["contents"][entry["name"]] = np.ascontiguousarray(values).tobytes()
    matrices = case["header"].get("matrices")
    if rng.random() < 0.3 and isinstance(matrices, dict) and matrices:
        changed_json(matrices, rng)


def _change_table(case: Case, rng: random.Random) -> None:
    """Another column of text in a table, in blocks that fit or do not, or the same one with bytes changed."""
    there = [name for name in case["contents"] if name.endswith(".texts")]
    if not there:
        return
    name = rng.choice(there)
    column = name.removesuffix(".texts")
    if rng.random() < 0.3:
        case["contents"][name] = changed_bytes(case["contents"][name], rng)
        return
    n = rng.choice([0, 1, 12, 13, 30])
    texts = Texts.of([rng.choice([None, "", "word1", "naïve", "x" * 10_000]) for _ in range(n)])
    if len(texts.content) and rng.random() < 0.3:
        texts = Texts.pack(
            np.frombuffer(changed_bytes(texts.content.tobytes(), rng), np.uint8), texts.lengths
        )
    written, ends = [], [[0, 0, 0]]
    try:
        for content, n_texts, inflated in blocks_of(texts):
            written.append(content)
            ends.append([a + b for a, b in zip(ends[-1], (len(content), n_texts, inflated))])
    except (IndexError, ValueError):
        return
    blocks = np.array(ends, np.int64)
    case["contents"] |= {name: b"".join(written), f"{column}.blocks": blocks.tobytes()}
    parts = case["header"].get("parts")
    for entry in parts if isinstance(parts, list) else []:
        if _name(entry) == name:
            entry["shape"] = [len(case["contents"][name])]
        elif _name(entry) == f"{column}.blocks":
            entry["shape"] = list(blocks.shape)
    tables = case["header"].get("tables")
    if rng.random() < 0.5 and isinstance(tables, dict) and tables:
        changed_json(tables, rng)
