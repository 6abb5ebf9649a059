"""Hostile files with structure: parts nested and repeated, sizes declared wrongly, headers without end.

Bytes that are flipped at random hardly get past the first check of a format. These files are well formed
enough for readers to go deep into them. All choices come from one source of random numbers, so that
hypothesis can shrink a file and the campaign can make it again.
"""

import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.corpus.readers import files

_NAMESPACES = (
    f"{files.WORD} {files.DUBLIN} "
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:rel="http://schemas.openxmlformats.org/package/2006/relationships" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:container="urn:oasis:names:tc:opendocument:xmlns:container" '
    'xmlns:opf="http://www.idpf.org/2007/opf"'
)
_WORDS = [
    "cats",
    "purr",
    "…",
    "字",
    "é",
    "\u0301",
    "=1+1",
    "2004-05-06",
    "9" * 25,
    "1e999",
    "-0",
    "nan",
    " ",
    "",
]


@dataclass(frozen=True)
class File:
    """A file, and how many bytes there are in it when everything is unpacked."""

    name: str
    content: bytes
    raw: int


def make_file(rng: Random, depth: int = 0) -> File:
    """Make a file of a random format."""
    kinds = list(_MAKERS) if depth < 2 else [name for name in _MAKERS if name not in ("zip", "tar", "gz")]
    return _MAKERS[rng.choice(kinds)](rng, depth)


def _words(rng: Random) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(_size(rng)))


def _size(rng: Random) -> int:
    return rng.choice([0, 1, 1, 2, 3, 5, 8, 40])


def _tree(rng: Random, tags: list[str], attributes: list[str]) -> str:
    """Build XML that is wide or deep: runs of one pattern, nested or side by side."""
    out = []
    for _ in range(1 + _size(rng) % 9):
        tag, times = rng.choice(tags), rng.choice([1, 1, 2, 3, 200])
        given = "".join(
            f' {name}="{rng.choice([*_VALUES, str(n)])}"'
            for n, name in enumerate(attributes)
            if rng.random() < 0.4
        )
        inside = _escape(_words(rng))
        if rng.random() < 0.5:
            inside = (
                f"<{rng.choice(tags)}{given}>{inside}</{tag}>"
                if rng.random() < 0.02
                else _leaf(rng, tags, given, inside)
            )
        start, end = f"<{tag}{given}>", f"</{tag}>"
        out.append(
            (start + inside) * times + end * times if rng.random() < 0.5 else (start + inside + end) * times
        )
    return "".join(out)


_VALUES = [
    "0",
    "1",
    "Title",
    "a",
    "XFD1048576",
    "A1",
    "ZZZ0",
    "99999999999",
    "s",
    "inlineStr",
    "b",
    "n",
    "-1",
    "../x",
    "c0",
]


def _leaf(rng: Random, tags: list[str], given: str, inside: str) -> str:
    tag = rng.choice(tags)
    return f"<{tag}{given}>{inside}</{tag}>{_escape(_words(rng))}"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _xml(rng: Random, tags: list[str], attributes: list[str]) -> str:
    start = rng.choice(
        [
            "",
            "",
            "",
            '<?xml version="1.0" encoding="utf-8"?>',
            "<!DOCTYPE x>",
            '<!DOCTYPE x [<!ENTITY a "b">]>',
        ]
    )
    if tags[0] == "x:row" and rng.random() < 0.8:
        return f"<root {_NAMESPACES}>{_sheet(rng)}</root>"
    return f"{start}<root {_NAMESPACES}>{_tree(rng, tags, attributes)}</root>"


