# SPDX-License-Identifier: Apache-2.0
"""What detectors are made of: drawn data are COCO's, and boxes, matches, regions and masks are the same in TensorFlow
as in torchvision. The numbers here are torchvision's; where it is installed, it is asked again.

    PYTHONPATH=.:python PYTHON_OF_AN_ENVIRONMENT -m unittest tests/workloads/test_detection.py
"""

import dataclasses
import importlib.util
import json
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy as np

if importlib.util.find_spec("pycocotools") is None:
    raise unittest.SkipTest("pycocotools is not installed here")

from workloads.shared import detection, mask_rcnn, ssd
from workloads.shared.data import coco, generate_coco

BOXES = np.array([[10, 12, 50, 40], [0, 0, 30, 80], [60, 20, 90, 100]], np.float32)
REFERENCES = np.array([[14, 10, 44, 50], [2, 3, 20, 70], [50, 30, 100, 90]], np.float32)
ENCODED = [[0.3333, -1.0, 1.4384, -1.7834], [2.2222, 0.5224, 2.5541, 0.8867], [0.0, 0.0, -2.5541, 1.4384]]
CODES = np.array([[1, -2, 0.5, 25], [0, 3, -1, 0.2], [-4, 0, 2, -2]], np.float32)  # 25 is more than is allowed
DECODED = [[15.4224, -1228.0001, 48.5776, 1272.0001], [3.6314, 21.7328, 18.3686, 91.4672],
           [17.7044, 39.8904, 92.2956, 80.1096]]

OBJECTS = np.array([[10, 10, 50, 50], [60, 60, 90, 90], [0, 70, 14, 90], [12, 12, 50, 52]], np.float32)
ANCHORS = np.array([[12, 8, 52, 48], [10, 10, 30, 50], [55, 55, 95, 95], [61, 60, 90, 91], [0, 60, 40, 100],
                    [70, 0, 100, 30], [14, 10, 50, 54]], np.float32)
WITH_BEST = [0, -2, -2, 1, 2, -1, 3]  # the third object is hardly overlapped, and keeps its best anchor
WITHOUT_BEST = [0, -2, -2, 1, -1, -1, 3]
ONE_TO_ONE = [0, 0, 1, 1, 2, -1, 3]  # the first and the last object want the last anchor

FEATURES = np.sin(np.arange(2 * 6 * 8) * 0.7).reshape(2, 6, 8).astype(np.float32)
# Image and box: inside, at the right edge, everything, less than a pixel of the features, in the last corner.
REGIONS = np.array([[0, 4, 4, 20, 16], [1, 18, 10, 32, 24], [0, 0, 0, 32, 24], [1, 9, 9, 10, 10], [1, 30, 22, 32, 24]],
                   np.float32)
POOLED = [[0.1664, 0.8196, -0.5997, 0.4493], [-0.4147, -0.9023, 0.4388, -0.4703], [0.2345, -0.0215, -0.6817, 0.6353],
          [0.7018, 0.49, 0.8685, 0.7431], [-0.5026, 0.0, 0.0, 0.0]]
SIZES = np.array([[0, 0, 20, 20], [5, 5, 40, 40], [0, 0, 64, 60], [0, 0, 128, 100]], np.float32)
LEVELS = [0, 1, 1, 2]  # of the pyramid, from which boxes of these sizes are pooled

MASK = (np.cos(np.arange(16) * 0.9) ** 2).reshape(1, 4, 4).astype(np.float32)
MASK_BOX = np.array([[3.4, -1.6, 9.2, 5.7]], np.float32)
COLUMNS = [0.0, 0.0, 1.1574, 2.8934, 1.8784, 1.7908, 3.5578, 4.2882, 4.5003, 1.8001]  # sums of the pasted mask
ROWS = [3.9682, 3.9631, 3.7376, 3.488, 3.1944, 2.5687, 0.9464, 0.0, 0.0, 0.0]

CANDIDATES = np.array([[0, 0, 20, 20], [1, 0, 21, 20], [0, 0, 20, 20], [40, 40, 60, 60], [42, 40, 60, 60]], np.float32)
SCORES, CLASSES = np.array([0.9, 0.8, 0.7, 0.6, 0.65], np.float32), [0, 0, 1, 1, 1]
LEFT = [0, 2, 4]  # after suppression, the best first

ERRORS = np.array([-2, -0.05, 0, 0.1, 0.2], np.float32)
SMOOTH = [1.94444, 0.01125, 0.0, 0.045, 0.14444]  # beta 1/9


def near(actual, expected, tolerance: float = 2e-4):
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-5, atol=tolerance)


