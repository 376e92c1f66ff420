# SPDX-License-Identifier: Apache-2.0
"""`prengdl report -o DIR/ --latex`: the files of a paper, without TeX. scripts/check paper compiles them."""

import getpass
import json
import os
import pathlib
import re
import shutil
import socket
import unittest

from program import Case
from test_golden import GOLDEN, RESULTS

HOSTILE = ["a_b%c&d", "{open", "x\\input{/etc/passwd}", "#1 $x^2$ ~", "é 時"]


def unescaped(text):
    """A LaTeX text as a reader sees it, as far as the cells of these tests need it."""
    if bold := re.fullmatch(r"\s*\\textbf\{(.*)\}\s*", text):
        text = bold[1]
    for command, shown in (("\\textless{}", "<"), ("-{}", "-"), ("{[}", "["), ("{]}", "]"),
                           ("\\%", "%"), ("\\_", "_"), ("\\hspace{0pt}", ""), ("\\&", "&"), ("\\textgreater{}", ">"),
                           ("\\textasciitilde{}", "~"), ("\\ldots{}", "…"), ("$\\times$", "×"), ("$\\pm$", "±")):
        text = text.replace(command, shown)
    return text.strip()


def rows_of(text):
    """The cells of all rows between \\midrule and \\bottomrule; an empty first cell is the one above."""
    rows = []
    for body in re.findall(r"\\midrule\n(.*?)\\bottomrule", text, re.S):
        for line in body.splitlines():
            if line == "\\addlinespace":
                continue
            cells = [unescaped(cell) for cell in re.split(r"(?<!\\)&", line.removesuffix("\\\\"))]
            if not cells[0] and rows:
                cells[0] = rows[-1][0]
            rows.append(cells)
    return rows


def is_balanced(text):
    """Whether every brace that is not escaped or in a comment has its partner."""
    depth = 0
    for line in text.splitlines():
        line = re.sub(r"\\.", "", line)
        line = line[:line.index("%")] if "%" in line else line
        for character in line:
            depth += {"{": 1, "}": -1}.get(character, 0)
            if depth < 0:
                return False
    return depth == 0


class Papers(Case):
    def imported(self, name):
        result = self.scratch / name
        done = self.run_program("import", "csv", GOLDEN / f"{name}.csv", "-o", result, *RESULTS[name])
        self.assertEqual(done.returncode, 0, done.stderr)
        return result

    def paper(self, result, *options):
        """The files of a paper by their names, made where no pdflatex is."""
        directory = self.scratch / "paper"
        programs = self.scratch / "programs"
        programs.mkdir(exist_ok=True)
        done = self.run_program("report", result, "-o", f"{directory}/", "--latex", *options,
                                env={"PATH": programs})
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("pdflatex is not installed", done.stderr)
        self.assertIn("make -C", done.stderr)
        return {str(path.relative_to(directory)): path.read_text()
                for path in directory.rglob("*") if path.is_file()}


