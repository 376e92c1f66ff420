# SPDX-License-Identifier: Apache-2.0
"""What the program says when something is not as it should be, and what to do next."""

import json
import re

from program import Case, FakeMachine

STUDY = """
[study]
name = "messages"
runs = 3
[protocol]
warmup = 0
settle = "off"
give_up_after = 9
[factors]
way = ["fast", "slow"]
size = ["1", "2"]
[workload]
command = ["sh", "-c", "{command}", "{{way}}", "{{size}}"]
[analysis]
compare = "way"
"""


class Only(Case):
    def refused(self, only, *words):
        file = self.scratch / "study.toml"
        file.write_text(STUDY.format(command="true"))
        done = self.run_program("run", file, "-o", self.scratch / "result", "--only", only)
        self.assertUsage(done, f"--only {only}: ", *words)
        return done.stderr

    def test_a_factor_without_a_level(self):
        said = self.refused("way", "the level of 'way' is missing", "--only way=fast", "The levels are fast, slow.")
        self.assertNotIn("no factor", said)

    def test_a_level_without_a_factor(self):
        self.refused("slow", "the factor of this level is missing", "--only way=slow")

    def test_a_word_that_is_neither(self):
        self.refused("wey", "this is not FACTOR=LEVEL", "Did you mean 'way'?", "The factors are way, size.")

    def test_an_unknown_factor(self):
        self.refused("wya=fast", "the study has no factor 'wya'", "Did you mean 'way'?", "The factors are way, size.")

    def test_an_unknown_level(self):
        self.refused("way=slwo", "the factor 'way' has no level 'slwo'", "Did you mean 'slow'?",
                     "The levels are fast, slow.")
        self.refused("size=", "the factor 'size' has no level ''", "The levels are 1, 2.")


class Ids(Case):
    def setUp(self):
        super().setUp()
        file = self.scratch / "study.toml"
        file.write_text(STUDY.format(command="[ $0 = fast ] || exit 3"))
        self.result = self.scratch / "result"
        self.run_program("run", file, "-o", self.result)

    def test_status_lists_what_exclude_takes(self):
        text = self.run_program("status", self.result).stdout
        said = json.loads(self.run_program("status", self.result, "--json").stdout)["runs"]
        failed = [one["run"] for one in said if one["outcome"] == "failed"]
        self.assertEqual(len(failed), 6)
        for run in failed:
            self.assertRegex(text, rf"(?m)^  {re.escape(run)}  failed")
        done = self.run_program("exclude", self.result, failed[0], "--why", "it failed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            self.run_program("status", self.result).stdout, rf"(?m)^  {re.escape(failed[0])}  failed, excluded"
        )

    def test_exclude_says_where_the_ids_are(self):
        done = self.run_program("exclude", self.result, "--why", "x")
        self.assertUsage(done, f"prengdl status {self.result}", f"prengdl export {self.result} --table runs")
        done = self.run_program("exclude", self.result, "nosuchrun-at-all", "--why", "x")
        self.assertError(done, "prengdl status RESULT", "prengdl export RESULT --table runs")


class Commands(Case):
    def test_what_only_a_shell_obeys_gives_a_hint(self):
        for command in ("sleep 0.01 | cat", "echo a > /dev/null", "true; true", "true & true", "echo $HOME", "echo *",
                        "echo `id`", 'echo "$HOME"'):
            with self.subTest(command=command):
                done = self.run_program("measure", "--ignore-failure", "-c", command)
                self.assertIn("Add --shell", done.stderr)
                self.assertIn("Add --shell", self.run_program("gate", "--interleave", "-n", "1", "-c", command, "-c",
                                                              "true").stderr)

    def test_quoted_characters_and_shells_give_none(self):
        for words in (["-c", "echo 'a | b' \\; \"*\""], ["--shell", "-c", "true | cat"], ["--", "echo", "a | b"]):
            with self.subTest(words=words):
                self.assertNotIn("--shell", self.run_program("measure", *words).stderr)

    def test_two_commands_of_one_name_are_refused(self):
        for words in (["--name", "a", "--name", "a", "-c", "true", "-c", "false"], ["-c", "true", "-c", "true"],
                      ["--name", "true", "-c", "false", "-c", "true"]):
            with self.subTest(words=words):
                self.assertUsage(self.run_program("measure", *words), "command 1 and command 2 are both called",
                                 "--name")


class Machines(Case):
    def setUp(self):
        super().setUp()
        self.machine = FakeMachine(self.scratch / "machine")

    def test_the_same_advice_is_given_once(self):
        for entry, name in (("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "core"), ("intel-rapl:0:1", "dram")):
            self.machine.zone(entry, name).with_name("max_energy_range_uj").unlink()
        for command in (["meters"], ["measure", "--", "true"]):
            with self.subTest(command=command):
                done = self.run_program(command[0], "--root", self.machine.root, *command[1:])
                self.assertEqual(done.stdout.count("doctor --fix"), 1, done.stdout)
                for entry in ("intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1"):
                    self.assertRegex(done.stdout, rf"powercap/{entry}[:,\n]")

    def rails(self, *labels):
        directory = "sys/class/hwmon/hwmon0"
        self.machine.write(f"{directory}/name", "ina3221\n")
        for number, label in enumerate(labels, 1):
            self.machine.write(f"{directory}/in{number}_input", "5000\n")
            self.machine.write(f"{directory}/curr{number}_input", "1000\n")
            self.machine.write(f"{directory}/in{number}_label", label + "\n")

    def test_doctor_names_the_rails_of_a_board(self):
        self.rails("VDD_CPU_GPU_CV", "VDD_IN")
        done = self.run_program("doctor", "--root", self.machine.root)
        self.assertIn("power rails that are read but not counted: VDD_CPU_GPU_CV, VDD_IN", done.stdout)
        self.assertIn("--rail 'VDD_IN=machine'", done.stdout)
        counted = self.run_program("doctor", "--root", self.machine.root, "--rail", "VDD_IN=machine")
        self.assertIn("not counted: VDD_CPU_GPU_CV\n", counted.stdout)
        self.assertNotIn("VDD_IN=machine", counted.stdout)


class Flags(Case):
    LEFT = "left-behind: processes outlived the command and were ended"

    def setUp(self):
        super().setUp()
        self.result = self.scratch / "result"
        self.command = ["sh", "-c", "sleep 60 &"]
        self.done = self.run_program("measure", "-n", "2", "-o", self.result, "--", *self.command)

    def test_are_explained_wherever_they_are_shown(self):
        self.assertIn(f"flag: {self.LEFT} (2 of 2 runs)", self.done.stdout)
        self.assertIn(f"{self.LEFT} (2 of 2 runs)", self.run_program("status", self.result).stdout)

    def test_compare_and_gate_name_them(self):
        both = self.scratch / "both"
        self.run_program("measure", "-n", "2", "-o", both, "--shell", "-c", "sleep 60 &", "-c", "true")
        self.assertIn(f"flag {self.LEFT} (2 of 4 runs)", self.run_program("compare", both).stdout)
        done = self.run_program("gate", self.result, self.result)
        self.assertIn(f"flag of {self.result}: {self.LEFT}", done.stdout)
