"""Run the commands again and again, and look at how they end: an abort on the way out is easily missed.

Most runs are copies (forks) of a process that has imported what is common, which saves most of the time; they
come down as any Python does. Every twentieth is a new process. Some are interrupted as by Ctrl-C.
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

COMMANDS = [
    ["info", "INDEX"],
    ["search", "INDEX", "word1 word2 word3"],
    ["search", "INDEX", "1", "--why", "--json"],
    ["search", "INDEX", "nothing known"],
    ["compare", "INDEX", "1", "2"],
    ["topics", "INDEX"],
    ["neighbors", "INDEX", "-k", "2", "-o", "OUT.csv"],
    ["distances", "INDEX", "-o", "OUT.npy"],
    ["distances", "INDEX", "-o", "OUT.zarr"],
    ["map", "INDEX", "-o", "OUT.html"],
    ["export", "INDEX", "-o", "OUT", "-k", "1"],
    ["classify", "TEXTS", "-d", "tfidf", "-k", "1", "--folds", "2"],
    ["index", "TEXTS", "-o", "OUT.hott", "--topics", "3", "--models", "1", "--iterations", "2"],
    ["duplicates", "INDEX"],
    ["clusters", "INDEX", "--min-size", "3"],
    ["outliers", "INDEX", "-k", "2"],
    ["table", "INDEX", "-o", "OUT.csv"],
    ["table", "INDEX", "-o", "OUT.parquet"],
    ["merge", "INDEX", "OTHER", "-o", "OUT.hott"],
    ["add", "CHANGED", "MORE"],
    ["update", "CHANGED", "MORE"],
    ["remove", "CHANGED", "3", "4"],
    ["sync", "CHANGED", "MORE"],
    ["data"],
    ["paper", "report", "-o", "OUT"],
    ["info", "INDEX", "--wrong"],
]
SELDOM = [["demo", "-o", "OUT"]]  # which takes a minute
INTERRUPTED = [["explore", "LARGE", "--no-browser"], ["map", "LARGE", "-o", "OUT.html"]]
LEFT = """
import hott.explorer, time
app = hott.explorer.create_app(hott.open({path!r}))
time.sleep({wait})
"""

SERVER = """
import json, os, signal, sys, time
import hott.cli.app, hott.index, hott.storage
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
        for number, (name, order) in enumerate(_orders(campaign, places)):
            if not campaign.in_time:
                break
            if number % 20 == 19 and "code" not in order and order["interrupt"] is None:
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
    interrupted = order["interrupt"] is not None
    allowed = (0, 1, 2, 130, -signal.SIGINT) if interrupted else (0, 1, 2)
    if status not in allowed or ("Traceback" in said and not interrupted):
        last = (said.strip().splitlines() or [""])[-1]
        campaign.defect(f"hott {name} ends with {status}: {last}", json.dumps(order))


def _orders(campaign: Campaign, places: dict[str, str]) -> Iterator[tuple[str, dict]]:
    turn = 0
    while campaign.in_time:
        rng = campaign.random("exits", turn)
        for words in COMMANDS:
            shutil.copyfile(places["INDEX"], places["CHANGED"])
            yield words[0], {"arguments": [places.get(w, w) for w in words], "interrupt": None}
        for words in SELDOM if turn % 100 == 99 else []:
            yield words[0], {"arguments": [places.get(w, w) for w in words], "interrupt": None}
        for words in INTERRUPTED:
            order = {"arguments": [places.get(w, w) for w in words], "interrupt": rng.random() * 2}
            yield f"{words[0]}, interrupted", order
        code = LEFT.format(path=places["LARGE"], wait=rng.random() * 2)
        yield "create_app, left", {"code": code, "interrupt": None}
        turn += 1


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
