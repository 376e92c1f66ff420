# SPDX-License-Identifier: Apache-2.0
"""One run of one tool over one scenario, seen from outside the tool."""
import csv
import itertools
import json
import math
import os
import shutil
import signal
import subprocess
import time
import typing
from pathlib import Path

from .scenarios import Scenario, energy
from .tools import BENCH, Tool


def run(tool: Tool, scenario: Scenario, rep: int, out: Path, programs: Path,
        wrap_after_seconds: float) -> dict:
    """The record of the run. What went wrong is in its "problem"; the rest may then be absent."""
    out = out / tool.name / f"{scenario.name}.{rep}"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    shutil.copy(programs / "job", out / "job")
    job = [str(out / "job"), f"{scenario.seconds:g}", str(out / "job.json")]
    if scenario.busy:
        job.append(str(scenario.busy))

    start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    fake = ["--wave", scenario.wave, "--start-ns", str(start_ns), "--log", str(out / "reads.csv"),
            *scenario.machine]
    wrap_joules = energy(scenario.wave, wrap_after_seconds)
    if scenario.wraps:
        fake += ["--wrap-after", str(wrap_joules)]
    command = [str(BENCH / "with_fake_rapl"), *fake, "--", str(programs / "timed"),
               str(out / "timed.json"), *tool.command(job, out)]
    record: dict[str, typing.Any] = {"tool": tool.name, "scenario": scenario.name, "rep": rep}
    if not _execute(command, out, programs):
        return {**record, "problem": "took longer than three minutes"}

    try:
        timed = json.loads((out / "timed.json").read_text())
        window = json.loads((out / "job.json").read_text())
    except (OSError, ValueError):
        return {**record, "problem": f"the job did not run: {_last_line(out / 'stderr')}"}
    record.update(timed)
    begin, end = window["start_ns"], window["end_ns"]
    record["job_starts_after"] = (begin - start_ns) * 1e-9
    if "turns" in window:
        record["turns_per_second"] = window["turns"] / window["busy_seconds"]
    if "tool_cpu_seconds" in window:
        record["cpu_ms_per_s"] = 1e3 * window["tool_cpu_seconds"] / window["cpu_window_seconds"]
    try:
        record.update(_sampling(out / "reads.csv", begin, end))
    except OSError:
        return {**record, "problem": "the fake left no log of the reads"}
    if tool.joules is None or scenario.seconds == 0:
        return record

    def joules_until(at_ns: int) -> float:
        return energy(scenario.wave, (at_ns - start_ns) * 1e-9)

    before, after = joules_until(begin), joules_until(end)
    if scenario.wraps and not before < wrap_joules < after:
        return {**record, "outside": "the wrap fell outside of the job"}
    counted = scenario.packages * tool.covers
    record["true_joules"] = (after - before) * counted
    try:
        record["joules"] = float(tool.joules(out))
        if math.isnan(record["joules"]):
            raise ValueError("no figure in its output")
        record["error_percent"] = 100 * (record["joules"] / record["true_joules"] - 1)
        if tool.window:
            told_begin, told_end = tool.window(out)
            told = (joules_until(told_end) - joules_until(told_begin)) * counted
            record["reading_percent"] = 100 * (record["joules"] - told) / record["true_joules"]
            record["begins_before_ms"] = (begin - told_begin) * 1e-6
            record["ends_after_ms"] = (told_end - end) * 1e-6
    except (OSError, ValueError, LookupError, TypeError, StopIteration) as problem:
        hint = _last_line(out / "stderr") or repr(problem)
        record["problem"] = f"no result: {hint}"
    return record


def _execute(command: list[str], out: Path, programs: Path) -> bool:
    """False when the run had to be stopped."""
    environment = dict(os.environ, PATH=f"{out}:{os.environ['PATH']}",
                       PRENGDL_BENCH_BIN=str(programs), PYTHONDONTWRITEBYTECODE="1")
    with open(out / "stdout", "wb") as stdout, open(out / "stderr", "wb") as stderr:
        # A group of its own, so that a tool that hangs can be stopped with all of its helpers.
        process = subprocess.Popen(command, cwd=out, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=stdout, stderr=stderr, start_new_session=True)
        try:
            process.wait(180)
            return True
        except BaseException as problem:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            if isinstance(problem, subprocess.TimeoutExpired):
                return False
            raise


def _sampling(log: Path, begin: int, end: int) -> dict:
    """How often the first package's counter was read inside the job's window."""
    with open(log, newline="", encoding="utf-8") as file:
        stamps = [int(row["at_ns"]) for row in csv.DictReader(file) if row["zone"] == "package-0"]
    log.unlink()  # a megabyte each at 1000 per second
    inside = sorted(at for at in stamps if begin <= at <= end)
    figures: dict[str, float] = {"reads": len(stamps)}
    if end - begin > 1e9:
        figures["reads_per_second"] = len(inside) / ((end - begin) * 1e-9)
    gaps = sorted((b - a) * 1e-6 for a, b in itertools.pairwise(inside))
    if len(gaps) >= 100:  # else the 99th percentile is the largest
        figures["interval_p50_ms"] = gaps[len(gaps) // 2]
        figures["interval_p99_ms"] = gaps[int(len(gaps) * 0.99)]
    return figures


def _last_line(path: Path) -> str:
    lines = path.read_text(errors="replace").split("\n") if path.exists() else []
    return next((line.strip()[:160] for line in reversed(lines) if line.strip()), "")
