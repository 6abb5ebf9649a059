"""Text out of HTML and Markdown: what a reader sees, without the markup."""

import html
import re

from hott.corpus.readers.lines import check_encoding
from hott.corpus.readers.rows import Record

_DROPPED = frozenset((
    "script", "style", "template", "noscript", "svg", "nav", "iframe", "object", "select", "textarea",
))  # fmt: skip
_INLINE = frozenset((
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i", "img",
    "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
    "time", "tt", "u", "var", "wbr",
))  # fmt: skip
_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9:-]*)")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]{2,40})""", re.IGNORECASE)
_LONG_NUMBER = re.compile(r"&#[0-9]{8,}+;?")
MAX_TAG = 100_000


_LIGATURES = dict(zip(range(0xFB00, 0xFB07), ["ff", "fi", "fl", "ffi", "ffl", "st", "st"]))


def spell_ligatures(text: str) -> str:
    """Write the ligatures of printed pages as letters."""
    return text if text.isascii() else text.translate(_LIGATURES)


def charset_of(start: bytes) -> str | None:
    """Return the encoding that a page of HTML declares, or None, also for one that is not known."""
    found = _CHARSET.search(start[:4096])
    charset = found and found[1].decode("ascii")
    try:
        check_encoding(charset)
    except ValueError:
        return None
    return charset


def read_html(page: str) -> Record:
    """Read the title and the text of a page of HTML.

    Scripts, styles and menus are left out, and where a page says what its main part is, all but that. The
    work grows with the length of the page, whatever is in it.
    """
    pieces: list[str] = []
    titles: dict[str, str] = {}
    lowered = page.lower() if page.isascii() else re.sub("[A-Z]", lambda match: match[0].lower(), page)
    place, mark, inside = 0, 0, ""  # the title or first heading that is being read, and where it began
    main: int | None = None  # where the main part began
    while True:
        start = page.find("<", place)
        if start < 0:
            pieces.append(page[place:])
            break
        pieces.append(page[place:start])
        if page.startswith("<!--", start):
            end = page.find("-->", start + 4)
            if end < 0:
                break
            place = end + 3
            continue
        named = _NAME.match(page, start + 1)
        if named is None and page[start + 1 : start + 2] not in ("!", "?", "/"):
            pieces.append("<")  # a lone one, as in 1 < 2
            place = start + 1
            continue
        end = _end_of_tag(page, start)
        if end < 0:
            break
        place = end + 1
        if named is None:
            continue
        name, closes = named[1].lower(), page[start + 1] == "/"
        if name in _DROPPED and not closes:
            if page[end - 1] != "/":
                closing = lowered.find(f"</{name}", place)
                place = len(page) if closing < 0 else closing
            continue
        if name in ("title", "h1") and name not in titles:
            if closes and inside == name:
                titles[name] = _tidy("".join(pieces[mark:]))
                if name == "title":
                    del pieces[mark:]
                inside = ""
            elif not closes and not inside:
                inside, mark = name, len(pieces)
        if name == "main":
            if closes and main is not None and any(map(str.strip, pieces[main:])):
                pieces = pieces[main:]
                break
            main = None if closes else len(pieces)
            if main is not None and not inside:
                titles["outer"] = titles.pop("h1", "")
        if name not in _INLINE:
            pieces.append(
                "\t" if name in ("td", "th") else "\n\n" if name in ("p", "h1", "h2", "h3") else "\n"
            )
    title, heading = titles.get("title", ""), titles.get("h1", titles.get("outer", ""))
    # "Cats | My site" is called by its heading, "Cats".
    title = heading if not title or (heading and heading in title) else title
    return Record(title=title, text=_tidy("".join(pieces)))


def _end_of_tag(page: str, start: int) -> int:
    """Find the end of a tag: the first > outside of quotes, if that comes soon, else the first one."""
    first = end = page.find(">", start)
    for _ in range(10):
        if end < 0 or end - start > MAX_TAG:
            return first
        tag = page[start:end]
        quote = next((mark for mark in ('"', "'") if tag.count(mark) % 2 and f"={mark}" in tag), "")
        if not quote:
            return end
        end = page.find(">", end + 1)
    return first


