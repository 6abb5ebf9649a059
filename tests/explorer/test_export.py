"""The exported site: files that open without a server and answer what the server would answer."""

import http.server
import itertools
import json
import os
import re
import signal
import threading
from collections import defaultdict
from functools import partial
from urllib.parse import quote

import numpy as np
import pytest

pytest.importorskip("fastapi")

import hott
from hott import explorer
from hott.explorer import schemas
from hott.explorer.answers import Answers
from hott.explorer.assets import assets, bundle, offline
from hott.explorer.layout import Layout
from hott.text.languages import stemmer
from hott.text.tokens import tokenize


@pytest.fixture(scope="module")
def web(site):
    """The site on a plain web server."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()


@pytest.fixture(scope="module")
def answers(index, cache):
    """What the server answers."""
    layout = Layout(index, cache=cache)
    layout.wait()
    return Answers(index, layout, "three themes")


# -- the folder ------------------------------------------------------------------------------------------


def test_an_export_replaces_an_export_and_nothing_else(bare, tmp_path, cache):
    folder = tmp_path / "site"
    for _ in range(2):
        assert explorer.export_site(bare, folder, cache=cache).is_file()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match="holds other files"):
        explorer.export_site(bare, tmp_path / "mine", cache=cache)
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    (tmp_path / "mine" / "letter.txt").rename(tmp_path / "mine" / "index.html")  # someone's own page
    with pytest.raises(ValueError, match="holds other files"):
        explorer.export_site(bare, tmp_path / "mine", cache=cache)
    (tmp_path / "mine" / "index.html").rename(tmp_path / "mine" / "letter.txt")
    with pytest.raises(ValueError, match="is a file"):
        explorer.export_site(bare, tmp_path / "mine" / "letter.txt", cache=cache)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "site"]  # nothing left half-made


def names_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_an_export_replaces_its_own_files_only_and_is_the_same_each_time(index, bare, tmp_path, cache):
    folder = tmp_path / "site"
    (folder / ".git").mkdir(parents=True)  # a place for a site, with nothing in it yet
    (folder / ".git" / "config").write_text("git")
    (folder / "CNAME").write_text("example.org")
    explorer.export_site(index, folder, cache=cache)
    foreign = {".git/config": "git", "CNAME": "example.org", "data/mine.js": "mine", "notes/n.txt": "n"}
    for name, text in foreign.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    manifest = json.loads((folder / "hott-export.json").read_text())
    manifest["files"] += ["data/old.js", "../letter.txt", "CNAME"]  # one of an older export; not one of ours
    (folder / "hott-export.json").write_text(json.dumps(manifest))
    (folder / "data" / "old.js").write_text("old")
    (tmp_path / "letter.txt").write_text("dear")
    explorer.export_site(bare, folder, name="hostile", cache=cache)
    assert {name: (folder / name).read_text() for name in foreign} == foreign
    assert (tmp_path / "letter.txt").read_text() == "dear"
    alone = explorer.export_site(bare, tmp_path / "alone", name="hostile", cache=cache).parent
    assert names_in(folder) == sorted([*names_in(alone), *foreign])
    for name in names_in(alone):
        assert (folder / name).read_bytes() == (alone / name).read_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes with SIGKILL")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_killed_export_leaves_no_folder_and_can_be_made_again(index, bare, tmp_path, cache, replaced):
    folder = tmp_path / "site"
    if replaced:
        explorer.export_site(index, folder, cache=cache)
        (folder / "CNAME").write_text("example.org")
    whole = explorer.export_site(bare, tmp_path / "whole", cache=cache).parent
    replace = os.replace

    def dying_after(steps):
        left = iter(range(steps))

        def step(path, target):
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return replace(path, target)

        return step

    for step in itertools.count(step=3):
        child = os.fork()
        if child == 0:
            os.replace = dying_after(step)
            explorer.export_site(bare, folder, cache=cache)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            break
        assert not [path for path in tmp_path.iterdir() if path.is_dir() and path.name.startswith(".")]
        if step:
            assert "interrupted" in (folder / "data" / "index.js").read_text()
    assert step >= 6
    assert names_in(folder) == sorted(names_in(whole) + ["CNAME"] * replaced)


def test_progress_is_reported(bare, tmp_path, cache):
    seen = []
    explorer.export_site(bare, tmp_path / "site", cache=cache, progress=lambda *now: seen.append(now))
    assert seen[-1][0] == seen[-1][1] > 10


# -- what is packed --------------------------------------------------------------------------------------


PAGE = {name: asset.content.decode() for name, asset in assets().items() if name.endswith(".js")}
MODULES = [{name: PAGE[name] for name in PAGE.keys() - {"page.js"}}, offline()]


def names_at_top(module, start="(?:export )?"):
    """The names that a module declares outside of functions and classes."""
    statements = rf"^{start}(?:async )?(function\*?|class|const|let) (.*)"
    for word, rest in re.findall(statements, module, re.MULTILINE):
        several = word in ("const", "let")
        rest = re.sub(r"\(.*\)", "", rest)  # where other names may stand
        yield from re.findall(r"(?:^\{ |^|, )(\w+)(?= = |, |;| \})" if several else r"^\w+", rest)


@pytest.mark.parametrize("modules", MODULES, ids=["page", "offline"])
def test_no_two_modules_declare_the_same_name(modules):
    """They become one script, which would not run at all."""
    places = defaultdict(list)
    for file, module in sorted(modules.items()):
        for name in names_at_top(module):
            places[name].append(file)
    assert len(places) > 60
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


@pytest.mark.parametrize("modules", MODULES, ids=["page", "offline"])
def test_modules_import_what_they_use_and_nothing_else(modules):
    """In one script a missing import would go unseen."""
    given = {name: file for file, module in modules.items() for name in names_at_top(module, "export ")}
    unsaid = re.compile(r'^import .*|(?<![":])//.*|/\*\*(?:.|\n)*?\*/|"[^"\n]*"', re.MULTILINE)
    for file, module in modules.items():
        imports = re.findall(r'^import \{ (.*) \} from "\./([\w-]+\.js)";$', module, re.MULTILINE)
        imported = {name: source for names, source in imports for name in names.split(", ")}
        code = unsaid.sub("", module).replace("...", "")
        assert {name: given.get(name) for name in imported} == imported, file
        assert imported.keys() - set(re.findall(r"(?<![\w$.])\w+", code)) == set(), file
        called = set(re.findall(r"(?<![\w$.])(\w+)\(", code)) - imported.keys()
        own = {
            *re.findall(r"(?:const|let|function) (\w+)", code),
            *re.findall(r"^ +(\w+)\(.*\{$", code, re.MULTILINE),
        }
        assert {name for name in called & given.keys() - own if given[name] != file} == set(), file


@pytest.mark.parametrize("modules", MODULES, ids=["page", "offline"])
def test_the_bundle_needs_no_module(modules):
    script = bundle(modules, "worker.js" if "worker.js" in modules else "app.js")
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_numbers_that_python_states_are_not_stated_again():
    """But for those of the page itself, and of modules that are nobody else's."""
    files = offline()
    given = set(re.findall(r"const (\w+) =", files.pop("constants.js")))
    text = "\n".join(files.values())
    imported = re.findall(r'^import \{ ([\w, ]+) \} from "./constants.js";', text, re.MULTILINE)
    assert given == set(", ".join(imported).split(", "))
    lines = re.findall(r"^const .*", text, re.MULTILINE)
    stated = {name for line in lines for name in re.findall(r"\b([A-Z][A-Z_0-9]+) = \d", line)}
    assert stated == {"FOLD_IN_LANES", "MAX_WORD_LENGTH", "QUOTES", "STEPS"}


