# SPDX-License-Identifier: Apache-2.0
"""Is this environment fit for use? Computes something and tells version and device as JSON."""

import json

import torch
import torchvision

device = "cuda" if torch.cuda.is_available() else "cpu"
total = (torch.ones(2, 2, device=device) @ torch.ones(2, 2, device=device)).sum().item()
assert total == 8, f"2x2 ones times 2x2 ones sum to {total}"
boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9]])
kept = torchvision.ops.nms(boxes, torch.tensor([0.9, 0.8]), 0.5).tolist()
assert kept == [0], f"of two boxes that overlap these are kept: {kept}"
print(json.dumps({"version": torch.__version__, "device": device, "torchvision": torchvision.__version__}))
