# SPDX-License-Identifier: Apache-2.0
"""The tools: how each is started, and where it says how many joules the package took."""
import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import venvs
from .scenarios import SCENARIOS

BENCH = Path(__file__).resolve().parent.parent
ZONES = "package,core,dram"
TIME_ONLY = ("busy5", "busyshort", "true")

# A command: from the job's own command and the directory of the run to what is started.
Command = Callable[[list[str], Path], list[str]]


@dataclass(frozen=True)
class Tool:
    name: str
    command: Command
    joules: Callable[[Path], float] | None = None  # None: it measures no energy
    # From when to when its figure is said to be, CLOCK_MONOTONIC in ns; None: it does not say.
    window: Callable[[Path], tuple[int, int]] | None = None
    floor: str = "floor-0"  # what its cost is compared with: as many samples per second
    covers: float = 1.0  # what its figure covers, as a multiple of the package
    scenarios: tuple[str, ...] | None = None  # None: all
    most_reps: int = 1000  # fewer for peers that take seconds to start
    missing: str | None = None  # why it cannot be run here


def _run_of_prengdl(out: Path) -> dict:
    return json.loads((out / "stdout").read_text())["commands"][0]["runs"][0]


def _from_prengdl(out: Path) -> float:
    return _run_of_prengdl(out)["joules"]["package"]["value"]


def _window_of_prengdl(out: Path) -> tuple[int, int]:
    run = _run_of_prengdl(out)
    return run["begin_ns"], run["begin_ns"] + round(run["window_seconds"] * 1e9)


def _from_floor(out: Path) -> float:
    lines = re.findall(r"^package-\d+ ([\d.]+) J$", (out / "stdout").read_text(), re.M)
    return sum(map(float, lines)) if lines else float("nan")


def _from_driver(out: Path) -> float:
    return json.loads((out / "driver.json").read_text())["joules"]


def _from_perun(out: Path) -> float:
    answer = json.loads(next((out / "perun").glob("*.json")).read_text())
    return answer["metrics"]["cpu_energy"]["sum"]


def _library(peer: str, interval: str = "-") -> Command:
    python, driver = str(venvs.program(peer)), str(BENCH / "drivers" / "run_command.py")
    return lambda job, out: [python, driver, peer, str(out), interval, *job]


def _peer(name: str, peer: str, interval: str = "-", **more) -> Tool:
    return Tool(name, _library(peer, interval), _from_driver, most_reps=5,
                missing=venvs.missing(peer), **more)


def _perun(name: str, *options: str) -> Tool:
    def command(job: list[str], out: Path) -> list[str]:
        # It looks the command up in PATH, where the run puts the job, and takes no path to it.
        return [str(venvs.program("perun", "perun")), "monitor", "-b", *options, "-f", "json",
                "--data-out", str(out / "perun"), "job", *job[1:]]
    return Tool(name, command, _from_perun, most_reps=3, missing=venvs.missing("perun"))


def _floor(programs: Path, rate: int) -> Tool:
    start = [str(programs / "floor"), "--rate", str(rate), "--zones", ZONES]
    return Tool(f"floor-{rate}", lambda job, out: [*start, *job], _from_floor,
                floor=f"floor-{rate}")


def _prengdl(path: Path, name: str, floor: str, *options: str) -> Tool:
    return Tool(name, lambda job, out: [str(path), "measure", "--json", *options, "--", *job],
                _from_prengdl, _window_of_prengdl, floor,
                missing=None if path.exists() else f"no {path.name} there")


def all_tools(prengdl: Path, programs: Path) -> dict[str, Tool]:
    hyperfine = "hyperfine"
    rates = ("const5", "long30")
    tools = (
        _prengdl(prengdl, "prengdl", "floor-100"),
        _prengdl(prengdl, "prengdl-1000", "floor-1000", "--rate", "1000"),
        _floor(programs, 0), _floor(programs, 100), _floor(programs, 1000),
        Tool("bare", lambda job, out: job),
        _peer("CodeCarbon", "codecarbon"),
        _peer("CodeCarbon-100", "codecarbon", "0.01", floor="floor-100", scenarios=rates),
        _peer("CodeCarbon-1000", "codecarbon", "0.001", floor="floor-1000", scenarios=rates),
        _peer("pyJoules", "pyjoules"),
        # It asks the processors, not the zones, how many sockets there are, and those are not fake.
        _peer("pyRAPL", "pyrapl", scenarios=tuple(s for s in SCENARIOS if s != "multi5")),
        _peer("Zeus", "zeus"),
        _peer("carbontracker", "carbontracker", covers=1.25),
        _perun("perun"),
        _perun("perun-10", "--sampling-period", "0.1"),
        Tool("perf-stat", lambda job, out: ["perf", "stat", "-o", str(out / "perf.txt"), *job],
             scenarios=TIME_ONLY,
             missing=None if shutil.which("perf") else "not installed (scripts/dependencies bench)"),
        Tool("hyperfine",
             lambda job, out: [hyperfine, "-N", "-r", "1", "--style", "none", " ".join(job)],
             scenarios=TIME_ONLY,
             missing=None if shutil.which(hyperfine) else "not installed (scripts/dependencies bench)"),
    )
    return {tool.name: tool for tool in tools}


CHECKED = ("prengdl", "prengdl-1000", "floor-0", "floor-100", "floor-1000", "bare", "perf-stat")


def choose(tools: dict[str, Tool], names: list[str]) -> dict[str, Tool]:
    unknown = [name for name in names if name not in tools]
    if unknown:
        sys.exit(f"peers: unknown tool {unknown[0]}; there are {', '.join(tools)}")
    return {name: tools[name] for name in names}
