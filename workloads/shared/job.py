# SPDX-License-Identifier: Apache-2.0
"""A job: what one run of a workload does, and the events that it emits.

The names of spans, work and facts are the same in every workload, so that any two can be compared:

    spans    load, warmup, train, epoch, eval, infer
    work     samples, steps, tokens, inferences
    facts    versions, device, threads, batch, precision, parameters, forward_flops (of a sample), preset
"""

import dataclasses
import os
import shutil
import sys
import typing
from contextlib import contextmanager
from pathlib import Path

import prengdl


@dataclasses.dataclass
class Job:
    framework: str
    model: str
    phase: str  # train or infer
    preset: str
    seed: int
    threads: int
    device: str  # cpu or cuda
    precision: str  # fp32, bf16
    data: Path  # where the data sets are
    state: Path  # where training saves, and inference loads from
    plan: typing.Any  # the model's own settings: a dataclass of shared/MODEL.py

    def __post_init__(self):
        self._loading = None

    def loading(self):
        """Begins the span `load`: imports, data, the model. `loaded` ends it."""
        self._loading = prengdl.span("load")
        self._loading.__enter__()

    def loaded(self):
        if self._loading is not None:
            self._loading.__exit__(None, None, None)
            self._loading = None

    @contextmanager
    def saving(self):
        """A directory for what training saves; it is seen by others only when all is written."""
        aside = self.state.with_name(f"{self.state.name}.{os.getpid()}.part")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        try:
            yield aside
            shutil.rmtree(self.state, ignore_errors=True)
            aside.rename(self.state)
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def saved(self) -> Path:
        """What training saved; inference stops here if there is none."""
        if not self.state.is_dir():
            raise Refused(
                f"{self.framework} {self.model} has not been trained: there is no {self.state}",
                "run the same command with --prepare first",
            )
        return self.state

    def tell_work(self, **work: float):
        """Adds to what was done: samples=..., steps=..., tokens=..."""
        for name, value in work.items():
            prengdl.work(name, value)

    def tell_facts(self, **facts):
        """What this run is, emitted once: parameters=25557032, versions as torch="2.15.0"."""
        for name, value in facts.items():
            prengdl.fact(name, value)

    def say(self, text: str):
        """A line for the person who watches: results go to events, words to standard error."""
        print(f"{self.framework} {self.model}: {text}", file=sys.stderr, flush=True)


class Refused(Exception):
    """What cannot be run here, and why; the second argument says what to do next."""


def with_changes(plan, changes: list[str]):
    """The plan with `name=value` replaced; the type is that of the field."""
    fields = {field.name: field for field in dataclasses.fields(plan)}
    values = {}
    for change in changes:
        name, separator, text = change.partition("=")
        if not separator or name not in fields:
            raise Refused(
                f"--set {change}: there is no setting '{name}'", "it has: " + ", ".join(sorted(fields))
            )
        values[name] = _converted(text, getattr(plan, name), name)
    return dataclasses.replace(plan, **values)


def _converted(text: str, like, name: str):
    try:
        if isinstance(like, bool):
            return {"true": True, "false": False}[text]
        if isinstance(like, (int, float)):
            return type(like)(text)
        if isinstance(like, tuple):
            kind = type(like[0]) if like else str
            return tuple(kind(part) for part in text.split(","))
        return text
    except (KeyError, ValueError):
        raise Refused(f"--set {name}={text}: not a {type(like).__name__}", f"it is {like!r} now") from None