@pytest.mark.browser
def test_stems_of_the_page_are_those_of_the_library(browser):
    words = [*itertools.islice(hott.embeddings.default(), 3, None, 29)]
    words += [word[:-1] for word in words] + [word[:2] + "y" + word[2:] for word in words]
    words += [
        word + ending for word in words[::7] for ending in ("ing", "ingly", "eed", "ies", "ogist", "ll")
    ]
    page = browser.new_page()
    page.add_script_tag(content=offline()["stemmer.js"].replace("export ", ""))
    assert page.evaluate("(words) => words.map(stemEnglish)", words) == [*map(stemmer("english"), words)]
    page.close()


# -- the page --------------------------------------------------------------------------------------------

FIRST, SECOND, THIRD = "tennis/tie-break", "astronomy/venus", "cooking/barbecue"
ASKED = [
    ("api/compare", {}, {"a": {"id": FIRST}, "b": {"id": SECOND}}),
    ("api/compare", {}, {"a": {"id": SECOND}, "b": {"id": FIRST}}),
    ("api/compare", {}, {"a": {"id": THIRD}, "b": {"id": "cooking/sourdough"}}),
    ("api/compare", {}, {"a": {"id": FIRST}, "b": {"id": FIRST}}),
    ("api/search", {}, {"id": FIRST, "k": 4}),
    ("api/search", {}, {"id": FIRST, "k": 4, "within": {"where": ["label=cooking"], "words": "water"}}),
    ("api/search", {}, {"text": "the light of distant stars and planets", "k": 6}),
    ("api/search", {}, {"text": "planits", "k": 3, "by": "words"}),
    ("api/search", {}, {"text": "water", "k": 5, "by": "topics"}),
    ("api/search", {}, {"text": "why do planits and starrs shine? zzzz", "k": 8}),
    ("api/search", {}, {"text": " ".join(["yeast dough water acid salt heat oven"] * 3), "k": 4}),
    ("api/search", {}, {"text": 'light of "distant stars"', "k": 6}),
    ("api/search", {}, {"text": '"no such phrase" light', "k": 6}),
    ("api/search", {}, {"text": "1966 zzzqq", "k": 6}),
    ("api/search", {}, {"text": '"of the"', "k": 6}),
    ("api/marks", {}, {"id": SECOND, "text": "clouds and planits"}),
    ("api/marks", {}, {"id": SECOND, "like": THIRD}),
    ("api/document", {"id": SECOND}, None),
    ("api/select", {}, {"positions": [3, 5, 50, 7]}),
    ("api/select", {}, {"words": "light", "where": ["label=astronomy"]}),
    ("api/select", {}, {"topic": 1}),
    ("api/rows", {}, {"where": ["label=astronomy"], "words": "light"}),
    (
        "api/rows",
        {},
        {"positions": [7, 2], "text": True, "extra": {"note": ["a", None], "title": ["b", "c"]}},
    ),
    ("api/distances", {"id": THIRD}, None),
    ("api/topics", {"model": 1, "relevance": 0.3}, None),
    ("api/map", {}, None),
    ("api/subjects", {}, None),
    ("api/names", {}, None),
]