class DrawnCoco(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.sizes = generate_coco.Sizes(train=24, val=12, side=96)
        cls.directory = generate_coco.generate(Path(cls.scratch.name), cls.sizes)

    def job(self, shared, **settings):
        plan = dataclasses.replace(shared.PRESETS["tiny"], train_images=24, eval_images=12, drawn_size=96, steps=0,
                                   **settings)
        return SimpleNamespace(data=Path(self.scratch.name), seed=3, plan=plan)

    def test_it_loads_as_coco_does(self):
        train = coco.Coco(self.directory, "train2017")
        self.assertEqual(len(train.ids), 24)
        self.assertEqual(train.categories, [1, 3, 18])
        self.assertEqual(set(json.loads(coco.annotations(self.directory, "val2017").read_text())),
                         {"info", "licenses", "images", "annotations", "categories"})
        crowds = [one for one in train.api.anns.values() if one["iscrowd"]]
        self.assertEqual(len(crowds), 2)
        for crowd in crowds:
            self.assertEqual(train.api.annToMask(crowd).sum(), crowd["area"])
        self.assertLess(len(train.with_objects()), 24, "some have no objects")

    def test_masks_fill_their_boxes(self):
        train = coco.Coco(self.directory, "train2017")
        for image_id in train.with_objects():
            image, objects = train.image(image_id), train.objects(image_id, masks=True)
            self.assertEqual(objects.masks.shape[1:], (image.height, image.width))
            for box, mask in zip(objects.boxes, objects.masks):
                rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
                near([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1], box, tolerance=2.1)

    def test_the_same_seed_draws_the_same(self):
        with tempfile.TemporaryDirectory() as other:
            again = generate_coco.generate(Path(other), self.sizes)
            files = sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
            self.assertEqual(len(files), 24 + 12 + 2)
            for file in files:
                self.assertEqual((again / file).read_bytes(), (self.directory / file).read_bytes(), str(file))

    def test_the_check_wants_all_of_coco(self):
        problems = coco.check(self.directory)
        self.assertTrue(any("118287" in problem for problem in problems), problems)
        self.assertTrue(any("missing" in problem for problem in coco.check(self.directory / "nowhere")))

    def test_the_truth_as_detections_has_precision_one(self):
        for shared, side in ((ssd, 80), (mask_rcnn, 64)):  # stretched, and fitted
            job = self.job(shared, image_size=side)
            data = detection.Data(job)
            results = []
            batch = detection.batch_of([detection.sample(job.plan, data.evaluation, image_id)
                                        for image_id in data.eval_ids])
            for number, labels in enumerate(batch.labels):
                count = int((labels > 0).sum())
                masks = batch.masks[number, :count] > 0 if job.plan.masks else None
                results += detection.results(data, batch, number, batch.boxes[number, :count], np.full(count, 0.9),
                                             labels[:count], masks)
            for name, value in shared.qualities(data, results).items():
                # Masks lose a little where they are made smaller and larger again.
                self.assertGreater(value, 0.99 if name != "mask_ap" else 0.8, name)
            self.assertEqual(set(shared.qualities(data, []).values()), {0.0})

    def test_a_mirrored_object_stays_under_its_mask(self):
        plan = self.job(mask_rcnn, image_size=64).plan
        train = coco.Coco(self.directory, "train2017")
        image_id = train.with_objects()[0]
        for mirrored in (False, True):
            sample = detection.sample(plan, train, image_id, mirrored)
            for box, mask in zip(sample.objects.boxes, sample.objects.masks):
                columns = np.flatnonzero(mask.any(axis=0))
                near([columns[0], columns[-1] + 1], box[[0, 2]], tolerance=2.1)

    def test_the_order_depends_on_the_seed_and_the_epoch_alone(self):
        job = self.job(ssd, image_size=64)

        def order(seed, epoch):
            data = detection.Data(SimpleNamespace(**{**vars(job), "seed": seed})).for_training()
            return [image_id for batch in data.train_batches(epoch) for image_id in batch.image_ids]

        self.assertEqual(order(1, 1), order(1, 1))
        self.assertNotEqual(order(1, 1), order(1, 2))
        self.assertNotEqual(order(1, 1), order(2, 1))
        self.assertEqual(len(order(1, 1)), 5 * 4)

    def test_the_learning_rate_rises_and_falls(self):
        job = self.job(ssd, image_size=64, learning_rate=0.3, warmup_steps=4, decay_epochs=(2,))
        data = detection.Data(job).for_training()
        near([data.learning_rate(step) for step in (0, 2, 4, 9, 10)], [0.1, 0.2, 0.3, 0.3, 0.03])


@unittest.skipUnless(importlib.util.find_spec("torchvision"), "torchvision is not installed here")
class InTorchvision(unittest.TestCase):
    """That the numbers above are what torchvision gives."""

    def test_boxes(self):
        import torch
        from torchvision.models.detection._utils import BoxCoder
        coder = BoxCoder((10.0, 10.0, 5.0, 5.0))
        near(coder.encode_single(torch.tensor(BOXES), torch.tensor(REFERENCES)), ENCODED)
        near(coder.decode_single(torch.tensor(CODES), torch.tensor(REFERENCES)), DECODED)
        from torch.nn.functional import smooth_l1_loss
        near(smooth_l1_loss(torch.tensor(ERRORS), torch.zeros(5), beta=1 / 9, reduction="none"), SMOOTH)

    def test_matches(self):
        import torch
        from torchvision.models.detection._utils import Matcher, SSDMatcher
        from torchvision.ops import batched_nms, box_iou
        overlaps = box_iou(torch.tensor(OBJECTS), torch.tensor(ANCHORS))
        self.assertEqual(Matcher(0.7, 0.3, True)(overlaps).tolist(), WITH_BEST)
        self.assertEqual(Matcher(0.7, 0.3, False)(overlaps).tolist(), WITHOUT_BEST)
        self.assertEqual(SSDMatcher(0.5)(overlaps).tolist(), ONE_TO_ONE)
        left = batched_nms(torch.tensor(CANDIDATES), torch.tensor(SCORES), torch.tensor(CLASSES), 0.5)
        self.assertEqual(left.tolist(), LEFT)

    def test_regions(self):
        import torch
        from torchvision.models.detection.roi_heads import paste_masks_in_image
        from torchvision.ops import MultiScaleRoIAlign, roi_align
        near(roi_align(torch.tensor(FEATURES)[:, None], torch.tensor(REGIONS), 2, 0.25, 2).reshape(5, 4), POOLED)
        pool = MultiScaleRoIAlign(["0", "1", "2", "3"], 1, 2, canonical_scale=64)
        maps = {str(level): torch.full((1, 1, 32 >> level, 32 >> level), float(level)) for level in range(4)}
        near(pool(maps, [torch.tensor(SIZES)], [(128, 128)]).flatten(), LEVELS)
        pasted = paste_masks_in_image(torch.tensor(MASK)[:, None], torch.tensor(MASK_BOX), (10, 10))[0, 0]
        near(pasted.sum(0), COLUMNS)
        near(pasted.sum(1), ROWS)


@unittest.skipUnless(importlib.util.find_spec("tensorflow"), "tensorflow is not installed here")
class InTensorFlow(unittest.TestCase):
    def setUp(self):
        from workloads.tensorflow import boxes, regions
        self.boxes, self.regions = boxes, regions

    def test_boxes(self):
        near(self.boxes.encode(BOXES, REFERENCES, (10.0, 5.0)), ENCODED)
        near(self.boxes.decode(CODES, REFERENCES, (10.0, 5.0)), DECODED)
        near(self.boxes.smooth_l1(ERRORS, 1 / 9), SMOOTH)

    def test_matches(self):
        # A fifth object that is only there to fill up the batch.
        overlaps = self.boxes.overlap(np.vstack([OBJECTS, np.zeros((1, 4), np.float32)])[None], ANCHORS[None])
        valid = np.array([[True] * 4 + [False]])
        self.assertEqual(self.boxes.matched(overlaps, valid, 0.7, 0.3, keep_best=True)[0].numpy().tolist(), WITH_BEST)
        self.assertEqual(self.boxes.matched(overlaps, valid, 0.7, 0.3)[0].numpy().tolist(), WITHOUT_BEST)
        self.assertEqual(self.boxes.matched_one_to_one(overlaps, valid, 0.5)[0].numpy().tolist(), ONE_TO_ONE)

    def test_suppression(self):
        scores = np.where(np.arange(2) == np.array(CLASSES)[:, None], SCORES[:, None], 0).astype(np.float32)
        boxes, left, classes, valid = self.boxes.suppressed(CANDIDATES[None, :, None], scores[None], 0.5, 4, 0.0)
        self.assertEqual(valid.numpy().tolist(), [[True] * 3 + [False]])
        near(boxes[valid], CANDIDATES[LEFT])
        near(left[valid], SCORES[LEFT])
        self.assertEqual(classes[valid].numpy().tolist(), [CLASSES[index] for index in LEFT])

    def test_samples(self):
        positive = np.zeros((3, 50), bool)
        positive[0, :20] = positive[1, :2] = True
        negative = ~positive
        negative[2, 5:] = False
        chosen = self.boxes.sampled(positive, negative, 16, 0.25).numpy()
        self.assertEqual((chosen & positive).sum(axis=1).tolist(), [4, 2, 0])
        self.assertEqual((chosen & negative).sum(axis=1).tolist(), [12, 14, 5])
        again = self.boxes.sampled(positive, negative, 16, 0.25).numpy()
        self.assertNotEqual(chosen.tolist(), again.tolist(), "they are chosen at random")

    def test_regions(self):
        owners, boxes = REGIONS[:, 0].astype(np.int32), REGIONS[:, 1:]
        near(np.reshape(self.regions.roi_align(FEATURES[..., None], boxes, owners, 2, 0.25), (5, 4)), POOLED)
        maps = [np.full((1, 32 >> level, 32 >> level, 1), level, np.float32) for level in range(4)]
        near(np.reshape(self.regions.pooled(maps, SIZES, np.zeros(4, np.int32), 1, 128, 64), -1), LEVELS)

    def test_masks(self):
        pasted = self.regions.pasted(MASK, MASK_BOX, 10)[0].numpy()
        near(pasted.sum(axis=0), COLUMNS)
        near(pasted.sum(axis=1), ROWS)


if __name__ == "__main__":
    unittest.main()