def _tidy(text: str) -> str:
    """Replace entities by characters, and keep no more white space than lines and paragraphs need."""
    # Python refuses numbers of thousands of digits, which no character has.
    text = html.unescape(_LONG_NUMBER.sub("\ufffd", text)).replace("\xa0", " ")
    lines = [" ".join(line.split()) for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_LINK = re.compile(
    r"!?\[([^\[\]]{0,1000})\](?:\([^()\s]{0,2000}(?:\s{1,10}[\"'][^\"']{0,200}[\"'])?\)|\[[^\[\]]{0,200}\])"
)
_MARKS = re.compile(r"(\*\*|__|`|(?<![a-zA-Z0-9])[*_](?=\S)|(?<=\S)[*_](?![a-zA-Z0-9]))")
_DEFINITION = re.compile(r" {0,3}\[[^\[\]^][^\[\]]{0,200}\]:")  # of where a link leads; [^1]: is a note
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_ -]{0,50}")
MAX_HEADLINE = 100  # characters
MAX_VALUE = 1000  # characters of a value before the text


def read_markdown(text: str) -> Record:
    """Read the title and the text of a Markdown file; front matter between lines of --- becomes columns.

    Blocks of code and the addresses of links are left out.
    """
    lines = text.splitlines()
    columns: dict[str, str] = {}
    if lines and lines[0].strip() == "---" and "---" in (line.strip() for line in lines[1:100]):
        end = next(number for number in range(1, len(lines)) if lines[number].strip() == "---")
        columns = dict(filter(None, map(_pair, lines[1:end])))
        lines = lines[end + 1 :]
    kept: list[str] = []
    title, fence = columns.pop("title", ""), ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
            continue
        if fence:
            fence = "" if mark and mark[1] == fence else fence
            continue
        if _DEFINITION.match(line):
            continue
        level, heading = _heading(line)
        if level:
            line = heading
        if level == 1:
            title = title or _MARKS.sub("", _LINK.sub(r"\1", line))
        kept.append(_MARKS.sub("", _LINK.sub(r"\1", line)).removeprefix("> "))
    body = "\n".join(kept)
    if re.search(r"<[a-zA-Z!/]", body):
        body = read_html(body.replace("\n", "<br>")).text
    return Record(title=title, text=re.sub(r"\n{3,}", "\n\n", body).strip(), columns=columns)


def _heading(line: str) -> tuple[int, str]:
    """Return the level and the text of a heading of Markdown; level 0 for any other line."""
    start = line[:10].lstrip(" ")
    marks = len(start) - len(start.lstrip("#"))
    indent = len(line[:10]) - len(start)
    rest = line[indent + marks :]
    if indent > 3 or not 1 <= marks <= 6 or not rest[:1].isspace():
        return 0, ""
    return marks, rest.strip().rstrip("#").rstrip()


def headline(text: str, *, is_laid_out: bool = False) -> str:
    """Return the first line if it is a headline: short, no sentence, and a blank line and more come after it.

    On a page that is laid out a much longer line may come after it instead.
    """
    first, _, rest = text[:1000].lstrip().partition("\n")
    first, second = first.strip(), rest.partition("\n")[0].strip()
    is_short = 0 < len(first) <= MAX_HEADLINE and first[-1] not in ".,;:" and any(map(str.isalpha, first))
    is_apart = not second or (is_laid_out and len(first) < 0.75 * len(second))
    return first if is_short and is_apart and rest.strip() else ""


def _pair(line: str) -> tuple[str, str] | None:
    """Return the key and the value of a line of front matter, if it is one."""
    key, colon, value = line.partition(":")
    if not colon or not value[:1].isspace() or not _KEY.fullmatch(key):
        return None
    value = value.strip()
    return (key.strip(), value.strip("\"'")) if 0 < len(value) <= MAX_VALUE else None
