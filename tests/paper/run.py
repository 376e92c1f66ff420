# SPDX-License-Identifier: Apache-2.0
"""Compiles the directories of `prengdl report -o DIR/ --latex` as an author would: with acmart and with IEEEtran.

Run by scripts/check paper. PRENGDL names the program. A box that sticks out by more than a few points, an error, and
a reference without a target fail.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/cli"))
from test_golden import GOLDEN, RESULTS  # noqa: E402

PRENGDL = os.environ.get("PRENGDL") or str(SOURCE / "build/prengdl")
CLASSES = {"acmart": r"\documentclass[sigconf,nonacm]{acmart}", "IEEEtran": r"\documentclass[conference]{IEEEtran}"}
MOST_OVERFULL = 3.0  # points
LONG_NAMES = ["a_name_of_forty_characters_that_goes_on_1", "another-name-of-forty-characters & such %", "<b>short</b>"]


def run(*words, cwd=None):
    done = subprocess.run([str(word) for word in words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done


def results(folder):
    """Results of several shapes: the golden ones, and commands with names that are hard on LaTeX."""
    for name, options in RESULTS.items():
        run(PRENGDL, "import", "csv", GOLDEN / f"{name}.csv", "-o", folder / name, *options)
        yield folder / name
    names = [word for name in LONG_NAMES for word in ("--name", name)]
    run(PRENGDL, "measure", "-n", "3", *names, *(word for _ in LONG_NAMES for word in ("-c", "sleep 0.01")),
        "-o", folder / "names")
    yield folder / "names"


def complaints(log):
    """What an author would not accept. Lines of a log are cut at 79 characters, which \\n within a word undoes."""
    found = [line for line in log.splitlines() if line.startswith("! ")]
    for width, where in re.findall(r"Overfull \\hbox \(([0-9.]+)pt too wide\) (.*)", log):
        if float(width) > MOST_OVERFULL:
            found.append(f"overfull by {width} pt {where}")
    found += re.findall(r"LaTeX Warning: (?:Reference|Citation) .* undefined", log)
    found += re.findall(r"LaTeX Warning: Float too large.*", log)
    return found


def compile_with(directory, name):
    text = (directory / "main.tex").read_text()
    assert CLASSES["acmart"] in text
    (directory / f"{name}.tex").write_text(text.replace(CLASSES["acmart"], CLASSES[name]))
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
    run(*latex, cwd=directory)
    run("bibtex", name, cwd=directory)
    run(*latex, cwd=directory)
    run(*latex, cwd=directory)
    log = (directory / f"{name}.log").read_text(errors="replace")
    pages = re.search(r"Output written on .*?\((\d+) pages?", log)
    return complaints(log), int(pages[1]) if pages else 0


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for result in results(pathlib.Path(scratch)):
            directory = result.with_suffix(".paper")
            done = run(PRENGDL, "report", result, "-o", f"{directory}/", "--latex")
            missing = [path for path in (directory / "figures").glob("*.tex") if not path.with_suffix(".pdf").exists()]
            if missing:
                raise SystemExit(f"no PDF of {missing}: {done.stderr}")
            for name in CLASSES:
                found, pages = compile_with(directory, name)
                print(f"{result.name:12} {name:9} {pages:3} pages, {len(found)} complaints")
                for line in found:
                    print("  " + line)
                bad += len(found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
