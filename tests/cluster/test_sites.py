# SPDX-License-Identifier: Apache-2.0
"""What differs between sites: nodes that draw unlike power, partitions that preempt, containers and modules."""

import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import sandbox
from cluster_study import PRENGDL, ClusterStudy

ABSENT = sandbox.missing()
NODES = ("n1", "n2", "n3")

# Counts on in the tree of its node, as RAPL would: ten steps, none at the edges of the run. Each run draws up to 1 %
# more or less than the last.
COUNTING = """\
zone={roots}/$SLURMD_NODENAME/sys/class/powercap/intel-rapl:0
read -r made <"$zone/made"
echo $((made + 1)) >"$zone/made"
noise=$((made * 7 % 11 - 5))
read -r add <"$zone/step-$1-$2"
sleep 0.1
for step in 1 2 3 4 5 6 7 8 9 10; do
  read -r now <"$zone/energy_uj"
  echo $((now + add + add * noise / 500)) >"$zone/energy_uj"
  sleep 0.03
done
sleep 0.1
"""


def counting_nodes(roots, joules):
    """A powercap tree for each node; joules(node, model, side) is what a run of a cell draws there."""
    for node in NODES:
        zone = roots / node / "sys/class/powercap/intel-rapl:0"
        zone.mkdir(parents=True)
        (zone / "name").write_text("package-0\n")
        (zone / "max_energy_range_uj").write_text("262143328850\n")
        (zone / "energy_uj").write_text("1000000\n")
        (zone / "made").write_text("0\n")
        for model in ("ncf", "ssd"):
            for side in ("left", "right"):
                (zone / f"step-{model}-{side}").write_text(f"{round(joules(node, model, side) * 1e5)}\n")


@unittest.skipIf(ABSENT, ABSENT or "")
class Site(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="prengdl-")))


class Nodes(Site):
    def test_each_node_has_a_root_of_its_own_and_the_ratio_survives_their_differences(self):
        slurm = self.enterContext(sandbox.Sandbox(nodes=3))
        draw = random.Random(4)
        of_node = {"n1": 1.0, "n2": 1.2, "n3": 0.8}
        with_level = {node: draw.gauss(0, 0.03) for node in NODES}

        def joules(node, model, side):
            return 50 * of_node[node] * (1.1 * (1 + with_level[node]) if side == "right" else 1)

        roots = self.directory / "roots"
        counting_nodes(roots, joules)
        script = self.directory / "count.sh"
        script.write_text(COUNTING.format(roots=roots))
        study = ClusterStudy(slurm, self.directory, blocks=12, settings="blocks_per_job = 2")
        file = self.directory / "s.toml"
        text = file.read_text().replace('["sh", "-c", "sleep 0.1 # {model} {side}"]',
                                        f'["sh", "{script}", "{{model}}", "{{side}}"]')
        file.write_text(text.replace('primary = "seconds"', 'primary = "package"'))
        study.start("--root", str(roots / "{node}"))
        self.assertEqual(study.wait(), 0, study.output.read_text())
        study.check(self)

        of_runs = study.rows("SELECT hostname, level, joules.joules, joules.quality FROM counted_runs AS runs"
                             " JOIN machines ON fingerprint = machine"
                             " JOIN run_levels ON run_levels.run = runs.number AND factor = 'side'"
                             " JOIN joules ON joules.run = runs.number AND domain = 'package' AND NOT net")
        self.assertEqual(len(of_runs), 48)
        for node, side, value, quality in of_runs:
            self.assertEqual(quality, "chip")
            self.assertAlmostEqual(value / joules(node, "ncf", side), 1, delta=0.0101, msg=f"{node} {side}")
        self.assertEqual({row[0] for row in of_runs}, set(NODES))
        done = subprocess.run([PRENGDL, "compare", str(study.result), "--json"], check=True, capture_output=True,
                              text=True)
        findings = [one for one in json.loads(done.stdout)["findings"] if one["measure"] == "package"]
        self.assertEqual(len(findings), 2)
        for finding in findings:
            low, high = finding["estimate"]["ci95"]
            self.assertLess(low, 1 / 1.1)
            self.assertGreater(high, 1 / 1.1)
            self.assertEqual(finding["nodes"]["count"], 3)
            self.assertGreater(finding["nodes"]["share_between"], 0.8)


class Preemption(Site):
    def test_a_preempted_job_costs_its_block_and_the_study_ends_as_planned(self):
        for mode in ("CANCEL", "REQUEUE"):
            with self.subTest(mode), sandbox.Sandbox(nodes=2, preempt=mode, grace=1) as slurm:
                directory = self.directory / mode
                directory.mkdir()
                # A block is much longer than the grace that a preempted job has.
                study = ClusterStudy(slurm, directory, blocks=3, seconds=4)
                study.start("--slurm", "partition=main")
                node = study.running_job()["node"]
                urgent = slurm.sbatch("-p", "urgent", "--exclusive", "-w", node, "--wrap=sleep 2")
                slurm.wait_for(urgent, "COMPLETED")
                study.finish()
                study.check(self)
                self.assertTrue(study.events("job-lost"), "the preempted job is in the result's events")


class Surroundings(Site):
    """Stand-ins of what a site installs; the workload writes down what it sees of them."""

    def study_that_sees(self, slurm, settings, variables):
        study = ClusterStudy(slurm, self.directory, blocks=3, settings=settings)
        file = self.directory / "s.toml"
        words = " ".join(f"${name}" for name in variables)
        file.write_text(file.read_text().replace("sleep 0.1 #", f"echo {words} >> {self.directory}/seen.txt #"))
        study.start()
        self.assertEqual(study.wait(), 0, study.output.read_text())
        study.check(self)
        return (self.directory / "seen.txt").read_text().splitlines()

    def test_the_workload_runs_inside_the_container(self):
        slurm = self.enterContext(sandbox.Sandbox(nodes=1))
        programs = self.directory / "bin"
        programs.mkdir()
        standin = programs / "apptainer"
        standin.write_text(f"""#!/bin/sh
echo "$@" >> {self.directory}/asked.txt
[ "$1" = exec ] || exit 64
shift
while [ "$1" = --bind ]; do shift 2; done
image=$1; shift
# The image has a prengdl of its own.
PATH={pathlib.Path(PRENGDL).parent}:$PATH APPTAINER_CONTAINER=$image exec "$@"
""")
        standin.chmod(0o755)
        settings = f'container = "site.sif"\nprologue = ["export PATH={programs}:$PATH"]'
        seen = self.study_that_sees(slurm, settings, ["APPTAINER_CONTAINER"])
        self.assertEqual(seen, ["site.sif"] * 12)
        asked = (self.directory / "asked.txt").read_text()
        self.assertIn(f"--bind {self.directory}", asked)

    def test_modules_are_loaded_before_the_runs(self):
        slurm = self.enterContext(sandbox.Sandbox(nodes=1))
        rc = self.directory / "modules.sh"
        rc.write_text('module() { [ "$1" = load ] && export LOADED="$LOADED+$2"; }\n')
        # As sites do it: bash reads this file before a script.
        os.environ["BASH_ENV"] = str(rc)
        self.addCleanup(os.environ.pop, "BASH_ENV")
        seen = self.study_that_sees(slurm, 'modules = ["cuda/12", "gcc/13"]', ["LOADED"])
        self.assertEqual(seen, ["+cuda/12+gcc/13"] * 12)


if __name__ == "__main__":
    unittest.main(argv=[pathlib.Path(__file__).name])
