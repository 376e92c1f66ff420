# SPDX-License-Identifier: Apache-2.0
"""The Python peers, each in a virtual environment of its own, from the lock files."""
import hashlib
import os
import subprocess
import sys
from pathlib import Path

LOCKS = Path(__file__).resolve().parent.parent / "locks"


def home() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "prengdl" / "bench"


def program(peer: str, name: str = "python") -> Path:
    return home() / peer / "bin" / name


def missing(peer: str) -> str | None:
    """Why the peer cannot be run, or None when it can."""
    stamp = home() / peer / "lock.sha256"
    if not stamp.exists():
        return "not installed (bench/peers --setup)"
    if stamp.read_text() != _digest(peer):
        return "installed from an older lock file (bench/peers --setup)"
    return None


def _digest(peer: str) -> str:
    return hashlib.sha256((LOCKS / f"{peer}.txt").read_bytes()).hexdigest()


def set_up(only: str = "*") -> bool:
    """Installs what is missing. A peer that cannot be installed is named and left out."""
    all_there = True
    for lock in sorted(LOCKS.glob(f"{only}.txt")):
        peer = lock.stem
        if missing(peer) is None:
            print(f"{peer}: there")
            continue
        print(f"{peer}: installing", flush=True)
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", home() / peer], check=True)
            subprocess.run(
                [program(peer), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                 "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", lock], check=True)
            # Else the first run of a peer, and only the first, would also compile it.
            subprocess.run([program(peer), "-m", "compileall", "-q", home() / peer / "lib"],
                           stdout=subprocess.DEVNULL, check=False)
            (home() / peer / "lock.sha256").write_text(_digest(peer))
        except subprocess.CalledProcessError as problem:
            print(f"{peer}: could not be installed ({problem})", file=sys.stderr)
            all_there = False
    return all_there
