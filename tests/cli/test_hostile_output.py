"""Foreign text on a terminal: nothing in ids, titles, labels, columns, texts or file names may steer it."""

import ast
import csv
import io
import json
import os
import re
import sys
import threading
from pathlib import Path

import pytest

import hott.cli
from hott.cli import _output
from hott.cli.app import COMMANDS, run
from hott.lexical import Snippet
from hott.utils.wording import visible

pty = pytest.importorskip("pty")

CLIPBOARD = "\x1b]52;c;ZXZpbA==\x07"
HOSTILE = f"{CLIPBOARD}\x1b[2J\x1b[31m\x9b1m\x9d0;x\x9c\u202eevil\u2066\u200b[/INST][bold][red]:smile:\r\x08"
COLUMN = f"col{HOSTILE}"
NAME = "[draft] \x1b[31m\u202e\n[bold]"  # as part of a file name
OWN_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # which rich writes on a terminal
PROGRESS = re.compile(r"\x1b\[(\?25[lh]|[0-9]*[AKG]|2K|1A)")  # a bar, and its removal
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f]")

THEMES = ("planet orbit moon star telescope comet", "flour yeast oven dough bread salt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table and an index in a folder, all of whose names and values are hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = [
        {
            "id": f"{HOSTILE}{n}",
            "title": f"{HOSTILE} title {n}",
            "label": f"[/INST]{HOSTILE}{n % 2}",
            "text": f"{HOSTILE}\n{THEMES[n % 2]} {CLIPBOARD} {' '.join(THEMES[n % 2].split()[n % 5 :])}",
            COLUMN: f"{HOSTILE}{n % 3}",
        }
        for n in range(16)
    ]
    with open(folder / f"{NAME}.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    (folder / f"{NAME}.json").write_text(json.dumps([{**rows[0], "id": "new"}]), encoding="utf-8")
    values = {name: [row[name] for row in rows] for name in rows[0]}
    corpus = hott.Corpus(  # no reader has cleaned these
        values["text"],
        values["id"],
        values["title"],
        values["label"],
        {COLUMN: values[COLUMN], "year": [2000 + n % 3 for n in range(16)]},
    )
    options = {"n_topics": 2, "n_models": 1, "iterations": 10, "language": "english"}
    index = hott.Index.build(corpus, **options)
    index.edit_topics("rename", 0, HOSTILE)
    index.save(folder / f"{NAME}.hott")
    return folder


def calls(folder: Path) -> dict[str, list[list[str]]]:
    """Calls of every command, those that go wrong with a message included."""
    index, table, new = (str(folder / f"{NAME}.{ending}") for ending in ("hott", "csv", "json"))
    a, b = list(hott.open(index).documents.ids)[:2]
    labels = sorted(set(hott.open(index).documents.labels))
    out = str(folder / f"out {NAME}")
    small = ["--models", "1", "--topics", "2", "--iterations", "5"]
    return {
        "demo": [],  # of our own texts
        "explore": [["explore", f"missing {NAME}.hott"], ["explore", index, "--host", HOSTILE]],
        "index": [
            ["index", table, "-o", f"{out}.hott", *small],
            ["index", table, "-o", f"{out}.hotts", "--shards", "2", *small],
            ["index", table, "--text", HOSTILE],
            ["index", str(folder / f"missing{NAME}")],
        ],
        "info": [["info", index], ["info", index, "--verify"], ["info", table], ["info", f"{out}.hotts"]],
        "topics": [
            ["topics", index],
            ["topics", index, "--over", "label"],
            ["topics", index, "--over", COLUMN],
            ["topics", index, "--over", HOSTILE],
            ["topics", index, "--rename", f"{HOSTILE}=x"],
        ],
        "map": [["map", index, "-o", f"{out}.csv"], ["map", index, "-o", HOSTILE]],
        "subjects": [
            ["subjects", index, "--over", COLUMN],
            ["subjects", index, "--rename", f"{HOSTILE}=x"],
            ["subjects", index, "--hide", "9999"],
            ["subjects", index, "-o", f"{out}.csv"],
        ],
        "clusters": [["clusters", index, "--min-size", "2", "-o", f"{out}.csv"]],
        "duplicates": [["duplicates", index, "--likeness", "0.4"]],
        "outliers": [["outliers", index]],
        "search": [
            ["search", index, "planet", "--why", "--verbose"],
            ["search", index, "planett", "-o", f"{out}.csv"],
            ["search", index, a],
            ["search", index, HOSTILE],
            ["search", index, "planet", "--where", f"{HOSTILE}=1"],
            ["search", index, "planet", "-k", HOSTILE],
            ["search", index, "planet", f"--{HOSTILE}"],
            ["search", f"{out}.hotts", "planet"],
            ["--debug", "search", f"{NAME}.hott", "planet"],
        ],
        "compare": [
            ["compare", index, a, b, "-o", f"{out}.html"],
            ["compare", index, "--labels", *labels],
            ["compare", index, a, f"{HOSTILE}9x"],
        ],
        "contrast": [
            ["contrast", index, "--a", f"label={labels[0]}"],
            ["contrast", index, "--a", f"label={HOSTILE}9x"],
        ],
        "neighbors": [["neighbors", index, "-k", "2"], ["neighbors", index, "-o", f"{out}.csv"]],
        "distances": [["distances", index, "-o", f"{out}.csv"]],
        "classify": [
            ["classify", table, "-d", "tfidf", "--folds", "2"],
            ["classify", "--train", table, "--predict", new, "-d", "tfidf"],
        ],
        "add": [["add", f"{out}.hott", new], ["add", f"{out}.hott", new]],
        "update": [["update", f"{out}.hott", new]],
        "remove": [["remove", f"{out}.hott", "new"], ["remove", f"{out}.hott", HOSTILE]],
        "sync": [["sync", f"{out}.hott", table]],
        "merge": [["merge", index, f"{out}.hott", "-o", f"{out} 2.hott"], ["merge", index, index, "-o", out]],
        "export": [["export", f"missing {NAME}.hott"]],
        "table": [["table", index, "-o", f"{out}.csv"]],
    }


def test_every_command_is_called(folder):
    assert calls(folder).keys() == {name for panel in COMMANDS.values() for name in panel}


@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
def test_no_command_lets_foreign_text_steer_the_terminal(folder, monkeypatch, terminal):
    monkeypatch.chdir(folder)
    for key in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    failures = []
    for arguments in [call for group in calls(folder).values() for call in group]:
        printed = _run(arguments, terminal, monkeypatch).replace("\r\n", "\n")
        if terminal:
            printed = PROGRESS.sub("", OWN_COLOURS.sub("", printed)).replace("\r", "")
        assert "MarkupError" not in printed
        if FORBIDDEN.search(printed) or not printed:
            failures.append((arguments, printed))
    assert not failures


def test_brackets_in_a_file_name_are_printed(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert "written to [draft] t.csv" in _run(
        ["table", str(folder / f"{NAME}.hott"), "-o", "[draft] t.csv"], False, monkeypatch
    )


def test_what_is_shown_of_a_passage_keeps_its_marks():
    """Characters that are left out before a word must not shift its colour."""
    line = _output._line(_output.mark(Snippet("\x1b[31m a planet\n", ((8, 14),))))
    assert line.plain == "[31m a planet "
    assert [line.plain[span.start : span.end] for span in line.spans] == ["planet"]


def test_only_one_module_prints():
    """So that whatever is printed is made harmless."""
    for path in Path(hott.cli.__file__).parent.glob("*.py"):
        if path.name == "_output.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name not in ("print", "typer.echo", "console.print", "sys.stdout.write"), path.name


def test_every_control_and_direction_character_is_left_out():
    import unicodedata

    dangerous = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) == "Cc" or unicodedata.bidirectional(chr(code)) in
        ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
    ]  # fmt: skip
    assert len(dangerous) == 65 + 9
    assert set(visible("".join(dangerous))) == {" "}


