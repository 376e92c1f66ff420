# SPDX-License-Identifier: Apache-2.0
"""The manual and the completions know every option that --help shows, and no other; pages are backed by files."""

import os
import re
import shutil
import subprocess
import unittest

from program import SOURCE, Case

FINDING = ("measure", "meters", "doctor", "plan", "run", "gate")  # have the options that find meters
PLACING = ("doctor", "setup", "plan", "run")  # have the options that find environments
COMMANDS = (
    *FINDING,
    "setup",
    "status",
    "serve",
    "compare",
    "audit",
    "profile",
    "report",
    "import",
    "exclude",
    "export",
    "merge",
)
MANUAL = SOURCE / "docs/prengdl.1"
BASH = SOURCE / "completions/prengdl.bash"
ZSH = SOURCE / "completions/_prengdl"
FISH = SOURCE / "completions/prengdl.fish"


class Documented(Case):
    """Options by command, as sets of words such as --json and -n."""

    def from_help(self):
        result = {}
        for command in COMMANDS:
            text = self.run_program(command, "--help").stdout
            names = re.findall(r"(?m)^  ((?:-\w,)?--[\w-]+)", text)
            result[command] = {name for line in names for name in line.split(",")}
            self.assertGreater(len(result[command]), 2)
        return result

    def assertSameAsHelp(self, found):
        wanted = self.from_help()
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assertEqual(found[command], wanted[command])


class Manual(Documented):
    def test_has_all_options(self):
        sections = re.split(r"(?m)^\.S[sh] ", MANUAL.read_text())
        found = {}
        for section in sections:
            title = section.partition("\n")[0]
            found[title] = {f"-{name}" for line in re.findall(r"(?m)^\.It (Fl .*)", section)
                            for name in re.findall(r"Fl (\S+)", line)}
        for_all = found["Options of all commands"]
        finding = found["Options of the commands that find meters"]
        placing = found["Options of the commands that find environments"]
        self.assertSameAsHelp({command: found[f"prengdl {command}"] | for_all
                               | (placing if command in PLACING else set())
                               | (finding if command in FINDING else set()) for command in COMMANDS})

    def test_has_all_exit_codes_and_variables(self):
        text = MANUAL.read_text()
        for code in (0, 1, 2, 3, 4, 130):
            self.assertRegex(text, rf"(?m)^\.It {code}$")
        for name in ("PRENGDL_EVENTS", "NO_COLOR", "TMPDIR", "CUDA_VISIBLE_DEVICES",
                     "ROCR_VISIBLE_DEVICES", "SUDO_UID"):
            self.assertRegex(text, rf"(?m)^\.It Ev .*\b{name}\b")

    def test_has_all_flags_of_a_run(self):
        table = (SOURCE / "src/model/flag.cpp").read_text()
        flags = set(re.findall(r'\{Flag::\w+, "([\w-]+)"', table))
        self.assertIn("left-behind", flags)
        self.assertEqual(set(re.findall(r"(?m)^\.It Li (\S+)$", MANUAL.read_text())), flags)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_is_well_formed(self):
        done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", MANUAL], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_examples_are_calls_that_the_program_understands(self):
        text = subprocess.run(["mandoc", "-Tascii", MANUAL], capture_output=True, text=True).stdout
        text = re.sub(r".\x08", "", text)
        examples = text[text.index("\nEXAMPLES"):text.index("\nDIAGNOSTICS")]
        calls = re.findall(r"(?m)^ {8,}(?:sudo )?prengdl (\w+) (.*)$", examples)
        self.assertGreaterEqual(len(calls), 5)
        wanted = self.from_help()
        for command, rest in calls:
            ours = re.sub(r'"[^"]*"', "", rest).split(" -- ")[0]
            self.assertLessEqual(set(re.findall(r"(?:^| )(--?[a-z][\w-]*)", ours)), wanted[command])


