# SPDX-License-Identifier: Apache-2.0
"""One module per format of real data: its loader, its check, and a generator of small data in the same format."""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Callable


def made(directory: Path, write: Callable[[Path], None]) -> Path:
    """The directory, filled by write(aside) if it is not there. It is seen by others only when complete, and
    several processes may ask at once: the first to finish wins, all write the same."""
    if directory.is_dir():
        return directory
    aside = directory.with_name(f".{directory.name}.{os.getpid()}.part")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        write(aside)
        try:
            aside.rename(directory)
        except OSError:
            if not directory.is_dir():
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return directory


def checksum_problem(path: Path, md5: str) -> list[str]:
    """What is wrong with a file of which the publisher's checksum is known."""
    if not path.is_file():
        return [f"{path} is missing"]
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest()
    return [] if found == md5 else [f"{path} is not as published: md5 {found}, not {md5}"]
