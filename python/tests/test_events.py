# SPDX-License-Identifier: Apache-2.0
"""The lines that the package writes, for names and values of any kind."""

import time
import unittest

import cost
from telling import TellingTest, without


class Lines(TellingTest):
    def test_are_those_of_the_contract(self):
        before = time.monotonic_ns()
        events = self.told(
            "prengdl.begin('epoch', 1)\n"
            "prengdl.metric('accuracy', 0.91, step=1)\n"
            "prengdl.work('samples', 50000)\n"
            "prengdl.end('epoch', 1)\n"
        )
        after = time.monotonic_ns()
        self.assertEqual(
            [without(event, "t", "pid") for event in events],
            [
                {"ev": "begin", "span": "epoch", "name": "1"},
                {"ev": "metric", "name": "accuracy", "value": 0.91, "step": 1},
                {"ev": "work", "name": "samples", "value": 50000},
                {"ev": "end", "span": "epoch", "name": "1"},
            ],
        )
        times = [event["t"] for event in events]
        self.assertEqual(times, sorted(times))
        self.assertTrue(before <= times[0] and times[-1] <= after)

    def test_follow_what_the_file_already_holds(self):
        with open(self.path, "w") as file:
            file.write('{"t":1,"ev":"begin","span":"earlier","name":""}\n')
        spans = [event["span"] for event in self.told("prengdl.begin('later')")]
        self.assertEqual(spans, ["earlier", "later"])

    def test_carry_an_id_that_was_given(self):
        events = self.told(
            "prengdl.begin('request', 7, id=3); prengdl.end('request', 7, id=3)\n"
            "with prengdl.span('request', 8, id=4): pass\n"
        )
        self.assertEqual([event["id"] for event in events], [3, 3, 4, 4])


class Spans(TellingTest):
    def shape(self, program):
        return [(event["ev"], event["span"], event["name"]) for event in self.told(program)]

    def test_end_when_the_block_does_even_by_an_exception(self):
        shape = self.shape(
            "try:\n"
            "    with prengdl.span('epoch', 1) as span, prengdl.span('step'): raise KeyError\n"
            "except KeyError: assert isinstance(span, prengdl.Span)\n"
        )
        self.assertEqual(
            shape,
            [
                ("begin", "epoch", "1"),
                ("begin", "step", ""),
                ("end", "step", ""),
                ("end", "epoch", "1"),
            ],
        )

    def test_can_be_used_again_and_inside_themselves(self):
        shape = self.shape(
            "span = prengdl.span('step')\nwith span:\n    with span: pass\nwith span: pass"
        )
        self.assertEqual(
            [event for event, _, _ in shape], ["begin", "begin", "end", "end", "begin", "end"]
        )

    def test_wrap_each_turn_of_a_loop_even_one_that_breaks_off(self):
        shape = self.shape(
            "for epoch in prengdl.spans('epoch', range(1, 9)):\n"
            "    if epoch == 2: break\n"
            "for batch in prengdl.spans('step', [[1.0], [2.0]]): pass\n"
        )
        self.assertEqual(
            shape,
            [
                (event, span, name)
                for span, name in (("epoch", "1"), ("epoch", "2"), ("step", "1"), ("step", "2"))
                for event in ("begin", "end")
            ],
        )

    def test_wrap_each_call_of_a_decorated_function(self):
        shape = self.shape(
            "@prengdl.spanned('train')\n"
            "def train(a, b=1):\n"
            "    'Trains.'\n"
            "    prengdl.begin('inside')\n"
            "    return a + b\n"
            "assert train(1, b=2) == 3 and train.__doc__ == 'Trains.'\n"
        )
        self.assertEqual(
            shape, [("begin", "train", ""), ("begin", "inside", ""), ("end", "train", "")]
        )

    def test_of_coroutines_and_generators_last_as_long_and_have_ids(self):
        events = self.told(
            "import asyncio\n"
            "@prengdl.spanned('load')\n"
            "async def load(): await asyncio.sleep(0); return 1\n"
            "async def both(): return await asyncio.gather(load(), load())\n"
            "assert asyncio.run(both()) == [1, 1]\n"
            "@prengdl.spanned('batches')\n"
            "def batches(): prengdl.begin('inside'); yield 1\n"
            "assert list(batches()) == [1]\n"
        )
        self.assertEqual(
            [(event["ev"], event.get("id")) for event in events],
            [
                ("begin", 1),
                ("begin", 2),
                ("end", 1),
                ("end", 2),
                ("begin", 3),
                ("begin", None),
                ("end", 3),
            ],
        )


