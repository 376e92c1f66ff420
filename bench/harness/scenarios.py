# SPDX-License-Identifier: Apache-2.0
"""What is measured: a known waveform, a job, and how often."""
import math
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    name: str
    wave: str
    seconds: float
    reps: int
    quick_reps: int
    about: str
    busy: int = 0
    wraps: bool = False
    machine: tuple[str, ...] = ()  # more options for fake_rapl
    packages: float = 1.0  # what all packages draw, as a multiple of the waveform


CONST = "const:60"
SQUARE = "square:20,120,5"
CORES = os.cpu_count() or 1

SCENARIOS = {s.name: s for s in (
    Scenario("const5", CONST, 5, 3, 1, "60 W, 5 s"),
    Scenario("square5", SQUARE, 5, 3, 1, "20 and 120 W at 5 Hz, 5 s"),
    Scenario("short", CONST, 0.2, 15, 3, "60 W, 200 ms"),
    Scenario("shortsq", SQUARE, 0.2, 15, 3, "20 and 120 W at 5 Hz, 200 ms"),
    Scenario("wrap5", CONST, 5, 3, 1, "60 W, 5 s, the counters wrap in the middle", wraps=True),
    Scenario("multi5", CONST, 5, 3, 1, "packages of 60 and 30 W and a psys of 120 W, 5 s",
             machine=("--packages", "2", "--psys"), packages=1.5),
    Scenario("busy5", CONST, 5, 5, 1, "const5 with all cores busy", busy=CORES),
    Scenario("busyshort", CONST, 0.2, 15, 3, "short with all cores busy", busy=CORES),
    Scenario("true", CONST, 0, 15, 5, "a job of 0 s"),
    Scenario("long30", SQUARE, 30, 2, 0, "square5 for 30 s"),
)}


def energy(wave: str, seconds: float) -> float:
    """Joules in the first `seconds` of a waveform: what waveform.h does, written a second time."""
    shape, numbers = wave.split(":")
    given = [float(x) for x in numbers.split(",")]
    if shape == "const":
        return given[0] * seconds
    if shape == "square":
        low, high, hertz = given[:3]
        duty = given[3] if len(given) > 3 else 0.5
        periods = seconds * hertz
        in_high = math.floor(periods) * duty + min(periods % 1, duty)  # in periods
        return (in_high * high + (periods - in_high) * low) / hertz
    if shape == "sine":
        mean, amplitude, hertz = given
        omega = 2 * math.pi * hertz
        return mean * seconds + amplitude / omega * (1 - math.cos(omega * seconds))
    raise ValueError(f"unknown waveform {wave}")
