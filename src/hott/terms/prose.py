"""What of a text is prose, without quoted mail, addresses, TeX and tags; and its sentences."""

import re

from hott.corpus.naming import QUOTED

_ATTRIBUTION = re.compile(r"\b(?:writes|wrote|schrieb|écrit)[ \t]?[:;.]*[ \t]*$", re.MULTILINE)
_SIGNATURE = re.compile(r"^--[ \t]*$", re.MULTILINE)
_MAX_SIGNATURE = 800  # characters
_RULE = re.compile(r"^[ \t]*(?:[-_=*~#+|][-_=*~#+| \t]*)?$", re.MULTILINE)
_CONTACT = re.compile(r"@|\|| {3}\S|\d{3}[-. )]{1,2}\d{3}|^\s*\S*(?:\s+\S+){0,2}\s*$")  # "Tel: 555-1234"
_MIN_CONTACT = 0.6  # of the lines of a signature
_MAX_LINE = 200
_HEADERS = r"\A(?:[A-Z][\w-]{1,40}:[ \t].*\n){2,}"
_LINES = re.compile(f"^{QUOTED}$|{_HEADERS}", re.MULTILINE)
_INLINE = re.compile(
    r"""\b[\w.+-]{1,64}@[\w.-]{1,100}          # an address of mail,
      | \b(?:https?|ftp|gopher)://\S{1,300}      # of the web
      | \bwww\.\S{1,300}
      | \\[A-Za-z]{1,40}\*?                      # a command of TeX
      | <[A-Za-z/!][^<>\n]{0,300}>               # a tag
    """,
    re.VERBOSE,
)
_FORMULA = re.compile(r"\$[^$\n]{1,200}\$")
_ACCENT = re.compile(  # of TeX, in a word: G\"odel, B\"{a}cklund, {\"o}
    r"""\{?\\(?:["'`^~=.]|[cHuv](?=\{))\{?(?=[A-Za-z])
      | (?<=\\["'`^~=.cHuv]\{[A-Za-z])\}
      | (?<=\{\\["'`^~=.][A-Za-z])\}
    """,
    re.VERBOSE,
)
_JOINER = "\u034f"  # a mark without a look, which words may have
_SIGNS_OF_QUOTES = (">", "|", "}", "\n?", "\n<", "--", ": ")
_SIGNS_OF_ATTRIBUTION = ("writes", "wrote", "schrieb", "écrit")
_SIGNS_INSIDE = ("@", "://", "www.", "\\", "<")


def blank_out(text: str) -> str:
    """Replace what is no prose by white space; every other character keeps its place.

    Quoted lines and who wrote them, headers and signatures of mail, addresses, commands and formulas of TeX,
    and tags say nothing in the words of the author. Accents of TeX become marks that words may have.

    >>> blank_out("> Is it red?\\nNo, see http://a.org now.").split()
    ['No,', 'see', 'now.']
    """
    if any(sign in text for sign in _SIGNS_OF_ATTRIBUTION):
        for match in _ATTRIBUTION.finditer(text):
            start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _MAX_LINE)
            text = text[:start] + "\n" * (match.end() - start) + text[match.end() :]
    if any(sign in text for sign in _SIGNS_OF_QUOTES):
        text = _LINES.sub(lambda match: "\n" * len(match.group()), text)
    if (signature := _find_signature(text)) < len(text):
        text = text[:signature] + "\n" * (len(text) - signature)
    if any(sign in text for sign in _SIGNS_INSIDE):
        if "\\" in text:
            text = _ACCENT.sub(lambda accent: _JOINER * len(accent.group()), text)
            text = _FORMULA.sub(_blank, text)
        text = _INLINE.sub(_blank, text)
    return text


def _find_signature(text: str) -> int:
    """Find where the signature of a mail begins: at "--", or before a last few lines of addresses."""
    start = max(len(text) - _MAX_SIGNATURE, 0)
    if "--" in text[start:] and (mark := _SIGNATURE.search(text, start)):
        return mark.start()
    if "@" in text[start:]:
        for rule in _RULE.finditer(text, start):
            lines = [line for line in text[rule.end() :].splitlines() if line.strip()]
            contacts = sum(_CONTACT.search(line) is not None for line in lines)
            if "@" in text[rule.end() :] and contacts >= _MIN_CONTACT * len(lines):
                return rule.start()
    return len(text)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


_MAX_LENGTH = (
    400  # characters; text without full stops (tables, Thai) is cut here, at a space where there is one
)

# A sentence ends after . ! ? (or its kin) and closing quotes or brackets, where white space follows; the full
# stops of Chinese and Japanese need no space. A blank line ends one as well. A run of full stops is
# looked at once, from its first: from each of them the time would grow with the square of its length.
_END = re.compile(
    r"""(?:(?<![.!?…؟۔।॥։።])[.!?…؟۔।॥։።]+["'”’»)\]]*(?=\s)) | (?:[。！？｡]+[”’」』）]*) | (?:\n\s*\n)""",
    re.VERBOSE,
)
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Col|Lt|Sgt|Rev|vs)\.$")
_BLANKS = re.compile(r"\s*")


def sentences(text: str) -> list[tuple[int, int]]:
    """Give the start and end of each sentence of ``text``. Spaces around sentences belong to none.

    >>> text = "J. Kepler was born in 1571. He found three laws!"
    >>> [text[start:end] for start, end in sentences(text)]
    ['J. Kepler was born in 1571.', 'He found three laws!']
    """
    spans = []
    start, has_capitals = 0, not text.islower()
    for match in _END.finditer(text):
        end = match.end()
        if match.group().startswith(".") and not _ends_here(text, start, end, has_capitals):
            continue
        spans += _trim(text, start, end)
        start = end
    return spans + _trim(text, start, len(text))


def _ends_here(text: str, start: int, end: int, has_capitals: bool) -> bool:
    """Say whether a full stop ends a sentence: not after one letter or a title, nor before a small letter."""
    initial = text[end - 2 : end - 1].isalpha() and not text[max(start, end - 3) : end - 2].isalnum()
    initial |= _TITLE.search(text, max(start, end - 6), end) is not None
    following = _skip_blanks(text, end)
    next_letter = text[following : following + 1]
    return not initial and not (has_capitals and next_letter.islower())


def _trim(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Take the white space off both ends, and cut what is too long."""
    end = start + len(text[start:end].rstrip())
    start = min(_skip_blanks(text, start), end)
    spans = []
    while end - start > _MAX_LENGTH:
        space = max(text.rfind(blank, start, start + _MAX_LENGTH) for blank in " \n\t\u3000")
        cut = space if space > start else start + _MAX_LENGTH
        spans.append((start, cut))
        start = _skip_blanks(text, cut)
    return spans + [(start, end)] * (start < end)


def _skip_blanks(text: str, start: int) -> int:
    match = _BLANKS.match(text, start)
    return match.end() if match else start
