# SPDX-License-Identifier: Apache-2.0
"""run_command.py METER OUT INTERVAL CMD...: measures a command with a Python library.

INTERVAL is in seconds, or - for the library's own. Writes OUT/driver.json.
"""
import json
import subprocess
import sys

from meters import METERS


def main() -> None:
    name, out, interval, *command = sys.argv[1:]
    meter = METERS[name](out, None if interval == "-" else float(interval))
    meter.begin()
    subprocess.run(command, check=False)
    joules = meter.end()
    with open(f"{out}/driver.json", "w", encoding="utf-8") as file:
        json.dump({"joules": joules}, file)


if __name__ == "__main__":  # Zeus starts helpers that import this file again
    main()
