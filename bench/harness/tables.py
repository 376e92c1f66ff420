# SPDX-License-Identifier: Apache-2.0
"""The figures as Markdown, and into a document between markers."""
import os
import platform
import re
import statistics
from pathlib import Path

from .figures import Figures
from .scenarios import SCENARIOS
from .tools import Tool

SHORT = ("short", "shortsq", "busyshort")
ENERGY = ("const5", "square5", "short", "shortsq", "wrap5", "multi5", "long30")


def _number(value: float | None, digits: int = 1, sign: bool = False) -> str:
    if value is None:
        return "–"
    return f"{value:{'+' if sign else ''}.{digits}f}"


def _percent(errors: list[float]) -> str:
    """The median, and the worst when there are several."""
    text = _number(statistics.median(errors), 2, True)
    if len(errors) > 1:
        text += f" ({_number(max(errors, key=abs), 2, True)})"
    return text


def _error_cell(figures: Figures, tool: str, scenario: str) -> str:
    runs, errors = figures.of(tool, scenario), figures.errors(tool, scenario)
    if not runs:
        return "–"
    if not errors:
        return "no result"
    lost = sum("problem" in run for run in runs)
    return _percent(errors) + (f", {lost} without result" if lost else "")


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def error_table(figures: Figures, tools: dict[str, Tool]) -> str:
    scenarios = [s for s in ENERGY if s in figures.scenarios]
    rows = [[name, *(_error_cell(figures, name, s) for s in scenarios)]
            for name in figures.tools if tools[name].joules]
    return _table(["error in %", *scenarios], rows)


def parts_table(figures: Figures, tools: dict[str, Tool]) -> str:
    """Of tools that say which window they mean: is it that window, or the reading of it?"""
    rows = []
    for name in figures.tools:
        for scenario in SHORT:
            errors = figures.errors(name, scenario)
            if not tools[name].window or not errors:
                continue
            rows.append([
                name, scenario, _percent(errors),
                _percent(figures.values(name, scenario, "reading_percent")),
                _number(figures.median(name, scenario, "begins_before_ms"), 2),
                _number(figures.median(name, scenario, "ends_after_ms"), 2)])
    return _table(["tool", "scenario", "error in %", "of that by reading",
                   "window begins before the job's own, ms", "ends after it, ms"], rows)


def cost_table(figures: Figures, tools: dict[str, Tool]) -> str:
    rows = []
    for name in figures.tools:
        p50, p99 = (figures.steady(name, f"interval_{p}_ms") for p in ("p50", "p99"))
        rows.append([
            name, _number(figures.steady(name, "reads_per_second")),
            "–" if p99 is None else f"{_number(p50, 2)} / {_number(p99, 2)}",
            _number(figures.steady(name, "cpu_ms_per_s")),
            _number(figures.cpu_against(name, tools[name].floor), 2),
            f"{_number(figures.wall_added_ms(name))} ({_number(figures.wall_added_ms(name, min))})",
            _number(figures.max_rss_mb(name))])
    return _table(["tool", "reads/s", "interval ms p50 / p99", "CPU ms per s", "CPU / floor",
                   "ms added to `true`: median (min)", "max RSS MB"], rows)


def busy_table(figures: Figures, tools: dict[str, Tool]) -> str:
    rows = [[name, _error_cell(figures, name, "busy5") if tools[name].joules else "–",
             _error_cell(figures, name, "busyshort") if tools[name].joules else "–",
             _number(figures.slow_down_percent(name, "bare"), 2, True),
             _number(figures.slow_down_percent(name, tools[name].floor), 2, True)]
            for name in figures.tools if figures.of(name, "busy5")]
    return _table(["all cores busy", "error busy5 %", "error busyshort %",
                   "work slowed by % against the bare job", "against floor"], rows)


def conditions(figures: Figures, tools: dict[str, Tool], session: dict) -> str:
    info = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.+)", info)
    kind = "virtual machine" if " hypervisor" in info else "machine"
    scenarios = [f"* `{name}`: {SCENARIOS[name].about}" for name in figures.scenarios if name in SCENARIOS]
    lines = [
        f"Run on {session['date']}{' with --quick' if session['quick'] else ''}: "
        f"{os.cpu_count()} cores of a {kind} ({model.group(1) if model else platform.machine()}), "
        f"Linux {platform.release().split('-')[0]}, {len(figures.records)} runs; "
        f"load average before the first run {session['load']:.1f}.",
        "", "Scenarios:", "", *scenarios]
    absent = [f"{tool.name}: {tool.missing}" for tool in tools.values()
              if tool.missing and tool.name not in figures.tools]
    if absent:
        lines += ["", "Not run:", "", *(f"* {line}" for line in absent)]
    if figures.problems():
        lines += ["", "Without a result:", "", *(f"* {line}" for line in figures.problems())]
    return "\n".join(lines)


def blocks(figures: Figures, tools: dict[str, Tool], session: dict) -> dict[str, str]:
    return {"conditions": conditions(figures, tools, session),
            "errors": error_table(figures, tools),
            "parts": parts_table(figures, tools),
            "cost": cost_table(figures, tools),
            "busy": busy_table(figures, tools)}


def put_into(document: Path, parts: dict[str, str]) -> None:
    """Replaces what stands between <!-- bench NAME --> and <!-- end NAME -->; keeps the rest."""
    text = document.read_text()
    for name, part in parts.items():
        opening, closing = f"<!-- bench {name} -->", f"<!-- end {name} -->"
        if opening not in text or closing not in text:
            raise SystemExit(f"peers: {document} has no {opening} with {closing}")
        head, rest = text.split(opening, 1)
        text = f"{head}{opening}\n{part}\n{closing}{rest.split(closing, 1)[1]}"
    document.write_text(text)
