# SPDX-License-Identifier: Apache-2.0
"""Runs every model in every framework in its smallest form and shows that the frameworks do the same:

    python3 tests/workloads/run.py --environments DIR [MODEL...]

Each framework's Python is DIR/FRAMEWORK*/bin/python, or what PRENGDL_PYTHON_PYTORCH (and so on) names. The same work,
spans, metrics and parameters must be told, the loss must fall, and the same weights must give the same outputs.
Exit 1 with a list if anything does not hold, 77 if no framework could be run. A framework without an environment is
skipped, and listed.
"""

import argparse
import collections
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from models import BOTH, CHECKS, Check

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
PATIENCE = 300  # seconds per check in one framework; a few are usual


def python_of(framework: str, environments: Path | None) -> str | None:
    named = os.environ.get(f"PRENGDL_PYTHON_{framework.upper()}")
    if named:
        return named
    found = sorted(environments.glob(f"{framework}*/bin/python")) if environments else []
    return str(found[-1]) if found else None


def environment(scratch: Path, framework: str) -> dict[str, str]:
    path = os.pathsep.join((str(SOURCE), str(SOURCE / "python")))
    return {**os.environ, "PYTHONPATH": path, "PRENGDL_EVENTS": str(scratch / f"{framework}.events"),
            "PYTHONDONTWRITEBYTECODE": "1"}


def outcomes(framework: str, python: str, numbers: list[int], scratch: Path) -> dict[int, dict]:
    """What inside.py wrote about each check; a framework that dies takes the checks after it along."""
    (scratch / f"{framework}.events").touch()
    most = PATIENCE * len(numbers)
    command = [python, str(HERE / "inside.py"), framework, str(scratch), *map(str, numbers)]
    with open(scratch / f"{framework}.log", "w+") as log:
        try:
            code = subprocess.run(command, env=environment(scratch, framework), stdout=log, stderr=log, cwd=SOURCE,
                                  timeout=most).returncode
            ended = f"ended with {code}"
        except subprocess.TimeoutExpired:
            ended = f"took longer than {most} s"
        log.seek(0)
        last = "".join(log.readlines()[-20:])
    written = scratch / f"{framework}.jsonl"
    lines = [json.loads(line) for line in written.read_text().splitlines()] if written.exists() else []
    found = {line["number"]: line for line in lines}
    lost = {"error": f"{framework} {ended} before this was done\n{last}"}
    return {number: found.get(number, lost) for number in numbers}


def summary(events: list[dict]) -> dict:
    """What a phase told, without times and values that may differ."""
    work = collections.Counter()
    for event in events:
        if event["ev"] == "work":
            work[event["name"]] += event["value"]
    return {
        "work": dict(work),
        "spans": [(event["span"], event["name"]) for event in events if event["ev"] == "begin"],
        "metrics": [(event["name"], event.get("step")) for event in events if event["ev"] == "metric"],
        "parameters": next((event["value"] for event in events
                            if event["ev"] == "fact" and event["name"] == "parameters"), None),
    }


def values(events: list[dict], metric: str) -> list[float]:
    return [event["value"] for event in events if event["ev"] == "metric" and event["name"] == metric]


def problems_of(check: Check, results: dict[str, dict]) -> list[str]:
    """What does not hold in one framework, or between the first and each other one."""
    problems = []
    for framework, result in results.items():
        if "error" in result:
            problems.append(f"{framework}: {result['error'].strip()}")
            continue
        for phase in check.phases:
            told = summary(result["phases"][phase])
            if not told["work"] or min(told["work"].values()) <= 0:
                problems.append(f"{framework} {phase}: tells no work")
            if (phase, "") not in told["spans"] or ("load", "") not in told["spans"]:
                problems.append(f"{framework} {phase}: has no span '{phase}' or 'load'")
            if told["parameters"] is None:
                problems.append(f"{framework} {phase}: does not tell its parameters")
        loss = values(result["phases"].get("train", []), "loss")
        if check.loss_falls and "train" in check.phases and not (len(loss) > 1 and loss[-1] < loss[0]):
            problems.append(f"{framework}: the loss does not fall: {loss}")
    done = [framework for framework, result in results.items() if "error" not in result]
    for other in done[1:]:
        problems += differences(check, done[0], other, results)
    return problems