def _sheet(rng: Random) -> str:
    """Build the rows of a sheet, some of them far away, with cells of every type."""
    out = ['<x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>text</x:t></x:is></x:c></x:row>']
    for _ in range(_size(rng)):
        cells = []
        for column in rng.sample(["A", "B", "AA", "XFD", "ZZZ", ""], rng.choice([1, 2, 3])):
            kind = rng.choice(["s", "s", "str", "b", "n", "d", "e", "inlineStr"])
            value = rng.choice(["0", "1", "-1", "99999", "1e999", "9" * 20, _escape(_words(rng))])
            inside = f"<x:is><x:t>{value}</x:t></x:is>" if kind == "inlineStr" else f"<x:v>{value}</x:v>"
            cells.append(f'<x:c r="{column}1" t="{kind}" s="{rng.choice([0, 1, 7])}">{inside}</x:c>')
        number = rng.choice(["", ' r="7"', ' r="1048576"', ' r="-1"', f' r="{"9" * 30}"'])
        out.append(f"<x:row{number}>{''.join(cells)}</x:row>" * rng.choice([1, 1, 100]))
    return "".join(out)


def _packed(name: str, parts: dict[str, tuple[list[str], list[str]]]) -> Callable[[Random, int], File]:
    def make(rng: Random, depth: int) -> File:
        members: list[tuple[str, bytes]] = []
        for part, (tags, attributes) in parts.items():
            if rng.random() < 0.8 and part in _FIXED:
                members.append((part, f"<root {_NAMESPACES}>{_FIXED[part]}</root>".encode()))
            elif rng.random() < 0.97:
                members.append((part, _xml(rng, tags, attributes).encode()))
        if rng.random() < 0.1:
            members += members[:1]  # a name that is there twice
        return _zip(rng, f"case.{name}", members)

    return make


def _zip(rng: Random, name: str, members: list[tuple[str, bytes]], raw: int = 0) -> File:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, content in members:
            kind = rng.choice(
                [zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_LZMA]
            )
            info = zipfile.ZipInfo(member)
            info.compress_type = kind
            with archive.open(info, "w") as file:
                file.write(content)
        if rng.random() < 0.1 and archive.filelist:
            forged = rng.choice(archive.filelist)  # only the directory, which is written at the end, lies
            field = rng.choice(["file_size", "compress_size", "CRC", "header_offset", "flag_bits"])
            numbers = [1, 8, 2048] if field == "flag_bits" else [0, 1, 7, 100, 2**31 - 1]
            setattr(forged, field, rng.choice(numbers))
        if rng.random() < 0.1 and archive.filelist:
            archive.filelist += archive.filelist[:1] * 20  # the same bytes again and again
    return File(name, out.getvalue(), raw + 21 * sum(len(content) for _, content in members))


def _make_zip(rng: Random, depth: int) -> File:
    inner = [make_file(rng, depth + 1) for _ in range(_size(rng) % 6)]
    members = [
        (f"{rng.choice(['', 'sub/', '../', '/', 'a' * 300 + '/'])}{n}{file.name}", file.content)
        for n, file in enumerate(inner)
    ]
    return _zip(rng, "case.zip", members, 21 * sum(file.raw for file in inner))


