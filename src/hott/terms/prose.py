"""What of a text is prose: no quoted mail, no addresses, no TeX, no tags."""

import re

_QUOTED = r"^[ \t]*(?:[>|}]|[A-Za-z]{1,8}>|:(?=[ \t]|$)).*$"
_ATTRIBUTION = re.compile(r"\b(?:writes|wrote|schrieb|écrit)[ \t]?[:;.]*[ \t]*$", re.MULTILINE)
_SIGNATURE = re.compile(r"^-- ?$", re.MULTILINE)
_MAX_SIGNATURE = 800  # characters
_MAX_LINE = 200
_HEADERS = r"\A(?:[A-Z][\w-]{1,40}:[ \t].*\n){2,}"
_LINES = re.compile(f"{_QUOTED}|{_HEADERS}", re.MULTILINE)
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
_SIGNS_OF_QUOTES = (">", "|", "}", "--", ": ")
_SIGNS_OF_ATTRIBUTION = ("writes", "wrote", "schrieb", "écrit")
_SIGNS_INSIDE = ("@", "://", "www.", "\\", "<")


def blank_out(text: str) -> str:
    """Replace what is no prose by white space; every other character keeps its place.

    Quoted lines and who wrote them, headers and signatures of mail, addresses, commands and formulas of TeX,
    and tags say nothing in the words of the author.

    Examples
    --------
    >>> blank_out("> Is it red?\\nNo, see http://a.org now.").split()
    ['No,', 'see', 'now.']
    """
    if any(sign in text for sign in _SIGNS_OF_ATTRIBUTION):
        for match in _ATTRIBUTION.finditer(text):
            start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _MAX_LINE)
            text = text[:start] + "\n" * (match.end() - start) + text[match.end() :]
    if any(sign in text for sign in _SIGNS_OF_QUOTES):
        text = _LINES.sub(_blank_lines, text)
        if signature := _SIGNATURE.search(text, max(len(text) - _MAX_SIGNATURE, 0)):
            text = text[: signature.start()] + "\n" * (len(text) - signature.start())
    if any(sign in text for sign in _SIGNS_INSIDE):
        if "\\" in text:
            text = _FORMULA.sub(_blank, text)
        text = _INLINE.sub(_blank, text)
    return text


def _blank_lines(match: re.Match[str]) -> str:
    return "\n" * len(match.group())


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
