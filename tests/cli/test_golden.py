# SPDX-License-Identifier: Apache-2.0
"""What `compare` and `report` print for three fixed results, byte for byte (tests/golden).

After a change of the output that is meant, PRENGDL_GOLDEN=write rewrites the files; read their diff.
"""

import difflib
import json
import os
import re
import subprocess

from program import PRENGDL, SOURCE, Case
from test_terminal import Terminal

GOLDEN = SOURCE / "tests/golden"
WRITE = os.environ.get("PRENGDL_GOLDEN") == "write"

# The options that read tests/golden/NAME.csv.
RESULTS = {
    "frameworks": ["--quality", "chip", "--map",
                   "seconds=seconds,joules_package=package_J,joules_dram=dram_J,joules_gpu=gpu_J,"
                   "factor:framework=framework,factor:model=model,factor:phase=phase,"
                   "metric:accuracy=accuracy,work:samples=samples,started_at=started"],
    "runtimes": ["--quality", "wall", "--map",
                 "seconds=seconds,joules_machine=machine_J,factor:runtime=runtime,"
                 "factor:network=network"],
    "optimizers": ["--quality", "model", "--map",
                   "seconds=seconds,joules_package=package_J,factor:optimizer=optimizer,"
                   "factor:batch=batch,exit_code=exit"],
}
# Next to the four formats of `compare`: what only some results can show.
MORE = {
    "frameworks": ["--lifecycle", "train=1,infer=N", "--carbon", "DE", "--energy-time", "--factorial"],
}
COMPARE = {"md": "--markdown", "csv": "--csv", "json": "--json"}
REPORT = ("md", "tex", "csv", "json")


class Golden(Case):
    def setUp(self):
        super().setUp()
        version = subprocess.run([PRENGDL, "--version"], capture_output=True, text=True, check=True)
        self.version = version.stdout.split()[-1]

    def golden(self, name):
        """The result, and all outputs of it by the names of their files."""
        result = self.scratch / name
        done = self.run_program("import", "csv", GOLDEN / f"{name}.csv", "-o", result, *RESULTS[name])
        self.assertEqual(done.returncode, 0, done.stderr)
        outputs = {f"{name}.compare.txt": self.on_terminal("compare", result)}
        if name in MORE:
            outputs[f"{name}.costs.txt"] = self.on_terminal("compare", result, *MORE[name])
        for ending, option in COMPARE.items():
            done = self.run_program("compare", result, option)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            outputs[f"{name}.compare.{ending}"] = done.stdout
        files = {ending: self.scratch / f"report.{ending}" for ending in REPORT}
        done = self.run_program("report", result,
                                *(word for file in files.values() for word in ("-o", file)))
        self.assertEqual(done.returncode, 0, done.stderr)
        for ending, file in files.items():
            outputs[f"{name}.report.{ending}"] = file.read_text()
        return {file: self.normalised(text) for file, text in outputs.items()}

    def on_terminal(self, *arguments):
        """As a terminal of 80 columns shows it, without colours."""
        terminal = Terminal([PRENGDL, *map(str, arguments)], self.environment({"NO_COLOR": "1"}), columns=80)
        self.addCleanup(terminal.close)
        text = terminal.finish().replace("\r\n", "\n")
        self.assertEqual(terminal.code, 0, text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        return text

    def normalised(self, text):
        """Without what differs from one machine, day or version to the next; JSON in lines."""
        for scratch in {str(self.scratch), str(self.scratch.resolve())}:
            text = text.replace(scratch, "SCRATCH")
        text = text.replace(str(SOURCE), "SOURCE").replace(self.version, "VERSION")
        text = re.sub(r"\b(?!2024)20\d\d-(\{\})?\d\d-(\{\})?\d\dT[\d:.]+Z", "DATE", text)
        text = re.sub(r"\b[0-9a-f]{64}\b", "SHA256", text)
        if text.startswith("{"):
            text = json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
        # The last digits depend on the order in which a compiler adds numbers up.
        return re.sub(r"\b\d+\.\d{10,}(e-?\d+)?\b", lambda number: f"{float(number[0]):.9g}", text)

    def check(self, name):
        outputs = self.golden(name)
        for file, text in outputs.items():
            path = GOLDEN / file
            if WRITE:
                path.write_text(text)
                continue
            with self.subTest(file):
                wanted = path.read_text() if path.exists() else ""
                if text != wanted:
                    diff = difflib.unified_diff(wanted.splitlines(), text.splitlines(), f"golden/{file}",
                                                "now", lineterm="", n=1)
                    self.fail("\n".join([*diff][:60]))
        here = {path.name for path in GOLDEN.glob(f"{name}.*.*")}
        self.assertEqual(here, set(outputs), "files that no test writes")

    def test_two_levels_over_several_cases_with_measured_energy(self):
        self.check("frameworks")

    def test_many_levels(self):
        self.check("runtimes")

    def test_modelled_energy_and_failures(self):
        self.check("optimizers")
