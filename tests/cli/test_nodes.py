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


class Share(Nodes):
    def test_the_share_between_nodes_is_in_json_text_and_report(self):
        self.imported(self.spread(["n17", "n18", "n19"]))
        one = self.finding()
        nodes = one["nodes"]
        self.assertEqual(nodes["count"], 3)
        self.assertTrue(nodes["ci95"][0] < nodes["share_between"] < nodes["ci95"][1])
        self.assertGreater(nodes["share_between"], 0.8)
        self.assertLess(nodes["interaction"], 0.1)
        self.assertEqual((one["verdict"], one["winner"]), ("less", "jax"))
        self.assertEqual(sorted(one["machines"]), ["n17", "n18", "n19"])
        sentence = f"{100 * nodes['share_between']:.0f} % of the variation is between nodes (3 nodes"
        self.assertIn(sentence, self.text("compare", self.scratch / "result"))
        report = self.scratch / "report.md"
        self.assertEqual(self.run_program("report", self.scratch / "result", "-o", report).returncode, 0)
        text = " ".join(report.read_text().split())
        self.assertIn("The runs were made on n17, n18 and n19. " + sentence, text)

    def test_one_node_has_no_share(self):
        self.imported(self.spread(["n17"]))
        self.assertNotIn("nodes", self.finding())
        self.assertNotIn("between nodes", self.text("compare", self.scratch / "result"))

    def test_blocks_that_are_not_repeated_show_no_share(self):
        self.imported(self.spread([f"n{i}" for i in range(12)]))
        one = self.finding()
        self.assertNotIn("nodes", one)
        self.assertEqual(one["winner"], "jax")


class Deviating(Nodes):
    def test_audit_names_a_node_that_draws_more(self):
        rows = [(framework, block, node, joules * (1.3 if node == "n17" else 1 / (1 + 0.1 * (block % 4))))
                for framework, block, node, joules in self.spread(["n17", "n18", "n19", "n20"], blocks=16)]
        self.imported(rows)
        done = self.run_program("audit", self.scratch / "result", "--json")
        found = [one for one in json.loads(done.stdout)["checks"] if one["check"] == "deviating-node"]
        self.assertEqual([(one["severity"], one["evidence"]["node"]) for one in found], [("warning", "n17")])
        self.assertAlmostEqual(found[0]["evidence"]["ratio_to_peers"], 1.3, delta=0.03)
        self.assertIn("n17 draws", self.text("audit", self.scratch / "result"))


if __name__ == "__main__":
    unittest.main()
