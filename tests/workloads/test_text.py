# SPDX-License-Identifier: Apache-2.0
"""The text that the language models read: generated files have the published form, and batches lose nothing.

    PYTHONPATH=.:python PYTHON_OF_AN_ENVIRONMENT -m unittest tests/workloads/test_text.py
"""

import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from workloads.shared import gnmt, transformer_xl
from workloads.shared.data import generate_wikitext, generate_wmt16, wikitext, wmt16


class WikiText(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        generate_wikitext.generate(self.directory, 20)

    def test_lines_have_the_published_form(self):
        text = wikitext.file_of(self.directory, "train").read_text()
        self.assertTrue(text.startswith(" \n = "))
        self.assertTrue(all((line.startswith(" ") and line.endswith(" \n")) or line == " \n"
                            for line in text.splitlines(keepends=True)))
        self.assertIn(" = = ", text)
        self.assertIn(" <unk> ", text)

    def test_every_word_and_line_end_is_numbered(self):
        parts = wikitext.encoded(self.directory)
        text = wikitext.file_of(self.directory, "test").read_text()
        self.assertEqual(len(parts["test"]), len(text.split()) + text.count("\n"))
        counts = np.bincount(parts["train"], minlength=int(parts["vocabulary"]))
        self.assertTrue((np.diff(counts) <= 0).all(), "the most frequent word is first")
        self.assertEqual(set(wikitext.encoded(self.directory)), set(parts), "what is kept is what was made")

    def test_check_counts_lines(self):
        self.assertEqual(len(wikitext.check(self.directory)), 3)
        wikitext.file_of(self.directory, "valid").unlink()
        self.assertIn("missing", " ".join(wikitext.check(self.directory)))


class Segments(unittest.TestCase):
    def test_strands_go_on_from_batch_to_batch_and_targets_follow(self):
        row = np.arange(100)
        found = list(transformer_xl.segments(row, batch=3, length=8, whole=True))
        strand = np.concatenate([segment.inputs[1, : segment.valid] for segment in found])
        np.testing.assert_array_equal(strand, np.arange(33, 66))
        for segment in found:
            np.testing.assert_array_equal(segment.targets[:, : segment.valid], segment.inputs[:, : segment.valid] + 1)
            self.assertEqual(segment.inputs.shape, (3, 8))
        self.assertEqual(len(list(transformer_xl.segments(row, 3, 8, whole=False))), 4)

    def test_a_word_sees_the_memory_and_what_is_before_it(self):
        hidden = transformer_xl.layout_of(4, target=3, memory=2, clamp=0, same_length=False).hidden
        np.testing.assert_array_equal((~hidden).sum(axis=1), [3, 4, 5])
        hidden = transformer_xl.layout_of(4, target=3, memory=2, clamp=0, same_length=True).hidden
        np.testing.assert_array_equal((~hidden).sum(axis=1), [3, 3, 3])


class Wmt16(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.data = Path(cls.scratch.name)
        plan = gnmt.PRESETS["tiny"]
        cls.directory = cls.data / gnmt.folder(plan)
        cls.directory.mkdir()
        generate_wmt16.generate(cls.directory, 300, 100)
        cls.job = SimpleNamespace(data=cls.data, plan=plan)
        cls.corpus = gnmt.Corpus(cls.job)

    def test_generated_files_are_those_of_the_recipe(self):
        self.assertEqual(wmt16.missing(self.directory), [])
        first = (self.directory / wmt16.CODES).read_text().splitlines()[0]
        self.assertEqual(first, "#version: 0.2")

    def test_subwords_are_put_together_again(self):
        whole = (self.directory / "newstest2014.tok.en").read_text().splitlines()
        joined = [wmt16.joined(self.corpus.test[line].tolist(), self.corpus.subwords) for line in range(len(whole))]
        self.assertEqual(joined, whole)

    def test_batches_are_the_same_for_a_seed_and_hold_each_pair_once(self):
        first, again = (list(self.corpus.batches(seed=5, epoch=1)) for _ in range(2))
        other = list(self.corpus.batches(seed=6, epoch=1))
        self.assertEqual(len(first), self.corpus.steps())
        for one, same in zip(first, again):
            np.testing.assert_array_equal(one.source, same.source)
        self.assertFalse(all(np.array_equal(one.labels, two.labels) for one, two in zip(first, other)
                             if one.labels.shape == two.labels.shape))
        for batch in first:
            np.testing.assert_array_equal(batch.target[:, 1:][batch.labels[:, 1:] != wmt16.PADDING],
                                          batch.labels[:, :-1][batch.labels[:, 1:] != wmt16.PADDING])
            self.assertTrue((batch.target[:, 0] == wmt16.BEGIN).all())
            self.assertEqual((batch.labels == wmt16.END).sum(), len(batch.labels))

    def test_the_references_themselves_have_full_bleu(self):
        places = {subword: wmt16.MARKS + place for place, subword in enumerate(self.corpus.subwords)}
        cut = (self.directory / "newstest2014.tok.bpe.32000.de").read_text().splitlines()
        perfect = {line: [places.get(subword, wmt16.UNKNOWN) for subword in cut[line].split()]
                   for line in range(len(cut))}
        self.assertGreater(self.corpus.bleu(perfect), 99.0)
        self.assertLess(self.corpus.bleu({line: perfect[(line + 1) % len(cut)] for line in perfect}), 60.0)

    def test_the_rate_rises_stays_and_is_halved(self):
        plan = gnmt.PRESETS["paper"]
        rates = [gnmt.rate(plan, step, 3000) for step in (0, 199, 200, 1990, 2000, 2999)]
        self.assertAlmostEqual(rates[0], plan.learning_rate / 100)
        self.assertEqual(rates[2:4], [plan.learning_rate] * 2)
        self.assertEqual((rates[4], rates[5]), (plan.learning_rate / 2, plan.learning_rate / 16))


if __name__ == "__main__":
    unittest.main()
