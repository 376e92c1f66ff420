# SPDX-License-Identifier: Apache-2.0
"""`profile` on dumps that Python makes here and now, and on the study's where they are."""

import cProfile
import csv
import io
import json
import marshal
import os
import pathlib
import profile
import pstats
import unittest

from program import Case

SHARED = os.environ.get("PRENGDL_SHARED")


def _leaf(n):
    return sum(range(n))


def _recursive(n):
    return _leaf(100) if n == 0 else _recursive(n - 1) + len(str(n))


def _work():
    for n in range(20):
        _recursive(n)
    return sorted(json.loads("[3, 1, 2]"))


def _dump(path, profiler=None):
    profiler = profiler or cProfile.Profile()
    profiler.runcall(_work)
    profiler.dump_stats(path)
    return path


class Profiles(Case):
    def profile(self, *arguments):
        done = self.run_program("profile", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assertSameAsPstats(self, path, functions):
        """Every function as Python itself reads it."""
        stats = pstats.Stats(str(path)).stats
        total = sum(value[2] for value in stats.values())
        self.assertEqual(len(functions), len(stats))
        for one in functions:
            primitive, calls, own, cumulative, _ = stats[(one["file"], one["line"], one["function"])]
            self.assertEqual((one["calls"], one["primitive_calls"]), (calls, primitive))
            self.assertAlmostEqual(one["own_seconds"], own, places=12)
            self.assertAlmostEqual(one["cumulative_seconds"], cumulative, places=12)
            self.assertAlmostEqual(one["share"], own / total, places=9)
        own = [one["own_seconds"] for one in functions]
        self.assertEqual(own, sorted(own, reverse=True))


class OfPython(Profiles):
    def test_a_dump_of_cprofile(self):
        path = _dump(self.scratch / "a.prof")
        result = self.profile(path)
        self.assertEqual(result["schema"], "prengdl.profile/2")
        self.assertSameAsPstats(path, result["functions"])
        by_api = {one.get("api"): one for one in result["functions"]}
        self.assertEqual(by_api["builtins.sum"]["calls"], 20)
        self.assertEqual(by_api["json.loads"]["class"], "data loading")

    def test_a_dump_of_the_profile_module(self):
        path = _dump(self.scratch / "a.prof", profile.Profile())
        self.assertSameAsPstats(path, self.profile(path)["functions"])

    def test_a_dump_that_pstats_added_up(self):
        first, second = _dump(self.scratch / "a.prof"), _dump(self.scratch / "b.prof")
        both = self.scratch / "both.prof"
        pstats.Stats(str(first)).add(str(second)).dump_stats(str(both))
        self.assertSameAsPstats(both, self.profile(both)["functions"])

    def test_every_version_of_marshal(self):
        stats = marshal.loads(_dump(self.scratch / "a.prof").read_bytes())
        for version in range(marshal.version + 1):
            with self.subTest(version=version):
                path = self.scratch / f"version-{version}.prof"
                path.write_bytes(marshal.dumps(stats, version))
                self.assertSameAsPstats(path, self.profile(path)["functions"])

    def test_callers_and_callees(self):
        path = _dump(self.scratch / "a.prof")
        found = self.profile(path, "--function", "_recursive")["functions"]
        self.assertEqual([one["function"] for one in found], ["_recursive"])
        callers = {one["function"]: one for one in found[0]["callers"]}
        self.assertEqual(set(callers), {"_recursive", "_work"})
        self.assertEqual(callers["_work"]["calls"], 20)
        self.assertIn("_leaf", {one["function"] for one in found[0]["callees"]})
        text = self.run_program("profile", path, "--function", "_recursive").stdout
        self.assertIn("called by", text)
        self.assertIn("not by recursion", text)

    def test_stacks_add_up_to_the_time(self):
        path = _dump(self.scratch / "a.prof")
        out = self.scratch / "stacks"
        total = self.profile(path, "--collapsed", out)["total_seconds"]
        lines = [line.rpartition(" ") for line in out.read_text().splitlines()]
        self.assertTrue(any(";" in stack for stack, _, _ in lines))
        self.assertAlmostEqual(sum(int(count) for _, _, count in lines) / 1e6, total,
                               delta=1e-6 * len(lines))

    def test_the_graph_goes_to_standard_output_if_asked(self):
        path = _dump(self.scratch / "a.prof")
        done = self.run_program("profile", path, "--dot", "-")
        self.assertTrue(done.stdout.startswith("digraph"), done.stdout)
        self.assertTrue(done.stdout.endswith("}\n"))

    def test_a_table_as_csv(self):
        path = _dump(self.scratch / "a.prof")
        rows = list(csv.DictReader(io.StringIO(self.run_program("profile", path, "--csv").stdout)))
        self.assertEqual(len(rows), len(pstats.Stats(str(path)).stats))
        self.assertIn("json.loads", {row["api"] for row in rows})

    def test_several_side_by_side(self):
        first, second = _dump(self.scratch / "a.prof"), _dump(self.scratch / "b.prof")
        result = self.profile(first, second)
        self.assertEqual([one["profile"] for one in result["profiles"]], [str(first), str(second)])
        self.assertSameAsPstats(second, result["profiles"][1]["functions"])
        self.assertEqual(result["differences"], [])
        text = self.run_program("profile", first, second, "--least", "0").stdout
        self.assertIn("[2] own s", text)
        self.assertIn("builtins.sum", text)

    def test_the_threshold(self):
        path = _dump(self.scratch / "a.prof")
        some = self.profile(path, "--least", "5%")["functions"]
        self.assertTrue(some)
        self.assertTrue(all(one["share"] >= 0.05 for one in some))
        self.assertEqual(some, self.profile(path, "--least", "0.05")["functions"])

    def test_classes_can_be_added(self):
        path = _dump(self.scratch / "a.prof")
        table = self.scratch / "mine.csv"
        table.write_text("function,api,class,per\njson.loads,my.reader,reading,\n")
        by_api = {one.get("api"): one for one in self.profile(path, "--apis", table)["functions"]}
        self.assertEqual(by_api["my.reader"]["class"], "reading")
        table.write_text("function,api,class,per\njson.loads,my.reader\n")
        done = self.run_program("profile", path, "--apis", table)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertError(done, "mine.csv line 2", "2 cells")


class Wrong(Profiles):
    def test_calls(self):
        path = _dump(self.scratch / "a.prof")
        self.assertUsage(self.run_program("profile"), "no profile", "cProfile")
        self.assertUsage(self.run_program("profile", self.scratch), "directory", "*.prof")
        self.assertUsage(self.run_program("profile", path, "--least", "much"), "--least")
        self.assertUsage(self.run_program("profile", path, "--least", "1"), "--least", "1%")
        self.assertUsage(self.run_program("profile", path, "--json", "--csv"), "--json", "--csv")
        self.assertUsage(self.run_program("profile", path, path, "--dot", "x"), "--dot")
        done = self.run_program("profile", path, "--function", "_recursiv_e")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertError(done, "did you mean _recursive")
        done = self.run_program("profile", path, "--dot", self.scratch / "no" / "where")
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "cannot write")

    def test_files(self):
        whole = _dump(self.scratch / "a.prof").read_bytes()
        for name, content, word in (("empty", b"", "empty"), ("text", b"hello", "byte"),
                                    ("cut", whole[:len(whole) // 2], "byte"),
                                    ("long", whole + b"x", "follow")):
            with self.subTest(name=name):
                path = self.scratch / name
                path.write_bytes(content)
                done = self.run_program("profile", path)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertError(done, str(path), word)
        self.assertError(self.run_program("profile", self.scratch / "missing"), "missing")

    def test_names_cannot_reach_the_terminal(self):
        path = self.scratch / "evil.prof"
        path.write_bytes(marshal.dumps(
            {("\x1b[31m.py", 1, "\x1b[31mred"): (1, 1, 1.0, 1.0, {})}))
        for more in ((), ("--function", "red"), ("--dot", "-"), ("--collapsed", "-")):
            done = self.run_program("profile", path, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("\x1b", done.stdout)


@unittest.skipUnless(SHARED, "PRENGDL_SHARED does not say where the study's data are")
class OfTheStudy(Profiles):
    def test_every_dump_is_as_python_reads_it(self):
        paths = sorted(pathlib.Path(SHARED, "data/icse22/data/cProfile_results").glob("*.prof"))
        self.assertTrue(paths)
        for path in paths:
            with self.subTest(path=path.name):
                self.assertSameAsPstats(path, self.profile(path)["functions"])

    def test_unequal_work_is_seen_in_the_steps(self):
        folder = pathlib.Path(SHARED, "data/icse22/data/cProfile_results")
        result = self.profile(folder / "maskrcnn_pytorch_train.prof",
                              folder / "maskrcnn_tensorflow_train.prof")
        steps = [one for one in result["differences"] if one["of"] == "steps"]
        self.assertEqual([one["calls"] for one in steps], [[1000, 1004]])


if __name__ == "__main__":
    unittest.main()