class Bash(Documented):
    def complete(self, *words, before=""):
        """What the last word could become, as bash would offer it."""
        script = (f'{before}\nsource "$0"\ncompopt() {{ :; }}\nCOMP_WORDS=("$@")\n'
                  'COMP_CWORD=$(($# - 1))\nCOMP_LINE="$*"\nCOMP_POINT=${#COMP_LINE}\n_prengdl\n'
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", script, BASH, *words], capture_output=True,
                              text=True, cwd=self.scratch, timeout=30)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_has_all_options(self):
        self.assertSameAsHelp({command: self.complete("prengdl", command, "-") - {"--"}
                               for command in COMMANDS})

    def test_commands_come_first(self):
        self.assertEqual(self.complete("prengdl", ""), {*COMMANDS, "--help", "--version"})
        self.assertEqual(self.complete("prengdl", "me"), {"measure", "meters", "merge"})

    def test_values_are_completed_where_they_are_known(self):
        (self.scratch / "logs").mkdir()
        (self.scratch / "file").touch()
        self.assertEqual(self.complete("prengdl", "measure", "--output", ""), {"show", "hide", "logs"})
        self.assertEqual(self.complete("prengdl", "measure", "--directory", ""), {"logs"})
        self.assertEqual(self.complete("prengdl", "measure", "--rate", "1k"), {"1kHz"})
        self.assertEqual(self.complete("prengdl", "measure", "-n", ""), set())

    def test_what_is_measured_is_completed_as_a_command_with_files(self):
        (self.scratch / "train.py").touch()
        self.assertIn("sleep", self.complete("prengdl", "measure", "--", "slee"))
        self.assertEqual(self.complete("prengdl", "measure", "-n", "2", "--", "python3", "tr"),
                         {"train.py"})
        self.assertIn("sleep", self.complete("prengdl", "measure", "-c", "slee"))
        # Options of ours are not offered there.
        self.assertNotIn("--json", self.complete("prengdl", "measure", "--", "cat", "--j"))

    @unittest.skipUnless(os.path.exists("/usr/share/bash-completion/bash_completion"),
                         "bash-completion is not installed")
    def test_works_with_bash_completion(self):
        (self.scratch / "train.py").touch()
        before = "source /usr/share/bash-completion/bash_completion"
        self.assertIn("sleep", self.complete("prengdl", "measure", "--", "slee", before=before))
        self.assertIn("train.py",
                      self.complete("prengdl", "measure", "--", "cat", "tr", before=before))


class Zsh(Documented):
    def test_has_all_options(self):
        text = ZSH.read_text()
        def options(part):
            """Of '--json[...]', '*--name=[...]:...' and '(-n --runs)'{-n,--runs=}'[...]...'."""
            specs = re.findall(r"(?m)^ +('.*?)\[", part)
            return {name for spec in specs for name in re.findall(r"-[\w-]+", re.sub(r"\(.*?\)", "", spec))}
        placing = options(text[text.index("environments=("):text.index("finding=(")])
        finding = options(text[text.index("finding=("):text.index("common=(")])
        common = options(text[text.index("common=("):text.index("_arguments -C")])
        rest = text[text.index("rest)"):]
        self.assertSameAsHelp(
            {
                command: common
                | (finding if command in FINDING else set())
                | (placing if command in PLACING else set())
                | options(re.search(rf"\n +{command}\)\n(.*?);;", rest, re.S)[1])
                for command in COMMANDS
            }
        )

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_is_well_formed(self):
        subprocess.run(["zsh", "-n", ZSH], check=True)


class Fish(Documented):
    def test_has_all_options(self):
        found = {}
        for group, rest in re.findall(r"(?m)^complete -c prengdl -n \$(\w+) (.*)$", FISH.read_text()):
            names = found.setdefault(group, set())
            names.update("--" + name for name in re.findall(r"-l ([\w-]+)", rest))
            names.update("-" + name for name in re.findall(r"-s (\w)", rest))
        self.assertSameAsHelp({command: found[command] | found["all"]
                               | (found["environments"] if command in PLACING else set())
                               | (found["finding"] if command in FINDING else set())
                               for command in COMMANDS})

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_is_well_formed(self):
        subprocess.run(["fish", "--no-execute", FISH], check=True)


class Pages(unittest.TestCase):
    """What the pages say is backed by files that are there."""

    def test_the_first_session_is_an_excerpt_of_a_recorded_one_and_fits_80_columns(self):
        recorded = iter((SOURCE / "docs/results/sessions/measure.txt").read_text().splitlines())
        page = (SOURCE / "README.md").read_text()
        shown = re.search(r"```console[^\n]*\n(.*?)```", page, re.S)[1].splitlines()
        self.assertGreater(len(shown), 5)
        for line in shown:
            self.assertLessEqual(len(line), 80)
            if line != "…":  # lines left out
                self.assertIn(line, recorded, "not in the recorded session, or not in its order")

    def test_the_readme_is_short_and_its_folders_are_all_that_there_are(self):
        page = (SOURCE / "README.md").read_text()
        self.assertLessEqual(page.count("\n"), 150)
        named = set(re.findall(r"`(\w+)/`", page.partition("| folder |")[2]))
        listed = subprocess.run(["git", "ls-files"], cwd=SOURCE, capture_output=True, text=True, check=True).stdout
        folders = {name.split("/")[0] for name in listed.splitlines() if "/" in name and not name.startswith(".")}
        self.assertEqual(named, folders)

    def test_links_lead_somewhere(self):
        pages = [
            SOURCE / "README.md",
            SOURCE / "CONTRIBUTING.md",
            *(page for page in (SOURCE / "docs").rglob("*.md") if "results" not in page.parts),
            SOURCE / "docs/results/README.md",
        ]
        for page in pages:
            for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
                if "://" not in link:
                    with self.subTest(page=page.name, link=link):
                        self.assertTrue((page.parent / link).exists())
