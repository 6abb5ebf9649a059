"""The command line as a user meets it: what it prints, what it writes, how it fails."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

import hott
from hott.cli import info
from hott.cli._output import _break, print_table, quote, write_table
from hott.cli.app import run


@pytest.fixture
def call(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder; gives its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command


def test_a_folder_becomes_an_index_a_map_and_an_explained_comparison(call, articles, tmp_path):
    for article in articles:
        path = tmp_path / "my texts" / article.label / f"{article.id.split('/')[1]}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(article.text, encoding="utf-8")
    code, out, _ = call("index", "my texts", "--models", 1, "--topics", 6, "--iterations", 30)
    assert code == 0
    assert "Index of 60 documents" in out
    index = hott.open("my texts.hott")
    assert set(index.documents.labels) == {"astronomy", "tennis", "cooking"}
    assert call("map", "my texts.hott", "-o", "map.html")[0] == 0
    assert "<script" in Path("map.html").read_text(encoding="utf-8")
    assert len(json.loads(call("outliers", "my texts.hott", "--json")[1])) == 10
    a, b = list(index.documents.ids)[:2]
    code, out, _ = call("compare", "my texts.hott", a, b, "-o", "why.html")
    assert code == 0
    assert index.compare(a, b).lines[0] in out
    page = Path("why.html").read_text(encoding="utf-8")
    assert "<title>" in page
    assert "<svg" in page
    assert "<script" not in page
    assert call("compare", "my texts.hott", "--labels", "astronomy", "tennis", "-o", "why.png")[0] == 0
    assert Path("why.png").read_bytes().startswith(b"\x89PNG")


def test_numbers_of_a_table_end_below_each_other_and_texts_begin_so(capsys):
    print_table(["count", "name"], [[5, "a star"], [10, "sun"]])
    first, second = (line for line in capsys.readouterr().out.splitlines() if "s" in line)
    assert first.index("5") == second.index("0")
    assert first.index("a star") == second.index("sun")


def test_a_column_is_told_by_what_is_known_of_it():
    assert info._describe_column({"from": 2001, "to": 2005, "missing": 3}) == "2001 to 2005, 3 missing"
    assert info._describe_column({"values": 12}) == "12 different"


def test_lists_call_documents_without_titles_by_their_first_lines(call, tmp_path):
    starts = ["Comets", "Planets", "Bread", "Butter", "Comets abroad", "Planets nearby"]
    words = ["ice tail sun dust", "sun moon star orbit", "flour yeast oven", "milk churn cream"]
    texts = [f"{start}\n{words[n % 4]} {words[n % 4]}" for n, start in enumerate(starts)]
    hott.Index.build(texts, n_topics=2, n_models=1, iterations=10).save(tmp_path / "a.hott")
    for command, shown in (
        (["neighbors", "-k", 1], "Comets abroad"),
        (["outliers", "-n", 6, "-k", 1], "Butter"),
        (["duplicates", "--likeness", 0.5], "Comets (0); Comets abroad (4)"),
        (["search", "sun", "-k", 6], "Planets nearby"),
    ):
        code, out, err = call(command[0], "a.hott", *command[1:])
        assert (code, err) == (0, "")
        assert shown in out
    code, out, _ = call("duplicates", "a.hott", "--likeness", 1)
    assert (code, out) == (0, "no two documents have 100% of their words in common\n")


def test_search_prints_what_the_index_finds(call, index_file):
    expected = hott.open(index_file).search("planets and stars", k=3)
    code, out, _ = call("search", index_file, "planets and stars", "-k", 3, "--json")
    assert code == 0
    assert json.loads(out) == expected.to_dict()
    code, out, _ = call("search", index_file, "planets and stars", "-k", 3)
    assert all(hit.id in out and f"{hit.score:.2f}" in out for hit in expected)
    assert "distances computed" not in out
    assert "distances computed" in call("search", index_file, "planets and stars", "-k", 3, "--verbose")[1]


def test_search_reads_a_text_from_a_pipe(call, index_file, articles):
    code, out, _ = call("search", index_file, "-", "--json", stdin=articles[5].text)
    assert code == 0
    first = json.loads(out)["hits"][0]
    assert (first["id"], first["distance"]) == (articles[5].id, 0.0)


def test_search_says_why(call, index_file):
    code, out, _ = call("search", index_file, "tennis/the-serve", "-k", 2, "--why", "--json")
    assert code == 0
    hits = json.loads(out)["hits"]
    assert hits[0]["why"] == "the document itself"
    assert hits[1]["why"].startswith("Both: ")


def test_compare_as_json_adds_up(call, index_file):
    code, out, _ = call("compare", index_file, "tennis/the-serve", "cooking/sourdough", "--json")
    assert code == 0
    comparison = json.loads(out)
    assert comparison == hott.open(index_file).compare("tennis/the-serve", "cooking/sourdough").to_dict()
    parts = sum(term["part"] for term in comparison["terms"])
    assert parts + comparison["rest"]["part"] == pytest.approx(1, abs=1e-9)


def test_compare_draws_the_plan_between_topics_and_leaves_terms_out(call, index_file, tmp_path):
    picture = tmp_path / "plan.svg"
    pair = ("tennis/the-serve", "tennis/grass-courts")
    left_out = ("--without", "serve", "--without", "zebra")
    code, out, _ = call("compare", index_file, *pair, "--topics", 1, "-o", picture, *left_out)
    assert code == 0
    assert "what moves to another topic" in picture.read_text(encoding="utf-8")
    comparison = hott.open(index_file).compare(*pair)
    assert f"without “serve” the distance is {comparison.without('serve'):.4g} instead of" in out
    assert "without “zebra” the distance is the same\n" in out


def test_topics_and_info_are_tables_or_json(call, index_file):
    code, out, _ = call("topics", index_file, "--json", "-n", 5)
    topics = json.loads(out)
    assert code == 0
    assert sum(topic["share"] for topic in topics) == pytest.approx(1)
    assert all(len(topic["words"]) == 5 for topic in topics)
    out = call("topics", index_file)[1]
    assert all(topic["name"] in out for topic in topics)
    code, out, _ = call("info", index_file, "--verify")
    assert code == 0
    assert "The file is sound" in out
    told = json.loads(call("info", index_file, "--json")[1])
    assert told["documents"] == 60
    assert sum(told["parts"].values()) == told["bytes"] == index_file.stat().st_size


def test_info_says_what_a_user_understands_and_the_rest_when_asked(call, index_file):
    code, out, _ = call("info", index_file)
    assert code == 0
    lines = {line[:10].rstrip(): line[11:] for line in out.splitlines()}
    index = hott.open(index_file)
    assert lines["documents"] == "60 in English"
    assert lines["words"] == f"{len(index.vocabulary.words_):,}"
    assert lines["subjects"].startswith(f"{len(index.subjects())}: {index.subjects()[0].name}")
    assert lines["search by"] == "words, topics and meaning"
    assert re.match(r"[\d.]+ kB: \w[\w ]* \d+ %, .*, other \d+ %$", lines["size"])
    assert lines["saved"] == f"{datetime.fromtimestamp(index_file.stat().st_mtime):%Y-%m-%d %H:%M}"
    internals = ("coherence", "agreement", "n_models", "iterations", "what takes the space")
    assert not any(word in out for word in internals)
    everything = call("info", index_file, "--all")[1]
    assert everything.startswith(out.rstrip())
    assert all(word in everything for word in internals)


def test_info_says_what_an_index_was_built_from_and_changes_read_it_as_before(call, tmp_path):
    folder = tmp_path / "my texts"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(f"The star {name} shines over the planet.")
    assert call("index", folder, "-o", "t.hott", "--models", "1")[0] == 0
    assert f"built from {folder}\n" in call("info", "t.hott")[1]
    (folder / "c.txt").write_text("A star of a planet.")
    assert call("sync", "t.hott", folder)[0] == 0
    out = call("info", "t.hott")[1]
    assert f"built from {folder}\n" in out
    assert "documents  3 in English\n" in out


@pytest.mark.parametrize("ending", ["npy", "csv", "parquet"])
def test_distances_can_be_written_in_three_forms(call, index_file, ending):
    assert call("distances", index_file, "-o", f"D.{ending}")[0] == 0
    exact = hott.open(index_file).distances()
    if ending == "npy":
        written = np.load("D.npy")
    else:
        module = pyarrow.csv.read_csv if ending == "csv" else pyarrow.parquet.read_table
        table = module(f"D.{ending}")
        assert table.column_names[1:] == table["id"].to_pylist()
        written = np.column_stack([column.to_numpy() for column in table.columns[1:]])
    np.testing.assert_allclose(written, exact, rtol=1e-15)


def test_neighbors_of_all_documents(call, index_file):
    code, out, _ = call("neighbors", index_file, "-k", 2, "--json")
    assert code == 0
    found = json.loads(out)
    exact = hott.open(index_file).distances()
    np.fill_diagonal(exact, np.inf)
    nearest = [row["distance"] for row in found["neighbors"] if row["rank"] == 1]
    np.testing.assert_allclose(nearest, exact.min(axis=1), rtol=1e-13)
    assert found["computed"] + found["pruned"] == 60 * 59
    assert call("neighbors", index_file, "-k", 2, "-o", "n.csv")[0] == 0
    assert pyarrow.csv.read_csv("n.csv").num_rows == 120


def test_the_map_can_be_a_table_coloured_by_topic(call, index_file):
    assert call("map", index_file, "-o", "m.csv", "--color", "topic")[0] == 0
    table = pyarrow.csv.read_csv("m.csv")
    assert table.num_rows == 60
    names = {topic.name for topic in hott.open(index_file).topics}
    assert set(table["color"].to_pylist()) <= names


def test_export_writes_a_page_and_says_where(call, index_file, tmp_path, monkeypatch):
    monkeypatch.setenv("HOTT_CACHE", str(tmp_path / "cache"))
    code, out, _ = call("export", index_file, "-o", "site [b]")
    assert code == 0
    page = Path("site [b]", "index.html")
    assert f"open {page} in a browser" in out
    assert "<html" in page.read_text(encoding="utf-8")


def test_a_link_that_leads_nowhere_stops_no_run(call, tmp_path):
    (tmp_path / "texts").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "texts" / name).write_text(f"The star {name} shines over the planet.")
    (tmp_path / "texts" / "gone.txt").symlink_to(tmp_path / "nowhere")
    code, _, err = call("index", "texts", "--models", 1)
    assert code == 0
    assert "links that lead nowhere" in err
    assert "gone.txt" in err
    assert list(hott.open("texts.hott").documents.ids) == ["a.txt", "b.txt"]


def test_an_index_may_have_no_encoder_or_another(call, tmp_path, monkeypatch):
    (tmp_path / "texts").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "texts" / name).write_text(f"The star {name} shines over the planet, and it is far.")
    small = ("index", "texts", "--models", 1, "--topics", 2)
    assert call(*small)[0] == 0
    assert "words, topics and meaning" in call("info", "texts.hott")[1]
    assert call(*small, "--encoder", "none")[0] == 0
    assert "words and topics\n" in call("info", "texts.hott")[1]
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    code, _, err = call(*small, "--encoder", "minilm")
    assert (code, 'pip install "hott[encoder]"' in err) == (1, True)


def test_classify_compares_distances(call, articles, tmp_path):
    lines = [{"id": a.id, "text": a.text, "label": a.label} for a in articles]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    code, out, _ = call("classify", "a.jsonl", "-d", "tfidf", "-d", "nbow", "--folds", 3, "--json")
    assert code == 0
    results = json.loads(out)
    assert [result["distance"] for result in results] == ["tfidf", "nbow"]
    assert results[0]["error"] < 0.2
    assert all(len(result["folds"]) == 3 for result in results)


def test_other_scripts_and_names_do_not_crash(call, tmp_path):
    folder = tmp_path / "größere Texte"
    folder.mkdir()
    for i, text in enumerate(
        ["Das Mädchen hört Musik über Köln", "星と惑星の天文学", "Звёзды и планеты", "déjà vu à l'été"]
    ):
        (folder / f"тест {i}.txt").write_text(text * 3, encoding="utf-8")
    code, _, err = call("index", folder, "-o", "x y.hott", "--vectors", "none", "--models", 1, "--topics", 2)
    assert code == 0, err
    assert call("search", "x y.hott", "Звёзды", "--json")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "missing.hott", "x"], "There is no index missing.hott. Make one with: hott index"),
        (["index", "missing"], "missing"),
        (["search", "INDEX", "zzzzqqq"], "nothing to search by"),
        (["compare", "INDEX", "tennis/the-serv", "tennis/tie-break"], "tennis/the-serve"),
        (["distances", "INDEX", "-o", "no/such/folder.npy"], "no folder"),
        (["distances", "INDEX", "-o", "D.txt"], "must end in .npy, .zarr, .csv, .parquet"),
        (["search", "broken.hott", "x"], "broken.hott"),
        (["index", "empty"], "empty"),
        (["classify", "unlabelled", "-d", "tfidf"], "no label"),
        (["classify", "unlabelled", "-d", "nonsense"], "no label"),
        (["search", "INDEX", "@missing.txt"], "There is no file missing.txt"),
        (["search", "INDEX", "@latin.txt"], "latin.txt is not UTF-8. Save it as UTF-8"),
        (["remove", "INDEX", "--from", "latin.txt"], "latin.txt is not UTF-8. Save it as UTF-8"),
        (["index", "unlabelled", "--stop-words", "latin.txt"], "latin.txt is not UTF-8. Save it as UTF-8"),
        (["index", "unlabelled", "--stop-words", "klingon"], "There is no file klingon"),
        (["index", "latin.txt", "-o", "latin.txt"], "latin.txt is there already"),
        (["map", "INDEX", "--color", "none-such"], "not by 'none-such'"),
        (["topics", "INDEX", "--rename", "1,2=x"], "rename wants one topic and a name"),
        (["subjects", "INDEX", "--rename", "1,2=x"], "rename wants one subject and a name"),
    ],
)
def test_errors_are_printable_and_leave_nothing_behind(call, index_file, tmp_path, arguments, message):
    (tmp_path / "broken.hott").write_bytes(b"not an index")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / "empty").mkdir()
    (tmp_path / "unlabelled").mkdir()
    (tmp_path / "unlabelled" / "a.txt").write_text("planets and stars")
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = call(*(str(index_file) if a == "INDEX" else a for a in arguments))
    assert code == 1
    assert message in err
    assert err.startswith("hott: ")
    assert err.count("\n") == 1
    assert out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_choice_that_there_is_not_is_told_before_anything_is_read(call, monkeypatch, tmp_path):
    (tmp_path / "a.txt").write_text("planets and stars")
    monkeypatch.setattr("hott.index.build.check_corpus", lambda _: pytest.fail("documents were read"))
    for option, message in (
        ("--distance", "There is no distance 'none-such'"),
        ("--language", "got 'none-such'"),
        ("--vectors", "no such word vector file: none-such"),
        ("--vectors=a.txt", "a.txt"),
        ("--encoder", "none-such"),
    ):
        code, _, err = call("index", "a.txt", *([option] if "=" in option else [option, "none-such"]))
        assert code == 1
        assert message in err or "sentence_transformers is needed" in err


def test_a_list_that_a_windows_editor_saved_is_read(call, index_file, tmp_path):
    (tmp_path / "queries.txt").write_text("planets\n \nstars\n", encoding="utf-8-sig")
    assert call("search", index_file, "@queries.txt", "-k", 1, "-o", "hits.csv")[0] == 0
    with open("hits.csv", encoding="utf-8") as file:
        assert [row["query"] for row in csv.DictReader(file)] == ["planets", "stars"]


def test_nothing_found_is_no_empty_table(call, monkeypatch, tmp_path):
    (tmp_path / "few").mkdir()
    monkeypatch.chdir(tmp_path / "few")
    for number, word in enumerate(("planets", "bread", "racket")):
        Path(f"{number}.txt").write_text(word)
    assert call("index", ".", "--models", 1)[0] == 0  # named as the folder is
    assert call("index", ".", "--like", "few.hott", "-o", "memory://few/x.hott")[0] == 0
    for command in ("clusters", "subjects"):
        assert call(command, "few.hott")[1].startswith("3 of 3 documents")
    assert "subjects   none" in call("info", "few.hott")[1]


def test_wrong_calls_exit_with_2(call, index_file):
    assert call("search", index_file)[0] == 2
    assert call("no-such-command")[0] == 2
    assert "-o is for the labels" in call("classify", "x", "-o", "x.csv")[2]
    for wrong in ("many", "0"):
        assert call("index", "x", "--topics", wrong)[0] == 2
    assert "Missing argument 'QUERY'" in call("search", index_file)[2]
    assert "Missing argument 'B'" in call("compare", index_file, "a")[2]
    Path("taken").touch()
    assert "'taken' is a file" in call("demo", "-o", "taken")[2]
    pair = ("tennis/the-serve", "tennis/grass-courts", "--topics")
    for wrong in (["1"], ["1", "-o", "x.html"], ["99", "-o", "x.svg"]):
        code, _, err = call("compare", index_file, *pair, *wrong)
        assert (code, "--topics is from 1 to" in err) == (2, True)
    assert call("search", index_file, "x", "-k", 0)[0] == 2


def test_binary_files_in_a_folder_are_named_and_passed_over(call, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for i in range(4):
        (folder / f"{i}.txt").write_text("planets and stars and moons " * 3)
    (folder / "photo.txt").write_bytes(bytes(range(256)) * 10)
    code, out, err = call("index", "texts", "--models", 1, "--topics", 2)
    assert code == 0
    assert "photo.txt" in out + err
    assert len(hott.open("texts.hott")) == 4


def test_an_unwritable_output_keeps_the_old_index(call, index_file, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("planets and stars")
    (tmp_path / "folder.hott").mkdir()
    code, _, err = call("index", "texts", "-o", "folder.hott")
    assert code == 1
    assert "is a folder" in err


def test_version_help_and_debug(python):
    hott_command = [python, "-c", "from hott.cli import main; main()"]
    done = subprocess.run([*hott_command, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"hott {hott.__version__}\n")
    done = subprocess.run([*hott_command, "search", "--help"], capture_output=True, text=True)
    assert "Examples" in done.stdout
    done = subprocess.run([*hott_command, "--debug", "info", "missing.hott"], capture_output=True, text=True)
    assert "Traceback" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_reader_that_stops_early_is_no_error(index_file, python):
    hott_command = f"{python} -c 'from hott.cli import main; main()'"
    command = f"{hott_command} neighbors '{index_file}' -k 50 --json | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "{\n", "")


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_output_to_a_closed_pipe_is_no_error(index_file, python):
    """Small enough for one buffer: it is written when the command has ended."""
    code = (
        "import os, sys\n"
        "read, write = os.pipe(); os.close(read); os.dup2(write, 1)\n"
        "from hott.cli import main; main()\n"
    )
    for arguments in (["info", str(index_file)], ["--help"], ["topics", str(index_file), "--json"]):
        done = subprocess.run([python, "-c", code, *arguments], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_letter_that_the_output_cannot_take_is_replaced(tmp_path, python):
    texts = ["Łódź stars and planets 漢", "stars and moons", "planets and comets"]
    hott.Index.build(hott.Corpus(texts, ids=["Łódź", "b", "c"]), n_topics=2, n_models=1, iterations=5).save(
        tmp_path / "a.hott"
    )
    call = [python, "-c", "from hott.cli import main; main()", "search", "a.hott", "stars", "-k", "3"]
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    told = {"capture_output": True, "cwd": tmp_path, "env": environment}
    done = subprocess.run(call, **told)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "?\xf3d?".encode("cp1252") in done.stdout
    done = subprocess.run([*call, "--json"], **told)
    assert "Łódź" in [hit["id"] for hit in json.loads(done.stdout.decode("cp1252"))["hits"]]


def test_help_needs_no_numpy_and_names_no_types():
    code = (
        "import sys\nfrom hott.cli.app import run\nrun(['--help'])\nrun(['clusters', '--help'])\n"
        "print('numpy' in sys.modules, 'typer.rich_utils' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.endswith("False False\n")
    panels = ["Look:", "Find:", "Change:", "Publish:"]
    assert [line for line in done.stdout.splitlines() if line in panels] == panels
    assert "Usage: hott clusters INDEX [OPTIONS]" in done.stdout
    assert "--min-size N" in done.stdout
    assert "range" not in done.stdout


def test_a_name_with_spaces_is_quoted_where_it_is_to_be_typed(call, tmp_path):
    (tmp_path / "my texts.csv").write_text("text\nstars and planets\nmoons and stars\n")
    code, out, _ = call("index", "my texts.csv", "--models", 1, "--topics", 2, "--iterations", 5)
    assert code == 0
    assert "Next: hott search 'my texts.hott' \"some words\"   or   hott explore 'my texts.hott'" in out


def test_no_cell_of_a_table_is_a_formula(tmp_path):
    """A spreadsheet would run it: an apostrophe before it makes it a text."""
    columns = {
        "=id": ["=cmd|' /C calc'!A0", "+1 234", "-x", "@x", "\t=x", "a"],
        "n": [-1.5, 2, None, -3, 0, 1],
    }
    write_table(tmp_path / "a.csv", columns)
    with (tmp_path / "a.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["'=id", "n"]
    assert [row[0] for row in rows] == ["'=cmd|' /C calc'!A0", "'+1 234", "'-x", "'@x", "'\t=x", "a"]
    assert [row[1] for row in rows] == ["-1.5", "2", "", "-3", "0", "1"]


def test_topics_over_a_column_begin_with_what_changed_most(call, index_file):
    code, out, _ = call("topics", index_file, "--over", "label")
    assert code == 0
    rows = [[float(share) for share in re.findall(r"([\d.]+)%", line)] for line in out.splitlines()]
    ranges = [max(row) - min(row) for row in rows if row]
    assert len(ranges) > 2
    assert ranges == sorted(ranges, reverse=True)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that not even root can write to")
def test_an_output_that_cannot_be_written_is_refused_before_any_work(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("words")
    calls = [["index", str(tmp_path / "nothing is read")], ["map", "no.hott"], ["table", "no.hott"]]
    for command in calls:
        ending = "hott" if command[0] == "index" else "csv"
        assert run([*command, "-o", f"/proc/a.{ending}"]) == 1
        assert f"/proc/a.{ending} cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (("compare",), "astronomy/pulsars"),
        (("compare", "--labels"), "tennis"),
        (("remove",), "tennis/the-serve"),
        (("search", "words", "--where"), "label="),
        (("contrast", "--a", "label=c"), "label=cooking"),
        (("topics", "--over"), "label"),
    ],
)
def test_the_shell_completes_ids_labels_and_columns(
    index_file, monkeypatch, capsys, tmp_path, typed, offered
):
    (tmp_path / "a.hott").symlink_to(index_file)
    command, *rest = typed
    incomplete = rest.pop() if rest and "=" in rest[-1] else ""
    monkeypatch.setenv("_HOTT_COMPLETE", "complete_zsh")
    monkeypatch.setenv(
        "_TYPER_COMPLETE_ARGS", " ".join(["hott", command, str(tmp_path / "a.hott"), *rest, incomplete])
    )
    with pytest.raises(SystemExit):
        run([])
    assert f'"{offered}"' in capsys.readouterr().out


def test_the_demo_says_what_it_is_for_and_ends_with_the_explorer(call, articles, monkeypatch):
    monkeypatch.setattr("hott.corpus.demo.corpus", lambda: articles)
    monkeypatch.setattr("hott.corpus.demo.PAIRS", (("tennis/grass-courts", "tennis/clay-courts"),))
    monkeypatch.setattr("hott.corpus.demo.QUERIES", ("why bread dough rises", "tennis"))
    code, out, _ = call("demo", "-o", "my demo")
    lines = out.splitlines()
    assert (code, lines[-1]) == (0, "  hott explore 'my demo/demo.hott'")
    assert lines[0] == "hott finds documents that answer a question, even in other words, and says why."
    assert re.search(r"same words \(BM25\)  \S.*\n  hott +Sourdough  has bread, dough", out)
    assert "Only Grass courts: " in out
    assert "cross-validation" not in out
    assert "\n\n\n" not in out
    assert Path("my demo", "report.html").exists()


def test_columns_that_do_not_fit_follow_below_and_names_are_quoted():
    assert _break([4, 5, 5, 5], 20) == [[0, 1, 2], [0, 3]]
    assert (quote("articles.hott"), quote("my texts.hott")) == ("articles.hott", "'my texts.hott'")
