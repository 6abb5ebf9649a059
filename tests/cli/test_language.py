"""The command line speaks its own language, early, and also where nobody looks at a terminal."""

import subprocess
import sys

import pytest

import hott
from hott.cli._output import in_words_of_the_command_line
from hott.cli.app import run
from hott.utils import progress
from hott.utils.progress import reporting


def test_documents_without_words_are_found_before_topics_are_learned(monkeypatch):
    monkeypatch.setattr("hott.index.build.fit_distance", None)  # which would be called, and fail
    settings = {"n_topics": 2, "n_models": 1, "embeddings": False, "on_empty": "error"}
    for fit_sample in (2, 100):
        with pytest.raises(ValueError, match=r"1 of 3 documents have no word in the vocabulary: '2'"):
            hott.Index.build(["bread yeast", "bread moon", "123 456"], fit_sample=fit_sample, **settings)


def test_errors_and_warnings_name_options_not_arguments(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_bytes("id,text\n1,café bread\n1,bread yeast\n2,123\n".encode("cp1252"))
    assert run(["index", str(path), "-o", str(tmp_path / "a.hott")]) == 1
    assert "--id none when reading" in capsys.readouterr().err
    settings = ["-o", str(tmp_path / "a.hott"), "--id", "none", "--topics", "2"]
    assert run(["index", str(path), *settings, "--on-empty", "error"]) == 1
    error = capsys.readouterr().err
    assert "choose --on-empty drop" in error
    assert "hott: a.csv: 1 lines are not UTF-8" in error
    assert "State --encoding if that is wrong" in error
    assert "UserWarning" not in error
    assert ".py" not in error


@pytest.mark.parametrize("shards", [[], ["--shards", "2"]])
def test_an_empty_file_is_left_out_and_told(tmp_path, capsys, shards):
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in {
        "a": "bread and yeast",
        "b": "the moon and a star",
        "c": "bread, flour",
        "empty": "",
    }.items():
        (folder / f"{name}.txt").write_text(text)
    settings = ["-o", str(tmp_path / "a.hott"), "--topics", "2", "--models", "1", *shards]
    assert run(["index", str(folder), *settings]) == 0
    out, err = capsys.readouterr()
    assert "of 3 documents" in out
    assert [line.split() for line in err.splitlines() if "known words" in line] == [
        ["left", "out", "documents", "without", "known", "words", "1"]
    ]
    if not shards:
        assert "1 of 4 documents have no word in the vocabulary, and are left out: 'empty.txt'" in err
        (folder / "blank[1].txt").write_text("123")
        assert run(["sync", str(tmp_path / "a.hott"), str(folder)]) == 0
        out, err = capsys.readouterr()
        assert "0 added, 0 changed, 0 removed, 3 unchanged; 3 documents" in out
        assert "1 of 5 documents have no word in the vocabulary, and are left out: 'blank[1].txt'" in err


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("say format= one of csv", "say --format one of csv"),
        ("as in text='body'.", "as in --text body."),
        ("with on_error='skip'.", "with --on-error skip."),
        ("random_state=3", "--seed 3"),
        ('such as language="german", if', "such as --language german, if"),
        ("k=5 and x=1 stay", "k=5 and x=1 stay"),
        ('or choose on_empty="drop" (left out).', "or choose --on-empty drop (left out)."),
        (
            "State encoding= if that is wrong, or id=False.",
            "State --encoding if that is wrong, or --id none.",
        ),
    ],
)
def test_options(said, typed):
    assert in_words_of_the_command_line(said) == typed


def test_python_m_hott():
    done = subprocess.run(
        [sys.executable, "-m", "hott", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"hott {hott.__version__}\n"


def test_progress_is_a_line_now_and_then_without_a_terminal(capsys, monkeypatch):
    clock = iter([0.0, 1.0, 10.0, 20.0, 21.0, 240.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with reporting(True, "words") as report:
        for done in (1, 3, 20, 30, 40):
            report(done, 80)
    lines = ["words: 4%", "words: 25%, about 60 s left", "words: 50%, about 4 min left"]
    assert capsys.readouterr().err.splitlines() == lines
