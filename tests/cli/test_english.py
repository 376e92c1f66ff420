# SPDX-License-Identifier: Apache-2.0
"""scripts/check-english finds planted phrases and long sentences in every kind of text, and leaves code alone."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from program import SOURCE

LONG = "This sentence has " + "very " * 30 + "many words."


class CheckEnglish(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def check(self, name, text):
        file = self.scratch / name
        file.write_text(text)
        done = subprocess.run([SOURCE / "scripts/check-english", file], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0 if " 0 findings" in done.stdout else 1)
        return done.stdout.replace(str(file), name)

    def assertClean(self, name, text):
        self.assertIn(" 0 findings", self.check(name, text))

    def test_markdown(self):
        found = self.check("page.md", "# Title\n\nIt hangs on the hour.\n")
        self.assertIn("page.md:3: 'hangs on': write depends on", found)
        self.assertIn("'Compared are'", self.check("page.md", "Compared\nare whole runs.\n"))
        self.assertIn("page.md:1: 35 words", self.check("page.md", LONG + "\n"))
        self.assertIn("'beside'", self.check("page.md", "| a |\n|---|\n| beside |\n"))

    def test_tables_may_have_long_sentences_and_code_is_not_checked(self):
        self.assertClean("page.md", f"| a |\n|---|\n| {LONG} |\n")
        self.assertClean("page.md", "The `told` flag.\n\n```sh\necho it hangs on\n```\n\n[more](beside.md)\n")
        self.assertClean("page.md", "It retold the story of besiders.\n")

    def test_strings_of_sources(self):
        include, comment, raw = '#include "hangs on.h"', "// it hangs on", 'auto b = R"(it hangs on)";'
        text = 'auto a = f("it hangs "\n  "on {}");\n'
        found = self.check("source.cpp", f"{include}\n{comment}\n{text}{raw}\n")
        self.assertIn("source.cpp:2: 'hangs on'", found)
        self.assertIn("source.cpp:3: 'hangs on'", found)
        self.assertIn(" 2 findings", found)
        self.assertClean("source.cpp", f"// {LONG}\n")
        self.assertIn("35 words", self.check("source.h", f'auto a = "{LONG}";\n'))

    def test_docstrings(self):
        found = self.check("module.py", 'x = "it hangs on"\n\ndef f():\n    """It hangs on x."""\n')
        self.assertIn("module.py:4: 'hangs on'", found)
        self.assertIn(" 1 findings", found)

    def test_the_manual(self):
        text = ".Sh NAME\n.Nm a\n.Nd measure\n.Sh DESCRIPTION\n.Nm\ntells how\n.Fl n\nworks.\n"
        self.assertIn("manual.1:5: 'tells'", self.check("manual.1", text))
        self.assertIn("words, at most 30", self.check("manual.1", f".Sh DESCRIPTION\n{LONG}\n"))

    def test_descriptions_of_a_schema(self):
        self.assertIn("'told'", self.check("schema.json", '{"a": {"description": "It is told."}, "told": 1}'))

    def test_a_file_that_is_not_there_is_an_error(self):
        done = subprocess.run([SOURCE / "scripts/check-english", "nowhere.md"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
