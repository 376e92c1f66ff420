# SPDX-License-Identifier: Apache-2.0
"""Is this environment fit for use? Computes something and tells version and device as JSON."""

import json

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper


def square() -> bytes:
    """A model of one node: the product of a matrix with itself."""
    node = helper.make_node("MatMul", ["a", "a"], ["b"])
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2]) for name in ("a", "b")]
    graph = helper.make_graph([node], "square", ends[:1], ends[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


available = onnxruntime.get_available_providers()
for provider in ("CPUExecutionProvider", "OpenVINOExecutionProvider", "CUDAExecutionProvider"):
    if provider not in available:
        continue
    session = onnxruntime.InferenceSession(square(), providers=list(dict.fromkeys([provider, "CPUExecutionProvider"])))
    total = float(session.run(None, {"a": numpy.ones((2, 2), numpy.float32)})[0].sum())
    assert total == 8, f"{provider}: 2x2 ones times 2x2 ones sum to {total}"
    last = session.get_providers()[0]
device = "cuda" if last == "CUDAExecutionProvider" else "cpu"
print(json.dumps({"version": onnxruntime.__version__, "device": device, "providers": available,
                  "onnx": onnx.__version__}))