class Contents(Papers):
    def test_every_table_has_the_numbers_of_the_json(self):
        for name in RESULTS:
            with self.subTest(name=name):
                result = self.imported(name)
                files = self.paper(result, "-o", self.scratch / "report.json")
                compared = 0
                for part in json.loads((self.scratch / "report.json").read_text())["parts"]:
                    for table in part["tables"]:
                        file = files[f"tables/{table['id']}.tex"]
                        wanted = [[cell["text"] if isinstance(cell, dict) else cell or "" for cell in row]
                                  for row in table["rows"]]
                        places = [i for i, column in enumerate(table["columns"])
                                  if any(isinstance(row[i], dict) and "value" in row[i] for row in table["rows"])]
                        found = rows_of(file)
                        self.assertEqual(len(found), len(wanted), table["id"])
                        for i in places:
                            self.assertEqual([row[i] for row in found], [row[i] for row in wanted], table["id"])
                            compared += len(found)
                shutil.rmtree(self.scratch / "paper")
                self.assertGreater(compared, 50)

    def test_files_are_balanced_and_included_once(self):
        files = self.paper(self.imported("frameworks"))
        for name, text in files.items():
            self.assertTrue(is_balanced(text), name)
        for name in files:
            if name.startswith("tables/"):
                self.assertEqual(files["main.tex"].count("\\input{" + name.removesuffix(".tex") + "}"), 1, name)
                self.assertRegex(files[name], r"\\begin\{table\*?\}\[tp\]\n\\caption\{")
                self.assertNotRegex(files[name], r"p\{[0-9.]+(cm|in|pt|mm)\}", "a width that may not fit")
            if name.startswith("figures/"):
                self.assertEqual(files["main.tex"].count(f"{{{name.removesuffix('.tex')}.pdf}}"), 1, name)
        self.assertGreater(sum(name.startswith("figures/") for name in files), 4)

    def test_costs_are_in_the_form_of_the_studies(self):
        result = self.imported("frameworks")
        files = self.paper(result)
        compared = json.loads(self.run_program("compare", result, "--json").stdout)["findings"]
        text = files["tables/study-costs-train.tex"]
        self.assertIn("\\begin{table}[tp]", text, "it fits one column")
        rows = rows_of(text)
        train = [one for one in compared if one["case"]["phase"] == "train"]
        self.assertEqual(len(rows), len(train))
        bold = re.findall(r"\\textbf\{([^}]*)\}", text)
        self.assertEqual(len(bold), sum(one["verdict"] == "less" for one in train))
        ratios = sorted(row[4] for row in rows)
        self.assertEqual(ratios, sorted(f"{one['estimate']['ratio']:#.4g}" for one in train))

    def test_costs_of_several_levels_have_a_column_each_and_no_test(self):
        text = self.paper(self.imported("runtimes"))["tables/study-costs.tex"]
        head = text[text.index("\\toprule"):text.index("\\midrule")]
        self.assertNotIn("A12", text)
        self.assertEqual(len(rows_of(text)[0]), len(re.split("&", head.splitlines()[-1])))
        self.assertIn("costs less than every other level", text)

    def test_methods_name_tests_meters_and_versions(self):
        files = self.paper(self.imported("frameworks"))
        version = self.run_program("--version").stdout.split()[-1]
        methods = unescaped(files["methods.tex"])
        for words in ("We compared 2 levels of the factor framework", "geometric means", "after Holm~\\cite{holm1979}",
                      "A12~\\cite{vargha2000}", "~\\cite{schuirmann1987}", "margin of 5 %", f"prengdl {version}",
                      "The package domain was read by the chip", "chosen after the data were known"):
            self.assertIn(words, methods)
        cited = set(re.findall(r"\\cite\{(\w+)\}", files["methods.tex"]))
        self.assertEqual(cited, set(re.findall(r"^@\w+\{(\w+),", files["references.bib"], re.M)))
        self.assertNotIn("@", files["methods.tex"])

    def test_methods_of_a_study_name_order_seed_and_registration(self):
        study = self.scratch / "small.toml"
        study.write_text('[study]\nname = "small"\nruns = 3\nseed = 7\n[protocol]\nwarmup = 1\nsettle = "off"\n'
                         '[factors]\nside = ["left", "right"]\n[workload]\ncommand = ["true", "{side}"]\n'
                         '[analysis]\ncompare = "side"\nprimary = "seconds"\nsecondary = []\n')
        result = self.scratch / "result"
        done = self.run_program("run", study, "-o", result, "--anyway")
        self.assertEqual(done.returncode, 0, done.stderr)
        methods = unescaped(self.paper(result)["methods.tex"])
        registration = json.loads(self.run_program("compare", result, "--json").stdout)["registration"]
        for words in ("3 blocks", "in random order (seed 7)", "1 warm-up run of each cell",
                      f"SHA-256 \\texttt{{{registration['sha256']}}}", "reported as registered"):
            self.assertIn(words, methods)

    def test_anonymous_leaves_out_host_user_and_paths(self):
        result = self.scratch / "result"
        done = self.run_program("measure", "-n", "2", "-c", f"ls {self.scratch}", "-c", "true", "-o", result)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = self.paper(result, "--anonymous")
        for name, text in files.items():
            self.assertNotIn(str(self.scratch), unescaped(text), name)
            for secret in (socket.gethostname(), getpass.getuser()):
                if secret not in ("root", "localhost"):
                    self.assertIsNone(re.search(rf"\b{re.escape(secret)}\b", unescaped(text)), name)

    def test_hostile_names_are_text(self):
        result = self.scratch / "result"
        names = [word for name in HOSTILE for word in ("--name", name)]
        done = self.run_program("measure", "-n", "2", *names, *(word for _ in HOSTILE for word in ("-c", "true")),
                                "-o", result)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, text in self.paper(result).items():
            self.assertTrue(is_balanced(text), name)
            self.assertNotIn("\\input{/", text, name)


class Calls(Papers):
    def test_a_directory_and_the_option_need_each_other(self):
        result = self.imported("runtimes")
        for words, texts in ((("-o", "paper/"), ("paper/ is a directory", "--latex")),
                             (("-o", self.scratch), ("is a directory", "--latex")),
                             (("-o", "x.html", "--latex"), ("--latex needs a directory", "paper/"))):
            done = self.run_program("report", result, *words, cwd=self.scratch)
            self.assertUsage(done, *texts)

    @unittest.skipUnless(shutil.which("pdflatex"), "pdflatex is not installed")
    def test_figures_become_pdf(self):
        directory = self.scratch / "a paper % with # in its name"
        done = self.run_program("report", self.imported("runtimes"), "-o", f"{directory}/", "--latex")
        self.assertEqual(done.returncode, 0, done.stderr)
        figures = sorted(path.stem for path in (directory / "figures").glob("*.tex"))
        self.assertTrue(figures)
        self.assertEqual(sorted(path.stem for path in (directory / "figures").glob("*.pdf")), figures, done.stderr)
        self.assertEqual({path.suffix for path in (directory / "figures").iterdir()}, {".tex", ".pdf"})

    def test_a_figure_that_fails_is_named(self):
        programs = pathlib.Path(self.scratch, "bin")
        programs.mkdir()
        (programs / "pdflatex").write_text("#!/bin/sh\nexit 1\n")
        (programs / "pdflatex").chmod(0o755)
        done = self.run_program("report", self.imported("runtimes"), "-o", f"{self.scratch}/paper/", "--latex",
                                env={"PATH": f"{programs}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0)
        self.assertIn("pdflatex made no PDF of", done.stderr)
