# SPDX-License-Identifier: Apache-2.0
"""What `measure` reports, and in which shapes."""

import csv
import io
import json
import re

from program import Case, Drawing, FakeMachine, line, python


class Json(Case):
    def test_a_sleep_has_all_that_programs_may_rely_on(self):
        done = self.run_program("measure", "--json", "--", "sleep", "0.3")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["schema"], "prengdl.measure/2")
        for meter in result["meters"]:
            self.assertLessEqual({"id", "kind", "quality", "source"}, meter.keys())
            self.assertTrue("domain" in meter or "channel" in meter)
        self.assertIsInstance(result["seed"], int)
        self.assertEqual(result["findings"], [])
        (command,) = result["commands"]
        self.assertEqual((command["label"], command["argv"]), ("sleep 0.3", ["sleep", "0.3"]))
        (run,) = command["runs"]
        self.assertLessEqual(
            {"exit_code", "seconds", "user_seconds", "system_seconds", "max_rss_bytes", "joules",
             "samples", "missed_samples", "own_cpu_seconds", "flags", "spans", "metrics"},
            run.keys())
        self.assertEqual(run["exit_code"], 0)
        self.assertGreaterEqual(run["seconds"], 0.3)
        self.assertGreater(run["max_rss_bytes"], 0)
        self.assertGreater(run["samples"], 0)
        self.assertEqual((run["spans"], run["metrics"]), ([], []))
        self.assertIn("metered", run["joules"])
        for energy in run["joules"].values():
            self.assertEqual(energy.keys(), {"value", "uncertainty", "quality"})
            self.assertGreater(energy["value"], 0)
            self.assertGreater(energy["uncertainty"], 0)
        self.assertNotIn("net_joules", run)
        self.assertNotIn("settling", run)
        seconds = command["summary"]["seconds"]
        self.assertEqual(seconds["n"], 1)
        self.assertEqual(seconds["mean"], run["seconds"])
        self.assertNotIn("sd", seconds)  # one run has no spread

    def test_several_runs_are_summed_up(self):
        (command,) = self.measure("-n", "3", "--", "sleep", "0.15")["commands"]
        values = [run["seconds"] for run in command["runs"]]
        summary = command["summary"]["seconds"]
        self.assertLessEqual({"n", "mean", "sd", "median", "min", "max", "ci95"}, summary.keys())
        self.assertEqual((summary["n"], summary["min"], summary["max"], summary["median"]),
                         (3, min(values), max(values), sorted(values)[1]))
        self.assertAlmostEqual(summary["mean"], sum(values) / 3)
        low, high = summary["ci95"]
        self.assertTrue(low < summary["mean"] < high)

    def test_the_childs_output_goes_to_stderr(self):
        done = self.run_program("measure", "--json", "--", "echo", "hello")
        json.loads(done.stdout)
        self.assertIn("hello\n", done.stderr)

    def test_user_time_is_the_childs(self):
        run = self.one_run("--", *python("for i in range(3_000_000): pass"))
        self.assertGreater(run["user_seconds"] + run["system_seconds"], 0.02)
        self.assertLessEqual(run["own_cpu_seconds"], run["user_seconds"] + 1)

    def test_an_idle_baseline_adds_net_joules(self):
        run = self.one_run("--idle", "300ms", "--", "sleep", "0.3")
        self.assertLess(run["net_joules"]["metered"]["value"], run["joules"]["metered"]["value"])

    def test_the_wait_for_a_quiet_machine_is_told(self):
        run = self.one_run("--settle", "200ms", "--", "true")
        self.assertIsInstance(run["settling"]["settled"], bool)
        self.assertGreater(run["settling"]["seconds"], 0)
        if not run["settling"]["settled"]:
            self.assertIn("not-settled", run["flags"])

    def test_a_run_too_short_for_its_meters_has_no_joules_that_are_zero(self):
        run = self.one_run("--", "true")
        self.assertIn("short", run["flags"])
        for energy in run["joules"].values():
            self.assertGreater(energy["value"], 0)
            self.assertGreater(energy["uncertainty"], 0)

    def test_bytes_that_are_not_unicode_keep_the_json_valid(self):
        code = "import sys; sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.exit(1)"
        result = self.measure("-n", "2", "--ignore-failure", "--name", b"caf\xe9", "-c",
                              line(python(code)))
        self.assertTrue(result["commands"][0]["label"].startswith("caf"))
        self.assertTrue(result["commands"][0]["runs"][0]["output_tail"])


