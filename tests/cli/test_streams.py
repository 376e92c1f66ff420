# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are full, closed, or whose reader went away."""

import json
import os
import signal
import subprocess
import unittest

from program import PATIENCE, PRENGDL, Case
from test_studies import Study

# How stderr can be useless: what a shell does to it before it becomes the program.
USELESS = {"full": "2>/dev/full", "closed": "2>&-", "all closed": "<&- >&- 2>&-"}


class UselessStderr(Study):
    def call(self, redirection, *arguments, **more):
        return subprocess.run(["/bin/sh", "-c", f'exec "$0" "$@" {redirection}', PRENGDL, *map(str, arguments)],
                              env=self.environment(), timeout=PATIENCE, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, **more)

    def call_without_reader(self, *arguments):
        """The reader of stderr is gone before the program starts."""
        reader, writer = os.pipe()
        os.close(reader)
        try:
            return subprocess.run([PRENGDL, *map(str, arguments)], env=self.environment(), timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer)
        finally:
            os.close(writer)

    def assertWhole(self, result):
        self.assertEqual(len(self.rows(result=result)), 12)
        # Nothing was printed into a file that took the number of a closed stream.
        done = self.run_program("status", self.scratch / result, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["troubles"]), (0, []))
        self.assertEqual((self.scratch / result / "study.toml").read_text(), (self.scratch / "small.toml").read_text())

    def test_does_not_end_a_study(self):
        path = self.study()
        for name, redirection in USELESS.items():
            with self.subTest(stderr=name):
                done = self.call(redirection, "run", path, "-o", self.scratch / name)
                self.assertEqual(done.returncode, 0)
                self.assertWhole(name)
        with self.subTest(stderr="no reader"):
            self.assertEqual(self.call_without_reader("run", path, "-o", self.scratch / "gone").returncode, 0)
            self.assertWhole("gone")

    def test_that_loses_its_reader_on_the_way_does_not_end_a_study(self):
        path = self.study()
        process = subprocess.Popen([PRENGDL, "run", path, "-o", self.scratch / "result"], env=self.environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        process.stderr.readline()
        process.stderr.close()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertWhole("result")

    def test_does_not_end_a_measurement(self):
        commands = {
            "measure": ("measure", "-n", "3", "--json", "--", "true"),
            "gate": (
                "gate",
                "--interleave",
                "-n",
                "3",
                "--max",
                "+900%",
                "--json",
                "-c",
                "sleep 0.02",
                "-c",
                "sleep 0.02",
            ),
            "doctor": ("doctor", "--aa", "5", "--json", "-c", "true"),
        }
        for name, arguments in commands.items():
            for stderr in ("full", "closed"):
                with self.subTest(command=name, stderr=stderr):
                    done = self.call(USELESS[stderr], *arguments)
                    self.assertIn(done.returncode, (0, 3, 4))  # what the check says is not looked at
                    json.loads(done.stdout)
            with self.subTest(command=name, stderr="no reader"):
                done = self.call_without_reader(*arguments)
                self.assertIn(done.returncode, (0, 3, 4))
                json.loads(done.stdout)


class LostResults(Case):
    def test_are_an_error(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        for arguments in (("measure", "--", "true"), ("meters",), ("doctor", "--json"), ("--version",)):
            with self.subTest(arguments=arguments):
                done = self.run_program(*arguments, stdout=writer)
                self.assertEqual(done.returncode, 1)
                self.assertError(done, "cannot write the results to standard output")

    def test_end_a_command_that_shows_more_and_more(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        done = self.run_program("meters", "--watch", "--every", "50ms", stdout=writer)
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "cannot write the results to standard output")


class Workloads(Case):
    def test_are_ended_by_a_broken_pipe_as_ever(self):
        run = self.one_run("--ignore-failure", "--", "sh", "-c", "kill -PIPE $$")
        self.assertEqual(run["signal"], signal.SIGPIPE)

    def test_do_not_inherit_files_in_place_of_closed_streams(self):
        done = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" <&- 2>&-', PRENGDL, "measure", "--json", "-o",
                               self.scratch / "result", "--", "sh", "-c", "echo error >&2; cat"],
                              env=self.environment(), timeout=PATIENCE, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.run_program("status", self.scratch / "result").returncode, 0)


if __name__ == "__main__":
    unittest.main()
