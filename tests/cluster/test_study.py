# SPDX-License-Identifier: Apache-2.0
"""Studies on a real Slurm of three nodes: `run --on slurm`, and the faults that a cluster has."""

import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import faults
import sandbox
from cluster_study import PRENGDL, ClusterStudy, wait_until

ABSENT = sandbox.missing()


@unittest.skipIf(ABSENT, ABSENT or "")
class Study(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.slurm = cls.enterClassContext(sandbox.Sandbox(nodes=3))

    def setUp(self):
        self.directory = self.enterContext(tempfile.TemporaryDirectory(prefix="prengdl-"))

    def study(self, **changes):
        return ClusterStudy(self.slurm, self.directory, **changes)

    def prengdl(self, *words, code=0):
        done = subprocess.run([PRENGDL, *map(str, words)], cwd=self.directory, env=self.slurm.environment(),
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done


class Runs(Study):
    def test_sixty_runs_are_made_once_each_in_a_balanced_order_over_the_nodes(self):
        study = self.study(blocks=15)
        study.start()
        self.assertEqual(study.wait(), 0, study.output.read_text())
        study.check(self)
        blocks = study.rows("SELECT block, count(DISTINCT machine), group_concat(place) FROM"
                            " (SELECT * FROM runs ORDER BY begin_ns) GROUP BY block ORDER BY block")
        for block, machines, places in blocks:
            self.assertEqual(machines, 1, f"block {block} is on several nodes")
            self.assertEqual([int(place) for place in places.split(",")], list(range(4 * block, 4 * block + 4)))
        self.assertEqual(study.rows("SELECT count(DISTINCT machine) FROM runs")[0][0], 3)
        # Each level runs first about equally often, on every machine that made several blocks.
        first = study.rows("SELECT count(*) FROM runs AS a JOIN runs AS b ON b.place = a.place + 1 AND a.place % 2 = 0"
                           " WHERE a.begin_ns < b.begin_ns")[0][0]
        self.assertEqual(first, 30)
        status = study.status()
        self.assertEqual(status["done_runs"], 60)
        self.assertEqual({machine["facts"]["system"]["hostname"] for machine in status["machines"]}, {"n1", "n2", "n3"})

    def test_several_blocks_share_a_job_and_its_warm_ups(self):
        study = self.study(blocks=6, warmup=1, settings="")
        study.start("--slurm", "jobs=3")
        self.assertEqual(study.wait(), 0, study.output.read_text())
        study.check(self)
        self.assertEqual(study.rows("SELECT count(*) FROM runs WHERE warmup")[0][0], 12, "once per cell and job")
        self.assertEqual(len(list((study.cluster / "logs").glob("*.log"))), 3)

    def test_the_script_is_shown_without_submitting_anything(self):
        study = self.study(settings='partition = "main"\ntime = "90min"\noptions = ["--comment=x"]\n'
                                    'modules = ["cuda/12"]\nprologue = ["echo hello"]')
        script = self.prengdl("run", "s.toml", "--on", "slurm", "--dry-run", "--slurm", "jobs=4",
                              "--slurm", "options=--nice=5").stdout
        for line in ("#SBATCH --array=0-3%4", "#SBATCH --exclusive", "#SBATCH --no-requeue", "#SBATCH --partition=main",
                     "#SBATCH --time=0-01:30:00", "#SBATCH --comment=x", "#SBATCH --nice=5", "module load cuda/12",
                     "echo hello"):
            self.assertIn(line + "\n", script)
        self.assertFalse(study.result.exists())

    def test_a_refused_job_is_an_error_with_the_words_of_sbatch(self):
        self.study()
        done = self.prengdl("run", "s.toml", "--on", "slurm", "-q", "--slurm", "partition=nowhere", code=1)
        self.assertIn("sbatch refuses the jobs", done.stderr)
        self.assertIn("nowhere", done.stderr)
        self.assertIn("doctor --on slurm", done.stderr)

    def test_jobs_that_make_no_run_end_the_study_with_what_they_said(self):
        study = self.study(blocks=3, settings='prologue = ["echo no such thing; exit 3"]')
        study.start()
        self.assertEqual(study.wait(180), 1)
        text = study.output.read_text()
        self.assertRegex(text, "3 jobs made no run of block .*; the last one: FAILED on n., no such thing")
        self.assertIn(str(study.cluster / "logs"), text)

    def test_cancel_ends_the_jobs_and_the_controller_and_the_study_goes_on_later(self):
        study = self.study(blocks=6, seconds=0.5)
        study.start("--detach")
        self.assertEqual(study.wait(), 0)
        study.wait_for_runs(2)
        self.assertIn("cancelled", self.prengdl("run", "s.toml", "--on", "slurm", "--cancel").stderr)
        wait_until(lambda: not study.live_jobs() and not study.processes(), "jobs are left", 30)
        wait_until(lambda: study.events("interrupted"), "the controller goes on", 30)
        study.start()
        study.finish()
        study.check(self)

    def test_a_task_that_was_begun_is_not_made_again(self):
        study = self.study(blocks=3, seconds=0.5)
        study.start()
        job = study.running_job()
        variables = self.slurm.environment() | {"SLURM_ARRAY_TASK_ID": job["task"], "SLURMD_NODENAME": "n9",
                                                "SLURM_JOB_ID": "99"}
        done = subprocess.run([PRENGDL, "run", study.result / "study.toml", "--task", study.cluster / "0001.json"],
                              env=variables, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn(f"task 0001-{job['task']} was begun before", done.stderr)
        self.assertEqual(study.wait(), 0)
        study.check(self)


@unittest.skipIf(os.environ.get("PRENGDL_SANITIZE"), "the waits for Slurm's timeouts are the same with sanitisers")
class Faults(Study):
    """Five of those that scripts/campaign-cluster injects."""

    def strike(self, fault):
        study = self.study(blocks=8, seconds=0.3)
        study.start()
        study.wait_for_runs(2)
        fault(self.slurm, study, random.Random(1))
        study.finish()
        study.check(self)
        return study

    def test_a_restarted_slurmd_costs_nothing(self):
        study = self.strike(faults.slurmd_restarts)
        self.assertEqual(study.events("job-lost"), [])

    def test_a_killed_program_costs_its_case(self):
        study = self.strike(faults.program_dies)
        self.assertTrue(study.events("job-lost"))

    def test_a_killed_controller_goes_on_where_it_was(self):
        study = self.strike(faults.controller_dies)
        self.assertTrue(study.events("resume"))

    def test_a_killed_scheduler_loses_no_run(self):
        self.strike(faults.slurmctld_restarts)

    def test_a_requeued_job_is_made_by_a_new_one(self):
        study = self.strike(faults.job_is_requeued)
        self.assertTrue(study.events("job-lost"))


if __name__ == "__main__":
    unittest.main(argv=[pathlib.Path(__file__).name])
