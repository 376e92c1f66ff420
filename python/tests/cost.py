# SPDX-License-Identifier: Apache-2.0
"""What telling costs a workload on this machine: PYTHONPATH=python python3 python/tests/cost.py [DIRECTORY]

The file lies in DIRECTORY (by default that of temporary files), since a write is most of the cost.
"""

import os
import subprocess
import sys
import tempfile

MEASURE = """
import timeit, prengdl

def pair():
    prengdl.begin("epoch", 1)
    prengdl.end("epoch", 1)

def context():
    with prengdl.span("epoch", 1):
        pass

def metric():
    prengdl.metric("accuracy", 0.91, step=1)

def nothing():
    pass

number = 20000
def least(function):
    return min(timeit.repeat(function, number=number, repeat=7)) / number * 1e6

call = least(nothing)
for name, function in (("begin and end", pair), ("with span", context), ("metric", metric)):
    print(f"{name:14} {least(function) - call:6.2f} us")
"""


def measured(path=None):
    """The costs with the events going to `path`, or without any."""
    environment = {key: value for key, value in os.environ.items() if key != "PRENGDL_EVENTS"}
    if path:
        environment["PRENGDL_EVENTS"] = path
    return subprocess.run(
        [sys.executable, "-c", MEASURE],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def main(directory=None):
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        print("active:", measured(os.path.join(folder, "events")), sep="\n")
    print("not active:", measured(), sep="\n", end="")


if __name__ == "__main__":
    main(*sys.argv[1:2])