class Order(Case):
    def order(self, seed):
        result = self.measure("-n", "6", "--seed", seed, "-c", "true", "-c", "true 1", "-c", "true 2")
        self.assertEqual(result["seed"], seed)
        runs = [(run["order"], run["block"], number)
                for number, command in enumerate(result["commands"]) for run in command["runs"]]
        return [(block, number) for _, block, number in sorted(runs)]

    def test_each_block_has_every_command_once_in_an_order_that_the_seed_decides(self):
        first = self.order(1)
        self.assertEqual([block for block, _ in first], [n // 3 for n in range(18)])
        for block in range(6):
            self.assertEqual({number for b, number in first if b == block}, {0, 1, 2})
        self.assertEqual(self.order(1), first)
        self.assertGreater(len({tuple(self.order(seed)) for seed in (2, 3)} | {tuple(first)}), 1)

    def test_warm_up_runs_are_not_counted(self):
        log = self.scratch / "log"
        (command,) = self.measure("-n", "2", "--warmup", "2", "--shell", "-c",
                                  f"echo x >> {log}")["commands"]
        self.assertEqual(len(command["runs"]), 2)
        self.assertEqual(log.read_text(), "x\n" * 4)

    def test_two_commands_are_compared(self):
        result = self.measure("-n", "3", "-c", "sleep 0.05", "-c", "sleep 0.2")
        finding = next(f for f in result["findings"] if f["measure"] == "seconds")
        self.assertEqual(finding["pair"], ["sleep 0.05", "sleep 0.2"])
        self.assertTrue(finding["paired"])
        self.assertLess(finding["estimate"]["ratio"], 1)
        self.assertIn(finding["verdict"], ("less", "inconclusive"))
        energy = [f for f in result["findings"] if f["measure"] == "metered"]
        for finding in energy:
            if result["meters"][0]["quality"] == "model":
                self.assertEqual(finding["verdict"], "modelled")
                self.assertIsNone(finding["winner"])
                self.assertNotIn("p", finding["estimate"])


class OneRoad(Case):
    """`measure` is a study of one factor: the same loop makes its runs, the same analysis compares them."""

    def setUp(self):
        super().setUp()
        self.machine = FakeMachine(self.scratch / "machine")
        self.env = {"XDG_STATE_HOME": self.scratch}
        self.commands = ("sleep 0.1", "sleep 0.16")

    def measured(self, *arguments):
        with Drawing(self.machine.zone(), 40):
            return self.measure("--root", self.machine.root, "-n", "6", "--seed", "3", "-o", self.scratch / "R",
                                *arguments, *(word for one in self.commands for word in ("-c", one)), env=self.env)

    def compared(self, result):
        done = self.run_program("compare", self.scratch / result, "--json", env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["findings"]

    def test_the_findings_are_those_of_compare_on_the_same_runs(self):
        findings = self.measured()["findings"]
        self.assertEqual([one["measure"] for one in findings], ["metered", "seconds", "cpu_seconds"])
        self.assertEqual([one["family"] for one in findings], ["primary", "secondary", "secondary"])
        self.assertEqual(findings, self.compared("R"))
        energy, seconds, _ = findings
        self.assertEqual((seconds["pair"], seconds["n"], seconds["paired"]), (list(self.commands), 6, True))
        self.assertEqual(energy["quality"], "chip")
        self.assertIn("power_ratio", energy)

    def test_the_study_that_the_result_keeps_makes_the_same_runs(self):
        measured = self.measured("--warmup", "1")
        with Drawing(self.machine.zone(), 40):
            done = self.run_program("run", self.scratch / "R/study.toml", "-o", self.scratch / "S", "--root",
                                    self.machine.root, env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        orders = [[row["command"] for row in csv.DictReader(io.StringIO(self.run_program(
            "export", self.scratch / result).stdout)) if row["warmup"] == "0"] for result in ("R", "S")]
        self.assertEqual(orders[0], orders[1])
        theirs = self.compared("S")
        by_verdict = {"below_margin", "reason"}
        self.assertEqual([one.keys() - by_verdict for one in theirs],
                         [one.keys() - by_verdict for one in measured["findings"]])
        self.assertEqual([(one["measure"], one["family"], one["pair"]) for one in theirs],
                         [(one["measure"], one["family"], one["pair"]) for one in measured["findings"]])

    def test_failures_that_are_ignored_are_stored_as_they_are_counted(self):
        self.commands = ("false", "true")
        findings = self.measured("--ignore-failure")["findings"]
        self.assertEqual({one["n"] for one in findings if one["measure"] == "seconds"}, {6})
        self.assertEqual(findings, self.compared("R"))

    def test_without_a_result_nothing_is_made(self):
        before = sorted(self.scratch.rglob("*"))
        words = ("-n", "2", "-c", "true", "-c", "true x")
        self.measure("--root", self.machine.root, *words, env=self.env, cwd=self.scratch)
        self.assertEqual(sorted(self.scratch.rglob("*")), before)


class Words(Case):
    def test_without_a_shell_a_command_is_split_into_words(self):
        done = self.run_program("measure", "-c", "echo a; echo b")
        self.assertTrue(done.stdout.startswith("a; echo b\n"), done.stdout)
        done = self.run_program("measure", "-c", """printf '%s|' 'a b' "c\\"d" e\\ f $HOME *""")
        self.assertTrue(done.stdout.startswith('a b|c"d|e f|$HOME|*|'), done.stdout)

    def test_with_a_shell_it_is_not(self):
        done = self.run_program("measure", "--shell", "-c", "echo a; echo b")
        self.assertTrue(done.stdout.startswith("a\nb\n"), done.stdout)

    def test_commands_of_both_kinds_run_and_have_names(self):
        result = self.measure("--name", "one", "-c", "true 1", "-c", "true 2", "--", "true", "a b")
        self.assertEqual([c["label"] for c in result["commands"]], ["one", "true 2", "true 'a b'"])
        self.assertEqual([c["argv"] for c in result["commands"]],
                         [["true", "1"], ["true", "2"], ["true", "a b"]])

    def test_the_command_starts_in_the_directory(self):
        done = self.run_program("measure", "--directory", self.scratch, "--", "/bin/pwd")
        self.assertTrue(done.stdout.startswith(f"{self.scratch.resolve()}\n"), done.stdout)

    def test_a_relative_program_is_taken_from_that_directory(self):
        script = self.scratch / "job"
        script.write_text("#!/bin/sh\necho from the job\n")
        script.chmod(0o755)
        done = self.run_program("measure", "--directory", self.scratch, "--", "./job", cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("from the job", done.stdout)

    def test_a_directory_that_is_not_there(self):
        done = self.run_program("measure", "--directory", "/does/not/exist", "--", "true")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertError(done, "/does/not/exist")


class Tables(Case):
    def test_csv_has_a_row_per_run(self):
        done = self.run_program("measure", "--csv", "-n", "2", "-c", "sleep 0.15", "-c", "false",
                                "--ignore-failure")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([row["command"] for row in rows], ["sleep 0.15"] * 2 + ["false"] * 2)
        self.assertEqual([row["exit_code"] for row in rows], ["0", "0", "1", "1"])
        self.assertEqual({row["order"] for row in rows}, {"0", "1", "2", "3"})
        for row in rows[:2]:
            self.assertGreater(float(row["seconds"]), 0.1)
            self.assertGreater(float(row["joules_metered"]), 0)
            self.assertTrue(row["quality"])

    def test_markdown_is_one_table(self):
        done = self.run_program("measure", "--markdown", "-n", "2", "-c", "sleep 0.1", "-c", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        paragraphs = done.stdout.split("\n\n")
        # A busy machine may spoil two runs of `true`.
        self.assertRegex(paragraphs[0], r"^\*\*(true took \d+ % less time than sleep 0.1|No difference in time) ")
        rows = paragraphs[2].splitlines()
        self.assertEqual(len(rows), 4)
        self.assertTrue(rows[0].startswith("| command | runs | seconds |"), rows[0])
        self.assertRegex(rows[1], r"^\|(-+:?\|)+$")
        self.assertEqual(len({row.count("|") for row in rows}), 1)


class Answer(Case):
    """The first line answers the question; --quiet prints nothing else."""

    COMMANDS = ("-n", "3", "-c", "sleep 0.02", "-c", "sleep 0.2")

    def test_comes_first(self):
        done = self.run_program("measure", *self.COMMANDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        first = done.stdout.splitlines()[0]
        self.assertRegex(first, r"^sleep 0\.02 \w+ \d+ % less \w+ than sleep 0\.2 \(95 % interval .*\[.*measured")
        self.assertLess(done.stdout.index("●"), done.stdout.index("1: sleep 0.02"))

    def test_alone_without_progress(self):
        done = self.run_program("measure", "--quiet", *self.COMMANDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)
        self.assertIn("sleep 0.02", done.stdout)

    def test_of_one_command_is_its_time_and_energy(self):
        done = self.run_program("measure", "-q", "-n", "2", "--", "sleep", "0.6")
        self.assertRegex(done.stdout, r"^sleep 0\.6: \S+ ms, \S+ J.*\n$")

    def test_keeps_errors_and_exit_codes(self):
        done = self.run_program("measure", "-q", "-n", "2", "-c", "false", "-c", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a command failed", done.stderr)


class ParameterLists(Case):
    def test_one_list_compares_its_values(self):
        result = self.measure("-n", "3", "-L", "seconds_", "0.02,0.2", "-c", "sleep {seconds_}",
                              "-o", self.scratch / "R")
        self.assertEqual([c["argv"] for c in result["commands"]], [["sleep", "0.02"], ["sleep", "0.2"]])
        self.assertEqual([c["label"] for c in result["commands"]], ["sleep 0.02", "sleep 0.2"])
        self.assertEqual([c["levels"] for c in result["commands"]], [{"seconds_": "0.02"}, {"seconds_": "0.2"}])
        self.assertEqual(result["findings"][0]["pair"], ["0.02", "0.2"])
        done = self.run_program("compare", self.scratch / "R", "-q")
        self.assertRegex(done.stdout, r"^seconds_ 0\.02 \w+ \d+ % less \w+ than seconds_ 0\.2")
        rows = list(csv.DictReader(io.StringIO(self.run_program("export", self.scratch / "R").stdout)))
        self.assertEqual({row["seconds_"] for row in rows}, {"0.02", "0.2"})

    def test_lists_and_commands_give_all_combinations(self):
        result = self.measure("-n", "2", "-L", "a", "1,2", "-L", "b", "x,y", "-c", "true {a} {b}",
                              "-c", "true other {a}")
        self.assertEqual(len(result["commands"]), 8)
        self.assertEqual({tuple(one["case"].items()) for one in result["findings"]},
                         {(("a", a), ("b", b)) for a in "12" for b in "xy"})

    def test_only_names_in_braces_are_replaced(self):
        result = self.measure("-L", "a", "1", "-c", """echo {a} '{"k": 1}' {{a}} {} $ -{a}-""")
        self.assertEqual(result["commands"][0]["argv"], ["echo", "1", '{"k": 1}', "{a}", "{}", "$", "-1-"])

    def test_without_a_list_braces_stay(self):
        self.assertEqual(self.measure("-c", "echo {a}")["commands"][0]["argv"], ["echo", "{a}"])

    def test_mistakes_are_errors_before_anything_runs(self):
        for words, said in ((("-L", "batch", "1,2", "-c", "echo {bacth}"), ("{bacth}", "{batch}?")),
                            (("-L", "batch", "1,2", "-c", "echo"), ("no command uses", "{batch}")),
                            (("-L", "batch", "1,,2", "-c", "echo {batch}"), ("empty",)),
                            (("-L", "batch", "1,1", "-c", "echo {batch}"), ("twice",)),
                            (("-L", "seed", "1,2", "-c", "echo {seed}"), ("seed", "another name")),
                            (("-L", "batch"), ("-L needs two values", "NAME VALUES"))):
            with self.subTest(words=words):
                self.assertUsage(self.run_program("measure", *words), *said)


class Windows(Case):
    CODE = ("import prengdl, sys, time\n"
            "time.sleep(0.3)\n"
            "with prengdl.span('epoch', 1): time.sleep(float(sys.argv[1]))\n"
            "prengdl.metric('accuracy', 0.5)\n"
            "prengdl.metric('accuracy', 0.75)\n")

    def commands(self):
        job = self.scratch / "job.py"
        job.write_text(self.CODE)
        return [word for seconds in ("0.05", "0.2")
                for word in ("-c", line([*python("")[:1], str(job), seconds]))]

    def test_a_span_is_compared_instead_of_whole_runs(self):
        result = self.measure("-n", "3", "--window", "epoch", "-o", self.scratch / "R", *self.commands())
        self.assertEqual(result["window"], "epoch")
        time = next(one for one in result["findings"] if one["measure"] == "seconds")
        self.assertLess(time["estimate"]["ratio"], 0.5)
        for command in result["commands"]:
            self.assertLess(command["window_summary"]["seconds"]["mean"] + 0.25,
                            command["summary"]["seconds"]["mean"])
        self.assertIn('window = "epoch"', (self.scratch / "R/study.toml").read_text())

    def test_a_span_that_no_run_has_is_an_error_that_names_those_seen(self):
        done = self.run_program("measure", "-n", "2", "--window", "train", *self.commands())
        self.assertEqual(done.returncode, 1)
        self.assertIn("no run emitted a span of the window 'train'; spans seen: epoch", done.stderr)
        self.assertIn("epoch 1", done.stdout)  # what was measured is shown
        self.assertUsage(self.run_program("measure", "--window", ">", "-c", "true"), "--window")

    def test_metrics_have_mean_and_spread(self):
        done = self.run_program("measure", "-n", "2", *self.commands())
        self.assertRegex(done.stdout, r"(?m)^  accuracy +0\.7500 +0 ")
        result = self.measure("-n", "2", *self.commands())
        self.assertEqual(result["commands"][0]["metrics"]["accuracy"]["mean"], 0.75)


class Labels(Case):
    """Commands may hold anything; what is printed must not act on the terminal or the sheet."""

    HOSTILE = ("\x1b]0;title\x07\x1b[31mred", "a|b\\|c`d`<b>*x*", 'comma, "quote"\nnew line',
               "=HYPERLINK(1)", "@SUM(1)", "-1+1", "\u009b31mC1", "'single")

    def hostile(self, *arguments):
        names = [word for name in self.HOSTILE for word in ("--name", name)]
        commands = [word for _ in self.HOSTILE for word in ("-c", "sleep 0.02")]
        done = self.run_program("measure", *arguments, *names, *commands)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assertHarmless(self, text):
        for bad in ("\x1b", "\x07", "\u009b", "\r"):
            self.assertNotIn(bad, text)

    def test_in_text(self):
        done = self.hostile("-n", "2")
        self.assertHarmless(done.stdout)
        self.assertHarmless(done.stderr)
        self.assertIn("red", done.stdout)

    def test_in_text_of_modelled_energy(self):
        machine = FakeMachine(self.scratch)
        done = self.run_program("measure", "--root", machine.root, "--name", "\x1b[31mred", "-c",
                                "sleep 0.6", "--name", "\x1b[32mgreen", "-c", "sleep 0.6")
        self.assertHarmless(done.stdout)
        self.assertHarmless(done.stderr)

    def test_in_csv(self):
        done = self.hostile("--csv")
        rows = list(csv.reader(io.StringIO(done.stdout)))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        labels = [row[0] for row in rows[1:]]
        for label, name in zip(labels, self.HOSTILE):
            self.assertNotIn(label[0], "=+-@\t\r")
            self.assertTrue(label.lstrip("'") == name.lstrip("'") or "\\x" in label, label)
        self.assertHarmless(done.stderr)

    def test_in_markdown(self):
        done = self.hostile("--markdown")
        self.assertHarmless(done.stdout)
        table = next(part for part in done.stdout.split("\n\n") if part.startswith("| command"))
        rows = table.splitlines()
        self.assertEqual(len(rows), 2 + len(self.HOSTILE))
        bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}
        self.assertEqual(len(bars), 1, rows)
        self.assertNotRegex(done.stdout, r"(?<!\\)<b>")

    def test_in_json_they_are_as_given(self):
        result = json.loads(self.hostile("--json").stdout)
        self.assertEqual([c["label"] for c in result["commands"]], list(self.HOSTILE))


class Modelled(Case):
    """Without a meter energy is computed, and says so wherever it shows."""

    JOULES = re.compile(r"\d [kmun]?J\b")

    def setUp(self):
        super().setUp()
        self.root = FakeMachine(self.scratch).root

    def assertAllModelled(self, text):
        shown = [one for one in text.splitlines() if self.JOULES.search(one)]
        for one in shown:
            self.assertIn("model", one)
        return shown

    def test_every_line_with_a_joule_says_modelled(self):
        code = ("import prengdl, time\n"
                "with prengdl.span('epoch', 1): time.sleep(0.7)\n")
        for arguments in (("-n", "2"), ("-n", "1"), ("--idle", "300ms")):
            with self.subTest(arguments=arguments):
                done = self.run_program("measure", "--root", self.root, *arguments, "-c",
                                        line(python(code)))
                self.assertEqual(done.returncode, 0, done.stderr)
                shown = self.assertAllModelled(done.stdout)
                self.assertGreaterEqual(len(shown), 2)  # the run and its span
                self.assertAllModelled(done.stderr)

    def test_tables_name_the_quality(self):
        rows = self.run_program("measure", "--root", self.root, "--csv", "--", "sleep", "0.6").stdout
        self.assertEqual(next(iter(csv.DictReader(io.StringIO(rows))))["quality"], "model")
        table = self.run_program("measure", "--root", self.root, "--markdown", "--", "sleep", "0.6")
        self.assertIn("| model |", table.stdout)
        self.assertIn("modelled, not measured", table.stdout)

    def test_json_names_the_quality_and_the_model(self):
        result = self.measure("--root", self.root, "--", "sleep", "0.6")
        energy = result["commands"][0]["runs"][0]["joules"]
        self.assertEqual({one["quality"] for one in energy.values()}, {"model"})
        self.assertEqual(result["power_model"]["cpus"], 4)

    def test_live_watts_say_so_too(self):
        done = self.run_program("meters", "--root", self.root, "--watch", "--times", "1", "--every",
                                "300ms")
        self.assertIn("modelled", done.stdout)
