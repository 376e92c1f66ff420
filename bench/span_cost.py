#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one begin/end pair inside a Python program costs, in microseconds.

  bench/span_cost.py            prengdl's package and the peers that have such a pair
  bench/span_cost.py --check    only prengdl's; exit 3 if it is above its limits

The peers read the counters in the program itself, here fake ones. prengdl's package writes down
when a span began and ended, and the energy is found afterwards from the samples: hence the
difference.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PEERS = ("pyrapl", "pyjoules", "codecarbon", "zeus")
LIMITS_US = {"prengdl, measured": 5.0, "prengdl, not measured": 0.3}
BATCHES = 15


def pair_of(name: str):
    """A function that begins and ends one span."""
    if name.startswith("prengdl"):
        import prengdl

        def pair():
            prengdl.begin("epoch", "1")
            prengdl.end("epoch", "1")
        return pair
    sys.path.insert(0, str(HERE / "drivers"))
    from meters import METERS
    return METERS[name](tempfile.gettempdir(), None).span


def inside(name: str) -> None:
    """Prints the cost. Runs in the peer's own environment, in a process of its own."""
    pair = pair_of(name)
    batch = 5_000 if name.startswith("prengdl") else 40
    for _ in range(batch // 10):
        pair()
    costs = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(batch):
            pair()
        costs.append((time.perf_counter() - start) / batch * 1e6)
    print(f"cost {statistics.median(costs):.3f} {min(costs):.3f}")


def cost(name: str, command: list[str], environment: dict) -> tuple[float, float] | None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300,
                          check=False)
    for text in done.stdout.splitlines():
        if text.startswith("cost "):
            middle, least = text.split()[1:]
            return float(middle), float(least)
    why = (done.stderr.strip().splitlines() or ["no output"])[-1]
    print(f"{name}: no result ({why})", file=sys.stderr)
    return None


def prengdl_costs(package: Path) -> dict:
    script = [sys.executable, str(Path(__file__).resolve()), "--inside", "prengdl"]
    clean = {k: v for k, v in os.environ.items() if k != "PRENGDL_EVENTS"}
    clean["PYTHONPATH"] = str(package)
    with tempfile.TemporaryDirectory(prefix="prengdl-span-") as place:
        events = {**clean, "PRENGDL_EVENTS": f"{place}/events"}
        return {"prengdl, measured": cost("prengdl, measured", script, events),
                "prengdl, not measured": cost("prengdl, not measured", script, clean)}


def peer_costs(programs: Path) -> dict:
    from harness import venvs
    costs = {}
    environment = {**os.environ, "PRENGDL_BENCH_BIN": str(programs)}
    for peer in PEERS:
        if why := venvs.missing(peer):
            print(f"{peer}: left out, {why}", file=sys.stderr)
            continue
        costs[peer] = cost(peer, [str(HERE / "with_fake_rapl"), "--", str(venvs.program(peer)),
                                  str(Path(__file__).resolve()), "--inside", peer], environment)
    return costs


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--package", type=Path, default=HERE.parent / "python",
                        help="the directory that holds the prengdl package")
    parser.add_argument("--programs", type=Path, default=HERE.parent / "build" / "bench")
    parser.add_argument("--table", type=Path, help="write the table into this document")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        inside(args.inside)
        return 0

    costs = prengdl_costs(args.package.resolve())
    if not args.check:
        costs |= peer_costs(args.programs.resolve())
    rows = [f"| {name} | {value[0]:.2f} | {value[1]:.2f} |"
            for name, value in costs.items() if value]
    table = "\n".join(["| a begin/end pair | median us | least us |", "| --- | --- | --- |", *rows])
    if args.table:
        from harness import tables
        tables.put_into(args.table, {"spans": table})
    else:
        print(table)
    if not args.check:
        return 0
    kept = True
    for name, limit in LIMITS_US.items():
        value = costs.get(name)
        ok = value is not None and value[0] <= limit
        shown = "no result" if value is None else f"{value[0]:.3f} us"
        print(f"{'ok  ' if ok else 'FAIL'}  {name}: {shown} (<= {limit})")
        kept &= ok
    return 0 if kept else 3


if __name__ == "__main__":
    sys.exit(main())
