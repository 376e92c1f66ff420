# SPDX-License-Identifier: Apache-2.0
"""Wrong calls, help, version, and results that cannot be written."""

import json
import os
import re
import subprocess
import unittest

from program import PATIENCE, PRENGDL, SOURCE, Case

COMMANDS = ("measure", "meters", "doctor")


class Usage(Case):
    def test_no_command_prints_the_usage_as_an_error(self):
        done = self.run_program()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("usage: prengdl", done.stderr)

    def test_an_unknown_command_is_answered_with_the_nearest(self):
        self.assertUsage(self.run_program("mesure"), "unknown command 'mesure'", "prengdl measure")
        self.assertUsage(self.run_program("xyzzyplugh"), "prengdl --help")

    def test_an_unknown_option_is_answered_with_the_nearest(self):
        self.assertUsage(self.run_program("measure", "--jsn", "--", "true"), "--jsn", "--json?")
        self.assertUsage(self.run_program("meters", "--wach"), "--watch?")
        self.assertUsage(self.run_program("doctor", "--fxi"), "--fix?")

    def test_a_command_without_dashes_is_told_how_to_be_written(self):
        self.assertUsage(self.run_program("measure", "sleep", "1"), "unknown argument 'sleep'", "--")

    def test_nothing_to_measure(self):
        self.assertUsage(self.run_program("measure"), "no command", "prengdl measure -- sleep 1")
        self.assertUsage(self.run_program("measure", "--"), "no command")
        self.assertUsage(self.run_program("measure", "-c", ""), "empty command")
        self.assertUsage(self.run_program("measure", "-c", "echo 'a"), "not closed", "close")

    def test_values_that_make_no_sense(self):
        for arguments, words in (
                (("-n", "0"), ("--runs",)),
                (("-n", "x"), ("--runs",)),
                (("-n", "-1"), ("--runs",)),
                (("--rate", "5kHz"), ("--rate 5kHz", "1 kHz")),
                (("--rate", "often"), ("--rate", "100Hz")),
                (("--timeout", "soon"), ("--timeout", "250ms")),
                (("--timeout", "-1s"), ("--timeout",)),
                (("--idle", "5 parsecs"), ("--idle", "'5 parsecs'")),
                (("--settle", "x"), ("--settle",)),
                (("--seed", "-3"), ("--seed -3",)),
                (("--json", "--csv"), ("--json", "--csv")),
                (("--name", "a", "--name", "b"), ("--name",)),
                (("--root", "/does/not/exist"), ("/does/not/exist", "directory")),
        ):
            with self.subTest(arguments=arguments):
                self.assertUsage(self.run_program("measure", *arguments, "--", "true"), *words)
        self.assertUsage(self.run_program("meters", "--every", "1ms"), "--every 1ms")

    def test_an_option_is_not_taken_for_the_value_of_another(self):
        for words in (("--output", "--json"), ("-o", "--csv"), ("--rate", "-n", "2"), ("-c", "--shell")):
            with self.subTest(words=words):
                done = self.run_program("measure", *words, "--", "true", cwd=self.scratch)
                self.assertUsage(done, f"{words[0]} needs a value", f"{words[0]}={words[1]}")
        self.assertEqual(list(self.scratch.iterdir()), [])
        done = self.run_program("measure", "--name=--json", "--", "true")
        self.assertIn("--json", done.stdout)

    def test_an_option_may_be_written_in_any_of_the_usual_ways(self):
        for arguments in (("-n", "2", "-c", "true"), ("-n2", "-ctrue"), ("--runs=2", "--command=true"),
                          ("--runs", "2", "--command", "true")):
            with self.subTest(arguments=arguments):
                done = self.run_program("measure", "--json", *arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(json.loads(done.stdout)["commands"][0]["runs"]), 2)

    def test_hostile_words_cannot_reach_the_terminal(self):
        for arguments in (("\x1b[31mred",), ("measure", "--\x1b[31mred"), ("measure", "\x1b[31mx"),
                          ("measure", "-c", "'\x1b[31m"), ("measure", "--root", "/\x1b[31m/x"),
                          ("measure", "--seed", "\x1b[31m", "--", "true"),
                          ("measure", "--rate", "\x1b[31m", "--", "true"),
                          ("measure", "--timeout", "\x1b[31m", "--", "true"),
                          ("measure", "-n", "\x1b[31m", "--", "true"),
                          ("meters", "--every", "\x1b[31m")):
            with self.subTest(arguments=arguments):
                done = self.run_program(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertNotIn("\x1b", done.stderr)

    def test_nothing_runs_when_the_call_is_wrong(self):
        mark = self.scratch / "ran"
        self.run_program("measure", "--rate", "x", "--", "touch", mark)
        self.assertFalse(mark.exists())


class Help(Case):
    def test_the_program_lists_its_commands(self):
        for word in ("--help", "-h", "help"):
            done = self.run_program(word)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for command in COMMANDS:
                self.assertRegex(done.stdout, rf"(?m)^  {command} ")

    def test_each_command_lists_its_options(self):
        for command in COMMANDS:
            done = self.run_program(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"usage: prengdl {command} [OPTIONS]", done.stdout)
            self.assertIn("--root DIR", done.stdout)
            self.assertEqual(self.run_program(command, "-h").stdout, done.stdout)

    def test_options_of_the_measured_command_are_not_taken_for_ours(self):
        done = self.run_program("measure", "--", "echo", "--help", "-n", "5")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith("--help -n 5\n"), done.stdout)

    def test_the_version_is_that_of_the_build(self):
        done = self.run_program("--version")
        self.assertEqual(done.returncode, 0)
        version = re.search(r"project\(prengdl VERSION (\S+)",
                            (SOURCE / "CMakeLists.txt").read_text())[1]
        self.assertEqual(done.stdout, f"prengdl {version}\n")
        self.assertEqual(self.run_program("-V").stdout, done.stdout)


@unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
class FullDisk(Case):
    def test_results_that_cannot_be_written_are_an_error(self):
        for arguments in (("measure", "--", "true"), ("measure", "--json", "--", "true"),
                          ("measure", "--csv", "--", "true"), ("meters",), ("meters", "--json"),
                          ("meters", "--watch", "--times", "1", "--every", "50ms"),
                          ("doctor", "--json"), ("--version",), ("measure", "--help")):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = self.run_program(*arguments, stdout=full)
                self.assertEqual(done.returncode, 1)
                self.assertError(done, "cannot write the results", "disk")

    def test_a_closed_standard_output_is_an_error_and_no_other_file(self):
        done = subprocess.run(["/bin/sh", "-c", 'exec "$0" measure -- true >&-', PRENGDL],
                              env=self.environment(), stderr=subprocess.PIPE, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)


class Temporary(Case):
    """Where events and hidden output are written to."""

    def assertClear(self, done, directory):
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertError(done, str(directory), "TMPDIR")

    def test_a_directory_that_is_not_there(self):
        where = self.scratch / "missing"
        self.assertClear(self.run_program("measure", "--", "true", env={"TMPDIR": where}), where)

    def test_a_directory_that_is_a_file(self):
        where = self.scratch / "file"
        where.touch()
        self.assertClear(self.run_program("measure", "--", "true", env={"TMPDIR": where}), where)

    def test_a_directory_that_nobody_can_write_to(self):
        self.assertClear(self.run_program("measure", "--", "true", env={"TMPDIR": "/proc"}), "/proc")

    def test_nothing_is_left_in_it(self):
        for arguments in (("--", "true"), ("-n", "2", "--", "false"), ("--", "/does/not/exist"),
                          ("--directory", "/does/not/exist", "--", "true")):
            with self.subTest(arguments=arguments):
                self.run_program("measure", *arguments, env={"TMPDIR": self.scratch})
                self.assertEqual(list(self.scratch.iterdir()), [])
