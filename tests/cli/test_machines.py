# SPDX-License-Identifier: Apache-2.0
"""Machines that are made of files: --root, RAPL zones, what meters and doctor say of them."""

import json
import os
import unittest

from program import Case, Drawing, FakeMachine, python


class Machine(Case):
    def setUp(self):
        super().setUp()
        self.machine = FakeMachine(self.scratch / "machine")
        self.root = self.machine.root

    def ask(self, command, *arguments, codes=(0,)):
        done = self.run_program(command, "--root", self.root, "--json", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        return json.loads(done.stdout)


class Meters(Machine):
    def test_zones_become_domains(self):
        self.machine.zone()
        self.machine.zone("intel-rapl:0:0", "core")
        self.machine.zone("intel-rapl:0:1", "dram")
        self.machine.zone("intel-rapl:1", "psys")
        result = self.ask("meters")
        self.assertEqual(result["schema"], "prengdl.meters/2")
        self.assertEqual({meter["id"]: meter["domain"] for meter in result["meters"]},
                         {"powercap/intel-rapl:0": "package", "powercap/intel-rapl:0:0": "cores",
                          "powercap/intel-rapl:0:1": "dram", "powercap/intel-rapl:1": "platform"})
        self.assertEqual(result["metered"], ["dram", "package"])
        self.assertEqual({meter["quality"] for meter in result["meters"]}, {"chip"})

    def test_the_text_says_what_is_counted(self):
        self.machine.zone()
        self.machine.zone("intel-rapl:0:0", "core")
        done = self.run_program("meters", "--root", self.root)
        self.assertEqual(done.returncode, 0)
        self.assertIn("energy = package (chip); also measured, but not added: cores", done.stdout)

    def test_each_meter_has_its_accuracy_with_the_source(self):
        self.machine.zone()
        result = self.ask("meters", "--meter", "gpu@1%=sh -c 'while echo 60 W; do sleep 0.1; done'")
        accuracy = {meter["domain"]: meter["accuracy"] for meter in result["meters"]}
        self.assertNotIn("gain", accuracy["package"])  # nobody published one
        self.assertTrue(accuracy["package"]["note"])
        self.assertAlmostEqual(accuracy["gpu"]["gain"], 0.01)
        self.assertEqual(accuracy["gpu"]["source"], "stated by the user")
        text = self.run_program("meters", "--root", self.root).stdout
        self.assertIn("accuracy: not known: ", text)

    def test_doctor_has_the_accuracy_too(self):
        self.machine.zone()
        doctor = self.ask("doctor")
        self.assertIn("accuracy", doctor["meters"][0])
        (check,) = [check for check in doctor["checks"] if check["check"] == "accuracy"]
        self.assertEqual(check["severity"], "ok")
        self.assertIn("package not known", check["finding"])

    def test_a_zone_that_cannot_be_used_is_left_out_with_a_reason(self):
        counter = self.machine.zone()
        counter.write_text("not a number\n")
        self.machine.zone("intel-rapl:1", "package-1", range_uj=0)
        result = self.ask("meters")
        reasons = {one["source"]: one["reason"] for one in result["left_out"]}
        self.assertLessEqual({"powercap/intel-rapl:0", "powercap/intel-rapl:1"}, reasons.keys())
        self.assertEqual(result["metered"], ["machine"])  # the estimate stands in

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_a_zone_that_only_root_may_read(self):
        self.machine.zone().chmod(0)
        (left_out,) = self.ask("meters")["left_out"]
        self.assertIn("Permission denied", left_out["reason"])
        self.assertIn("doctor --fix", left_out["advice"])

    def test_without_anything_to_read_there_is_no_meter(self):
        self.root = self.scratch / "empty"
        self.root.mkdir()
        result = self.ask("meters")
        self.assertEqual(result["metered"], [])
        run = self.one_run("--root", self.root, "--", "true")
        self.assertEqual(run["joules"], {})

    def test_live_watts_come_line_by_line(self):
        counter = self.machine.zone()
        with Drawing(counter, 50):
            done = self.run_program("meters", "--root", self.root, "--watch", "--times", "2",
                                    "--every", "300ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 2, done.stdout)
        for one in lines:
            self.assertRegex(one, r"^powercap/intel-rapl:0 \d+\.\d+ W$")
            self.assertAlmostEqual(float(one.split()[1]), 50, delta=25)

    def test_a_wall_meter_is_a_command_that_prints(self):
        meter = "import time\nwhile True: print('100 W', flush=True); time.sleep(0.1)"
        script = self.scratch / "meter.py"
        script.write_text(meter)
        (python_name, *_) = python("")
        result = self.measure("--root", self.root, "--meter", f"{python_name} {script}", "--",
                              "sleep", "1.5")
        energy = result["commands"][0]["runs"][0]["joules"]["machine"]
        self.assertEqual(energy["quality"], "wall")
        self.assertAlmostEqual(energy["value"], 150, delta=50)
        self.assertNotIn("left-behind", result["commands"][0]["runs"][0]["flags"])



class NamedMeters(Machine):
    """A meter that was asked for by name and does not work is an error before anything runs."""

    def commands(self):
        """Each command that takes meters, with a trace that it would leave if it ran anything."""
        self.trace = self.scratch / "ran"
        touch = f"touch {self.trace}"
        study = self.scratch / "s.toml"
        study.write_text('[study]\nname = "s"\nruns = 3\n[factors]\nway = ["a", "b"]\n'
                         f'[workload]\ncommand = ["touch", "{self.trace}", "{{way}}"]\n')
        return (("measure", "-c", touch), ("gate", "--interleave", "-c", touch, "-c", "true"), ("meters",),
                ("meters", "--json"), ("doctor",), ("run", study, "-o", self.scratch / "s.result"))

    def assertRefused(self, status, options, *said):
        for command in self.commands():
            with self.subTest(command=command[0]):
                done = self.run_program(*command, "--root", self.root, *options)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertEqual(done.stdout, "")
                for words in said:
                    self.assertIn(words, done.stderr)
                self.assertFalse(self.trace.exists())

    def test_a_program_that_does_not_exist(self):
        self.assertRefused(1, ("--meter", "nosuchmeter"), "cannot run nosuchmeter", "No such file", "123.4 W")

    def test_a_program_that_prints_no_reading_is_quoted(self):
        self.assertRefused(1, ("--meter", "echo hello"), "echo hello printed 'hello'", "'123.4 W'", "'5678 J'")

    def test_a_program_that_prints_nothing(self):
        self.assertRefused(1, ("--meter", "true"), "true ended and printed nothing", "'123.4 W'")

    def test_no_program_at_all(self):
        self.assertRefused(2, ("--meter", ""), "--meter")
        self.assertRefused(2, ("--meter", "sh -c 'open"), "--meter")

    def test_a_rail_without_a_domain(self):
        self.assertRefused(2, ("--rail", "foo"), "--rail 'foo' is not LABEL=DOMAIN", "--rail VDD_IN=machine")

    def test_a_rail_that_is_not_there(self):
        self.assertRefused(1, ("--rail", "foo=machine"), "there is no rail 'foo'")

    def test_a_package_that_works_does_not_stand_in_for_it(self):
        self.machine.zone()
        self.assertRefused(1, ("--meter", "echo hello"), "printed 'hello'")

    def test_a_meter_that_takes_its_time_and_prints_a_heading_first_is_waited_for(self):
        script = self.scratch / "meter.sh"
        script.write_text("echo time,power\nsleep 6\nwhile :; do echo 100 W; sleep 0.1; done\n")
        run = self.one_run("--root", self.root, "--meter", f"sh {script}", "--", "sleep", "0.5")
        self.assertEqual(run["joules"]["machine"]["quality"], "wall")


class Measure(Machine):
    def assertDrawn(self, run, domain, watts, share=0.3):
        expected = watts * run["window_seconds"]
        self.assertAlmostEqual(run["joules"][domain]["value"], expected, delta=share * expected)

    def test_a_package_that_draws_power(self):
        with Drawing(self.machine.zone(), 80):
            run = self.one_run("--root", self.root, "--", "sleep", "0.5")
        self.assertDrawn(run, "package", 80)
        self.assertEqual(run["joules"]["metered"], run["joules"]["package"])
        self.assertEqual(run["joules"]["package"]["quality"], "chip")

    def test_parts_are_added_and_parts_of_parts_are_not(self):
        zones = ((self.machine.zone(), 80), (self.machine.zone("intel-rapl:0:0", "core"), 40),
                 (self.machine.zone("intel-rapl:0:1", "dram"), 20))
        with Drawing(*zones[0]), Drawing(*zones[1]), Drawing(*zones[2]):
            run = self.one_run("--root", self.root, "--", "sleep", "0.5")
        for domain, watts in (("package", 80), ("cores", 40), ("dram", 20), ("metered", 100)):
            self.assertDrawn(run, domain, watts)

    def test_counting_goes_on_across_a_wrap(self):
        wrap = 2_000_000_000
        counter = self.machine.zone(energy_uj=wrap - 20_000_000, range_uj=wrap - 1)
        with Drawing(counter, 80, wrap_uj=wrap):
            run = self.one_run("--root", self.root, "--", "sleep", "0.8")
        self.assertLess(int(counter.read_text()), wrap // 2)  # it did wrap
        self.assertDrawn(run, "package", 80)

    def test_idle_joules_are_taken_off(self):
        with Drawing(self.machine.zone(), 80):
            run = self.one_run("--root", self.root, "--idle", "500ms", "--", "sleep", "0.5")
        self.assertDrawn(run, "package", 80)
        self.assertAlmostEqual(run["net_joules"]["package"]["value"], 0,
                               delta=0.3 * run["joules"]["package"]["value"])

    def test_a_counter_that_stands_still_is_not_taken_for_no_energy(self):
        self.machine.zone()
        run = self.one_run("--root", self.root, "--", "sleep", "0.5")
        if "package" in run["joules"]:
            self.assertIn("intel-rapl:0", "".join(run.get("warnings", [])))

    def test_a_counter_that_goes_away_while_it_is_read(self):
        counter = self.machine.zone()
        run = self.one_run("--root", self.root, "--shell", "-c",
                           f"sleep 0.2; : > {counter}; sleep 0.3")
        self.assertEqual(run["exit_code"], 0)
        self.assertNotIn("package", run["joules"])
        self.assertNotIn("metered", run["joules"])
        self.assertIn("intel-rapl:0", "".join(run["warnings"]))

    def test_a_counter_that_is_set_back(self):
        counter = self.machine.zone(energy_uj=200_000_000_000)
        run = self.one_run("--root", self.root, "--shell", "-c",
                           f"sleep 0.2; printf '%020d\\n' 5 > {counter}; sleep 0.3")
        self.assertNotIn("metered", run["joules"])  # 62 kJ within 10 ms is no energy

    def test_a_root_without_proc_is_enough(self):
        root = FakeMachine(self.scratch / "other")
        counter = root.zone()
        for path in (root.root / "proc").iterdir():
            path.unlink()
        with Drawing(counter, 80):
            run = self.one_run("--root", root.root, "--", "sleep", "0.3")
        self.assertDrawn(run, "package", 80)

    def test_a_relative_root(self):
        with Drawing(self.machine.zone(), 80):
            run = self.one_run("--root", "machine", "--directory", "/", "--", "sleep", "0.3",
                               cwd=self.scratch)
        self.assertDrawn(run, "package", 80)


class Doctor(Machine):
    def check(self, result, name):
        return next((one for one in result["checks"] if one["check"] == name), None)

    def test_this_machine_gets_a_verdict(self):
        done = self.run_program("doctor", "--json")
        result = json.loads(done.stdout)
        self.assertEqual(result["schema"], "prengdl.doctor/2")
        self.assertEqual(done.returncode, 3 if result["worst"] == "fail" else 0)
        self.assertTrue(result["checks"])
        for check in result["checks"]:
            self.assertLessEqual({"check", "severity", "finding"}, check.keys())
            self.assertIn(check["severity"], ("ok", "note", "warning", "fail"))
            if check["severity"] in ("warning", "fail"):
                self.assertTrue(check["remedy"])
        self.assertLessEqual({"meters", "left_out"}, result.keys())

    def test_a_machine_with_a_package(self):
        self.machine.zone()
        self.machine.governor("performance")
        result = self.ask("doctor")
        self.assertEqual(self.check(result, "energy-meters")["severity"], "ok")
        self.assertEqual(self.check(result, "governor")["severity"], "ok")
        self.assertEqual([meter["domain"] for meter in result["meters"]], ["package"])

    def test_a_machine_without_any_energy_fails(self):
        self.root = self.scratch / "empty"
        self.root.mkdir()
        result = self.ask("doctor", codes=(3,))
        self.assertEqual(result["worst"], "fail")
        self.assertEqual(self.check(result, "energy-meters")["severity"], "fail")

    def test_text_counts_the_checks(self):
        done = self.run_program("doctor", "--root", self.root)
        self.assertRegex(done.stdout, r"(?m)^\d+ checks: \d+ ok, \d+ notes?, \d+ warnings?, \d+ failed")
        self.assertNotIn("\x1b", done.stdout)

    def test_a_governor_that_follows_the_load_is_told_with_its_fix(self):
        self.machine.governor("powersave")
        check = self.check(self.ask("doctor"), "governor")
        self.assertEqual((check["severity"], check["fix"]), ("warning", "governor-performance"))

    def test_another_machine_is_not_put_right(self):
        self.machine.governor("powersave")
        done = self.run_program("doctor", "--root", self.root, "--fix", "--yes")
        self.assertUsage(done, "--fix", "--root")
        governors = self.root.glob("sys/devices/system/cpu/cpufreq/*/scaling_governor")
        self.assertEqual({path.read_text() for path in governors}, {"powersave\n"})
