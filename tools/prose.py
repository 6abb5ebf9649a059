"""Find sentences in the documentation that a native speaker would not write, or would not finish.

    python tools/prose.py [FILE ...]      # by default the README and docs/; part of make lint

The style: short sentences, active verbs, the second person, words of everyday English. Code, tables,
formulas, quotations and machines are left alone, and so is a paragraph after `<!-- prose: off -->`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAX_SENTENCE = 34  # words
MAX_PASSIVE = 0.2  # share of the sentences of a page
MIN_SENTENCES = 20  # fewer say nothing about a share
UNREAD = {"reproduction.md", "robustness.md"}  # results and promises, in a style of their own

# What to look for (a regular expression), and what to write instead.
BANNED = {
    r"\bso many\b": "say how many",
    r"(?<!there )\b(?:is|are|was|were) no (?!longer|better|different|need|way|\w+er than)\w+": "“is not a”",
    r"\bno more\b(?! than)": "“no longer”, or say what stops",
    r"\bwhat (?:moves|goes|lies) where\b": "“how much goes from each place to each”",
    r"\bto look at\b": "“to see”, “to read”",
    r"\banew\b": "“again”",
    r"\bthe ones\b": "name them",
    r"\bbeside\b": "“next to”, “compared with”, “besides”",
    r"\bthereby\b|\bhereby\b|\btherein\b|\bwhereby\b": "two sentences",
    r"\bin order to\b": "“to”",
    r"\butili[sz]e": "“use”",
    r"\ba number of\b": "say how many",
    r"\b(?:very|really|quite|simply|just|easily|obviously|of course)\b": "leave it out",
    r"\b(?:please note|note that|it should be noted)\b": "say it",
    r"\bit is (?:possible|recommended|advisable) to\b": "“you can”, or say do it",
    r"\bthere (?:is|are) (?:\w+ ){0,3}(?:that|which)\b": "make that thing the subject",
    r"\b(?:can|may|could) be (?:used|given|passed|found|changed|set|reached|compared|made)\b": "“you can”",
    r"\b(?:the )?fact that\b": "“because”, or leave it out",
    r"\bfor (?:instance|example),? such as\b": "one of the two",
    r"\b(?:e\.g\.|i\.e\.|etc\.|resp\.)": "words",
    r"\bof (?:its|their|your) own\b.*\bof (?:its|their|your) own\b": "once is enough",
    r"\b(\w+) \1\b(?<!that that)(?<!had had)": "a word twice",
    r"\binformations\b|\bsoftwares\b|\bcorpuses\b|\bdatas\b": "the plural",
    r"\ballows? to\b": "“lets you”",
    r"\bas well as\b": "“and”",
    r"\btakes? the place of\b": "“replaces”",
    r"\bstands? for\b(?! a)": "“means”, “is”",
    r"\bmost of the \w+ are\b": "“is”",
    r"\bhow (?:\w+ ){1,3}looks? like\b": "“what ... looks like”",
    r"\b(?:blacklist|whitelist|master/slave|sanity check)\b": "a plain word",
}
PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?|got)\s+(?:\w+ly\s+)?"
    r"(?:\w+ed|made|found|given|taken|kept|shown|built|written|read|learned|left|put|drawn|known|seen|done)\b",
    re.IGNORECASE,
)
OFF = "<!-- prose: off -->"


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a page that are prose, each with the number of its first line."""
    kept: list[str] = []
    first = 1
    fence = off = False
    lines = re.sub(r"\A---\n.*?\n---\n", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate([*lines.split("\n"), ""], 1):
        stripped = line.strip()
        if stripped.startswith("```") or stripped.count("$$") == 1:
            fence = not fence
            stripped = ""
        is_item = re.match(r"([-*]|\d+\.) ", stripped)
        breaks = not stripped or fence or stripped[0] in "|#>" or line.startswith("    ") or is_item
        if (breaks or stripped.startswith("<")) and kept:
            if not off:
                yield first, " ".join(kept)
            kept, off = [], False
        off = off or stripped == OFF
        if not fence and stripped and stripped[0] not in "|#><" and not line.startswith("    "):
            first = first if kept else number
            kept.append(re.sub(r"^([-*]|\d+\.) ", "", stripped))


def plain(paragraph: str) -> str:
    """Return a paragraph as people read it: links by their words, code as one word, quotations left out."""
    text = re.sub(r"<!--.*?-->|<[^>]+>|^\d{4}-\d\d-\d\d;.*", " ", paragraph)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"\$[^$]*\$", "FORMULA", text)
    text = re.sub(r"“[^”]*”|\"[^\"]*\"", "QUOTE", text)
    return re.sub(r"[*_]+", "", text)


def sentences(text: str) -> list[str]:
    """Split a paragraph into its sentences."""
    return [
        one for one in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9“*]|hott\b)|(?<=:)\s+(?=[A-Z])", text) if one.strip()
    ]


def findings(text: str) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with a page, each with its line."""
    passive = total = 0
    for number, paragraph in paragraphs(text):
        for sentence in sentences(plain(paragraph)):
            words = re.findall(r"\w[\w'’-]*", sentence)
            total += 1
            passive += bool(PASSIVE.search(sentence))
            if len(words) > MAX_SENTENCE:
                yield number, f"a sentence of {len(words)} words: {' '.join(words[:8])} ..."
            for pattern, instead in BANNED.items():
                for found in re.finditer(pattern, sentence, re.IGNORECASE):
                    yield number, f"“{found[0]}”: write {instead}"
    if total >= MIN_SENTENCES and passive > MAX_PASSIVE * total:
        yield 1, f"{passive} of {total} sentences are passive, more than {MAX_PASSIVE:.0%}"
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"#+ .*(?:, and what|\bno more\b|\bare no\b|\bso many\b)", line):
            yield number, f"a heading that nobody would search for: {line.lstrip('# ')}"


def pages() -> list[Path]:
    found = [path for path in (ROOT / "docs").rglob("*.md") if path.name not in UNREAD]
    return sorted([ROOT / "README.md", *found, *(ROOT / "paper").glob("*.md")])


if __name__ == "__main__":
    wrong = 0
    for path in [Path(name) for name in sys.argv[1:]] or pages():
        for number, message in findings(path.read_text(encoding="utf-8")):
            print(f"{path.resolve().relative_to(ROOT)}:{number}: {message}")
            wrong += 1
    sys.exit(bool(wrong))
