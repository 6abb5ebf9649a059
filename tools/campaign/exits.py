"""Run the commands again and again, and look at how they end: an abort on the way out is easily missed.

Most runs are copies (forks) of a process that has imported what they need, which saves most of the time; they
come down as any Python does. Every fiftieth is a new process. Some are interrupted as by Ctrl-C.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from common import Campaign
from writers import made_up

import hott

# Of each command the ways to call it, one a turn, and how each should end.
COMMANDS = {
    "info": [(["INDEX"], 0), (["INDEX", "--wrong"], 2)],
    "search": [
        (["INDEX", "word1 word2 word3"], 0),
        (["INDEX", "1", "--why", "--json"], 0),
        (["INDEX", "xqzv vzqx"], 1),
    ],
    "compare": [(["INDEX", "1", "2"], 0)],
    "topics": [(["INDEX"], 0)],
    "neighbors": [(["INDEX", "-k", "2", "-o", "OUT.csv"], 0)],
    "distances": [(["INDEX", "-o", "OUT.npy"], 0), (["INDEX", "-o", "OUT.zarr"], 0)],
    "map": [(["INDEX", "-o", "OUT.html"], 0)],
    "export": [(["INDEX", "-o", "OUT"], 0)],
    "classify": [(["TEXTS", "-d", "tfidf", "-k", "1", "--folds", "2"], 0)],
    "index": [(["TEXTS", "-o", "OUT.hott", "--topics", "3", "--models", "1", "--iterations", "2"], 0)],
    "duplicates": [(["INDEX"], 0)],
    "subjects": [(["INDEX", "--level", "1"], 0)],
    "clusters": [(["INDEX", "--min-size", "3"], 0)],
    "outliers": [(["INDEX", "-k", "2"], 0)],
    "table": [(["INDEX", "-o", "OUT.csv"], 0), (["INDEX", "-o", "OUT.parquet"], 0)],
    "merge": [(["INDEX", "OTHER", "-o", "OUT.hott"], 0)],
    "add": [(["CHANGED", "MORE"], 0)],
    "update": [(["CHANGED", "MORE"], 0)],
    "remove": [(["CHANGED", "3", "4"], 0)],
    "sync": [(["CHANGED", "MORE"], 0)],
}
SELDOM = {"demo": [(["-o", "OUT"], 0)]}  # which takes a minute
INTERRUPTED = [["explore", "LARGE", "--no-browser"], ["map", "LARGE", "-o", "OUT.html"]]
LEFT = """
import hott.explorer, time
app = hott.explorer.create_app(hott.open({path!r}))
time.sleep({wait})
"""

SERVER = """
import gc, json, os, signal, sys, time
import hott.cli.app, hott.explorer, hott.index, hott.plots, hott.storage
import openTSNE, pyarrow.csv, pyarrow.parquet, pydantic, sklearn.neighbors, zarr
gc.collect()
gc.freeze()  # going through what all share is most of the time a copy takes to come down
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a script runs this in the background
for line in iter(sys.stdin.readline, ""):
    order = json.loads(line)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # a copy forgets what comes while it is made
    child = os.fork()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    if child == 0:
        break
    if order["interrupt"] is not None:
        time.sleep(order["interrupt"])
        os.kill(child, signal.SIGINT)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(log, 1)
os.dup2(log, 2)
if "code" in order:
    exec(order["code"])
else:
    sys.argv = ["hott", *order["arguments"]]
    hott.cli.app.main()
"""


def run(campaign: Campaign) -> None:
    """The commands in turn, until the time is over."""
    places = _prepared(campaign.folder)
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    environment |= {"HOTT_CACHE": str(campaign.folder / "cache")}
    log = campaign.folder / "exits.log"
    command = [sys.executable, "-c", SERVER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        orders = (
            (name, order) for name, order in _orders(campaign, places) if name.startswith(campaign.only or "")
        )
        for number, (name, order) in enumerate(orders):
            if not campaign.in_time:
                break
            if number % 50 == 49 and order["expected"] is not None and "code" not in order:
                new = [sys.executable, "-c", "from hott.cli import main; main()", *order["arguments"]]
                with log.open("w") as out:
                    status = subprocess.run(new, stdout=out, stderr=out, env=environment).returncode
                campaign.count("exits of new processes")
            else:
                server.stdin.write(json.dumps({**order, "log": str(log)}) + "\n")
                server.stdin.flush()
                status = int(server.stdout.readline())
            campaign.count(f"exits: {name}")
            _judge(campaign, name, order, status, log.read_text(errors="replace"))
        server.stdin.close()


def _judge(campaign: Campaign, name: str, order: dict, status: int, said: str) -> None:
    interrupted = order["expected"] is None
    allowed = (0, 130, -signal.SIGINT) if interrupted else (order["expected"],)
    if status not in allowed or ("Traceback" in said and not interrupted):
        last = (said.strip().splitlines() or [""])[-1]
        campaign.defect(f"hott {name} ends with {status}: {last}", json.dumps(order))


def _orders(campaign: Campaign, places: dict[str, str]) -> Iterator[tuple[str, dict]]:
    """What to run: every command each turn, and each that is interrupted every second."""
    turn = 0
    while campaign.in_time:
        rng = campaign.random("exits", turn)
        for name, ways in (COMMANDS | (SELDOM if turn % 100 == 99 else {})).items():
            words, expected = ways[turn % len(ways)]
            _cleared(places)
            arguments = [name, *(places.get(word, word) for word in words)]
            yield name, {"arguments": arguments, "interrupt": None, "expected": expected}
        for number, words in enumerate(INTERRUPTED):
            if (turn + number) % 2 == 0:
                _cleared(places)
                order = {"arguments": [places.get(w, w) for w in words], "interrupt": 2 * rng.random()}
                yield f"{words[0]}, interrupted", {**order, "expected": None}
        if turn % 2:
            code = LEFT.format(path=places["LARGE"], wait=2 * rng.random())
            yield "create_app, left", {"code": code, "interrupt": None, "expected": 0}
        turn += 1


def _cleared(places: dict[str, str]) -> None:
    """What the last command wrote is gone, and the index that commands change is as it was."""
    for name, place in places.items():
        if name.startswith("OUT"):
            shutil.rmtree(place, ignore_errors=True)
            Path(place).unlink(missing_ok=True)
    shutil.copyfile(places["INDEX"], places["CHANGED"])


def _prepared(folder: Path) -> dict[str, str]:
    small = made_up(40)
    small.save(folder / "exits.hott")
    rows = [{"text": document.text, "label": document.id[-1]} for document in small.documents]
    (folder / "exits.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    more = [{"id": f"more-{number}", "text": row["text"]} for number, row in enumerate(rows[:5])]
    (folder / "more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in more))
    small.with_documents(hott.read(folder / "more.jsonl")).save(folder / "other.hott")
    made_up(1500).save(folder / "large.hott")
    names = {"INDEX": "exits.hott", "LARGE": "large.hott", "TEXTS": "exits.jsonl", "MORE": "more.jsonl"}
    names |= {"OTHER": "other.hott", "CHANGED": "changed.hott"}
    endings = ("", ".csv", ".parquet", ".npy", ".zarr", ".html", ".hott")
    names |= {f"OUT{ending}": f"out{ending}" for ending in endings}
    return {name: str(folder / file) for name, file in names.items()}
