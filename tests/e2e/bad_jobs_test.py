"""Job files with mistakes, through the command: one line on standard error that begins with the place of the mistake, exit
code 2, and nothing made; on one rank and on several. The mistakes themselves are those of tests/jobs/bad/files.
"""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import JOBS, PENSTOCK, ProgramTest

BAD = JOBS.parent / "tests" / "jobs" / "bad" / "files"
MARK = "# expect: "
# One of each kind of check: TOML, keys, kernels, data, loops, expressions, order, saves, values, includes.
NAMES = [
    "toml-bracket-open", "key-unknown-in-task", "kernel-unknown", "shapes-do-not-fit", "file-missing",
    "for-range-of-2-to-32", "subscript-beyond", "cycle-of-two-tasks", "save-path-upwards", "save-twice-spelt-otherwise",
    "value-cycle-of-three", "include-cycle", "include-with-mistake", "task-name-with-reversed-text"]
GOOD = """
[job]
name = "good"
[data.x]
shape = [4]
dtype = "f64"
origin = "ones"
[[task]]
kernel = "scale"
read_write = ["x"]
parameters = { by = 0.5 }
[[save]]
data = "x"
file = "x.npy"
"""


def expectation_of(name):
    """The place, with the name of the file, and a part of the message."""
    first = (BAD / f"{name}.toml").read_text().splitlines()[0]
    place, phrase = first.removeprefix(MARK).split(": ", 1)
    return (f"{name}.toml:{place}" if place[0].isdigit() else place), phrase


class BadJobsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(BAD, self.folder / "jobs")
        self.before = self.everything()

    def everything(self):
        return {path: path.stat().st_mtime_ns for path in sorted(self.folder.rglob("*"))}

    def refused(self, *arguments, ranks=None):
        """The one line."""
        started = self.penstock(*arguments, ranks=ranks, expect=2)
        ours = [line for line in started.stderr().splitlines() if ".toml:" in line or line.startswith("penstock")]
        self.assertEqual(len(ours), 1, started.stderr())
        if ranks is None:
            self.assertEqual(started.stderr(), ours[0] + "\n")
        self.assertEqual(started.stdout(), "")
        self.assertEqual(self.everything(), self.before)
        return ours[0]

    def test_are_refused_by_check_and_run_in_one_line(self):
        for name in NAMES:
            place, phrase = expectation_of(name)
            for command in ("check", "run"):
                with self.subTest(name=name, command=command):
                    line = self.refused(command, f"jobs/{name}.toml")

                    self.assertRegex(line, rf"^penstock: (jobs/)?{re.escape(place)}: ")
                    self.assertIn(phrase, line)
                    self.assertTrue(line.isprintable(), line)

    def test_are_refused_once_by_several_ranks(self):
        for name in NAMES[1:4]:
            place, phrase = expectation_of(name)
            for command in ("check", "run"):
                with self.subTest(name=name, command=command):
                    line = self.refused(command, f"jobs/{name}.toml", ranks=2)

                    self.assertIn(f"jobs/{place}: ", line)
                    self.assertIn(phrase, line)

    def test_that_are_no_files_are_refused_at_once(self):
        os.mkfifo(self.folder / "pipe.toml")
        with open(self.folder / "large.toml", "wb") as large:
            large.truncate(1 << 30)
        (self.folder / "folder.toml").mkdir()
        (self.folder / "link.toml").symlink_to("/dev/zero")
        self.before = self.everything()

        for name in ("pipe.toml", "large.toml", "folder.toml", "link.toml", "none.toml", "/dev/fd/99"):
            for command in ("check", "run"):
                with self.subTest(name=name, command=command):
                    started = self.penstock(command, name, expect=2)

                    self.assertRegex(started.stderr(), rf"^penstock: {re.escape(name)}:1:1: [^\n]*\n$")
                    self.assertEqual(self.everything(), self.before)

    def test_with_a_plugin_that_is_none_are_refused(self):
        self.job("plugins.toml", GOOD.replace('name = "good"', 'plugins = ["a.so", "nowhere/b.so"]'))
        (self.folder / "a.so").write_text("no library")
        self.before = self.everything()

        for command in ("check", "run"):
            line = self.refused(command, "plugins.toml")
            self.assertIn("plugins.toml:3:12: ", line)


class GoodJobTest(ProgramTest):
    def test_is_read_alike_by_several_at_once(self):
        job = self.job("good.toml", GOOD)
        started = [self.start([PENSTOCK, "run", str(job), "--run-dir", f"run{k}", "--quiet"]) for k in range(3)]
        started += [self.start([PENSTOCK, "check", str(job)]) for _ in range(3)]

        self.assertEqual([each.end() for each in started], [0] * 6)

        self.assertEqual({(self.folder / f"run{k}/results/x.npy").read_bytes() for k in range(3)},
                         {(self.folder / "run0/results/x.npy").read_bytes()})
        self.assertEqual(len({each.stdout() for each in started[3:]}), 1)

    def test_is_read_alike_where_decimals_have_commas(self):
        job = self.job("good.toml", GOOD.replace("0.5", "1234.5"))
        plain = self.penstock("check", job).stdout()
        environment = {**os.environ, "LC_ALL": self.comma_locale(), "LOCPATH": str(self.folder / "locales")}

        done = subprocess.run([PENSTOCK, "check", str(job)], env=environment, capture_output=True, text=True, check=True)

        self.assertEqual(done.stdout, plain)

    def comma_locale(self):
        """Made here where that can be done; else one that is not there, which the program must bear too."""
        (self.folder / "locales").mkdir()
        if shutil.which("localedef"):
            subprocess.run(
                ["localedef", "-i", "de_DE", "-f", "UTF-8", str(pathlib.Path("locales") / "de_DE.UTF-8")],
                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return "de_DE.UTF-8"


if __name__ == "__main__":
    unittest.main()