def answered(answers, path, parameters, body):
    """What the server answers."""
    ask = getattr(answers, path.rpartition("/")[2])
    found = ask(**parameters) if body is None else ask(next(iter(ask.__annotations__.values()))(**body))
    return json.loads(schemas.to_json(found))


def alike(ours, theirs):
    """The same values, numbers to nine digits or seven places; how much was computed is another matter."""
    if isinstance(theirs, dict):
        names = theirs.keys() - {"computed", "pruned"}
        assert names <= ours.keys()
        for name in names:
            alike(ours[name], theirs[name])
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            alike(one, other)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-7)
    else:
        assert ours == theirs


@pytest.mark.browser
@pytest.mark.parametrize("where", ["disk", "web"])
def test_the_exported_page_answers_what_the_server_answers(where, request, web, answers, open_page):
    page = request.getfixturevalue("exported") if where == "disk" else open_page(web)
    page.wait_for_function("window.hottAnswer !== undefined")
    found = page.evaluate(
        "async (all) => { const f = []; for (const a of all) f.push(await hottAnswer(...a)); return f; }",
        ASKED,
    )
    for asked, ours in zip(ASKED, found):
        told_alike(asked[0], ours, answered(answers, *asked))


def told_alike(path, ours, theirs):
    """The same; of comparisons the same distance and nearly the same terms."""
    if path == "api/compare":
        alike(
            {name: ours[name] for name in ("distance", "topics")},
            {n: theirs[n] for n in ("distance", "topics")},
        )
        for where in ("both", "only_a", "only_b"):
            own, exact = (
                {t["text"]: t["part"] for t in one["terms"] if t["where"] == where} for one in (ours, theirs)
            )
            assert len(own.keys() & exact.keys()) >= 0.6 * len(exact)
        assert sum(term["part"] for term in ours["terms"]) + ours["rest"]["part"] == pytest.approx(
            1 if ours["distance"] else 0
        )
        assert ours["lines"][0].split(":")[0] == theirs["lines"][0].split(":")[0]
        return
    if path == "api/search":  # what two documents share is told from fewer of their terms
        for mine, exact in zip(ours["hits"], theirs["hits"]):
            if exact["why"].startswith(("Both", "Little")):
                told, said = (one.pop("why").partition(": ") for one in (mine, exact))
                assert told[0] == said[0]
                assert {*told[2].split(", ")} & {*said[2].split(", ")}
    if path == "api/select":
        own, exact = ours.pop("words"), theirs.pop("words")
        assert not exact or {*own} & {*exact}
    alike(ours, theirs)


