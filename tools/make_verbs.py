"""Make the lines "verb english" and "name english" of src/hott/terms/words.txt.

    python tools/make_verbs.py passages-[01].jsonl.xz --names passages-[34].jsonl.xz

The files hold general English, one ["source", "text"] a line (tools/make_encoder.py says from where). A word
is a verb, which hardly ever names a thing, that mostly stands where verbs stand, and adjectives that only say
how something is: after "to", a pronoun or an auxiliary ("was killed", "is able"), before "the" or a pronoun
("heard the"); hardly ever after an article, a possessive or a preposition. It is a name if it has a capital
four times out of five where it follows a small letter, also in more passages. Half of all are read.
"""

import argparse
import json
import lzma
import re
from collections import Counter
from itertools import islice

import numpy as np

from hott.embeddings import default
from hott.terms import lexicon
from hott.terms.lexicon import ADVERB, CHATTER, MAX_RANK, MINOR, STOP, Lexicon

BEFORE_NOUNS = (
    "the a an this that these those my your his her its our their of in with for by from on at into no each "
    "every any some all many several few more most another such"
)
BEFORE_VERBS = (
    "to i you he she it we they who which can could will would may might must should shall cannot not never "
    "is was are were be been being am has have had having do does did don didn doesn wasn ll ve re let"
)
AFTER_VERBS = "the a an my your his her its our their him them me us it this these those"
MIN_SHARE = 0.85  # of its places, that are those of a verb
MIN_PLACES = 8
MIN_CAPITALS, MIN_NAMED = 0.8, 5  # of its places, and how many at least, that have a capital
_WORD = re.compile(r"[a-z]+|[^\sa-z]")
_INSIDE = re.compile(r"(?:(?<=[a-z] )|(?<=[a-z], ))[A-Za-z][a-z]+")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("passages", nargs="+")
    arguments.add_argument("--names", nargs="*", default=[], help="more passages, to find names alone")
    options = arguments.parse_args()
    words = list(islice(default(), MAX_RANK))
    numbers = {word: number for number, word in enumerate(words)}
    lists = [
        [numbers[word] for word in some.split() if word in numbers]
        for some in (BEFORE_NOUNS, BEFORE_VERBS, AFTER_VERBS)
    ]
    noun_next, verb_next, verb_before = (np.isin(np.arange(len(words) + 1), some) for some in lists)
    counts = np.zeros((3, len(words) + 1))
    inside: Counter[str] = Counter()
    for path in (*options.passages, *options.names):
        with lzma.open(path, "rt", encoding="utf-8") as file:
            for line in islice(file, 0, None, 2):
                text = json.loads(line)[1]
                inside.update(_INSIDE.findall(text))
                if path in options.names:
                    continue
                text = text.lower().replace("’", "'").replace("'", "")
                row = np.array([numbers.get(word, len(words)) for word in _WORD.findall(text)])
                if len(row) < 3:
                    continue
                before, own, after = row[:-2], row[1:-1], row[2:]
                marks = noun_next[before], verb_next[before], verb_before[after]
                counts += [np.bincount(own[mark], minlength=len(words) + 1) for mark in marks]
    noun, verb, object_follows = counts[:, :-1]
    places = noun + verb + object_follows / 2
    share = (verb + object_follows / 2 + 0.3) / (places + 1)
    english, known = Lexicon("english"), STOP | MINOR | ADVERB | CHATTER
    taken = [
        word
        for word, one, n in zip(words, share, places)
        if one >= MIN_SHARE and n >= MIN_PLACES and not english.describe_words([word])[1][0] & known
    ]
    names = [
        word
        for word, kinds in zip(words, english.describe_words(words)[1])
        if (n := inside[word.capitalize()]) >= max(MIN_NAMED, MIN_CAPITALS * (n + inside[word]))
        and not kinds & (STOP | MINOR)
    ]
    path = lexicon.WORDS
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if not line.startswith(("verb ", "name "))]
    lines += [" ".join([f"{kind} english", *sorted(own)]) for kind, own in (("verb", taken), ("name", names))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(taken)} verbs, {len(names)} names")


if __name__ == "__main__":
    main()
