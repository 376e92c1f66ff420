# SPDX-License-Identifier: Apache-2.0
"""One command under two labels: doctor --aa, and what plan, run and compare make of it."""

import json

from program import Case, Drawing, FakeMachine, line, python

STUDY = """
[study]
name = "two"
runs = 10
[protocol]
settle = "off"
{protocol}
[factors]
framework = ["one", "two"]
[workload]
command = ["true", "{{framework}}"]
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
        study.write_text(STUDY.format(protocol=""))
        env = {"XDG_STATE_HOME": self.state}
        done = self.run_program("plan", study, "--aa", "--json", env=env)
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "the spread of this machine is not known", "doctor --aa")
        self.doctor("--aa", "5", "-c", "sleep 0.02")
        (record,) = self.records()
        (seconds,) = [one for one in json.loads(record.read_text())["measures"]
                      if one["measure"] == "seconds"]
        plan = json.loads(self.run_program("plan", study, "--aa", "--json", env=env).stdout)
        (family,) = plan["families"]
        self.assertEqual(family["spread"], seconds["spread"])
        self.assertGreater(family["detectable_ratio"], 1)
        self.assertIn("two runs of the same command differ by", plan["notes"][-1])
        both = self.run_program("plan", study, "--aa", "--spread", "0.1", env=env)
        self.assertUsage(both, "--pilot, --spread and --aa")

    def result(self, protocol="", runs="3"):
        """A result of this machine."""
        study = self.scratch / "study.toml"
        study.write_text(STUDY.format(protocol=protocol))
        done = self.run_program("run", study, "--runs", runs, "-o", self.scratch / "two.result")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.scratch / "two.result"

    def compare(self, result, **env):
        done = self.run_program("compare", result, "--json", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_what_is_said_of_a_result_does_not_depend_on_the_user(self):
        result = self.result()
        without = self.compare(result, XDG_STATE_HOME=self.scratch / "nobody")
        self.doctor("--aa", "5", "-c", "sleep 0.01")
        self.assertEqual(len(self.records()), 1)
        self.assertEqual(self.compare(result, XDG_STATE_HOME=self.state), without)
        self.assertEqual(json.loads(without)["aa"], [])

    def test_a_result_keeps_its_own_record(self):
        result = self.result()
        before = json.loads(self.compare(result))
        done = self.doctor("--aa", "5", "-c", "sleep 0.01", "--into", result, "--json")
        report = json.loads(self.compare(result))
        self.assertEqual(report["aa"], [json.loads(done.stdout)["aa"]])
        self.assertEqual(report["findings"], before["findings"])
        self.assertEqual(report["margin"], before["margin"])
        self.assertIn("two runs of the same command differ by", self.run_program("compare", result).stdout)

    def test_a_record_goes_only_to_runs_of_this_machine(self):
        result = self.result()
        done = self.doctor("--root", self.machine.root, "--aa", "5", "-c", "true", "--into", result,
                           codes=(1,))
        self.assertIn("no run in", done.stderr)
        self.assertUsage(self.doctor("--into", result, codes=(2,)), "--into is for --aa")

    def test_run_makes_one_before_the_first_block(self):
        result = self.result(protocol="aa = 5")
        (aa,) = json.loads(self.compare(result))["aa"]
        self.assertEqual(aa["pairs"], 5)
        self.assertEqual(aa["command"], ["true", "{framework}"])
        status = json.loads(self.run_program("status", result, "--json").stdout)
        kinds = [event["kind"] for event in status["events"]]
        self.assertLess(kinds.index("aa"), kinds.index("end"))
        runs = self.run_program("export", result, "--table", "runs").stdout.splitlines()
        self.assertEqual(len(runs), 1 + 6, "its runs are no runs of the study")
        # One is enough.
        again = self.run_program("run", self.scratch / "study.toml", "--runs", "4", "-o", result)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(len(json.loads(self.compare(result))["aa"]), 1)

    def test_run_takes_another_command_for_it(self):
        result = self.result(protocol='aa = 5\naa_command = ["sleep", "0.01"]')
        (aa,) = json.loads(self.compare(result))["aa"]
        self.assertEqual(aa["command"], ["sleep", "0.01"])

    def test_one_that_fails_keeps_no_study_from_its_runs(self):
        result = self.result(protocol='aa = 5\naa_command = ["false"]')
        self.assertEqual(json.loads(self.compare(result))["aa"], [])
        status = self.run_program("status", result, "--json").stdout
        self.assertIn("not made: the command failed: false", status)
