# SPDX-License-Identifier: Apache-2.0
"""Files of other tools and studies, taken in and looked at."""

import csv
import io
import json
import os
import pathlib
import sys
import unittest

from program import Case

PERF = """
 Performance counter stats for 'system wide':

        {:,.2f} Joules power/energy-pkg/
        {:,.2f} Joules power/energy-ram/

     {:.9f} seconds time elapsed

"""


class Files(Case):
    def write(self, name, text):
        path = self.scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_import(self, *arguments, result="result", code=0):
        done = self.run_program("import", *arguments, "-o", self.scratch / result)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def rows(self, *more, result="result"):
        done = self.run_program("export", self.scratch / result, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))


class Import(Files):
    def icse22(self):
        for framework, factor in (("PyTorch", 1), ("TensorFlow", 2)):
            for run in range(1, 4):
                front = f"study/data/measurements_train/ncf_{framework}_"
                self.write(f"{front}perf_{run}.txt", PERF.format(1000.5 * factor + run, 100 * factor, 30 + run))
                self.write(f"{front}nvidia_smi_{run}.txt", "10.00 W\n20.00 W\n" * 15)
        return self.scratch / "study"

    def test_says_what_it_did_and_what_comes_next(self):
        study = self.icse22()
        self.write("study/data/.DS_Store", "x")
        done = self.run_import("icse22", study)
        self.assertIn("6 runs in 2 cells", done.stdout)
        self.assertIn("framework (pytorch, tensorflow)", done.stdout)
        self.assertIn("dram (chip), gpu (sensor), package (chip)", done.stdout)
        self.assertIn("left out: .DS_Store: ", done.stderr)
        self.assertIn("next: prengdl compare ", done.stderr)

    def test_other_commands_work_on_it(self):
        self.run_import("icse22", self.icse22())
        rows = self.rows()
        self.assertEqual(len(rows), 6)
        first = next(row for row in rows if row["framework"] == "pytorch")
        self.assertEqual((first["block"], first["exit_code"], first["user_seconds"]), ("", "", ""))
        self.assertAlmostEqual(float(first["joules_package"]), 1001.5)
        self.assertAlmostEqual(float(first["joules_gpu"]), 15 * 31, places=9)
        self.assertEqual(first["seconds"], "31")
        status = json.loads(self.run_program("status", self.scratch / "result", "--json").stdout)
        self.assertEqual((status["planned_runs"], status["done_runs"]), (6, 6))
        done = self.run_program("exclude", self.scratch / "result", first["run"], "--why", "a test")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows()), 5)
        done = self.run_program("merge", self.scratch / "result", "-o", self.scratch / "both")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows(result="both")), 5)

    def test_the_recipe_of_the_study_is_another(self):
        study = self.icse22()
        self.run_import("icse22", study, "--as-published")
        self.assertEqual({row["joules_gpu"] for row in self.rows()}, {"450"})
        text = (self.scratch / "result/study.toml").read_text()
        self.assertIn('imported = "icse22 --as-published"', text)

    def test_an_imported_study_cannot_be_run(self):
        self.run_import("icse22", self.icse22())
        done = self.run_program("run", self.scratch / "result/study.toml", "-o", self.scratch / "new")
        self.assertUsage(done, "imported (icse22)")
        self.assertFalse((self.scratch / "new").exists())

    def test_nothing_is_written_over(self):
        study = self.icse22()
        self.run_import("icse22", study)
        before = (self.scratch / "result/study.toml").stat().st_mtime_ns
        done = self.run_program("import", "icse22", study, "-o", self.scratch / "result")
        self.assertUsage(done, "already exists")
        self.assertEqual((self.scratch / "result/study.toml").stat().st_mtime_ns, before)

    def test_nothing_is_half_imported(self):
        study = self.icse22()
        self.write("study/data/measurements_train/ncf_TensorFlow_perf_3.txt", "\n Performance counter stats "
                   "for 'x':\n\n   12x Joules power/energy-pkg/\n")
        done = self.run_program("import", "icse22", study, "-o", self.scratch / "result")
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "ncf_TensorFlow_perf_3.txt:4:4: '12x' is not a number")
        self.assertEqual(sorted(path.name for path in self.scratch.iterdir()), ["study"])

    def test_epochs_are_spans(self):
        front = "study/experiments/gpu/pytorch/run1-gpu-epoch10-batchsize64-pytorch-CIFAR10-resnet50"
        lines = "".join(f"2023/05/08 01:00:{second:02}.500, {100 + second}.00 W, 33, 8 MiB, 50 %, 1 %\n"
                        for second in range(12))
        self.write(f"{front}-ENERGY.csv", "timestamp, power.draw [W], temperature.gpu, memory.used [MiB], "
                   "utilization.gpu [%], utilization.memory [%]\n" + lines)
        self.write(f"{front}_MODEL.csv", "epoch;precision;recall;accuracy;f1;timestamp\n"
                   "0;0.1;0.2;0.3;0.4;2023-05-08 01:00:05\n1;0.5;0.6;0.7;0.8;2023-05-08 01:00:10\n")
        self.run_import("itu23", self.scratch / "study")
        rows = self.rows("--table", "spans")
        self.assertEqual([(row["span"], row["name"], row["batch_size"]) for row in rows],
                         [("epoch", "1", "64"), ("epoch", "2", "64")])
        self.assertEqual([row["accuracy"] for row in rows], ["0.3", "0.7"])
        self.assertAlmostEqual(float(rows[1]["joules_gpu"]), 107 * 5, places=6)
        self.assertAlmostEqual(float(rows[1]["gpu_utilisation"]), 0.5)
        self.assertAlmostEqual(float(rows[1]["gpu_memory_used"]), 8 * 2**20)
        self.assertEqual(len([row for row in self.rows("--table", "samples") if row["domain"] == "gpu"]), 12)

    def test_names_of_files_become_factors(self):
        for framework in ("torch", "jax"):
            for run in (1, 2):
                self.write(f"runs/{framework}/resnet_50-{run}.txt", PERF.format(10, 1, run))
        self.run_import("perf-stat", self.scratch / "runs", "--names", "{framework}/{model}-{run}.txt")
        self.assertEqual({(row["framework"], row["model"]) for row in self.rows()},
                         {("torch", "resnet_50"), ("jax", "resnet_50")})

    def test_a_table_of_ones_own(self):
        table = self.write("t.csv", "Fw,Time,Pkg\ntorch,1.5,30\njax,2.5,40\n")
        self.run_import("csv", table, "--map", "seconds=Time,joules_package=Pkg,factor:framework=Fw",
                        "--quality", "wall")
        self.assertEqual([(row["framework"], row["seconds"], row["joules_metered"], row["quality"])
                          for row in self.rows()], [("torch", "1.5", "30", "wall"), ("jax", "2.5", "40", "wall")])

    def paired(self, blocks=8):
        """Blocks that differ far more than the frameworks do."""
        rows = ["round,host,begin,fw,s,J,acc,n,note"]
        for block in range(blocks):
            for host in ("x", "y"):
                for place, (framework, factor) in enumerate((("jax", 1.0), ("torch", 1.05))):
                    level = (1 + block) * (3 if host == "y" else 1) * factor * (1 + 0.001 * ((block * 7 + place) % 5))
                    second = 10 * (place if block % 2 else 1 - place)  # in turns
                    rows.append(f"r{block},{host},2026-01-01 10:{block:02}:{second:02},{framework},"
                                f"{level:.6f},{100 * level:.6f},0.9,3200,{'disturbed' if block == 1 else ''}")
        return self.write("paired.csv", "\n".join(rows) + "\n")

    MAP = ("--map", "seconds=s,joules_gpu=J,factor:framework=fw", "--quality", "sensor")
    PAIRS = ("--map", "block=round,machine=host,started_at=begin,flags=note,metric:accuracy=acc,work:samples=n")

    def findings(self, *options, result="result"):
        done = self.run_program("compare", self.scratch / result, "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_blocks_keep_their_pairs(self):
        table = self.paired()
        done = self.run_import("csv", table, *self.MAP, *self.PAIRS)
        self.assertIn("8 blocks: runs are paired by block and machine", done.stdout)
        one = next(f for f in self.findings()["findings"] if f["measure"] == "metered")
        self.assertTrue(one["paired"])
        self.assertEqual(one["levels"]["jax"]["n"], 16)
        self.assertEqual((one["verdict"], one["winner"]), ("less", "jax"))
        rows = self.rows()
        self.assertEqual((rows[0]["block"], rows[0]["machine"], rows[0]["started_at"], rows[0]["seed"]),
                         ("0", "x", "2026-01-01T10:00:00", ""))
        self.assertEqual([row["order"] for row in rows], [str(place) for place in range(32)])
        self.assertEqual({row["flags"] for row in rows if row["block"] == "1"}, {"disturbed"})
        self.assertEqual({row["work_samples"] for row in rows}, {"3200"})
        # Without its blocks the same table shows nothing.
        self.run_import("csv", table, *self.MAP, result="unpaired")
        one = next(f for f in self.findings(result="unpaired")["findings"] if f["measure"] == "metered")
        self.assertFalse(one["paired"])
        self.assertEqual(one["verdict"], "inconclusive")

    def test_a_cell_that_is_twice_in_a_block_is_refused(self):
        table = self.paired()
        done = self.run_import("csv", table, *self.MAP, "--map", "block=round", code=1)
        self.assertError(done, "block 'r0' holds framework=jax twice")
        self.assertFalse((self.scratch / "result").exists())

    def test_an_analysis_of_ones_own_is_stored(self):
        own = self.write("own.toml", "[analysis]\ncompare = \"framework\"\nprimary = \"seconds\"\nmargin = 0.2\n")
        self.run_import("csv", self.paired(), *self.MAP, *self.PAIRS, "--analysis", own)
        found = self.findings()
        self.assertEqual({f["family"] for f in found["findings"] if f["measure"] == "seconds"}, {"primary"})
        text = (self.scratch / "result/study.toml").read_text()
        self.assertEqual(text.count("[analysis]"), 1)
        self.assertIn("margin = 0.2", text)

    def test_an_edited_analysis_leaves_the_result_as_it_is(self):
        self.run_import("csv", self.paired(), *self.MAP, *self.PAIRS)
        stored = self.scratch / "result/study.toml"
        before = stored.read_bytes()
        own = self.write("own.toml", stored.read_text().replace('primary = "metered"', 'primary = "seconds"')
                         .replace('secondary = ["seconds"]', 'secondary = ["metered"]'))
        families = {f["measure"]: f["family"] for f in self.findings()["findings"]}
        self.assertEqual(families, {"metered": "primary", "seconds": "secondary"})
        found = self.findings("--analysis", own)
        families = {f["measure"]: f["family"] for f in found["findings"]}
        self.assertEqual(families, {"metered": "secondary", "seconds": "primary"})
        self.assertIn(f"The analysis follows {own}, not the study file of the result.", found["notes"])
        done = self.run_program("audit", self.scratch / "result", "--analysis", own)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        page = self.scratch / "report.md"
        done = self.run_program("report", self.scratch / "result", "--analysis", own, "-o", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not the study file of the result", page.read_text())
        self.assertEqual(stored.read_bytes(), before)

    def test_an_analysis_that_does_not_fit_is_refused(self):
        self.run_import("csv", self.paired(), *self.MAP, *self.PAIRS)
        own = self.write("own.toml", "[analysis]\ncompare = \"framwork\"\n")
        for command in (("compare",), ("audit",), ("report", "-o", self.scratch / "r.html")):
            done = self.run_program(*command, self.scratch / "result", "--analysis", own)
            self.assertUsage(done, f"{own}:2:11: the study has no factor 'framwork'")
        own.write_text('[analysis]\nprimary = "drum"\n')
        self.assertUsage(self.run_program("compare", self.scratch / "result", "--analysis", own),
                         "there is no measure 'drum'")
        own.write_text('[analysis]\ncompare = "frame"\n')
        done = self.run_program("import", "csv", self.paired(), *self.MAP, "--analysis", own, "-o", self.scratch / "r")
        self.assertUsage(done, f"{own}:2:11: the study has no factor 'frame'")
        own.write_text('[analysis]\nprimary = "drum"\n')
        done = self.run_program("import", "csv", self.paired(), *self.MAP, "--analysis", own, "-o", self.scratch / "r")
        self.assertUsage(done, "there is no measure 'drum'")
        self.assertFalse((self.scratch / "r").exists())

    def test_an_exported_result_comes_back_as_it_was(self):
        job = self.write("job.py", """import os, sys, time
time.sleep(0.05 if sys.argv[1] == "long" else 0)
with open(os.environ["PRENGDL_EVENTS"], "a") as events:
    events.write('{"t":%d,"ev":"work","name":"samples","value":100}\\n' % time.monotonic_ns())
""")
        study = self.write("naps.toml", f"""
[study]
runs = 4
[protocol]
warmup = 0
settle = "off"
[factors]
length = ["long", "short"]
kind = ["one", "two"]
[workload]
command = ["{sys.executable}", "{job}", "{{length}}", "{{kind}}"]
[analysis]
compare = "length"
primary = "seconds"
margin = 0.1
""")
        done = self.run_program("run", study, "-o", self.scratch / "made")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = self.write("made.csv", self.run_program("export", self.scratch / "made").stdout)
        self.run_import("csv", table,
                        "--map", "seconds=seconds,factor:length=length,factor:kind=kind,exit_code=exit_code",
                        "--map", "block=block,machine=machine,started_at=started_at,flags=flags",
                        "--map", "work:samples=work_samples",
                        "--analysis", self.scratch / "made/study.toml")
        made, back = ([f for f in self.findings(result=result)["findings"] if f["measure"] == "seconds"]
                      for result in ("made", "result"))
        self.assertEqual(len(made), 2)
        for one in made:
            self.assertTrue(one["paired"])
            self.assertEqual(one["levels"]["short"]["n"], 4)
        for one in made + back:
            one.pop("pairing")  # start times to the second do not prove the pairs of runs of milliseconds
        self.assertEqual(back, made)
        made, back = self.rows(result="made"), self.rows()
        for name in ("block", "order", "machine", "started_at", "flags", "work_samples", "seconds"):
            self.assertEqual([row[name] for row in back], [row[name] for row in made], name)

    def test_wrong_calls_are_explained(self):
        table = self.write("t.csv", "a\n1\n")
        run = self.run_program
        self.assertUsage(run("import", "icse", table, "-o", self.scratch / "r"), "did you mean icse22?")
        self.assertUsage(run("import", "csv", table), "needs -o")
        self.assertUsage(run("import", "csv", "-o", self.scratch / "r"), "needs a PATH")
        self.assertUsage(run("import", "csv", table, "-o", self.scratch / "r", "--map", "seconds=a",
                             "--quality", "good"), "choose wall, sensor")
        self.assertUsage(run("import", "nvidia-smi", table, "-o", self.scratch / "r", "--interval", "0s"),
                         "more than 0")
        self.assertUsage(run("import", "csv", table, "-o", self.scratch / "r", "--map", "seconds=a,factor:f=a",
                             "--analysis", table, "--compare", "f"), "--compare and --analysis")
        self.assertFalse((self.scratch / "r").exists())


@unittest.skipUnless(os.environ.get("PRENGDL_SHARED"), "PRENGDL_SHARED does not name the published data")
class Published(Files):
    def setUp(self):
        super().setUp()
        self.shared = pathlib.Path(os.environ["PRENGDL_SHARED"])

    def golden(self, name):
        with open(self.shared / "golden" / name, newline="") as file:
            return list(csv.DictReader(file))

    def assertSame(self, value, expected, relative=1e-6):
        self.assertLessEqual(abs(float(value) - float(expected)), relative * max(abs(float(expected)), 1e-9))

    def test_itu23_epochs_and_runs(self):
        for option, column in ((), "energy_trapz_J"), (("--as-published",), "energy_meanpower_J"):
            result = "published" if option else "default"
            self.run_import("itu23", self.shared / "data/itu23/Project2", *option, result=result)
            runs = {row["run"]: row for row in self.rows(result=result)}
            spans = {}
            for row in self.rows("--table", "spans", result=result):
                cell = tuple(row[name] for name in ("framework", "dataset", "model", "batch_size"))
                spans.setdefault((cell, row["run"]), []).append(row)
            numbered = {}
            for cell, run in spans:
                numbered.setdefault(cell, []).append(run)
            for cell in numbered:  # the two runs of a cell stand in the order of time
                numbered[cell].sort(key=lambda run: int(runs[run]["order"]))
            for row in self.golden("itu23_epoch_runs.csv"):
                cell = tuple(row[name] for name in ("framework", "dataset", "model", "batch_size"))
                run = numbered[cell][int(row["run"]) - 1]
                span = spans[cell, run][int(row["epoch"]) - 1]
                self.assertEqual(span["name"], row["epoch"])
                self.assertSame(span["seconds"], row["duration_s"])
                self.assertSame(span["start_seconds"], row["start_s"])
                self.assertSame(span["joules_gpu"], row[column])
                self.assertSame(span["gpu_power"], row["mean_power_W"])
                self.assertSame(span["accuracy"], row["accuracy"])
            for row in self.golden("itu23_runs.csv"):
                cell = tuple(row[name] for name in ("framework", "dataset", "model", "batch_size"))
                run = runs[numbered[cell][int(row["run"]) - 1]]
                self.assertSame(run["seconds"], row["duration_s"])
                self.assertSame(run["joules_gpu"], row[column])


if __name__ == "__main__":
    unittest.main()
