"""Texts of unknown origin, made fit to be shown."""

import re

# Control and direction characters let a text redraw the screen, type commands into it, or read backwards.
_SPACES = "\t\n\x0b\x0c\r\x1c-\x1f\x85\u2028\u2029"
_CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_HIDDEN = "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_SPACE = re.compile(f"[ {_SPACES}]+")
_UNPRINTABLE = re.compile(f"[{_CONTROLS}{_HIDDEN}]")
_HALF_PAIR = re.compile("[\ud800-\udfff]")  # half of a surrogate pair, which no terminal can be sent


def printable(text: str) -> str:
    """Put a text on one line, without characters that move the cursor or hide.

    Whatever is printed for people goes through here: titles, ids, labels, file names, messages with them.

    Examples
    --------
    >>> printable("two\\nlines \\x1b[31mred")
    'two lines [31mred'
    """
    return _SPACE.sub(" ", _HALF_PAIR.sub("\ufffd", _UNPRINTABLE.sub("", text))).strip()
