"""Run the commands again and again, and look at how they end: an abort on the way out is easily missed."""

import os
import subprocess
import sys

from common import Campaign
from writers import made_up

COMMANDS = [
    ["info", "INDEX"],
    ["search", "INDEX", "word1 word2 word3"],
    ["search", "INDEX", "1", "--why", "--json"],
    ["search", "INDEX", "nothing known"],
    ["compare", "INDEX", "1", "2"],
    ["topics", "INDEX"],
    ["neighbors", "INDEX", "-k", "2", "-o", "OUT.csv"],
    ["distances", "INDEX", "-o", "OUT.npy"],
    ["info", "INDEX", "--wrong"],
]


def run(campaign: Campaign) -> None:
    """The commands in turn, until the time is over."""
    path = campaign.folder / "exits.hott"
    made_up(40).save(path)
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    number = 0
    while campaign.in_time:
        words = COMMANDS[number % len(COMMANDS)]
        places = {"INDEX": str(path), "OUT.csv": f"{path}.csv", "OUT.npy": f"{path}.npy"}
        arguments = [places.get(word, word) for word in words]
        command = [sys.executable, "-c", "from hott.cli import main; main()", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        campaign.count(f"exits: {words[0]}")
        if done.returncode not in (0, 1, 2) or "Traceback" in done.stderr:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            campaign.defect(f"hott {words[0]} ends with {done.returncode}: {last}", " ".join(words))
        number += 1
