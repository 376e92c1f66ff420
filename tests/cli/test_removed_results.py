# SPDX-License-Identifier: Apache-2.0
"""What somebody removes or replaces below a study that runs."""

import shutil
import unittest

from program import PATIENCE
from test_studies import Study


class Removed(Study):
    """Each run waits for a file of its own number, so that the test decides when it ends."""

    def setUp(self):
        super().setUp()
        self.turns = self.scratch / "turns"
        self.turns.mkdir()
        self.result = self.scratch / "result"
        self.study(
            command='["sh", "-c", "until test -e turns/all || rmdir turns/next 2> /dev/null; do sleep 0.02; done"]'
        )

    def start(self):
        process = self.start_program("run", self.scratch / "small.toml", "-o", self.result)
        self.wait_for(lambda: list(self.result.glob("logs/*/stderr")), "the first run")
        return process

    def let_one_end(self):
        (self.turns / "next").mkdir()
        self.wait_for(lambda: not (self.turns / "next").exists(), "the end of a run")

    def after_one_run(self):
        process = self.start()
        self.let_one_end()
        self.wait_for(lambda: len(list(self.result.glob("logs/*/stderr"))) == 2, "the second run")
        return process

    def end(self, process):
        """Lets all runs end that are still made."""
        (self.turns / "all").touch()
        error = process.communicate(timeout=PATIENCE)[1]
        (self.turns / "all").unlink()
        return error

    def assertStopped(self, process, *words):
        error = self.end(process)
        self.assertEqual(process.returncode, 1, error)
        self.assertNotIn("runs are done", error)
        for word in words:
            self.assertIn(word, error)

    def assertGoesOn(self):
        (self.turns / "all").touch()
        done = self.run_study()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("12 of 12 runs are done", done.stderr)
        rows = self.rows()
        self.assertEqual((len(rows), len({row["order"] for row in rows})), (12, 12))

    def test_the_whole_result(self):
        process = self.after_one_run()
        shutil.rmtree(self.result)
        self.assertStopped(
            process, f"{self.result} was removed or replaced while it was in use", "the runs in it are gone"
        )
        self.assertFalse(self.result.exists(), "nothing is made where the result was")
        self.assertGoesOn()

    def test_the_whole_result_replaced_by_another(self):
        process = self.after_one_run()
        self.result.rename(self.scratch / "moved")
        self.result.mkdir()
        self.assertStopped(process, f"{self.result} was removed or replaced")
        self.assertEqual(list(self.result.iterdir()), [])
        self.assertEqual(len(self.rows(result="moved")), 1, "the runs so far are where they were moved to")

    def test_the_database(self):
        process = self.after_one_run()
        for file in self.result.glob("study.db*"):
            file.unlink()
        self.assertStopped(
            process, f"{self.result}/study.db was removed or replaced", "2 runs", f"{self.result}/records"
        )
        self.assertGoesOn()

    def test_the_lock(self):
        process = self.after_one_run()
        (self.result / "lock").unlink()
        self.assertStopped(process, f"{self.result}/lock was removed or replaced", "the runs so far were stored")
        self.assertEqual(len(self.rows()), 2)
        self.assertGoesOn()

    def test_records_that_were_not_taken_in_yet(self):
        process = self.after_one_run()
        shutil.rmtree(self.result / "records")
        self.assertStopped(
            process, "1 of the 12 runs that this start made are no longer in", "Start the same command again"
        )
        self.assertGoesOn()

    def test_the_lock_does_not_let_a_second_one_in(self):
        process = self.after_one_run()
        (self.result / "lock").unlink()
        second = self.run_study()
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"{self.result} is in use by another process", second.stderr)
        self.assertEqual(self.run_program("merge", self.result, "-o", self.result).returncode, 1)
        self.assertStopped(process, "lock was removed or replaced")
        self.assertGoesOn()

    def test_the_result_of_a_measurement(self):
        process = self.start_program(
            "measure",
            "-n",
            "3",
            "-o",
            self.result,
            "--",
            "sh",
            "-c",
            f"until rmdir {self.turns}/next 2> /dev/null || test -e {self.turns}/all; do sleep 0.02; done",
        )
        self.let_one_end()
        self.wait_for(lambda: (self.result / "study.db").exists(), "the result")
        self.wait_for(lambda: len(self.rows(result="result")) == 1, "the first run")
        shutil.rmtree(self.result)
        self.assertStopped(process, f"{self.result} was removed or replaced while it was in use")


if __name__ == "__main__":
    unittest.main()
