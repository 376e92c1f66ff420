# SPDX-License-Identifier: Apache-2.0
"""Is this environment fit for use? Computes something and tells version and device as JSON."""

import json

import numpy
import openvino
from openvino import opset13

matrix = opset13.parameter([2, 2], numpy.float32)
model = openvino.Model([opset13.matmul(matrix, matrix, False, False)], [matrix], "square")
compiled = openvino.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
total = float(compiled([numpy.ones((2, 2), numpy.float32)])[0].sum())
assert total == 8, f"2x2 ones times 2x2 ones sum to {total}"
print(json.dumps({"version": openvino.__version__, "device": "cpu", "devices": openvino.Core().available_devices}))
