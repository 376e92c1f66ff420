# SPDX-License-Identifier: Apache-2.0
"""Is this environment fit for use? Computes something and tells version and device as JSON."""

import json

import flax
import jax
import jax.numpy as jnp
import optax

device = "cpu" if jax.devices()[0].platform == "cpu" else "cuda"
total = float(jax.jit(lambda a: (a @ a).sum())(jnp.ones((2, 2))))
assert total == 8, f"2x2 ones times 2x2 ones sum to {total}"
slope = float(jax.grad(lambda x: x**2)(3.0))
assert slope == 6, f"the slope of x^2 at 3 is {slope}"
print(json.dumps({"version": jax.__version__, "device": device, "flax": flax.__version__, "optax": optax.__version__}))
