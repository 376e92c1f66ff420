# SPDX-License-Identifier: Apache-2.0
"""Is this environment fit for use? Computes something and tells version and device as JSON."""

import json

import mxnet as mx

device = "cuda" if mx.context.num_gpus() else "cpu"
context = mx.gpu() if device == "cuda" else mx.cpu()
ones = mx.nd.ones((2, 2), ctx=context)
total = mx.nd.dot(ones, ones).sum().asscalar()
assert total == 8, f"2x2 ones times 2x2 ones sum to {total}"
print(json.dumps({"version": mx.__version__, "device": device}))
