# SPDX-License-Identifier: Apache-2.0
"""The part of run.py that runs in a framework's environment: all its models in one process, since importing a
framework takes longer than the smallest runs. Started by run.py with PRENGDL_EVENTS set; writes a line of JSON per
check: what was told in each phase, or what went wrong."""

import json
import os
import sys
import time
import traceback
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE), str(SOURCE / "python"), str(Path(__file__).parent)]


def told(file, phase: list[str]) -> list[dict]:
    """Runs one phase; the events that it appended to the file."""
    from workloads.__main__ import main

    file.seek(0, os.SEEK_END)
    code = main(phase)
    if code != 0:
        raise RuntimeError(f"python -m workloads {' '.join(phase)} gave {code}")
    return [json.loads(line) for line in file]


def outcome(framework: str, check, place: Path, scratch: Path) -> dict:
    from workloads import parity

    settings = [part for change in check.settings for part in ("--set", change)]
    place.mkdir(parents=True, exist_ok=True)
    shared = ["--preset", "tiny", "--threads", "1", "--device", "cpu", "--data", str(scratch / "data"),
              "--state", str(place / "state"), *settings]
    result = {"phases": {}, "seconds": {}}
    with open(os.environ["PRENGDL_EVENTS"]) as file:
        for phase in ("prepare", *check.phases):
            start = time.monotonic()
            options = ["--phase", "train", "--prepare"] if phase == "prepare" else ["--phase", phase]
            result["phases"][phase] = told(file, [framework, check.model, *options, *shared])
            result["seconds"][phase] = round(time.monotonic() - start, 2)
    if check.tolerance is not None:
        code = parity.main([framework, check.model, *settings, "--weights", str(place / "weights.npz"),
                            "--output", str(place / f"{framework}.npz")])
        if code != 0:
            raise RuntimeError(f"workloads.parity gave {code}")
    return result


def main() -> int:
    framework, scratch, *numbers = sys.argv[1:]
    from models import CHECKS

    for number in map(int, numbers):
        place = Path(scratch) / str(number)
        try:
            result = outcome(framework, CHECKS[number], place, Path(scratch))
        except BaseException:  # also of SystemExit: the other models are still to be run
            result = {"error": traceback.format_exc()}
        with open(Path(scratch) / f"{framework}.jsonl", "a") as file:
            print(json.dumps({"number": number, **result}), file=file, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
