# SPDX-License-Identifier: Apache-2.0
"""Keeps arrays made of text next to it, because encoding the published texts takes minutes."""

import os
from pathlib import Path

import numpy as np


def keep(path: Path, arrays: dict[str, np.ndarray]):
    """Writes a temporary file and renames it. Without the right to write there, nothing is kept."""
    if not os.access(path.parent, os.W_OK):
        return
    aside = path.with_name(f".{path.name}.{os.getpid()}.npz")
    np.savez(aside, **arrays)
    aside.rename(path)


def kept(path: Path, sources: list[Path]) -> dict[str, np.ndarray] | None:
    """What is kept, unless one of its sources is newer."""
    if not path.is_file() or path.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        return None
    with np.load(path) as arrays:
        return dict(arrays)