@pytest.mark.browser
def test_the_exported_page_moves_words_by_vectors_of_their_own(articles, index, cache, tmp_path, open_page):
    words = index.vocabulary.words_.tolist()
    vectors = hott.embeddings.WordVectors(words, np.random.default_rng(0).normal(size=(len(words), 4)))
    own = hott.Index.build(articles, n_topics=4, n_models=1, iterations=20, embeddings=vectors)
    layout = Layout(own, cache=cache)
    layout.wait()
    page = open_page(explorer.export_site(own, tmp_path / "site", cache=cache).as_uri())
    page.wait_for_function("window.hottAnswer !== undefined")
    found = page.evaluate("(asked) => hottAnswer(...asked)", ASKED[0])
    told_alike("api/compare", found, answered(Answers(own, layout, ""), *ASKED[0]))


@pytest.mark.browser
def test_a_heading_stands_for_a_title_where_there_is_none(articles, cache, tmp_path, open_page):
    texts = [f"{title}\n\n{text}" for title, text in zip(articles.titles, articles.texts)]
    texts[1] = articles.texts[1]  # no heading
    texts[2] = "A heading that is " + "very " * 20 + f"long\n{articles.texts[2]}"
    plain = hott.Index.build(texts, n_topics=4, n_models=1, iterations=20)
    layout = Layout(plain, cache=cache)
    layout.wait()
    page = open_page(explorer.export_site(plain, tmp_path / "site", cache=cache).as_uri())
    page.wait_for_function("window.hottAnswer !== undefined")
    for text in (articles.titles[0], articles.titles[1], "heading", "very long"):
        asked = "api/search", {}, {"text": text, "k": 20, "by": "words"}
        alike(
            page.evaluate("(asked) => hottAnswer(...asked)", asked),
            answered(Answers(plain, layout, ""), *asked),
        )


