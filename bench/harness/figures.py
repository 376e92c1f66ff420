# SPDX-License-Identifier: Apache-2.0
"""From the records of all runs to the figures of the tables and limits."""
import statistics


class Figures:
    """The records of one session, asked by tool and scenario. None means: not measured."""

    def __init__(self, records: list[dict]):
        self.records = records
        self.tools = list(dict.fromkeys(r["tool"] for r in records))
        self.scenarios = list(dict.fromkeys(r["scenario"] for r in records))

    def of(self, tool: str, scenario: str) -> list[dict]:
        return [r for r in self.records if r["tool"] == tool and r["scenario"] == scenario]

    def values(self, tool: str, scenario: str, key: str) -> list[float]:
        return [r[key] for r in self.of(tool, scenario) if r.get(key) is not None]

    def median(self, tool: str, scenario: str, key: str) -> float | None:
        values = self.values(tool, scenario, key)
        return statistics.median(values) if values else None

    def errors(self, tool: str, scenario: str) -> list[float]:
        return self.values(tool, scenario, "error_percent")

    def steady(self, tool: str, key: str) -> float | None:
        """A figure of a long job if there was one, else of the 5 s job."""
        long = self.median(tool, "long30", key)
        return long if long is not None else self.median(tool, "const5", key)

    def cpu_against(self, tool: str, floor: str) -> float | None:
        mine, least = self.steady(tool, "cpu_ms_per_s"), self.steady(floor, "cpu_ms_per_s")
        if mine is None or least is None or least < 0.1:  # two reads per run: nothing to divide by
            return None
        return mine / least

    def wall_added_ms(self, tool: str, choose=statistics.median) -> float | None:
        mine = self.values(tool, "true", "wall_seconds")
        bare = self.values("bare", "true", "wall_seconds")
        return 1e3 * (choose(mine) - choose(bare)) if mine and bare else None

    def max_rss_mb(self, tool: str) -> float | None:
        values = [r["max_rss_kb"] for r in self.records if r["tool"] == tool and "max_rss_kb" in r]
        return max(values) / 1024 if values else None

    def slow_down_percent(self, tool: str, than: str, scenario: str = "busy5") -> float | None:
        """How much less the busy processes got done than under `than`. Only runs of the same
        repetition, seconds apart, are compared: the machine itself drifts by more."""
        others = {r["rep"]: r for r in self.of(than, scenario) if "turns_per_second" in r}
        ratios = [others[r["rep"]]["turns_per_second"] / r["turns_per_second"]
                  for r in self.of(tool, scenario)
                  if r.get("turns_per_second") and r["rep"] in others]
        return 100 * (statistics.median(ratios) - 1) if ratios else None

    def problems(self) -> list[str]:
        counted: dict[str, int] = {}
        for record in self.records:
            if "problem" in record:
                line = f"{record['tool']}, {record['scenario']}: {record['problem']}"
                counted[line] = counted.get(line, 0) + 1
        return [f"{line} ({n} times)" if n > 1 else line for line, n in counted.items()]