def _make_tar(rng: Random, depth: int) -> File:
    inner = [make_file(rng, depth + 1) for _ in range(_size(rng) % 6)]
    out = io.BytesIO()
    with tarfile.open(
        fileobj=out, mode="w", format=rng.choice([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
    ) as archive:
        for n, file in enumerate(inner):
            info = tarfile.TarInfo(f"{rng.choice(['', '../', 'ä' * 120])}{n}{file.name}")
            info.size = len(file.content)
            if rng.random() < 0.1:
                info.type, info.linkname, info.size = (
                    rng.choice([tarfile.SYMTYPE, tarfile.LNKTYPE]),
                    "/etc/passwd",
                    0,
                )
            if rng.random() < 0.1:
                info.pax_headers = {
                    "comment": "x" * 2000,
                    "size": rng.choice(["1", "-1", "-100000", "99999999999"]),
                }
            archive.addfile(info, io.BytesIO(file.content))
    data = out.getvalue()
    suffix, compress = rng.choice(
        [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
    )
    return File(f"case.tar{suffix}", compress(data), len(data) + sum(file.raw for file in inner))


def _make_gzip(rng: Random, depth: int) -> File:
    inner = make_file(rng, depth + 1)
    data = gzip.compress(inner.content)
    if rng.random() < 0.2:
        data = data[:-4] + struct.pack("<I", rng.choice([0, 1, 2**32 - 1]))  # the size that it says it has
    if rng.random() < 0.1:
        data *= 3
    return File(f"{inner.name}.gz", data, 3 * (inner.raw + len(inner.content)))


def _make_mail(rng: Random, depth: int) -> File:
    data = _message(rng, 0)
    if rng.random() < 0.5:
        return File("case.eml", data.encode("utf-8", "surrogateescape"), len(data))
    box = "".join(f"From x{rng.choice(['', ' y'])}\n{_message(rng, 0)}\n\n" for _ in range(_size(rng) % 6))
    return File("case.mbox", box.encode("utf-8", "surrogateescape"), len(box))


def _message(rng: Random, depth: int) -> str:
    headers = []
    for _ in range(_size(rng) % 9):
        name = rng.choice(
            [
                "From",
                "To",
                "Subject",
                "Date",
                "Message-ID",
                "Content-Type",
                "Content-Disposition",
                "MIME-Version",
                "X",
            ]
        )
        value = rng.choice(
            [
                *(
                    _words(rng),
                    "=?utf-8?b?Y2F0cw==?=",
                    "=?x?q?=",
                    "=?utf-7?q?+AGE-?=",
                    "attachment",
                    "\udce9",
                ),
                *(f"text/plain; charset={rng.choice(_CHARSETS)}", "Thu, 6 May 2004 07:08:09 +9999"),
                *("<a@b>, " * 300, '"' * 500, ";a*0=b;a*1=c" * 50),
            ]
        )
        headers += [f"{name}: {value}"] * rng.choice([1, 1, 1, 50])
    if depth < 30 and rng.random() < 0.6:
        kind = rng.choice(["mixed", "alternative", "digest"])
        boundary = rng.choice(["b", f"b{depth}", "", "b" * 200])
        headers.append(f"Content-Type: multipart/{kind}; boundary={boundary}")
        parts = [_message(rng, depth + 1) for _ in range(_size(rng) % 4)]
        return (
            "\n".join(headers)
            + "\n\n"
            + "".join(f"--{boundary}\n{part}\n" for part in parts)
            + f"--{boundary}--\n"
        )
    if rng.random() < 0.3:
        encoding = rng.choice(["base64", "quoted-printable", "x-uuencode", "7bit", "?"])
        headers.append(f"Content-Transfer-Encoding: {encoding}")
    if rng.random() < 0.3:
        headers.append(f"Content-Type: text/html; charset={rng.choice(_CHARSETS)}")
    return "\n".join(headers) + "\n\n" + _words(rng) + "\n"


_CHARSETS = ["utf-8", "utf-16", "punycode", "idna", "zip", "none", "utf-7", "unicode_escape", '"', "hz"]


def _make_json(rng: Random, depth: int) -> File:
    rows = [
        _value(rng, 0) if rng.random() < 0.2 else {"text": _words(rng)} | _object(rng, 0)
        for _ in range(_size(rng))
    ]
    ending = rng.choice(["json", "jsonl"])
    text = (
        "\n".join(map(json.dumps, rows))
        if ending == "jsonl" or rng.random() < 0.3
        else json.dumps(rows, indent=rng.choice([None, 1]))
    )
    if rng.random() < 0.2:
        text = rng.choice(["[", '{"a":', '[{"text": "x"},']) * rng.choice([3, 500, 3000]) + text
    return File(f"case.{ending}", text.encode(), len(text))


def _object(rng: Random, depth: int) -> dict[str, object]:
    return {
        rng.choice([*_WORDS, "id", "title", "label", "text"]): _value(rng, depth)
        for _ in range(_size(rng) % 6)
    }


def _value(rng: Random, depth: int) -> object:
    if depth < 4 and rng.random() < 0.5:
        return (
            _object(rng, depth + 1)
            if rng.random() < 0.5
            else [_value(rng, depth + 1)] * rng.choice([1, 3, 30])
        )
    return rng.choice(
        [None, True, 0, -1, 2**53 + 1, 2**70, 1e308, float("inf"), float("nan"), "\ud800", *_WORDS]
    )


def _make_table(rng: Random, depth: int) -> File:
    width = rng.choice([1, 2, 3, 300])
    names = [rng.choice(["text", "id", "title", "label", "n", "", "text "]) for _ in range(width)]
    delimiter = rng.choice(",;\t|")
    lines = [delimiter.join(names)]
    for _ in range(_size(rng)):
        cells = [
            rng.choice([*_WORDS, '"', '""', '"a\nb"', "'", "a;b"])
            for _ in range(rng.choice([width, width, width + 1, 1]))
        ]
        lines.append(delimiter.join(cells))
    text = rng.choice(["\n", "\n", "\r\n", "\r"]).join(lines)
    return File(
        rng.choice(["case.csv", "case.tsv"]),
        text.encode(rng.choice(["utf-8", "utf-8", "utf-16", "utf-8-sig"])),
        4 * len(text),
    )


def _make_page(rng: Random, depth: int) -> File:
    pieces = [
        "<p>",
        "</p>",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<a b='",
        '">',
        "&amp;",
        "&#" + "9" * 9,
        "<title>",
        "</title>",
        "<h1>",
    ]
    marks = ["# ", "---\n", "title: x\n", "```\n", "[a](b)", "[", "](", "**", "\n", "> ", "    ", "| "]
    ending = rng.choice(["html", "md", "txt"])
    run = rng.choice(pieces + marks) * rng.choice([1, 1, 300])
    text = "".join(rng.choice([*pieces, *marks, _words(rng), run]) for _ in range(_size(rng) * 2))
    return File(f"case.{ending}", text.encode(), len(text) + 1)


_FIXED = {  # or hardly any file would lead on to what is in it
    "META-INF/container.xml": '<container:rootfile full-path="a"/>',
    "a": '<opf:item id="0" href="c0"/><opf:itemref idref="0"/><opf:itemref idref="0"/><dc:title>A</dc:title>',
    "xl/workbook.xml": '<x:sheet r:id="b"/><x:sheet r:id="a"/>',
    "xl/_rels/workbook.xml.rels": '<rel:Relationship Id="a" Target="a" Type="x/worksheet"/>',
}
_WORD_TAGS = [
    "w:p",
    "w:r",
    "w:t",
    "w:tab",
    "w:br",
    "w:pPr",
    "w:pStyle",
    "mc:AlternateContent",
    "mc:Choice",
    "mc:Fallback",
    "w:txbxContent",
]
_OPEN_TAGS = ["text:p", "text:h", "text:span", "text:s", "text:tracked-changes"]
_CORE = (["dc:title", "dc:creator", "x:a"], [])
_MAKERS: dict[str, Callable[[Random, int], File]] = {
    "docx": _packed("docx", {"word/document.xml": (_WORD_TAGS, ["w:val"]), "docProps/core.xml": _CORE}),
    "odt": _packed("odt", {"content.xml": (_OPEN_TAGS, []), "meta.xml": _CORE}),
    "epub": _packed(
        "epub",
        {
            "META-INF/container.xml": (["container:rootfile"], ["full-path"]),
            "a": (["opf:item", "opf:itemref", "dc:title", "dc:creator"], ["id", "href", "idref"]),
            "c0": (["p", "h1", "script"], []),
        },
    ),
    "xlsx": _packed(
        "xlsx",
        {
            "xl/workbook.xml": (["x:sheet", "x:workbookPr"], ["r:id", "date1904"]),
            "xl/_rels/workbook.xml.rels": (["rel:Relationship"], ["Id", "Target", "Type"]),
            "xl/sharedStrings.xml": (["x:si", "x:t", "x:rPh", "x:r"], []),
            "xl/styles.xml": (["x:numFmt", "x:cellXfs", "x:xf"], ["numFmtId", "formatCode"]),
            "xl/a": (["x:row", "x:c", "x:v", "x:is", "x:t"], ["r", "t", "s"]),
        },
    ),
    "zip": _make_zip,
    "tar": _make_tar,
    "gz": _make_gzip,
    "mail": _make_mail,
    "json": _make_json,
    "table": _make_table,
    "page": _make_page,
}  # fmt: skip