@pytest.mark.browser
def test_an_exported_page_searches_and_compares(site, index, open_page):
    home = (site / "index.html").as_uri()
    page = open_page(f"{home}#/explore")
    page.wait_for_selector(".stage[data-state=final][data-drawn='60']")

    a = "tennis/tie-break"
    near = next(hit for hit in index.search(id=a, k=3) if hit.id != a)
    page.goto(f"{home}#/search?like={quote(a, safe='')}")
    page.wait_for_selector(f".hits > li[data-hit='{near.id}']")
    page.click(".links a:has-text('compare')")
    page.wait_for_selector(".diagram")
    shown = page.locator(".distance-head .distance")
    assert float(shown.get_attribute("data-value")) == pytest.approx(index.compare(a, near.id).distance)
    assert page.locator(".quotes blockquote").count() > 1

    page.click("button:has-text('Swap')")
    page.wait_for_selector(f".heads > div:first-child h2:has-text('{near.title}')")
    assert float(shown.get_attribute("data-value")) == pytest.approx(index.compare(near.id, a).distance)

    page.goto(f"{home}#/topics?tab=distances")
    page.wait_for_selector(".grid[data-drawn='6']")
    page.goto(f"{home}#/search?text=tie")
    page.wait_for_selector(f".hits > li[data-hit='{a}']")


@pytest.mark.browser
def test_any_id_and_hostile_texts_work_in_an_export(cache, tmp_path, open_page):
    ids = ["constructor", ".", "..", "__proto__", "<script>window.broken=1</script>"]
    texts = [
        "planets and stars",
        "stars shine",
        "moons orbit planets",
        "a football match",
        "<img src=x onerror='window.broken=1'> goals",
    ]
    corpus = hott.Corpus(texts, ids=ids, titles=ids, labels=["toString", "valueOf", None, "a", "b"])
    index = hott.Index.build(corpus, n_topics=2, n_models=1, iterations=20, encoder=None)
    page = open_page(explorer.export_site(index, tmp_path / "site", cache=cache).as_uri())
    page.wait_for_function("window.hottAnswer !== undefined")
    for id, other in itertools.pairwise(ids):
        ask = {"a": {"id": id}, "b": {"id": other}}
        found = page.evaluate("(body) => hottAnswer('api/compare', {}, body)", ask)
        assert found["distance"] == pytest.approx(index.compare(id, other).distance, abs=1e-9)
        assert page.evaluate("(id) => hottAnswer('api/document', { id })", id)["id"] == id
    with pytest.raises(Exception, match="No document has the id 'toString'"):
        page.evaluate("() => hottAnswer('api/document', { id: 'toString' })")
    assert page.evaluate("window.broken") is None


def make_questions(index, n):
    """Make words of documents, some replaced by others of the language; a third has misspelt ones."""
    rng = np.random.default_rng(0)
    language = [*itertools.islice(hott.embeddings.default(), 40_000)]
    for number in range(n):
        words = index.documents[int(rng.integers(len(index)))].text.split()
        start = int(rng.integers(max(len(words) - 8, 1)))
        words = words[start : start + int(rng.integers(2, 8))]
        if number % 2:
            words = [str(rng.choice(language)) if rng.random() < 0.5 else word for word in words]
        if number % 3 == 0:
            at, letter = int(rng.integers(len(words))), str(rng.choice([*"abcdefghijklmnopqrstuvwxyz"]))
            place = int(rng.integers(1, len(words[at]) + 1))
            words[at] = words[at][:place] + letter * bool(number % 6) + words[at][place + 1 :]
        yield " ".join(words)


ASK = """async (all) => {
    const ask = (body) => hottAnswer("api/search", {}, body).catch((error) => error.message), found = [];
    for (const body of all) found.push(await ask(body));
    return found;
}"""


def asked_on_both(page, answers, questions, **more):
    """Ask the page and the server the same questions."""
    asked = [{"text": text, "k": 10, **more} for text in questions]
    for body, ours in zip(asked, page.evaluate(ASK, asked)):
        try:
            theirs = answered(answers, "api/search", {}, body)
        except ValueError as error:
            theirs = str(error)
        yield body["text"], ours, theirs


