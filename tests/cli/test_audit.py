# SPDX-License-Identifier: Apache-2.0
"""audit: threats to validity, as a user meets them."""

import json
import unittest

from program import Case

PERF = """
 Performance counter stats for 'system wide':

         {package:,.2f} Joules power/energy-pkg/
          {dram:,.2f} Joules power/energy-ram/

      {seconds:.9f} seconds time elapsed

"""

STEADY = [100.21, 100.93, 99.74, 100.37, 99.52, 100.68, 99.91, 100.12]
FALLING = [336.4, 216.2, 217.9, 205.3, 66.1, 19.4, 19.2, 19.3]


class Audit(Case):
    def write_runs(self, seconds, model="ncf", framework="PyTorch", cold_first=True):
        """Files as one of the published studies has them: nvidia-smi lines without time stamps."""
        folder = self.scratch / "data/measurements_train"
        folder.mkdir(parents=True, exist_ok=True)
        for number, elapsed in enumerate(seconds, 1):
            warm = 1 + 0.002 * (number * 3 % 7)  # power varies from run to run
            (folder / f"{model}_{framework}_perf_{number}.txt").write_text(
                PERF.format(package=elapsed * warm * 60.123, dram=elapsed * warm * 5.017, seconds=elapsed))
            lines = max(12, round(elapsed / (1.002 + 0.004 * number)))
            start = 6.1 if number == 1 and cold_first else 34.2
            watts = [start] + [110 + (i * 7 % 5) for i in range(lines - 1)]
            (folder / f"{model}_{framework}_nvidia_smi_{number}.txt").write_text(
                "".join(f"{value:.2f} W\n" for value in watts))

    def import_runs(self):
        done = self.run_program("import", "icse22", self.scratch, "-o", self.scratch / "result")
        self.assertEqual(done.returncode, 0, done.stderr)

    def audit(self, *options, code):
        done = self.run_program("audit", self.scratch / "result", *options)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stdout

    def findings(self, *options, code):
        result = json.loads(self.audit("--json", *options, code=code))
        self.assertEqual(result["schema"], "prengdl.audit/2")
        for one in result["checks"]:
            self.assertIn(one["severity"], ("ok", "note", "warning", "severe"))
            self.assertTrue(one["check"] and one["message"])
            self.assertIsInstance(one["evidence"], dict)
            if one["severity"] in ("warning", "severe"):
                self.assertTrue(one["advice"], one)
        return result["checks"]

    def test_a_cell_that_is_not_stationary_is_severe(self):
        self.write_runs(STEADY)
        self.write_runs(FALLING, framework="TensorFlow")
        self.import_runs()
        severe = {(one["check"], one.get("cell", {}).get("framework"))
                  for one in self.findings(code=3) if one["severity"] == "severe"}
        self.assertIn(("stationary", "tensorflow"), severe)
        self.assertNotIn(("stationary", "pytorch"), severe)
        text = self.audit(code=3)
        self.assertTrue(text.startswith("severe"), text)
        self.assertIn("a step, not a constant level", text)

    def test_imports_without_time_stamps_or_times(self):
        for factor, model in ((1, "ncf"), (1.1, "gnmt"), (1.2, "ssd")):
            self.write_runs([factor * value for value in STEADY], model=model)
            self.write_runs([1.37 * factor * value for value in reversed(STEADY)], model=model,
                            framework="TensorFlow")
        self.import_runs()
        found = {one["check"]: one for one in reversed(self.findings(code=0))}
        self.assertEqual(found["sampling"]["severity"], "warning")
        self.assertIn("without time stamps", found["sampling"]["message"])
        self.assertEqual(found["settled"]["severity"], "warning")
        self.assertEqual(found["settled"]["evidence"]["warm_runs"], 42)
        self.assertEqual(found["back-to-back"]["severity"], "warning")
        self.assertIn("when runs were made", found["missing-facts"]["message"])

    def test_runs_that_were_copied_are_severe(self):
        self.write_runs(STEADY)
        self.write_runs(STEADY[:1] + [value + 1 for value in STEADY[1:]], framework="TensorFlow")
        self.import_runs()
        found = [one for one in self.findings(code=3) if one["check"] == "pseudo-replication"]
        self.assertEqual([one["evidence"]["copies"] for one in found], [1])

    def import_csv(self, rows, *options):
        """Runs as (framework, started_at, seconds, joules, accuracy)."""
        file = self.scratch / "runs.csv"
        file.write_text("framework,started,seconds,joules,accuracy\n"
                        + "".join(",".join(map(str, row)) + "\n" for row in rows))
        done = self.run_program(
            "import", "csv", file, "-o", self.scratch / "result", "--quality", "chip", "--map",
            "seconds=seconds,joules_package=joules,factor:framework=framework,metric:accuracy=accuracy,"
            "started_at=started", *options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_a_table_of_runs_shows_by_itself(self):
        """Joules from a TDP, a level that did not learn, always first, by day and by night."""
        rows = []
        for day in range(1, 11):
            for framework, hour, score, factor in (("pytorch", 9, 0.92, 1), ("tensorflow", 21, 0.10, 1.2)):
                elapsed = factor * STEADY[day % len(STEADY)] + 0.01 * day
                rows.append((framework, f"2026-03-{day:02}T{hour + day % 3:02}:{day:02}:00Z", round(elapsed, 3),
                             round(65 * elapsed, 3), score + 0.001 * (day % 3)))
        self.import_csv(rows)
        found = {one["check"]: one for one in reversed(self.findings(code=3))}
        for check in ("constant-power", "unequal-score", "time-of-day"):
            self.assertEqual(found[check]["severity"], "severe", found[check])
        self.assertEqual(found["fixed-order"]["evidence"]["before"], "pytorch")
        self.assertEqual(found["implausible-power"]["severity"], "ok")
        self.assertAlmostEqual(found["constant-power"]["evidence"]["watts"][0], 65, places=2)

    def test_a_card_that_contradicts_the_data(self):
        self.write_runs(STEADY)
        self.write_runs([value + 1 for value in STEADY], framework="TensorFlow")
        self.import_runs()
        self.assertNotIn("hardware", [one["check"] for one in self.findings(code=0)])
        found = [one for one in self.findings("--gpu-power-limit", "100W", code=3) if one["check"] == "hardware"]
        self.assertEqual([one["severity"] for one in found], ["severe"])
        self.assertEqual(found[0]["evidence"]["highest"], 114)
        self.findings("--gpu-power-limit", "0.25kW", "--gpu-memory", "8GiB", code=0)

    def test_runs_of_prengdl_itself_have_nothing_severe(self):
        done = self.run_program("measure", "-n", "3", "-o", self.scratch / "result", "-c", "true", "-c", "true x")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {one["check"] for one in self.findings(code=0)}
        self.assertLessEqual({"too-few-runs", "missing-facts", "pseudo-replication"}, found)

    def test_wrong_usage(self):
        self.assertUsage(self.run_program("audit"), "RESULT")
        self.assertUsage(self.run_program("audit", "x", "--gpu-memory", "many"), "8GiB")
        self.assertUsage(self.run_program("audit", "x", "--gpu-power-limit", "-3W"), "250W")
        done = self.run_program("audit", self.scratch / "none")
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "none")


if __name__ == "__main__":
    unittest.main()
