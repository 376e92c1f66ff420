# SPDX-License-Identifier: Apache-2.0
"""The program under test, and what the tests surround it with.

ctest sets PRENGDL, STANDINS and FAKE_RAPL; by hand, after a release build:
python3 -m unittest discover -s tests/cli
"""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PRENGDL = os.environ.get("PRENGDL") or str(SOURCE / "build/prengdl")
STANDINS = os.environ.get("STANDINS") or str(SOURCE / "build/tests/standins")
FAKE_RAPL = os.environ.get("FAKE_RAPL", str(SOURCE / "build/bench/fake_rapl"))
IS_SANITISED = bool(os.environ.get("PRENGDL_SANITIZE"))
PATIENCE = 120  # seconds until a process that should have ended counts as hung

# What the user's own environment may hold and would change the outcome. The empty lists hide GPUs.
_UNWANTED = ("NO_COLOR", "PRENGDL_EVENTS", "SUDO_UID", "SUDO_GID", "SUDO_USER", "SUDO_COMMAND",
             "SLURM_STEP_GPUS", "SLURM_JOB_GPUS", "GPU_DEVICE_ORDINAL", "NVIDIA_VISIBLE_DEVICES",
             "HIP_VISIBLE_DEVICES", "LD_LIBRARY_PATH")


def environment(changes=None):
    """The environment of a process under test; a change to None takes a variable away."""
    result = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    result.update(CUDA_VISIBLE_DEVICES="", ROCR_VISIBLE_DEVICES="", TERM="xterm", LC_ALL="C.UTF-8",
                  PYTHONPATH=str(SOURCE / "python"))
    for name, value in (changes or {}).items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = str(value)
    return result


def copy_program(directory):
    """A copy of the program there, without prengdl-serve."""
    return shutil.copy(PRENGDL, directory / "prengdl")


def python(code):
    """A command that runs Python code, as words."""
    return [sys.executable, "-c", code]


def line(words):
    """Words as -c takes them."""
    return " ".join(shlex.quote(word) for word in words)


class Case(unittest.TestCase):
    """A test that runs the program. Each has a scratch directory of its own."""

    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name, "scratch")
        self.scratch.mkdir()
        # What a program that is killed cannot take away goes with the test.
        self.temporary = pathlib.Path(scratch.name, "temporary")
        self.temporary.mkdir()

    def environment(self, changes=None):
        # An A/A record of the user's own would change what doctor prints.
        return environment({"TMPDIR": self.temporary, "XDG_STATE_HOME": self.temporary / "state", **(changes or {})})

    def run_program(self, *arguments, env=None, **more):
        """Runs to the end. Output as text, where bytes that are not UTF-8 stay visible."""
        more.setdefault("stdin", None if "input" in more else subprocess.DEVNULL)
        if more["stdin"] is None:
            del more["stdin"]
        more.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([PRENGDL, *map(_argument, arguments)], env=self.environment(env),
                              stderr=subprocess.PIPE, timeout=PATIENCE, encoding="utf-8",
                              errors="backslashreplace", **more)

    def start_program(self, *arguments, env=None, **more):
        """In the background; killed at the end of the test if it is still there."""
        process = subprocess.Popen([PRENGDL, *map(_argument, arguments)], env=self.environment(env),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, encoding="utf-8", **more)
        self.addCleanup(_end, process)
        return process

    def measure(self, *arguments, code=0, **more):
        """What `measure --json` says."""
        done = self.run_program("measure", "--json", *arguments, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def one_run(self, *arguments, **more):
        """The only run of a measurement."""
        commands = self.measure(*arguments, **more)["commands"]
        self.assertEqual([len(command["runs"]) for command in commands], [1])
        return commands[0]["runs"][0]

    def assertUsage(self, done, *words):
        """Exit 2, nothing on stdout, one error and one hint."""
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertError(done, *words)

    def assertError(self, done, *words):
        lines = done.stderr.splitlines()
        self.assertTrue(lines and lines[0].startswith("prengdl: "), done.stderr)
        self.assertLessEqual(len(lines), 2, done.stderr)
        for hint in lines[1:]:
            self.assertTrue(hint.startswith("  "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def wait_for(self, condition, what):
        """Polls until the condition gives something."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if result := condition():
                return result
            time.sleep(0.01)
        raise self.failureException(f"waited in vain for {what}")

    def pid_in(self, path):
        """The number in a file that another process writes."""
        def read():
            text = path.read_text() if path.exists() else ""
            return text.endswith("\n") and text
        return int(self.wait_for(read, f"a pid in {path.name}"))

    def assertGone(self, pid):
        self.wait_for(lambda: not is_alive(pid), f"the end of process {pid}")


def is_alive(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def _argument(argument):
    return argument if isinstance(argument, bytes) else str(argument)


def _end(process):
    if process.poll() is None:
        process.kill()
    process.communicate()


class FakeMachine:
    """A directory that looks like a machine, for --root: an Intel processor that is idle."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
                   "model\t\t: 85\nmodel name\t: Fake Processor\nstepping\t: 7\nflags\t\t: fpu\n\n")
        self.write("proc/stat", "cpu  100 0 100 1000 0 0 0 0 0 0\nprocesses 1\n")
        self.write("proc/meminfo", "MemTotal:       16000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n")
        self.write("proc/loadavg", "0.00 0.00 0.00 1/100 1000\n")
        self.write("sys/devices/system/cpu/online", "0-3\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def zone(self, entry="intel-rapl:0", name="package-0", energy_uj=1_000_000,
             range_uj=262_143_328_850):
        """A powercap zone; the path of its counter."""
        directory = f"sys/class/powercap/{entry}"
        self.write(f"{directory}/name", name + "\n")
        self.write(f"{directory}/max_energy_range_uj", f"{range_uj}\n")
        return self.write(f"{directory}/energy_uj", f"{energy_uj:020}\n")

    def governor(self, name, policies=2):
        for policy in range(policies):
            directory = f"sys/devices/system/cpu/cpufreq/policy{policy}"
            self.write(f"{directory}/scaling_governor", name + "\n")
            self.write(f"{directory}/scaling_available_governors", "performance powersave\n")


class Drawing:
    """While the block lasts, a counter of a fake machine counts as if `watts` were drawn."""

    def __init__(self, counter, watts, wrap_uj=None):
        self._counter, self._watts, self._wrap = counter, watts, wrap_uj
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._count)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _count(self):
        first, begin = int(self._counter.read_text()), time.monotonic()
        # Always as long, in place and in one write: a reader never sees half a number.
        file = os.open(self._counter, os.O_WRONLY)
        while not self._stop.wait(0.002):
            value = first + int((time.monotonic() - begin) * self._watts * 1e6)
            if self._wrap:
                value %= self._wrap
            os.pwrite(file, f"{value:020}\n".encode(), 0)
        os.close(file)
