import threading
import time
from contextlib import contextmanager
from datetime import date

import pytest

import hott
from hott.corpus import demo

pytest.importorskip("fastapi")
pytest.importorskip("plotly")

# Titles, ids, labels and texts as someone would choose them to take over the page.
HOSTILE = {
    "<script>window.broken=1</script>": "<img src=x onerror='window.broken=1'> planets and stars",
    "javascript:window.broken=1": "\x1b[31mred\x00 planets\u202e stars </p><script>window.broken=1</script>",
    "../../etc/passwd": "stars and galaxies shine \u2028 far away; moons orbit planets",
    'quote" onclick="window.broken=1': "{{7*7}} ${window.broken=1} football goals and players",
    "a/b?c=d#e&f=%2e%2e%2f": "a match of football: players, goals, referee 😀 whistle",
}


@pytest.fixture(scope="session")
def articles():
    """Sixty of the demo articles: three themes, with made-up columns."""
    corpus = demo.corpus()
    some = corpus[[i for i, label in enumerate(corpus.labels) if label in ("astronomy", "tennis", "cooking")]]
    dates = [f"{2001 + i % 3}-0{1 + i % 9}-15" for i in range(len(some))]
    return hott.Corpus(
        some.texts,
        ids=some.ids,
        titles=some.titles,
        labels=some.labels,
        columns={"pages": [i % 7 for i in range(len(some))], "date": [date.fromisoformat(d) for d in dates]},
    )


@pytest.fixture(scope="session")
def index(articles):
    return hott.Index.build(articles, n_topics=6, n_models=2, iterations=50)


@pytest.fixture(scope="session")
def hostile():
    ids = list(HOSTILE)
    corpus = hott.Corpus(HOSTILE.values(), ids=ids, titles=[f"{id}\r\n\x07\u202e" for id in ids], labels=ids)
    return hott.Index.build(corpus, n_topics=2, n_models=1, iterations=20)


@pytest.fixture(scope="session")
def bare(hostile):
    """Its documents without word vectors and an encoder: an export of it is small."""
    return hott.Index.build(
        hostile.documents[range(len(hostile))],
        n_topics=2,
        n_models=1,
        iterations=20,
        embeddings=False,
        encoder=None,
    )


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


OPENED: dict[str, list] = {}
"""The pages that look at a server, by its address."""


@contextmanager
def serving(index, cache, http="auto", **options):
    """A real server of this index in a thread; gives its address."""
    import uvicorn

    from hott.explorer import create_app
    from hott.explorer.launch import listen

    listener = listen("127.0.0.1", None)
    app = create_app(index, cache=cache, **options)
    server = uvicorn.Server(uvicorn.Config(app, http=http, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    yield address
    for page in OPENED.pop(address, []):  # or a page that still asks for something finds nobody
        page.close()
    server.should_exit = True
    thread.join()
    listener.close()


@pytest.fixture(scope="session")
def address(index, cache):
    with serving(index, cache, name="three themes") as address:
        yield address


@pytest.fixture
def own_address(index, cache, tmp_path):
    """The same corpus from a file of its own, whose topics can be changed."""
    index.save(tmp_path / "own.hott")
    with serving(hott.open(tmp_path / "own.hott"), cache, file=tmp_path / "own.hott") as address:
        yield address


@pytest.fixture
def open_page(contexts):
    """Open a page; in the end it must have logged no error and asked no other host."""
    with watching(contexts) as opened:
        yield opened


@pytest.fixture(scope="session")
def site(index, cache, tmp_path_factory):
    """An exported page of the three themes."""
    from hott import explorer

    folder = tmp_path_factory.mktemp("export") / "site"
    return explorer.export_site(index, folder, name="three themes", cache=cache).parent


@pytest.fixture(scope="module")
def exported(site, contexts):
    """That page, opened from the disk once for all questions that are asked of it."""
    with watching(contexts) as opened:
        page = opened((site / "index.html").as_uri())
        page.wait_for_function("window.hottAnswer !== undefined")
        yield page


@pytest.fixture(scope="session")
def contexts(browser):
    """Contexts of the browser by their options; a new one for each test would take longer than the test."""
    made = {}

    def find(**options):
        key = repr(sorted(options.items()))
        if key not in made:
            made[key] = browser.new_context(**{"viewport": {"width": 1200, "height": 800}, **options})
        return made[key]

    return find


@contextmanager
def watching(contexts):
    pages, troubles = [], []

    def opened(url, **options):
        page = contexts(**options).new_page()
        pages.append(page)
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("console", lambda message: message.type == "error" and troubles.append(message.text))
        own = url.split("#")[0].rsplit("/", 1)[0]
        OPENED.setdefault(own + "/", []).append(page)
        page.on(
            "request",
            lambda r: r.url.startswith((own, "data:", "blob:")) or troubles.append(f"asked {r.url}"),
        )
        page.goto(url)
        return page

    yield opened
    for page in pages:
        if not page.is_closed():
            page.evaluate("localStorage.clear()")  # the next page of the context is as new
            page.close()
    assert not troubles
