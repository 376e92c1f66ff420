# SPDX-License-Identifier: Apache-2.0
"""Results of several nodes: what compare and audit conclude from them, through import csv."""

import json
import random
import unittest

from program import Case

MAP = ("--map", "seconds=seconds,joules_package=joules,factor:framework=framework,block=block,machine=node",
       "--quality", "wall")


class Nodes(Case):
    def imported(self, rows):
        """Rows of framework, block, node and joules become a result."""
        table = self.scratch / "runs.csv"
        table.write_text("framework,block,node,seconds,joules\n"
                         + "".join(f"{framework},{block},{node},10,{joules!r}\n"
                                   for framework, block, node, joules in rows))
        done = self.run_program("import", "csv", table, *MAP, "-o", self.scratch / "result")
        self.assertEqual(done.returncode, 0, done.stderr)

    def spread(self, nodes, blocks=12, ratio=0.8, noise=0.01):
        """Blocks in turn on the nodes; a node costs as much as its number times 10 %."""
        draw = random.Random(1)
        rows = []
        for block in range(blocks):
            at = block % len(nodes)
            for framework, cost in (("jax", 100 * ratio), ("torch", 100)):
                rows.append((framework, block, nodes[at], cost * (1 + 0.1 * at) * (1 + noise * draw.gauss(0, 1))))
        return rows

    def finding(self):
        done = self.run_program("compare", self.scratch / "result", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(one for one in json.loads(done.stdout)["findings"] if one["measure"] == "metered")

    def text(self, *command):
        return " ".join(self.run_program(*command).stdout.split())


class Confounded(Nodes):
    def test_levels_on_nodes_of_their_own_are_not_comparable(self):
        self.imported([(framework, block, "n17" if framework == "jax" else "n18", joules)
                       for framework, block, _, joules in self.spread(["any"])])
        one = self.finding()
        self.assertEqual((one["verdict"], one["winner"]), ("not comparable", None))
        self.assertIn("confounded-machine", [caveat["code"] for caveat in one["caveats"]])
        self.assertIn("jax ran on n17, torch on n18", one["reason"])
        self.assertAlmostEqual(one["estimate"]["ratio"], 0.8, delta=0.02)
        self.assertNotIn("ci95", one["estimate"])
        text = self.text("compare", self.scratch / "result")
        self.assertIn("cannot be compared by energy: no machine ran both levels", text)

    def test_runs_of_a_block_on_two_nodes_are_no_pair(self):
        self.imported([(framework, block, "n18" if framework == "jax" and block < 4 else "n17", joules)
                       for framework, block, _, joules in self.spread(["any"])])
        one = self.finding()
        self.assertTrue(one["paired"])
        self.assertEqual(one["n"], 8)
        self.assertEqual(one["levels"]["jax"]["n"], 8)


if __name__ == "__main__":
    unittest.main()
