"""How fast the explorer answers, and whether it stays sound under load, on 20,000 made-up documents.

    python benchmarks/explorer.py          # builds the index and the map (kept in --folder), then measures
    python benchmarks/explorer.py --documents 200000 --models 1 --only paint frames latencies
    OPENBLAS_NUM_THREADS=1 python benchmarks/explorer.py --reasons 20news.hott   # what reasons cost
    OPENBLAS_NUM_THREADS=1 python benchmarks/explorer.py --opening large.hott    # until the first picture
    python benchmarks/explorer.py --index 20news.hott --only load      # an index of your own

Measured over HTTP against a server process of its own: search by text and by id, compare, the map; the first
paint of the map in headless Chromium where there is one, and how many frames a second it draws of 200,000
points that are dragged about; then many clients at once, with the memory of the server before and after.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

import hott
from hott import embeddings

PORT = 8917


def made_up_corpus(documents: int, topics: int = 60, words: int = 6000, length: int = 120) -> hott.Corpus:
    """Documents of real words (those with vectors) from made-up topics; a label is the heaviest topic."""
    rng = np.random.default_rng(0)
    known = [word for word in embeddings.default().words if word.isalpha() and len(word) > 2]
    vocabulary = np.array(rng.choice(known, words, replace=False))
    mixtures = rng.dirichlet(np.full(words, 0.01), topics)
    proportions = rng.dirichlet(np.full(topics, 0.05), documents)
    texts = []
    for row in proportions:
        sizes = rng.multinomial(length, row)
        drawn = [rng.choice(vocabulary, size, p=mixtures[k]) for k, size in enumerate(sizes) if size]
        tokens = np.concatenate(drawn)
        rng.shuffle(tokens)
        texts.append(". ".join(" ".join(tokens[i : i + 12]) for i in range(0, length, 12)) + ".")
    return hott.Corpus(
        texts,
        ids=[f"made-up/{i:05d}" for i in range(documents)],
        titles=[" ".join(text.split(" ", 4)[:4]) for text in texts],
        labels=[f"theme {k:02d}" for k in proportions.argmax(axis=1)],
    )


def built(folder: Path, documents: int, models: int) -> Path:
    path = folder / f"made-up-{documents}-{models}.hott"
    if not path.exists():
        started = time.perf_counter()
        index = hott.Index.build(made_up_corpus(documents), n_models=models, iterations=30, progress=True)
        index.save(path)
        print(f"index of {documents:,} documents built in {time.perf_counter() - started:.0f} s")
    return path


# -- the server, in a process of its own ------------------------------------------------------------------

SERVE = """
import sys, hott
from pathlib import Path
from hott import explorer
explorer.serve(hott.open(sys.argv[1]), port=int(sys.argv[2]), open_browser=False, cache=Path(sys.argv[3]))
"""


@contextmanager
def serving(index: Path, cache: Path) -> Iterator[tuple[str, psutil.Process]]:
    command = [sys.executable, "-c", SERVE, str(index), str(PORT), str(cache)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        try:
            yield address, psutil.Process(process.pid)
        finally:
            process.terminate()


def percentiles(seconds: list[float]) -> str:
    low, middle, high = np.percentile(np.array(seconds) * 1000, [5, 50, 95])
    return f"median {middle:6.1f} ms   5 % {low:6.1f}   95 % {high:6.1f}"


def processor_time(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def latencies(
    client: httpx.Client, server: psutil.Process, corpus: list[str], texts: list[str], repeats: int
) -> None:
    """How long answers take, and how much processor time: other work on the machine does not change that."""
    draw = random.Random(0)
    search = "/api/search"

    def timed(name: str, ask: Callable[[], httpx.Response], repeats: int) -> None:
        ask().raise_for_status()
        seconds, before = [], processor_time(server)
        for _ in range(repeats):
            started = time.perf_counter()
            ask().raise_for_status()
            seconds.append(time.perf_counter() - started)
        spent = 1000 * (processor_time(server) - before) / repeats
        print(f"{name:24s} {percentiles(seconds)}   processor {spent:.1f} ms")

    timed("search, a document's id", lambda: client.get(search, params={"id": draw.choice(corpus)}), repeats)
    timed("search, a text", lambda: client.post(search, json={"text": draw.choice(texts)}), repeats)
    as_the_page = {"k": 20, "reasons": False}
    timed(
        "the same, no reasons",
        lambda: client.post(search, json={"text": draw.choice(texts), **as_the_page}),
        repeats,
    )
    label = client.get("/api/corpus").json()["labels"][0]["label"]
    chosen = {"where": [f"label={label}"]}
    timed("a selection", lambda: client.post("/api/select", json=chosen), repeats // 4)
    timed(
        "compare",
        lambda: client.get("/api/compare", params=dict(zip("ab", draw.sample(corpus, 2)))),
        repeats,
    )
    timed("a document", lambda: client.get(f"/api/documents/{draw.choice(corpus)}"), repeats)
    timed(
        "documents with a word", lambda: client.get("/api/documents", params={"words": "the"}), repeats // 4
    )
    timed("map", lambda: client.get("/api/map"), repeats // 4)


def first_paint(address: str, tries: int = 3) -> None:
    """From an empty browser to the map on the screen."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        print("first paint              not measured: no browser here")
        return
    from playwright.sync_api import sync_playwright

    seconds, spent = [], []
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(tries):
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.goto("about:blank")
            before, started = page_time(), time.perf_counter()
            page.goto(address)
            page.wait_for_selector(".stage[data-drawn]", timeout=120_000)
            seconds.append(time.perf_counter() - started)
            spent.append(page_time() - before)
            page.context.close()
        browser.close()
    print(
        f"first paint of the map   best {min(seconds):.2f} s, all {', '.join(f'{s:.2f}' for s in seconds)}; "
        f"processor time of the page {min(spent):.2f} s"
    )


