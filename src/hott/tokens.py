"""Words out of text: the same for counting and for training word vectors, in any script."""

import re
import unicodedata
from itertools import pairwise

# Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, and Chinese characters.
_SPACELESS = (
    "\u0e00-\u0e4e\u0e80-\u0eff\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u3005\u3007"
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_SPACELESS_RUN = re.compile(f"[{_SPACELESS}]+")

# Python's \w leaves out marks, which are parts of words in Hindi, Tamil, Hebrew or Arabic with vowels.
_MARKS = "".join(mark for mark in map(chr, range(0x300, 0xE00)) if unicodedata.category(mark)[0] == "M")

# A letter, then letters, digits and marks: "mp3" is a word, "1987" and "a" are not.
_ASCII_WORD = re.compile(r"(?<![a-z0-9])[a-z][a-z0-9]+")
_WORD = re.compile(rf"(?<![^\W_])[^\W\d_](?:[^\W_]|[{_MARKS}{_SPACELESS}])+")


def tokenize(text: str) -> list[str]:
    """Split a text into words, in lower case.

    A word is two letters or more; digits may follow the first letter. Accents and combining marks belong to
    the word. Chinese, Japanese, Thai, Lao, Khmer and Burmese, which put no spaces between words, are cut
    into overlapping pairs of characters.

    Examples
    --------
    >>> tokenize("The café's MP3s, in 1987: naïve!")
    ['the', 'café', 'mp3s', 'in', 'naïve']
    >>> tokenize("我喜欢猫 cats")
    ['我喜', '喜欢', '欢猫', 'cats']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    # NFKC joins accents to their letters and takes the ligatures of PDF files apart; soft hyphens only hint
    # at where a line may break.
    text = unicodedata.normalize("NFKC", text).replace("\u00ad", "").lower()
    return _WORD.findall(_SPACELESS_RUN.sub(_pairs, text))


def _pairs(run: re.Match[str]) -> str:
    return f" {' '.join(map(''.join, pairwise(run.group())))} "
