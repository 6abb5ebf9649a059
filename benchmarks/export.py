"""Whether an exported page finds what the server finds: questions asked of both, the page in Chromium.

    python benchmarks/export.py bbcsport.hott
    python benchmarks/export.py bbcsport.hott --questions 100 --no-meaning

Questions are words of documents as they stand. In half of them some are replaced by other words of the
language, and a third have one or two misspelt words.
"""

import argparse
import json
import random
import shutil
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import hott
from hott import explorer
from hott.explorer import schemas
from hott.explorer.answers import Answers
from hott.explorer.layout import Layout

LANGUAGE = 40_000  # frequent words, of which some stand in place of words of documents
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MAX_ERROR = 1e-6
ASK = """async (body) => {
    const start = performance.now();
    const found = await hottAnswer("api/search", {}, body).catch((error) => error.message);
    return [performance.now() - start, found];
}"""


def misspell(word: str, draw: random.Random) -> str:
    """Put a letter in, leave one out, change one, or swap two."""
    at, letter = draw.randrange(len(word)), draw.choice(LETTERS)
    first, own, rest = word[:at], word[at], word[at + 1 :]
    return draw.choice(
        [first + letter + own + rest, first + rest, first + letter + rest, first + rest[:1] + own + rest[1:]]
    )


def make_questions(index: hott.Index, n: int) -> Iterator[str]:
    draw, language = random.Random(0), [*islice(hott.embeddings.default(), LANGUAGE)]
    for number in range(n):
        words = index.documents[draw.randrange(len(index))].text.split()
        start = draw.randrange(max(len(words) - 8, 1))
        words = words[start : start + draw.randint(2, 8)]
        if number % 2:
            words = [draw.choice(language) if draw.random() < 0.5 else word for word in words]
        if number % 3 == 0:
            for at in draw.sample(range(len(words)), min(len(words), draw.randint(1, 2))):
                words[at] = misspell(words[at], draw)
        yield " ".join(words)


def differences(ours: Any, theirs: Any) -> Iterator[str]:
    """Name what differs between two answers."""
    if isinstance(ours, str) or isinstance(theirs, str):
        if ours != theirs:
            yield "errors"
        return
    hits = [*zip(ours["hits"], theirs["hits"])]
    if [hit["id"] for hit in ours["hits"]] != [hit["id"] for hit in theirs["hits"]]:
        yield "hits"
    elif max((abs(one["score"] - other["score"]) for one, other in hits), default=0) > MAX_ERROR:
        yield "scores"
    for name, parts in (("reasons", ("why",)), ("passages", ("snippet", "marks"))):
        if any(one[part] != other[part] for one, other in hits for part in parts):
            yield name
    yield from (name for name in ("notes", "words") if ours[name] != theirs[name])


def answer(answers: Answers, text: str) -> Any:
    try:
        found = answers.search(schemas.SearchRequest.model_validate({"text": text, "k": 10}))
        return json.loads(schemas.to_json(found))
    except ValueError as error:
        return str(error)


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--meaning", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    index = hott.open(options.index)
    folder = Path(tempfile.mkdtemp())
    page_file = explorer.export_site(index, folder, meaning=options.meaning, progress=True)
    if not options.meaning:
        index = index.without_meaning()
    sizes = {path.name: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    first = sum(
        size for name, size in sizes.items() if not name.startswith(("encoder", "language", "vectors"))
    )
    print(
        f"{first / 1e6:.1f} MB at first, {(sum(sizes.values()) - first) / 1e6:.1f} MB with the first question"
    )
    layout = Layout(index)
    layout.wait()
    answers, found = Answers(index, layout), Counter[str]()
    times: dict[bool, list[float]] = {True: [], False: []}
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(page_file.as_uri())
        page.wait_for_function("window.hottAnswer !== undefined", timeout=120_000)
        start = time.perf_counter()
        page.evaluate(ASK, {"text": "first", "k": 1})
        print(f"the first question takes {time.perf_counter() - start:.1f} s")
        for number, text in enumerate(make_questions(index, options.questions)):
            theirs = answer(answers, text)
            for reasons in (True,) if number % 10 else (False, True):
                took, ours = page.evaluate(ASK, {"text": text, "k": 10, "reasons": reasons})
                times[reasons].append(took)
            if not options.meaning and not isinstance(ours, str):
                ours["notes"].pop()  # that it has no encoder
            if wrong := [*differences(ours, theirs)]:
                print(f"{', '.join(wrong)}: {text}")
            found.update(wrong)
        browser.close()
    shutil.rmtree(folder)
    for name in ("hits", "scores", "notes", "words", "reasons", "passages", "errors"):
        print(
            f"{name:9s} the same for {options.questions - found[name]:,} of {options.questions:,} questions"
        )
    took = [statistics.median(times[reasons]) for reasons in (False, True)]
    print(f"a question takes {took[0]:.0f} ms, and with reasons {took[1]:.0f} ms")


if __name__ == "__main__":
    main()
