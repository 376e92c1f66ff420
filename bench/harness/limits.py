# SPDX-License-Identifier: Apache-2.0
"""What prengdl has to keep, as checked by bench/peers --check."""
import statistics
from dataclasses import dataclass

from .figures import Figures

BOTH = (("prengdl", "floor-100"), ("prengdl-1000", "floor-1000"))


@dataclass(frozen=True)
class Limit:
    what: str
    value: float | None  # None: not measured in this session
    bound: float
    at_least: bool = False

    @property
    def kept(self) -> bool:
        if self.value is None:
            return False
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def __str__(self) -> str:
        verdict = "ok  " if self.kept else "FAIL"
        value = "not measured" if self.value is None else f"{self.value:.3f}"
        return f"{verdict}  {self.what}: {value} ({'>=' if self.at_least else '<='} {self.bound:g})"


def unfit(figures: Figures) -> str | None:
    """Why this session cannot tell whether some limits are kept, if so."""
    rate = figures.steady("floor-1000", "reads_per_second")
    if rate is not None and rate < 950:
        return (f"floor-1000 itself came to {rate:.0f} reads/s only: the machine is too busy, or "
                "too slow, for the limits at 1000/s")
    return None


def _worst(errors: list[float]) -> float | None:
    return max(map(abs, errors)) if errors else None


def _typical(errors: list[float]) -> float | None:
    return statistics.median(map(abs, errors)) if errors else None


def all_limits(figures: Figures) -> list[Limit]:
    """The limits that concern the scenarios of this session."""
    limits = []

    def add(scenario: str, *args, **kwargs) -> None:
        if scenario in figures.scenarios:
            limits.append(Limit(*args, **kwargs))

    steady = "long30" if "long30" in figures.scenarios else "const5"
    for tool, floor in BOTH:
        for name, bound in (("const5", 0.1), ("square5", 0.1), ("long30", 0.1), ("wrap5", 0.1),
                            ("multi5", 0.1), ("busy5", 0.2)):
            add(name, f"{tool}, {name}: worst |error| in %", _worst(figures.errors(tool, name)),
                bound)
        # The loading of a job is part of any window from exec to exit, and in a short job it is more
        # than the reading is off: so the figure is compared with the window that it states.
        for name, bound in (("short", 0.1), ("shortsq", 0.1), ("busyshort", 0.2)):
            runs = len(figures.of(tool, name))
            add(name, f"{tool}, {name}: median |error of reading| of {runs} in %",
                _typical(figures.values(tool, name, "reading_percent")), bound)
        add(steady, f"{tool}: package reads/s", figures.steady(tool, "reads_per_second"),
            950 if tool.endswith("1000") else 95, at_least=True)
        add(steady, f"{tool}: CPU as a multiple of {floor}'s", figures.cpu_against(tool, floor),
            1.3)
        add("busy5", f"{tool}: busy work slowed by % more than under {floor}",
            figures.slow_down_percent(tool, floor), 1.0)
        own, perf = figures.wall_added_ms(tool), figures.wall_added_ms("perf-stat")
        add("true", f"{tool}: time added to true as a multiple of perf stat's (median)",
            own / perf if own is not None and perf else None, 0.4)
        limits.append(Limit(f"{tool}: max RSS in MB", figures.max_rss_mb(tool), 10))
    p99, least = (figures.steady(t, "interval_p99_ms") for t in ("prengdl-1000", "floor-1000"))
    add(steady, "prengdl-1000: p99 interval as a multiple of floor-1000's",
        p99 / least if p99 and least else None, 1.5)
    lost = sum("problem" in r for r in figures.records if r["tool"].startswith("prengdl"))
    limits.append(Limit("runs of prengdl without a result", lost, 0))
    return limits
