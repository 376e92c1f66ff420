# SPDX-License-Identifier: Apache-2.0
"""GPUs, by libraries that stand in for NVIDIA's and AMD's (tests/standins)."""

import json
import os
import unittest

from program import STANDINS, Case, FakeMachine

TWO = "name=NVIDIA A100-SXM4-80GB,cc=8.0,watts=250;name=NVIDIA A100-SXM4-80GB,cc=8.0,watts=100"


@unittest.skipUnless(os.path.exists(f"{STANDINS}/libnvidia-ml.so.1"), "the stand-ins are not built")
class Nvidia(Case):
    def env(self, gpus=TWO, **more):
        return {"LD_LIBRARY_PATH": STANDINS, "PRENGDL_STANDIN_NVML": gpus,
                "PRENGDL_STANDIN_ROCM": "", "CUDA_VISIBLE_DEVICES": None, **more}

    def meters(self, **more):
        done = self.run_program("meters", "--json", env=self.env(**more))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def gpu_run(self, *arguments, **more):
        root = FakeMachine(self.scratch).root
        return self.one_run("--root", root, *arguments, "--", "sleep", "0.6", env=self.env(**more))

    @staticmethod
    def hidden(result):
        """What was left out because of CUDA_VISIBLE_DEVICES; the machine itself may leave out other meters."""
        return [one for one in result["left_out"] if "CUDA_VISIBLE_DEVICES" in one["reason"]]

    def assertWatts(self, run, watts):
        expected = watts * run["window_seconds"]
        self.assertIn("gpu", run["joules"], run)
        self.assertAlmostEqual(run["joules"]["gpu"]["value"], expected, delta=0.4 * expected)

    def test_meters_shows_the_gpus(self):
        result = self.meters()
        gpus = [meter for meter in result["meters"] if meter["domain"] == "gpu"]
        self.assertEqual([gpu["kind"] for gpu in gpus], ["counter", "counter"])
        self.assertIn("gpu", result["metered"])
        self.assertTrue(any(one["channel"] == "gpu_utilisation" for one in result["channels"]))
        text = self.run_program("meters", env=self.env()).stdout
        self.assertIn("NVIDIA A100-SXM4-80GB (GPU 1)", text)
        self.assertEqual([gpu["accuracy"]["gain"] for gpu in gpus], [0.05, 0.05])
        self.assertIn("accuracy: within 5 % (Yang 2024; NVML)", text)

    def test_measure_gives_the_joules_of_all(self):
        run = self.gpu_run()
        self.assertWatts(run, 350)
        self.assertEqual(run["joules"]["metered"], run["joules"]["gpu"])
        self.assertNotEqual(run["joules"]["gpu"]["quality"], "model")
        self.assertIn("gpu_utilisation", run["channels"])

    def test_visible_devices_limit_them(self):
        self.assertWatts(self.gpu_run(CUDA_VISIBLE_DEVICES="1"), 100)
        result = self.meters(CUDA_VISIBLE_DEVICES="1")
        self.assertEqual(len([m for m in result["meters"] if m["domain"] == "gpu"]), 1)
        self.assertEqual(len(self.hidden(result)), 1)

    def test_no_visible_device_is_none(self):
        result = self.meters(CUDA_VISIBLE_DEVICES="")
        self.assertEqual([m for m in result["meters"] if m["domain"] == "gpu"], [])
        self.assertEqual(len(self.hidden(result)), 2)

    def test_a_gpu_without_a_counter_is_integrated(self):
        one = "name=NVIDIA GeForce RTX 3090,cc=8.6,watts=200,energy=no"
        self.assertWatts(self.gpu_run(gpus=one), 200)

    def test_the_gpus_are_named_in_the_result(self):
        root = FakeMachine(self.scratch).root
        result = self.measure("--root", root, "--", "true", env=self.env())
        self.assertEqual([gpu["name"] for gpu in result["gpus"]], ["NVIDIA A100-SXM4-80GB"] * 2)

    def test_others_on_the_gpus_disturb_runs_of_measure_and_of_studies_alike(self):
        root = FakeMachine(self.scratch / "machine").root
        busy = self.env(gpus=TWO + ",pids=4711")
        run = self.one_run("--root", root, "--", "true", env=busy)
        self.assertIn("disturbed", run["flags"])
        self.assertIn("1 other processes computed on the GPUs, first pid 4711", run["warnings"])
        study = self.scratch / "study.toml"
        study.write_text('[study]\nname = "s"\nruns = 3\n[protocol]\nwarmup = 0\nsettle = "off"\n[factors]\n'
                         'way = ["a", "b"]\n[workload]\ncommand = ["true", "{way}"]\n[analysis]\ncompare = "way"\n')
        for name, env, disturbed in (("busy", busy, 6), ("free", self.env(), 0)):
            done = self.run_program("run", study, "-o", self.scratch / name, "--root", root, env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            status = json.loads(self.run_program("status", self.scratch / name, "--json").stdout)
            self.assertEqual(sum(cell["disturbed"] for cell in status["cells"]), disturbed, status["cells"])

    def test_a_library_that_does_not_start_is_no_obstacle(self):
        result = self.meters(PRENGDL_STANDIN_NVML_INIT="9")
        self.assertEqual([m for m in result["meters"] if m["domain"] == "gpu"], [])

    def test_a_gpu_that_answers_nothing_is_left_out(self):
        result = self.meters(gpus="open_error=15;name=NVIDIA A100-SXM4-80GB,cc=8.0")
        self.assertEqual(len([m for m in result["meters"] if m["domain"] == "gpu"]), 1)
        self.assertTrue(result["left_out"])

    def test_other_users_of_a_gpu_are_told(self):
        done = self.run_program("doctor", "--json", env=self.env(
            gpus="name=NVIDIA A100-SXM4-80GB,cc=8.0,pids=1"))
        checks = {check["check"]: check for check in json.loads(done.stdout)["checks"]}
        self.assertEqual(checks["gpu-users"]["severity"], "warning")

    def test_amd(self):
        env = self.env(gpus="", PRENGDL_STANDIN_ROCM="name=AMD Instinct MI210,watts=300",
                       ROCR_VISIBLE_DEVICES=None)
        root = FakeMachine(self.scratch).root
        run = self.one_run("--root", root, "--", "sleep", "0.6", env=env)
        self.assertWatts(run, 300)
