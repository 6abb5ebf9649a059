"""What to call a document that has no title: by its first words that say something and are its own."""

import re

from hott.utils.wording import elide, printable

HEAD = 2000
"""Characters of a text that are enough to name it."""

QUOTED = r"[ \t]*(?:[>|}?]|[A-Za-z]{1,8}>|[+*]>|<(?![^\n]*>)|:(?=[ \t]|$)).*"
"""A line that quotes somebody else's mail."""

_NAME = 60  # columns of a name
_MIN_WRAPPED = 40  # characters of a line that goes on in the next one; a shorter one is a heading
_MIN_WORDS = 4  # of a sentence that ends before the name is full
_MARKS = " \t>:|#"
_QUOTED_LINE = re.compile(QUOTED)
_HEADING = re.compile(r"(?:(?:subject|title|re|fwd?|aw)\s*:\s*)+(?=\w)", re.IGNORECASE)
_SAYS_NOTHING = re.compile(
    r"""[\W\d_]*([a-z][\W\d_]*){0,2}                # numbers, marks, a letter or two
    | [({].{0,40}[)}] | [\[<].{0,80}[\]>] | -{3}.*-{3}            # "[deleted]", "--- cut here ---"
    | \W*(\S+\s+){0,4}(delet\w+|snip(ped)?|omitted)\b\W*
    | (\S+\s+){0,2}\S*[:,-]                         # "Pros:", "Dear Sir," and what else leads to something
    | (hi|hello|hey|hallo|howdy|greetings|g'day|good\s(day|morning|evening)|dear|bonjour|hola|ciao|salut)
      \b\W*+(\S++\s*+){0,3}
    | (yes|no|yep|nope|oops|oh|ah|hm+|ok(ay)?|thanks|sorry|true|right|agreed|exactly)\W*
    | (in|from)\b.{0,20}<\S+@.* | \S*@\S*(\s\S+){0,3}
    | (from|to|cc|date|lines|sender|reply-to|organi[sz]ation|newsgroups|message-id|version|keywords|summary
      |distribution|phone|tel|fax|[a-z]+-[a-z-]+):\s.*
    | \\[a-z]+\b.{0,40} | </?[a-z!][^<>]*>          # commands of TeX, tags
    | ([\w.,]+\s+){0,6}(\d{1,2}(st|nd|rd|th)?\s+)?  # "Boston Globe, Wednesday April 21 1993"
      (jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?
      |nov(ember)?|dec(ember)?)\.?(\s\d{1,2}(st|nd|rd|th)?)?,?\s*(\d{4})?\W*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ATTRIBUTION = re.compile(r".*\b(writes|wrote|schrieb|écrit|sez)\b([^.!?]{0,80}[:;]|\W*)|.*\S@\S.*[:,]")
_REMARK = re.compile(r"\s*\[[^\[\]]*\]")  # of an editor, before the text
_END = re.compile(r"""(?:(?<=\w{4})|(?<=\w['")\]]))[.!?]+["')\]]*\s+(?=["'(\[]?[A-Z0-9])""")


def name_of(id: str, title: str, text: str) -> str:
    """Return the name of a document: its title, or its first sentence, or its id."""
    return printable(title) or first_sentence(text) or id


def first_sentence(text: str) -> str:
    """Return the first sentence or heading that says something, shortened.

    A greeting says nothing, nor does a number, a date, markup, or what was cut out. Words of somebody else
    that are quoted count where the text has no others; "" where no line does better.

    >>> first_sentence("Ann writes:\\n> Is it red?\\nIt is as red as a rose. So there.")
    'It is as red as a rose.'
    """
    head = text[:HEAD]
    lines = (_REMARK.sub("", head, count=1) if head[:1] in " \n[" else head).splitlines()
    return _first_said(lines, _QUOTED_LINE) or _first_said([line.lstrip(_MARKS) for line in lines])


def _first_said(lines: list[str], quoted: re.Pattern[str] | None = None) -> str:
    """Return the first of some lines that says something, with those that it goes on in."""
    said = last = ""
    for line in lines:
        is_own = not (quoted and quoted.match(line))
        line = line.strip()
        if not said:
            line = _HEADING.sub("", line.lstrip(_MARKS), count=1)
            says = is_own and not (_SAYS_NOTHING.fullmatch(line) or _ATTRIBUTION.fullmatch(line))
            said = last = line if says else ""
        elif not line or not is_own or len(said) > 2 * _NAME or len(last) < _MIN_WRAPPED:
            break
        else:
            said, last = f"{said} {line}", line
    for end in _END.finditer(said):
        if len(said[: end.start()].split()) >= _MIN_WORDS:
            return _shorten(said[: end.end()])
    return _shorten(said)


def _shorten(said: str) -> str:
    """Cut a name at the end of a word, where there is one in its last third."""
    shown = elide(said, _NAME)
    head, space, _ = shown.rpartition(" ")
    is_cut = shown.endswith("…") and not printable(said).startswith(shown[:-1] + " ")
    return head.rstrip(" ,;:-") + "…" if is_cut and space and len(head) > 2 * _NAME // 3 else shown
