# SPDX-License-Identifier: Apache-2.0
"""Is this environment fit for use? Computes something and tells version and device as JSON."""

import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import tensorflow as tf

device = "cuda" if tf.config.list_physical_devices("GPU") else "cpu"
total = float(tf.reduce_sum(tf.ones((2, 2)) @ tf.ones((2, 2))))
assert total == 8, f"2x2 ones times 2x2 ones sum to {total}"
shape = tuple(keras.layers.Dense(3)(tf.ones((1, 2))).shape)
assert shape == (1, 3), f"a layer of 3 gives {shape}"
print(json.dumps({"version": tf.__version__, "device": device, "keras": keras.__version__}))
