# SPDX-License-Identifier: Apache-2.0
"""One command under two labels: doctor --aa, and what plan makes of it."""

import json

from program import Case, Drawing, FakeMachine, line, python

STUDY = """
[study]
name = "two"
runs = 10
[factors]
framework = ["one", "two"]
[workload]
command = ["true", "{framework}"]
[analysis]
compare = "framework"
primary = "seconds"
"""


class Labels(Case):
    def setUp(self):
        super().setUp()
        self.state = self.scratch / "state"
        self.machine = FakeMachine(self.scratch / "machine")

    def doctor(self, *arguments, codes=(0, 3), **more):
        done = self.run_program("doctor", *arguments, env={"XDG_STATE_HOME": self.state}, **more)
        self.assertIn(done.returncode, codes, done.stderr)
        return done

    def records(self):
        return sorted((self.state / "prengdl/aa").glob("*"))

    def test_the_spread_is_kept_for_this_machine(self):
        counter = self.machine.zone()
        with Drawing(counter, 40):
            done = self.doctor("--root", self.machine.root, "--json", "--aa", "5", "-c",
                               line(python("import time; time.sleep(0.05)")))
        told = json.loads(done.stdout)
        self.assertEqual(told["schema"], "prengdl.doctor/2")
        aa = told["aa"]
        self.assertEqual(aa["schema"], "prengdl.aa/1")
        self.assertEqual(aa["pairs"], 5)
        measures = {one["measure"]: one for one in aa["measures"]}
        self.assertEqual(measures.keys(), {"metered", "seconds", "cpu_seconds"})
        self.assertEqual(measures["metered"]["quality"], "chip")
        for one in measures.values():
            self.assertGreater(one["spread"], 0)
            self.assertGreater(one["detectable_ratio"], 1)
            self.assertLessEqual(one["false_positives"], 0.2)
        self.assertIn({"id": "powercap/intel-rapl:0", "domain": "package", "quality": "chip"},
                      aa["meters"])
        (record,) = self.records()
        self.assertEqual(record.name, aa["fingerprint"] + ".json")
        self.assertEqual(json.loads(record.read_text()), aa)
        # Later calls show it again.
        later = json.loads(self.doctor("--root", self.machine.root, "--json").stdout)
        self.assertEqual(later["aa"], aa)
        self.assertIn("one command under two labels",
                      self.doctor("--root", self.machine.root).stdout)

    def test_modelled_energy_is_not_judged(self):
        done = self.doctor("--root", self.machine.root, "--aa", "5", "-c", "sleep 0.02")
        self.assertIn("energy is not judged", done.stdout)
        self.assertIn("pairs can show a ratio of", done.stdout)

    def test_a_command_that_fails_leaves_nothing(self):
        done = self.doctor("--aa", "5", "-c", "false", codes=(1,))
        self.assertIn("prengdl: the command failed: false", done.stderr)
        self.assertEqual(self.records(), [])

    def test_too_few_are_refused(self):
        self.assertUsage(self.doctor("--aa", "4", codes=(2,)), "--aa 4 is too few")
        self.assertUsage(self.doctor("-c", "true", codes=(2,)), "-c is for --aa")
        self.assertEqual(self.records(), [])

    def test_a_broken_record_is_no_record(self):
        self.doctor("--root", self.machine.root, "--aa", "5", "-c", "sleep 0.01")
        (record,) = self.records()
        record.write_text("{")
        self.assertNotIn("aa", json.loads(self.doctor("--root", self.machine.root, "--json").stdout))

    def test_plan_expects_the_spread_of_this_machine(self):
        study = self.scratch / "study.toml"
        study.write_text(STUDY)
        env = {"XDG_STATE_HOME": self.state}
        done = self.run_program("plan", study, "--aa", "--json", env=env)
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "nothing is known of this machine's own spread", "doctor --aa")
        self.doctor("--aa", "5", "-c", "sleep 0.02")
        (record,) = self.records()
        (seconds,) = [one for one in json.loads(record.read_text())["measures"]
                      if one["measure"] == "seconds"]
        plan = json.loads(self.run_program("plan", study, "--aa", "--json", env=env).stdout)
        (family,) = plan["families"]
        self.assertEqual(family["spread"], seconds["spread"])
        self.assertGreater(family["detectable_ratio"], 1)
        self.assertIn("this machine's own spread", plan["notes"][-1])
        both = self.run_program("plan", study, "--aa", "--spread", "0.1", env=env)
        self.assertUsage(both, "--pilot, --spread and --aa")