FRAMES = """async ([points, frames]) => {
    const [{Scatter}, {Labels}, {clustersOf}] = await Promise.all(
        ["scatter", "labels", "clusters"].map(name => import(`/static/${name}.js`)));
    document.body.innerHTML = "<div class=stage></div>";
    const host = document.querySelector(".stage");
    const made = () => Float32Array.from({length: points}, () => 2 * Math.random() - 1);
    let labels;
    const moved = () => labels?.draw(scatter);
    const scatter = new Scatter(host, {hover() {}, pick() {}, lasso() {}, moved});
    labels = new Labels(host);
    const x = made(), y = made(), n = 16; // names for the parts of a grid
    const part = i => Math.floor(2 * (x[i] + 1)) + 4 * Math.floor(2 * (y[i] + 1));
    const positions = Array.from({length: n}, () => []);
    for (let i = 0; i < points; i++) positions[Math.min(n - 1, part(i))].push(i);
    const subjects = positions.map((positions, number) =>
        ({number, name: "one, other", parent: null, positions}));
    labels.clusters = clustersOf({subjects, levels: [subjects.map(({number}) => number)]}, 1, {x, y});
    scatter.setPoints(x, y);
    scatter.setColors(new Uint8Array(points).map((_, i) => i % 20), Array(20).fill("#0072b2"));
    const frame = () => new Promise(requestAnimationFrame);
    await frame(); await frame();
    const started = performance.now();
    for (let i = 0; i < frames; i++) { scatter.panBy(i % 2 ? 7 : -5, 3); await frame(); }
    const drawn = performance.now() - started, began = performance.now();
    for (let i = 0; i < 20; i++) scatter.at(400 + i, 300);
    return [1000 * frames / drawn, (performance.now() - began) / 20];
}"""


def frames(address: str, points: int = 200_000) -> None:
    """How smoothly many points can be dragged about."""
    if not (chromium := shutil.which("chromium") or shutil.which("google-chrome")):
        return
    from playwright.sync_api import sync_playwright

    n = 40
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.goto(address)
        page.evaluate(FRAMES, [points, 2])
        before = page_time()
        rate, found = page.evaluate(FRAMES, [points, n])
        spent = 1000 * (page_time() - before) / n
        print(f"{points:,} points dragged: {rate:.0f} frames a second, {found:.1f} ms to find one")
        print(f"  processor time of a frame: {spent:.1f} ms")
        browser.close()


def page_time() -> float:
    """Seconds of processor time that the pages of the browser have used so far."""
    spent = 0.0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "--type=renderer" in process.cmdline():
                spent += processor_time(process)
    return spent


def load(address: str, server: psutil.Process, corpus: list[str], clients: int, requests: int) -> None:
    """Many clients at once: every answer must be right, and the memory of the server must not grow."""
    paths = ["/api/search", "/api/compare", "/api/documents/", "/api/topics", "/api/corpus", "/api/select"]

    def ask(client: httpx.Client, number: int) -> bool:
        draw = random.Random(number)
        path = paths[number % len(paths)]
        bodies = {
            "/api/search": {"id": draw.choice(corpus), "k": 20, "reasons": False},
            "/api/select": {"lasso": [[-1, -1], [draw.random(), -1], [0, draw.random()]]},
        }
        if path in bodies:
            response = client.post(path, json=bodies[path])
        elif path == "/api/compare":
            response = client.get(path, params=dict(zip("ab", draw.sample(corpus, 2))))
        elif path == "/api/documents/":
            response = client.get(path + draw.choice(corpus))
        else:
            response = client.get(path)
        return response.status_code == 200

    def run(first: int, last: int) -> tuple[int, float]:
        with ExitStack() as stack, ThreadPoolExecutor(clients) as pool:
            own = [stack.enter_context(httpx.Client(base_url=address, timeout=300)) for _ in range(clients)]
            shares = [range(first + k, last, clients) for k in range(clients)]
            started = time.perf_counter()
            work = pool.map(lambda k: sum(ask(own[k], number) for number in shares[k]), range(clients))
            return sum(work), time.perf_counter() - started

    # Caches fill and threads start in the first stage; what grows after that is a leak.
    for stage in range(5):
        first, last = requests * stage // 5, requests * (stage + 1) // 5
        right, seconds = run(first, last)
        print(
            f"{clients} clients, {last:6,} requests: {last - first - right} errors, "
            f"{(last - first) / seconds:.0f} a second, memory {memory(server)}"
        )