@pytest.mark.browser
@pytest.mark.parametrize("by", ["both", "words", "topics", "meaning"])
def test_any_question_finds_on_the_page_what_it_finds_on_the_server(by, exported, index, answers):
    """The same hits, scores, notes, words and reasons, or the same error."""
    here = {word for d in index.documents for word in tokenize(f"{d.title} {d.text}")}
    long = [word for word in sorted(here - index.model.analyzer.stop_words) if len(word) > 6]
    misspelt = [word[:3] + "q" + word[3:] for word in long[::7]][:50]
    questions = [
        *make_questions(index, 42 if by == "both" else 12),
        *(misspelt[0].title(), " ".join(misspelt), f"The {misspelt[1].upper()} of {misspelt[2]}"),
        *(
            "fotosynthesis and knews",
            "footballer baned for taking cocaine",
            "MP3 of Beethowen and a Symphonny by Wenger, with Galillei and Nappoleon",
            "of the",
            "x1 ?",
            "sovme reverse and splice, concat and flat",  # what JavaScript calls functions of a list
            '"in the" light',
        ),
    ]
    for text, ours, theirs in asked_on_both(exported, answers, questions, by=by):
        if isinstance(theirs, str):
            assert ours == theirs, text
            continue
        for name in ("id", "why", "snippet", "marks"):
            assert [hit[name] for hit in ours["hits"]] == [hit[name] for hit in theirs["hits"]], text
        scores = [[hit["score"] for hit in found["hits"]] for found in (ours, theirs)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-6), text
        assert (ours["notes"], ours["words"]) == (theirs["notes"], theirs["words"]), text


@pytest.mark.browser
def test_a_page_without_an_encoder_finds_what_an_index_without_meaning_finds(
    index, open_page, cache, tmp_path
):
    plain = index.without_meaning()
    layout = Layout(plain, cache=cache)
    layout.wait()
    file = explorer.export_site(index, tmp_path / "site", meaning=False, cache=cache)
    assert not [*file.parent.glob("data/encoder*")]
    page = open_page(file.as_uri())
    page.wait_for_function("window.hottAnswer !== undefined")
    for text, ours, theirs in asked_on_both(page, Answers(plain, layout, ""), make_questions(index, 20)):
        said = "This page searches by words and topics alone: hott explore searches by meaning, too"
        assert ours["notes"] == [*theirs["notes"], said], text
        alike(ours["hits"], theirs["hits"])


@pytest.mark.browser
def test_what_a_page_cannot_load_it_says(hostile, browser, cache, tmp_path):
    file = explorer.export_site(hostile, tmp_path / "site", cache=cache)
    [part] = file.parent.glob("data/vectors-1.js")
    part.rename(tmp_path / "away.js")
    page = browser.new_page()
    page.goto(f"{file.as_uri()}#/explore?text=planets")
    page.wait_for_selector(".problem:has-text('vectors-1.js of this page cannot be loaded')")
    (tmp_path / "away.js").rename(part)
    assert page.evaluate("hottAnswer('api/search', {}, { text: 'planets' })")["hits"]
    page.close()


def test_an_exported_page_tells_no_term_of_one_alone_that_the_title_of_the_other_has(
    tmp_path, cache, open_page
):
    texts = ["The orchid has seeds. Its seeds travel far on wind.", "Boats travel far on wind and water."]
    corpus = hott.Corpus(texts, ids=["a", "b"], titles=["Orchids", "Seeds"])
    index = hott.Index.build(corpus, n_topics=2, n_models=1, iterations=20, encoder=None)
    page = open_page(explorer.export_site(index, tmp_path / "site", cache=cache).as_uri())
    page.wait_for_function("window.hottAnswer !== undefined")
    for one, other, where in (("a", "b", "only_a"), ("b", "a", "only_b")):
        ask = {"a": {"id": one}, "b": {"id": other}}
        found = page.evaluate("(body) => hottAnswer('api/compare', {}, body)", ask)
        told = {term["text"].lower() for term in found["terms"] if term["where"] == where}
        assert not any("seed" in text for text in told), found["terms"]
        assert any("orchid" in text for text in told)
