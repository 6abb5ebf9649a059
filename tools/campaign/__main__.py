"""Try to break hott: kills, full disks, forged files, hostile input, many clients, hard problems.

See docs/robustness.md.

    python tools/campaign --minutes 10
    python tools/campaign --minutes 600 --seed 17          # the same numbers every time
    python tools/campaign --only index --first 20000        # go on where a run of that seed ended
    python tools/campaign --replay index 17/3051            # one case again, with its traceback

It ends with 1 when it has found a defect. Counts are printed, and with --json written to a file.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # of tests, which has the slow solver
sys.path.insert(0, str(Path(__file__).parent))

import disk
import exits
import kills
import leaving
import page
import together
import transport
from common import Campaign
from fuzz import fuzz, replay
from index_files import IndexFiles
from input_files import InputFiles, StructuredFiles, VectorFiles

FUZZED = {target.name: target for target in (IndexFiles(), InputFiles(), StructuredFiles(), VectorFiles())}
PARTS = {
    "kills": kills,
    "together": together,
    "disk": disk,
    "page": page,
    "exits": exits,
    "leaving": leaving,
    "transport": transport,
}
# How the time is shared out.
SHARES = {
    "kills": 3,
    "together": 1,
    "disk": 1,
    "index": 3,
    "input": 2,
    "structure": 3,
    "vectors": 1,
    "page": 2,
    "exits": 1,
    "leaving": 1,
    "transport": 2,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--kills", type=int, help="at most so many; all that the time allows by default")
    parser.add_argument("--first", type=int, default=0, help="first case of fuzzers and transport")
    parser.add_argument("--only", nargs="+", choices=SHARES, default=list(SHARES))
    parser.add_argument(
        "--writers", nargs="+", default=[], help="only those whose names begin so; also commands, of exits"
    )
    parser.add_argument("--replay", nargs=2, metavar=("FUZZER", "CASE"))
    parser.add_argument("--json", type=Path, help="write the counts to this file")
    parser.add_argument(
        "--folder", type=Path, help="work there; in memory by default, where there is such a disk"
    )
    options = parser.parse_args()
    parts = list(options.only)
    if "kills" in parts:
        reason = kills.supported()
        if reason is not None:
            print(f"kills are left out: {reason}")
            parts.remove("kills")
        elif not options.replay:
            kills.preload()
    memory = Path("/dev/shm")
    folder = options.folder or (memory if os.access(memory, os.W_OK) else None)
    with tempfile.TemporaryDirectory(dir=folder, prefix="hott-campaign-") as name:
        if options.replay:
            replay(FUZZED[options.replay[0]], options.replay[1], Path(name))
            return 0
        campaign = Campaign(
            Path(name),
            options.seed,
            first=options.first,
            only=tuple(options.writers),
            max_kills=options.kills,
        )
        print(f"seed {campaign.seed}: {', '.join(parts)}, {options.minutes:g} minutes in all", flush=True)
        for part in parts:
            _run(campaign, part, 60 * options.minutes * SHARES[part] / sum(SHARES[p] for p in parts))
    _report(campaign, options.json)
    return 1 if campaign.defects else 0


def _run(campaign: Campaign, part: str, seconds: float) -> None:
    before, began = campaign.counts.copy(), time.monotonic()
    campaign.ends = began + seconds
    if part in FUZZED:
        fuzz(campaign, FUZZED[part])
    else:
        PARTS[part].run(campaign)
    print(f"\n{part}, {time.monotonic() - began:.0f} s")
    for what, n in sorted((campaign.counts - before).items()):
        if what != "defects":
            print(f"  {n:>9,}  {what}")
    sys.stdout.flush()


def _report(campaign: Campaign, file: Path | None) -> None:
    print(f"\nseed {campaign.seed}: {len(campaign.defects)} defects")
    for what, case in campaign.defects.items():
        print(f"  {what}\n    {case}")
    if file is not None:
        found = {"seed": campaign.seed, "counts": dict(campaign.counts), "defects": campaign.defects}
        file.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
