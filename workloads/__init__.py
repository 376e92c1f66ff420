# SPDX-License-Identifier: Apache-2.0
"""The models of the studies, each written natively in every framework (docs/reference/workloads.md)."""

import importlib.util
import sys
from pathlib import Path

# In a clone and after an installation, the package that emits events is next to this one.
# An environment need not have it.
if importlib.util.find_spec("prengdl") is None:
    sys.path.append(str(Path(__file__).resolve().parent.parent / "python"))
