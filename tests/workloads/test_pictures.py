# SPDX-License-Identifier: Apache-2.0
"""Pictures that resnet50 and itu23 read; no framework is needed.

    PYTHONPATH=.:python PYTHON_OF_AN_ENVIRONMENT -m unittest tests/workloads/test_pictures.py
"""

import dataclasses
import pickle
import pickletools
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import scipy.io
from PIL import Image

from workloads.shared import itu23, resnet, resnet50
from workloads.shared.data import cifar, imagenet, made, svhn
from workloads.shared.job import Refused


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.data = Path(scratch.name)


class Made(Scratch):
    def test_is_all_or_nothing(self):
        def broken(aside):
            (aside / "half").touch()
            raise OSError("disk full")

        with self.assertRaises(OSError):
            made(self.data / "set", broken)
        self.assertEqual(list(self.data.iterdir()), [])

    def test_of_two_the_first_wins(self):
        def late(aside):
            (self.data / "set").mkdir()
            (self.data / "set/theirs").touch()
            (aside / "ours").touch()

        made(self.data / "set", late)
        self.assertEqual([path.name for path in self.data.rglob("*")], ["set", "theirs"])


class ImageNet(Scratch):
    PLAN = dataclasses.replace(resnet50.PRESETS["tiny"], classes=5, train_each=3, test_each=2, batch=4, image=24,
                               resize=28)

    def job(self, **changes):
        return SimpleNamespace(plan=dataclasses.replace(self.PLAN, **changes), preset="tiny", data=self.data, seed=1,
                               threads=2)

    def test_generated_files_lie_as_the_real_ones(self):
        imagenet.generate(self.data, 5, 3, 2, 28)
        self.assertTrue((self.data / "train/n00000001/n00000001_1.JPEG").is_file())
        self.assertTrue((self.data / "val/n00000005/ILSVRC2012_val_00000010.JPEG").is_file())
        paths, labels = imagenet.listing(self.data, "train")
        self.assertEqual(labels.tolist(), [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3)
        with Image.open(paths[0]) as picture:
            self.assertEqual(picture.format, "JPEG")

    def test_an_epoch_shows_every_picture_once(self):
        data = resnet50.Data(self.job())
        batches = list(data.train_batches(1))
        self.assertEqual([pixels.shape for pixels, _ in batches], [(4, 24, 24, 3)] * 3 + [(3, 24, 24, 3)])
        self.assertEqual(len(batches), data.steps())
        self.assertEqual(np.bincount(np.concatenate([labels for _, labels in batches])).tolist(), [3] * 5)
        self.assertEqual(sum(len(pixels) for pixels in data.test_batches()), 10)

    def test_pixels_do_not_depend_on_the_number_of_readers(self):
        one, many = self.job(), self.job()
        one.threads, many.threads = 1, 4
        for (first, _), (second, _) in zip(resnet50.Data(one).train_batches(2), resnet50.Data(many).train_batches(2)):
            np.testing.assert_array_equal(first, second)

    def test_steps_can_be_limited(self):
        self.assertEqual(len(list(resnet50.Data(self.job(steps_per_epoch=2)).train_batches(1))), 2)

    def test_the_middle_of_a_picture_is_tested(self):
        pixels = np.zeros((40, 80, 3), dtype=np.uint8)
        pixels[:, 27:53] = 255  # somewhat more than is cut out: the filter looks over the edge
        Image.fromarray(pixels).save(self.data / "white.png")
        middle = imagenet.test_picture(self.data / "white.png", 10, 20)  # the inner 20 x 20 of 40 x 80
        self.assertEqual(middle.shape, (10, 10, 3))
        self.assertEqual(middle.min(), 255)

    def test_random_boxes_stay_inside(self):
        generator = np.random.default_rng(0)
        for width, height in ((500, 375), (20, 400), (1, 1)):
            for _ in range(50):
                left, top, right, bottom = imagenet.random_box(width, height, generator)
                self.assertTrue(0 <= left < right <= width + 1e-6 and 0 <= top < bottom <= height + 1e-6)

    def test_check_counts(self):
        imagenet.generate(self.data, 2, 2, 1, 28)
        problems = imagenet.check(self.data)
        self.assertTrue(any("2 classes instead of 1000" in problem for problem in problems))
        self.assertTrue(any("4 pictures instead of 1281167" in problem for problem in problems))
        self.assertEqual(len(imagenet.check(self.data / "nowhere")), 2)

    def test_the_study_needs_the_real_data(self):
        with self.assertRaises(Refused):
            resnet50.prepare(self.job(synthetic=False))

    def test_top5_error(self):
        scores = np.tile(np.arange(8.0), (4, 1))  # classes 3 to 7 are the best five
        plan = dataclasses.replace(self.PLAN, classes=8)
        self.assertEqual(resnet50.top5_error(plan, np.array([7, 3, 2, 0]), scores), 0.5)

    def test_rate_falls_from_the_plans_to_nothing(self):
        rates = [resnet50.learning_rate(self.PLAN, step, 10) for step in (0, 5, 10)]
        np.testing.assert_allclose(rates, [self.PLAN.learning_rate, self.PLAN.learning_rate / 2, 0], atol=1e-12)


class SmallPictures(Scratch):
    def test_cifar_comes_back_as_generated(self):
        for dataset, classes in (("cifar10", 10), ("cifar100", 100)):
            cifar.generate(self.data, dataset, 203, 100)
            pixels, labels = cifar.load(self.data, dataset, "train")
            self.assertEqual((pixels.shape, pixels.dtype), ((203, 32, 32, 3), np.uint8))
            self.assertEqual(set(labels) - set(range(classes)), set())
            again, _ = cifar.load(self.data, dataset, "test")
            self.assertEqual(len(again), 100)

    def test_cifar_rows_hold_one_colour_after_the_other(self):
        cifar.generate(self.data, "cifar10", 10, 10)
        with open(self.data / "cifar-10-batches-py/test_batch", "rb") as file:
            row = pickle.load(file, encoding="bytes")[b"data"][3]
        pixels, _ = cifar.load(self.data, "cifar10", "test")
        np.testing.assert_array_equal(pixels[3, :, :, 1].ravel(), row[1024:2048])

    def test_cifar_is_pickled_as_by_python_2(self):
        cifar.generate(self.data, "cifar100", 5, 5)
        codes = {code.name for code, _, _ in pickletools.genops((self.data / "cifar-100-python/train").read_bytes())}
        self.assertIn("SHORT_BINSTRING", codes)
        self.assertFalse(codes & {"BINUNICODE", "SHORT_BINBYTES", "BINBYTES", "FRAME"})

    def test_cifar_refuses_a_pickle_that_does_more(self):
        folder = self.data / "cifar-10-batches-py"
        folder.mkdir()
        (folder / "test_batch").write_bytes(pickle.dumps(Path("anything")))
        with self.assertRaises(pickle.UnpicklingError):
            cifar.load(self.data, "cifar10", "test")

    def test_svhn_calls_the_digit_nought_ten(self):
        svhn.generate(self.data, 50, 20)
        content = scipy.io.loadmat(self.data / "train_32x32.mat")
        self.assertEqual((content["X"].shape, content["y"].shape), ((32, 32, 3, 50), (50, 1)))
        self.assertEqual(set(content["y"].ravel()), set(range(1, 11)))
        pixels, digits = svhn.load(self.data, "train")
        self.assertEqual(set(digits), set(range(10)))
        np.testing.assert_array_equal(pixels[7], content["X"][..., 7])

    def test_checks_compare_with_what_was_published(self):
        self.assertEqual(len(cifar.check(self.data)), 8)
        svhn.generate(self.data, 10, 10)
        self.assertTrue(all("not as published" in problem for problem in svhn.check(self.data)))


class Itu23(Scratch):
    PLAN = dataclasses.replace(itu23.PRESETS["tiny"], train_images=50, test_images=20, batch=16)

    def job(self, **changes):
        return SimpleNamespace(plan=dataclasses.replace(self.PLAN, **changes), preset="tiny", data=self.data, seed=1)

    def test_all_data_sets_give_every_picture_once_an_epoch(self):
        for dataset in itu23.CLASSES:
            data = itu23.Data(self.job(dataset=dataset))
            batches = list(data.train_batches(1))
            self.assertEqual([len(labels) for _, labels in batches], [16, 16, 16, 2])
            shown = np.sort(np.concatenate([labels for _, labels in batches]))
            np.testing.assert_array_equal(shown, np.sort(data.train_labels))

    def test_a_batch_of_one_is_refused(self):
        with self.assertRaises(Refused):
            itu23.Data(self.job(batch=7))

    def test_unknown_names_are_refused(self):
        for change in ({"model": "resnet18"}, {"depth": "deep"}):
            with self.assertRaises(Refused):
                itu23.blocks(dataclasses.replace(self.PLAN, **change))
        with self.assertRaises(Refused):
            itu23.prepare(self.job(dataset="mnist"))

    def test_reduced_models_still_differ(self):
        counts = {model: sum(np.prod(shape) for shape in resnet.shapes(blocks, 10).values())
                  for model, blocks in itu23.DEPTHS["reduced"].items()}
        self.assertLess(counts["resnet50"], counts["resnet101"])
        self.assertLess(counts["resnet101"], counts["resnet152"])

    def test_quality_is_averaged_over_classes(self):
        scores = np.eye(3)[[0, 0, 0, 1]]
        found = itu23.quality(np.array([0, 0, 1, 2]), scores)
        self.assertEqual(found["accuracy"], 0.5)
        self.assertAlmostEqual(found["precision"], (2 / 3 + 0 + 0) / 3)
        self.assertAlmostEqual(found["recall"], 1 / 3)


class Shapes(unittest.TestCase):
    def test_parameters_are_those_that_are_published(self):
        for name, count in (("resnet50", 25_557_032), ("resnet101", 44_549_160), ("resnet152", 60_192_808)):
            arrays = resnet.shapes(resnet.DEPTHS[name], 1000)
            found = sum(int(np.prod(shape)) for part, shape in arrays.items() if "running" not in part)
            self.assertEqual(found, count)


if __name__ == "__main__":
    unittest.main()