def differences(check: Check, first: str, other: str, results: dict[str, dict]) -> list[str]:
    problems = []
    for phase in check.phases:
        one, two = (results[framework]["phases"][phase] for framework in (first, other))
        for what, value in summary(one).items():
            if what == "parameters" and not check.same_parameters:
                continue
            if value != summary(two)[what]:
                problems.append(f"{phase}: {what} differ: {first} {value}, {other} {summary(two)[what]}")
    for metric, most in check.near.items():
        one, two = (values(results[framework]["phases"]["train"], metric)[-1] for framework in (first, other))
        if not math.isclose(one, two, rel_tol=most):
            problems.append(f"{metric} ends at {one:.4g} in {first} and at {two:.4g} in {other}; {most:.0%} is allowed")
    return problems


def outputs_apart(check: Check, number: int, done: list[str], python: str, scratch: Path) -> list[str]:
    problems = []
    for other in done[1:]:
        files = [str(scratch / str(number) / f"{framework}.npz") for framework in (done[0], other)]
        command = [python, "-m", "workloads.parity", "--compare", *files, "--tolerance", str(check.tolerance)]
        ran = subprocess.run(command, env=environment(scratch, "compare"), cwd=SOURCE, capture_output=True, text=True)
        print(f"  {done[0]} and {other}: {ran.stdout.strip()}")
        if ran.returncode != 0:
            problems.append(f"{done[0]} and {other} give different outputs: {ran.stderr.strip()}")
    return problems


def unit_tests(framework: str, python: str, scratch: Path) -> list[str]:
    """Each file in a process of its own: threads of a framework can be set only once."""
    problems = []
    for file in sorted(HERE.glob("test_*.py")):
        ran = subprocess.run([python, str(file)], env=environment(scratch, "tests"), cwd=SOURCE, capture_output=True,
                             text=True, timeout=PATIENCE)
        last = ran.stderr.strip().splitlines()[-1] if ran.stderr.strip() else "said nothing"
        print(f"{framework}: {file.name} {last}", flush=True)
        if ran.returncode != 0:
            problems.append(f"{framework}: {file.name}\n{ran.stderr}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description="shows that all frameworks do the same")
    parser.add_argument("--environments", type=Path, help="where the environments are")
    parser.add_argument("--framework", action="append", help="only these")
    parser.add_argument("--without-unit-tests", action="store_true")
    parser.add_argument("models", nargs="*", help="all unless given")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # by an exception, so that the framework is ended too
    unknown = set(options.models) - {check.model for check in CHECKS}
    if unknown:
        known = ", ".join(sorted({check.model for check in CHECKS}))
        parser.error(f"no check of {', '.join(sorted(unknown))}; there are: {known}")
    chosen = [number for number, check in enumerate(CHECKS) if not options.models or check.model in options.models]
    frameworks = sorted({name for number in chosen for name in CHECKS[number].frameworks
                         if not options.framework or name in options.framework})
    pythons = {name: python_of(name, options.environments) for name in frameworks}
    present = {name: python for name, python in pythons.items() if python}
    problems, results = [], {number: {} for number in chosen}
    with tempfile.TemporaryDirectory(prefix="prengdl-workloads-") as directory:
        scratch = Path(directory)
        for name, python in present.items():
            numbers = [number for number in chosen if name in CHECKS[number].frameworks]
            for number, result in outcomes(name, python, numbers, scratch).items():
                results[number][name] = result
                print(f"{CHECKS[number].name} in {name}: " + ("failed" if "error" in result else
                      ", ".join(f"{phase} {seconds} s" for phase, seconds in result["seconds"].items())), flush=True)
            # The others' environments have no libraries for data and quality: they only run networks.
            if not options.without_unit_tests and name in BOTH:
                problems += unit_tests(name, python, scratch)
        for number, by_framework in results.items():
            check = CHECKS[number]
            found = problems_of(check, by_framework)
            done = [name for name, result in by_framework.items() if "error" not in result]
            if check.tolerance is not None and len(done) > 1:
                print(check.name)
                found += outputs_apart(check, number, done, present[done[0]], scratch)
            problems += [f"{check.name}: {problem}" for problem in found]
    for name in frameworks:
        if not pythons[name]:
            print(f"skipped: no environment {name}")
    for problem in problems:
        print(f"FAILED {problem}", file=sys.stderr)
    if not present:
        return 77
    print(f"{len(chosen)} checks in {', '.join(present)}: " + (f"{len(problems)} problems" if problems else "all hold"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
