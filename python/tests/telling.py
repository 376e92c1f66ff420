# SPDX-License-Identifier: Apache-2.0
"""A workload in a process of its own, and what it told."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def parsed(text):
    """The events of a file, read strictly: one that is torn or not JSON fails the test."""
    assert not text or text.endswith(b"\n"), "the last line is cut"
    return [json.loads(line.decode("ascii"), parse_constant=refuse) for line in text.splitlines()]


def without(event, *keys):
    return {key: value for key, value in event.items() if key not in keys}


class TellingTest(unittest.TestCase):
    """Gives each test a file for the events in a directory of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "events")

    def start(self, program, path, *options):
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("PYTHONWARN")
        }
        environment.pop("PRENGDL_EVENTS", None)
        environment["PYTHONPATH"] = PACKAGE
        if path is not None:
            environment["PRENGDL_EVENTS"] = path
        return subprocess.Popen(
            [sys.executable, *options, "-c", "import os, prengdl\n" + program],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process):
        process.out, process.err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, process.err)
        return process

    def run_workload(self, program, path=None, *options):
        """The finished process of a workload that did not fail."""
        return self.finish(self.start(program, path, *options))

    def events(self):
        with open(self.path, "rb") as file:
            return parsed(file.read())

    def told(self, program):
        """The events of a workload that printed nothing."""
        process = self.run_workload(program, self.path)
        self.assertEqual((process.out, process.err), ("", ""))
        return self.events()
