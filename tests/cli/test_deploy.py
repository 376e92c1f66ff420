# SPDX-License-Identifier: Apache-2.0
"""The playbook that makes many machines ready is well-formed, and its variables are told."""

import re
import shutil
import subprocess
import unittest

from program import SOURCE, Case

DEPLOY = SOURCE / "deploy"


class Playbook(Case):
    @unittest.skipUnless(shutil.which("ansible-playbook"), "Ansible is not installed")
    def test_is_well_formed(self):
        done = subprocess.run(["ansible-playbook", "-i", "inventory.example.yml", "playbook.yml", "--syntax-check"],
                              cwd=DEPLOY, env=self.environment({"HOME": self.scratch}), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_page_tells_every_variable(self):
        names = set(re.findall(r"(?m)^(prengdl_\w+):", (DEPLOY / "roles/prengdl/defaults/main.yml").read_text()))
        self.assertGreater(len(names), 10)
        told = set(re.findall(r"`(prengdl_\w+)`", (DEPLOY / "README.md").read_text()))
        self.assertEqual(told, names)
        used = set(re.findall(r"\bprengdl_\w+", (DEPLOY / "roles/prengdl/tasks/main.yml").read_text()))
        self.assertEqual(used, names)


if __name__ == "__main__":
    unittest.main()
