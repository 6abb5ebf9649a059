"""Make the small index that the tests of every later version must still be able to open.

Run once for each new format of an index, and keep the files of all released ones:

    python tools/make_golden.py tests/data/index-format-3.hott
"""

import sys

import hott

TEXTS = {
    "orbit": "A planet orbits its star, and a moon orbits the planet.",
    "stars": "The star is far; its light reaches the planet.",
    "match": "The team won the match with a late goal.",
    "goal": "A goal decides the match; the team cheers.",
    "empty": "",
}


def main() -> None:
    corpus = hott.Corpus(TEXTS.values(), ids=TEXTS, titles=map(str.title, TEXTS), labels=[*"aabb", None])
    index = hott.Index.build(corpus, n_topics=4, n_models=2, on_empty="nan")
    index.save(sys.argv[1])
    print(index.distances().tolist())
    print(index.search("the light of the moon").to_dict())


if __name__ == "__main__":
    main()