class Names(TellingTest):
    def names(self, listed):
        """The same names by all three ways, twice, so that a name that was kept is seen again."""
        events = self.told(
            "class Odd:\n"
            "    __hash__ = None\n"
            "    def __str__(self): raise RuntimeError\n"
            "import enum\n"
            "class Phase(str, enum.Enum): train = 'train'\n"
            f"for name in {listed} * 2:\n"
            "    prengdl.begin(name, name); prengdl.end(name, name); prengdl.metric(name, 1)\n"
            "    with prengdl.span(name, name): pass\n"
        )
        names = []
        for at in range(0, len(events), 5):
            turn = {
                event.get(key, event["name"])
                for event in events[at : at + 5]
                for key in ("span", "name")
            }
            self.assertEqual(len(turn), 1)
            names += turn
        self.assertEqual(names[: len(names) // 2], names[len(names) // 2 :])
        return names[: len(names) // 2]

    def test_are_escaped(self):
        odd = ['"', "\\", 'a"b\\c', "\n\r\t\0\x1f\x7f", "Ü", "日本", "😀", "\u2028", "}{,:"]
        self.assertEqual(self.names(repr(odd)), odd)

    def test_with_half_a_surrogate_pair_become_readable(self):
        self.assertEqual(
            self.names(r"['a\ud800b', '\udcff', '\ud83d\ude00']"),
            ["a\ufffdb", "\ufffd", "\U0001f600"],
        )

    def test_may_be_anything(self):
        self.assertEqual(
            self.names(
                "[1, True, 1.0, '1', -7, None, (1, 'a'), [1], Odd(), Phase.train, 10**5000]"
            )[:10],
            ["1", "True", "1.0", "1", "-7", "None", "(1, 'a')", "[1]", "Odd", "train"],
        )

    def test_may_be_huge(self):
        self.assertEqual(
            [len(name) for name in self.names("['x' * 10**6, 'é' * 10**5]")], [10**6, 10**5]
        )

    def test_without_end_cost_no_memory(self):
        self.told(
            "from prengdl import _events\n"
            "for step in range(10000): prengdl.begin('step', f'number {step}')\n"
            "assert len(_events._quoted) < 5000\n"
        )


class Values(TellingTest):
    SCALARS = (
        "class Float32:\n    def __float__(self): return 0.5\n"
        "class Int64:\n    def __index__(self): return 7\n"
        "class Worse:\n    def __float__(self): raise RuntimeError\n    __repr__ = __float__\n"
    )

    def values(self, listed, program="prengdl.metric('m', value)"):
        return [e["value"] for e in self.told(f"{self.SCALARS}for value in {listed}: {program}")]

    def test_may_be_any_number(self):
        listed = "[1, -0.0, 0.1, 1e300, 5e-324, True, Float32(), Int64(), 2**63 - 1, 2**64, '0.5']"
        self.assertEqual(
            self.values(listed), [1, 0, 0.1, 1e300, 5e-324, 1, 0.5, 7, 2**63 - 1, 2.0**64, 0.5]
        )

    def test_may_come_from_numpy(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("there is no NumPy here")
        listed = (
            "[n.float64(.5), n.float32(.5), n.int64(3), n.uint8(3), n.bool_(True), n.array(2.5)]"
        )
        self.assertEqual(
            [
                e["value"]
                for e in self.told(f"import numpy as n\nfor v in {listed}: prengdl.work('w', v)")
            ],
            [0.5, 0.5, 3, 3, 1, 2.5],
        )

    def test_that_json_does_not_have_are_left_out_counted_and_told_once(self):
        listed = (
            "[float('nan'), float('inf'), -float('inf'), None, 'many', [1], Worse(), 10**400, 1j]"
        )
        process = self.run_workload(
            f"{self.SCALARS}for value in {listed}: prengdl.metric('loss', value); prengdl.work('samples', value)\n"
            "prengdl.metric('loss', 1)\n"
            "prengdl.metric('loss', 2, step='two')\n"
            "prengdl.metric('loss', 3, step=3.0)\n"
            "prengdl.begin('epoch', id='one')\n"
            "print(prengdl.left_out())\n",
            self.path,
        )
        self.assertEqual(process.out, "20\n")
        self.assertEqual(process.err.count("Warning"), 1)
        self.assertIn("'loss'", process.err)
        self.assertEqual(
            [(e["ev"], e.get("value"), e.get("step"), e.get("id")) for e in self.events()],
            [
                ("metric", 1, None, None),
                ("metric", 2, None, None),
                ("metric", 3, 3, None),
                ("begin", None, None, None),
            ],
        )


class OutsidePrengdl(TellingTest):
    EVERYTHING = (
        "prengdl.begin('epoch', 1, id=2); prengdl.end('epoch', 1, id=2)\n"
        "prengdl.metric('accuracy', float('nan'), step=1); prengdl.work('samples', 5)\n"
        "with prengdl.span('epoch', 1) as span: assert isinstance(span, prengdl.Span)\n"
        "@prengdl.spanned('train', 'all')\n"
        "def train(): return 4\n"
        "assert train() == 4 and list(prengdl.spans('epoch', range(3))) == [0, 1, 2]\n"
        "print(prengdl.active(), prengdl.left_out())\n"
    )

    def test_all_of_it_does_nothing(self):
        for path in (None, ""):
            process = self.run_workload(self.EVERYTHING, path)
            self.assertEqual((process.out, process.err), ("False 0\n", ""))

    def test_what_it_would_say_is_said_inside(self):
        process = self.run_workload(self.EVERYTHING, self.path)
        self.assertEqual(process.out, "True 1\n")
        self.assertEqual(len(self.events()), 2 + 1 + 2 + 2 + 6)

    def test_what_it_needs_is_not_even_loaded(self):
        self.run_workload("import sys; assert 'prengdl._events' not in sys.modules")


class Cost(unittest.TestCase):
    def test_is_printed(self):
        print()
        cost.main()


if __name__ == "__main__":
    unittest.main()
