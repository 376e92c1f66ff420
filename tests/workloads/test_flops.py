# SPDX-License-Identifier: Apache-2.0
"""What workloads tell as forward_flops: known networks, and what PyTorch counts itself where it is installed."""

import importlib.util
import unittest

from workloads.shared import flops, itu23, ncf, resnet50, runtimes24
from workloads.shared.reference_networks import INVERTED_RESIDUALS


class Flops(unittest.TestCase):
    def test_known_networks_have_their_published_multiply_adds(self):
        self.assertAlmostEqual(flops.resnet((3, 4, 6, 3), 1000, 224) / 2e9, 4.09, 2)
        self.assertAlmostEqual(flops.resnet((3, 4, 23, 3), 1000, 224) / 2e9, 7.80, 2)
        self.assertAlmostEqual(flops.mobilenet_v2(INVERTED_RESIDUALS, (1, 2, 3, 4, 3, 3, 1), 1000, 224) / 2e9, 0.30, 2)
        self.assertAlmostEqual(flops.bert(12, 768, 3072, 128) / 2e9, 11.17, 2)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "needs PyTorch")
    def test_what_pytorch_counts(self):
        import torch
        from torch.utils.flop_counter import FlopCounterMode

        from workloads.pytorch import itu23 as torch_itu23
        from workloads.pytorch import ncf as torch_ncf
        from workloads.pytorch import resnet50 as torch_resnet50

        def counted(model, *inputs):
            with FlopCounterMode(display=False) as counter, torch.no_grad():
                model.eval()(*inputs)
            return counter.get_total_flops()

        plan = resnet50.PRESETS["tiny"]
        picture = torch.zeros(1, 3, plan.image, plan.image)
        self.assertEqual(counted(torch_resnet50.build(plan), picture), resnet50.forward_flops(plan))
        plan = itu23.PRESETS["tiny"]
        self.assertEqual(counted(torch_itu23.build(plan), torch.zeros(1, 3, 32, 32)), itu23.forward_flops(plan))
        plan = ncf.PRESETS["tiny"]
        one = torch.zeros(1, dtype=torch.long)
        self.assertEqual(counted(torch_ncf.build(plan), one, one), ncf.forward_flops(plan))

    def test_every_network_of_runtimes24_has_them(self):
        for network in ("resnet50", "mobilenet_v2", "bert_base"):
            self.assertGreater(runtimes24.forward_flops(runtimes24.Plan(network=network)), 1e8)


if __name__ == "__main__":
    unittest.main()
