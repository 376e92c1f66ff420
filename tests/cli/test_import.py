# SPDX-License-Identifier: Apache-2.0
"""Files of other tools and studies, taken in and looked at."""

import csv
import io
import json
import os
import pathlib
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
        self.assertUsage(done, "is there already")
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
