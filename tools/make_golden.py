"""Make the small index that the tests of every later version must still be able to open.

Run once for each new format of an index, and keep the files of all released ones:

    python tools/make_golden.py tests/data/index-format-2.hott
"""

import sys

import numpy as np

import hott

TEXTS = {
    "orbit": "A planet orbits its star, and a moon orbits the planet.",
    "stars": "The star is far; its light reaches the planet.",
    "match": "The team won the match with a late goal.",
    "goal": "A goal decides the match; the team cheers.",
    "empty": "",
}
WORDS = ["star", "planet", "moon", "light", "orbits", "team", "match", "goal", "cheers", "late"]


def main() -> None:
    angles = np.arange(len(WORDS)) * 0.3
    vectors = hott.embeddings.WordVectors(WORDS, np.column_stack([np.cos(angles), np.sin(angles)]))
    corpus = hott.Corpus(TEXTS.values(), ids=TEXTS, titles=map(str.title, TEXTS), labels=[*"aabb", None])
    index = hott.Index.build(corpus, n_topics=4, n_models=2, embeddings=vectors, on_empty="nan")
    index.save(sys.argv[1])
    print(index.distances().tolist())
    print(index.search("the light of the moon").to_dict())


if __name__ == "__main__":
    main()
