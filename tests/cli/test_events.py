# SPDX-License-Identifier: Apache-2.0
"""What a workload tells while it runs."""

import time

from program import Case, Drawing, FakeMachine, python

TRAINING = """
import prengdl, time
for epoch in prengdl.spans("epoch", range(1, 3)):
    with prengdl.span("train", epoch):
        time.sleep(0.4)
        prengdl.work("samples", 500)
    prengdl.metric("accuracy", 0.5 + epoch / 10, step=epoch)
with prengdl.span("blink"): pass
"""


class Spans(Case):
    WATTS = 100

    def setUp(self):
        super().setUp()
        self.machine = FakeMachine(self.scratch)
        self.counter = self.machine.zone()

    def test_a_workload_gets_joules_per_span_and_its_metrics_and_work_back(self):
        before = time.monotonic_ns()
        with Drawing(self.counter, self.WATTS):
            run = self.one_run("--root", self.machine.root, "--", *python(TRAINING))
        after = time.monotonic_ns()
        self.assertEqual([(span["span"], span["name"]) for span in run["spans"]],
                         [("epoch", "1"), ("train", "1"), ("epoch", "2"), ("train", "2"),
                          ("blink", "")])
        self.assertLess(before, run["begin_ns"])
        self.assertLess(run["begin_ns"] + run["window_seconds"] * 1e9, after)
        for span in run["spans"][:4]:
            self.assertGreaterEqual(span["seconds"], 0.4)
            self.assertGreaterEqual(span["start_seconds"], 0)
            energy = span["joules"]["package"]
            self.assertEqual(energy["quality"], "chip")
            expected = self.WATTS * span["seconds"]
            self.assertAlmostEqual(energy["value"], expected, delta=0.3 * expected)
        self.assertEqual([(m["name"], m["value"], m["step"]) for m in run["metrics"]],
                         [("accuracy", 0.6, 1), ("accuracy", 0.7, 2)])
        self.assertEqual(run["work"], {"samples": 1000})
        self.assertNotIn("warnings", run)

    def test_a_span_too_short_for_the_meters_has_no_joules(self):
        with Drawing(self.counter, self.WATTS):
            run = self.one_run("--root", self.machine.root, "--", *python(TRAINING))
            text = self.run_program("measure", "--root", self.machine.root, "--", *python(TRAINING))
        self.assertEqual(run["spans"][-1]["joules"], {})
        (blink,) = [one for one in text.stdout.splitlines() if "blink" in one and "import" not in one]
        self.assertIn("too short for the meters", blink)
        self.assertNotIn("J", blink)

    def test_the_text_shows_spans_and_work(self):
        with Drawing(self.counter, self.WATTS):
            done = self.run_program("measure", "--root", self.machine.root, "--name", "job", "--",
                                    *python(TRAINING))
        self.assertRegex(done.stdout, r"(?m)^  train 2 .* J")
        self.assertRegex(done.stdout, r"(?m)^  samples +1000$")


class Broken(Case):
    """A broken line costs that line, never the run."""

    def told(self, code):
        code = f"import os, time\npath = os.environ['PRENGDL_EVENTS']\nt = time.monotonic_ns\n{code}"
        run = self.one_run("--", *python(code))
        self.assertEqual(run["exit_code"], 0)
        return run

    def test_broken_lines_give_one_warning_and_the_rest_counts(self):
        run = self.told(r'''
with open(path, "ab") as file:
    for line in (b"not json", b"[1,2]", b"{}", b'{"t":1.5,"ev":"begin","span":"a"}', b"\xff\xfe",
                 b'{"t":"now","ev":"end","span":"a"}', b'{"ev":"metric"}', b"\x00" * 20, b"",
                 b'{"t":1e400,"ev":"work","name":"n","value":1}', b'{"t":' + b"9" * 400 + b"}",
                 b'{"t":%d,"ev":"metric","name":"m","value":"high"}' % t(),
                 b'{"t":%d,"ev":"metric","name":"m","value":1e999}' % t(),
                 b"[" * 200000, b'"' + b"x" * 1000000):
        file.write(line + b"\n")
    file.write(b'{"t":%d,"ev":"metric","name":"good","value":1}\n' % t())
    file.write(b'{"t":%d,"ev":"metric","name":"cut","val' % t())
''')
        self.assertEqual([metric["name"] for metric in run["metrics"]], ["good"])
        (warning,) = [text for text in run["warnings"] if "broken event lines" in text]
        self.assertIn("line 1", warning)
        self.assertLess(len(warning), 400)

    def test_spans_that_do_not_fit_together(self):
        run = self.told(r'''
with open(path, "a") as file:
    def tell(what, span): file.write('{"t":%d,"ev":"%s","span":"%s","name":""}\n' % (t(), what, span))
    tell("end", "never begun"); tell("begin", "never closed"); tell("begin", "fine"); tell("end", "fine")
    file.write('{"t":1,"ev":"begin","span":"long ago","name":""}\n')
''')
        self.assertEqual([span["span"] for span in run["spans"]], ["fine"])
        text = "\n".join(run["warnings"])
        for span in ("never begun", "never closed", "long ago"):
            self.assertIn(span, text)

    def test_hostile_names_cannot_reach_the_terminal(self):
        code = (r"import prengdl"
                "\nwith prengdl.span('\\x1b[31mred', '\\x1b[32m'): prengdl.work('\\x1b[33mw', 1)"
                "\nprengdl.begin('\\x1b[34mopen')")
        done = self.run_program("measure", "--name", "x", "--", *python(code))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("\x1b", done.stdout)
        self.assertIn("red", done.stdout)

    def test_a_workload_that_removes_the_file(self):
        run = self.told("os.remove(path)")
        self.assertIn("event file", "".join(run.get("warnings", [])))

    def test_a_workload_that_puts_something_else_in_its_place(self):
        for how in ("os.mkfifo(path)", "os.mkdir(path)"):
            with self.subTest(how=how):
                run = self.told(f"os.remove(path)\n{how}")
                self.assertTrue(run.get("warnings"))
                self.assertEqual(run["metrics"], [])