def memory(server: psutil.Process) -> str:
    """What a process has for itself, and the pages of the index file that it read, which may be dropped."""
    info = server.memory_info()
    shared = getattr(info, "shared", 0)
    return f"{(info.rss - shared) / 2**20:.0f} MiB, and {shared / 2**20:.0f} MiB of files"


def opening(path: Path, cache: Path) -> None:
    """What a server does from its start to the first picture and the first hits, in processor time."""
    from hott.explorer import schemas
    from hott.explorer.answers import Answers
    from hott.explorer.assets import Asset
    from hott.explorer.layout import Layout

    def timed_step(name: str, step: Callable[[], Any]) -> Any:
        started = time.process_time()
        found = step()
        print(f"{name:32s} {time.process_time() - started:6.2f} s")
        return found

    def asset(answer: schemas.Answer) -> int:
        return len(Asset("view", schemas.to_json(answer)).compressed)

    index = timed_step("opening", lambda: hott.open(path))
    layout = timed_step("is the map remembered?", lambda: Layout(index, cache=cache))
    answers = Answers(index, layout)
    timed_step("what the corpus holds", answers.corpus)
    size = timed_step("the first map", lambda: asset(answers.map()))
    print(f"{index!r}; the map has {size / 2**20:.1f} MiB")
    timed_step("names", lambda: asset(answers.names()))
    for text in ("the first words that are asked for", "some other words"):
        timed_step(f"search: {text}", lambda text=text: index.search(text, k=20, threads=1))
    for position in (1, 2):
        id = index.documents.ids[position]
        timed_step(f"search by id, {position}", lambda id=id: index.search(id=id, k=20, threads=1))


def reasons(path: Path, repeats: int, hits: int = 20) -> None:
    """What searches of the page cost, without and with their reasons, in processor time of one thread.

    Texts are the first five words of documents, as people type them.
    """
    index, draw = hott.open(path), random.Random(0)
    chosen = draw.sample(range(len(index)), repeats + 1)
    asked = {
        "a text": [{"text": " ".join(index.documents[i].text.split()[:5])} for i in chosen],
        "a document's id": [{"id": index.documents.ids[i]} for i in chosen],
    }
    print(f"{index!r}; {hits} hits, milliseconds of processor time")
    for name, queries in asked.items():
        found, told = [], []
        for query in queries:
            with suppress(ValueError):  # a text with nothing to search by
                started = time.process_time()
                answer = index.search(k=hits, threads=1, **query)
                found.append(time.process_time() - started)
                index.reasons(answer)
                told.append(time.process_time() - started)
        # The first reads what later ones find in memory.
        print(f"{name:24s} {percentiles(found[1:])}   the hits")
        print(f"{'':24s} {percentiles(told[1:])}   with reasons")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--models", type=int, default=8)
    parser.add_argument("--index", type=Path, help="measure this one instead")
    parser.add_argument("--only", choices=["paint", "frames", "latencies", "load"], nargs="+")
    parser.add_argument("--folder", type=Path, default=Path("build/explorer-benchmark"))
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--reasons", type=Path, metavar="INDEX", help="measure reasons of this index only")
    parser.add_argument(
        "--opening", type=Path, metavar="INDEX", help="measure the opening of this index only"
    )
    options = parser.parse_args()
    if options.reasons:
        reasons(options.reasons, options.repeats)
    elif options.opening:
        opening(options.opening, options.folder)
    else:
        served(options)


def served(options: argparse.Namespace) -> None:
    """What a server answers, and the page that it serves."""
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.index or built(options.folder, options.documents, options.models)
    parts = options.only or ["paint", "frames", "latencies", "load"]
    index = hott.open(path)
    corpus = list(index.documents.ids)
    texts = [document.text[:300] for document in index.documents[:200]]
    print(f"{index!r}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with (
        serving(path, options.folder) as (address, server),
        httpx.Client(base_url=address, timeout=300) as client,
    ):
        started = time.perf_counter()
        answer = client.get("/api/map")
        print(
            f"first map ({json.loads(answer.content)['state']}) after {time.perf_counter() - started:.1f} s, "
            f"{int(answer.headers.get('content-length', 0)) / 2**20:.2f} MiB compressed"
        )
        if "paint" in parts:
            first_paint(address)
        if "frames" in parts:
            frames(address)
        while client.get("/api/map").json()["state"] != "final":
            time.sleep(1)
        print(f"final map after {time.perf_counter() - started:.0f} s (0 when it was remembered)")
        if "latencies" in parts:
            latencies(client, server, corpus, texts, options.repeats)
            print(f"memory of the server: {memory(server)}")
        if "load" in parts:
            load(address, server, corpus, options.clients, options.requests)


if __name__ == "__main__":
    main()
