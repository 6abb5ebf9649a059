"""Long documents as passages: cut between paragraphs, else between sentences, else between words."""

import re
from collections.abc import Iterator

from hott.corpus.readers.rows import Record

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|(?<=[。！？])")


def passages_of(text: str, words: int) -> list[str]:
    """Cut a text into passages of about so many words; one that is not longer stays whole.

    Examples
    --------
    >>> passages_of("One two. Three four five.\\n\\nSix seven.", 4)
    ['One two.', 'Three four five.', 'Six seven.']
    """
    if _length(text) <= words:
        return [text]
    passages: list[str] = []
    pieces: list[str] = []
    size = 0
    for piece, gap in _pieces(text, words):
        length = _length(piece)
        if pieces and size + length > words:
            passages.append("".join(pieces).strip())
            pieces, size = [], 0
        pieces += [piece, gap]
        size += length
    passages.append("".join(pieces).strip())
    return [passage for passage in passages if passage] or [text]


def _pieces(text: str, words: int) -> Iterator[tuple[str, str]]:
    """Give pieces of at most so many words, each with what joins it to the next."""
    for paragraph in _PARAGRAPH.split(text):
        if _length(paragraph) <= words:
            yield paragraph, "\n\n"
            continue
        for sentence in _SENTENCE.split(paragraph):
            parts = sentence.split()
            for start in range(0, len(parts), words):
                yield " ".join(parts[start : start + words]), " "


def _length(text: str) -> int:
    """Count the words, or pairs of characters where a script has no spaces."""
    return max(len(text.split()), len(text) // 24)


def split_record(record: Record, words: int) -> list[Record]:
    """Split a document into its passages, which know their document and their number."""
    parts = passages_of(record.text, words)
    if len(parts) == 1:
        return [record._replace(columns={**record.columns, "document": record.id, "passage": 1})]
    name = record.title or record.id
    return [
        record._replace(
            id=f"{record.id}#{number}",
            title=f"{name} ({number}/{len(parts)})",
            text=part,
            columns={**record.columns, "document": record.id, "passage": number},
        )
        for number, part in enumerate(parts, 1)
    ]