def _run(arguments: list[str], terminal: bool, monkeypatch) -> str:
    """What a command prints to a terminal 80 columns wide, or to a pipe."""
    read, write = pty.openpty() if terminal else os.pipe()
    if terminal:
        import fcntl
        import struct
        import termios

        fcntl.ioctl(write, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    parts = []

    def collect() -> None:
        try:
            while part := os.read(read, 1 << 16):
                parts.append(part)
        except OSError:  # Linux says so when the other side of a terminal is closed
            pass

    reader = threading.Thread(target=collect)
    reader.start()
    with open(write, "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        patched.setattr(sys, "stderr", stream)
        patched.setattr(sys, "stdin", io.StringIO(""))
        run(arguments)
    reader.join()
    os.close(read)
    return b"".join(parts).decode()


def test_a_table_fits_the_terminal_and_a_pipe_gets_all(monkeypatch):
    rows = [[3, "word " * 40, "short"]]

    def printed(terminal: bool) -> list[str]:
        out = io.StringIO()
        to = _output.Console(file=out, width=60, force_terminal=terminal, color_system=None)
        _output.print_table(["n", "long", "other"], rows, to=to)
        return out.getvalue().splitlines()

    cut, whole = printed(True), printed(False)
    assert max(map(len, cut)) <= 60
    assert "…" in cut[2]
    assert cut[2].endswith("short")
    assert ("word " * 40).strip() in whole[2]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_columns_that_do_not_fit_follow_below(width):
    """As the shares of topics in twenty years do; shares are numbers, to the right."""
    names = ["topic", *map(str, range(1990, 2010))]
    rows = [["stars, planet, gas", *["0.5%"] * 19, "12.5%"], ["court, war", *["7.0%"] * 20]]
    out = io.StringIO()
    to = _output.Console(file=out, width=width, force_terminal=True, color_system=None)
    _output.print_table(names, rows, to=to)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    heads = [line.split() for line in lines if line.startswith("topic")]
    assert [year for head in heads for year in head[1:]] == names[1:]
    assert (
        sum(line.startswith("stars, planet, gas") for line in lines)
        == len(heads)
        == {60: 3, 80: 2, 200: 1}[width]
    )
    assert lines[2].startswith("stars, planet, gas  0.5%")
