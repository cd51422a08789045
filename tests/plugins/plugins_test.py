"""Plugins in job files and programs: what is computed, reported and refused, alone and on several ranks."""
import hashlib
import json
import os
import pathlib
import shutil
import unittest

from support import JOBS, MPIRUN, PENSTOCK, ProgramTest, read_npy

SAMPLES = pathlib.Path(os.environ["PENSTOCK_SAMPLES"])
PROGRAM = os.environ["PENSTOCK_PLUGIN_PROGRAM"]

SAXPY = """
[job]
plugins = [{plugins}]
[data.x]
shape = [3]
dtype = "f32"
origin = "ones"
[data.y]
shape = [3]
dtype = "f32"
origin = "iota"
[[task]]
kernel = "sample.saxpy"
read = ["x"]
read_write = ["y"]
parameters = {{ alpha = 2.0 }}
[[save]]
data = "y"
file = "y.npy"
"""


class PluginTest(ProgramTest):
    def copy(self, name, to=None):
        target = self.folder / (to or f"{name}.so")
        target.parent.mkdir(exist_ok=True)
        shutil.copy(SAMPLES / f"{name}.so", target)
        target.chmod(0o755)
        return target

    def saxpy(self, *plugins):
        return self.job("saxpy.toml", SAXPY.format(plugins=", ".join(f'"{each}"' for each in plugins)))

    def refusal(self, job, ranks=None):
        """The one line that a run of a job ends with, without the place's beginning."""
        started = self.penstock("run", job, "--run-dir", "run", ranks=ranks, expect=2)
        self.assertFalse((self.folder / "run").exists())
        self.assertEqual(started.stdout(), "")
        (line,) = self.messages(started)
        return line


class JobsTest(PluginTest):
    def test_the_example_gives_the_same_on_1_and_2_ranks(self):
        results = []
        for ranks in (None, 1, 2):
            run = f"run{ranks}"
            self.penstock("run", JOBS / "image.toml", "--run-dir", run, ranks=ranks)

            files = sorted((self.folder / run / "results").iterdir())
            self.assertEqual(len(files), 32)
            results.append([file.read_bytes() for file in files])
            for i in range(16):
                dtype, shape, bins = read_npy(self.folder / run / f"results/bins_{i:02}.npy")
                self.assertEqual((dtype, shape), ("<i8", (8,)))
                self.assertEqual(sum(bins), 120 * 160)
                self.assertGreater(bins[3] + bins[4], 120 * 160 // 2)  # means gather around a half
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_are_named_relative_to_the_job_or_absolutely(self):
        self.copy("good", "below/good.so")
        for named in ("below/good.so", "./below/../below/good.so", SAMPLES / "good.so"):
            self.penstock("run", self.saxpy(named), "--run-dir", "run", "--fresh")

            self.assertEqual(read_npy(self.folder / "run/results/y.npy"), ("<f4", (3,), (2.0, 3.0, 4.0)))

    def test_are_in_the_report_with_their_hash_and_kernels(self):
        plugin = self.copy("good")
        for ranks in (None, 2):
            started = self.penstock("run", self.saxpy("good.so"), "--run-dir", "run", "--fresh", ranks=ranks)

            digest = hashlib.sha256(plugin.read_bytes()).hexdigest()
            self.assertEqual(self.report("run")["plugins"],
                             [{"path": str(plugin), "sha256": digest,
                               "kernels": ["sample.bare", "sample.clear", "sample.saxpy"]}])
            self.assertIn(f"  plugins  good.so ({digest[:12]})\n", started.stdout())

    def test_that_are_named_twice_are_loaded_once(self):
        plugin = self.copy("good")
        (self.folder / "link.so").symlink_to(plugin)

        self.penstock("run", self.saxpy("good.so", "link.so", "good.so"), "--run-dir", "run")

        self.assertEqual(len(self.report("run")["plugins"]), 1)

    def test_are_loaded_by_check_too(self):
        self.copy("good")

        self.penstock("check", self.saxpy("good.so"))
        started = self.penstock("check", self.saxpy("none.so"), expect=2)

        self.assertIn("saxpy.toml:3:12: plugin ", self.messages(started)[0])

    def test_check_what_they_are_given_before_the_run_begins(self):
        self.copy("good")
        text = self.saxpy("good.so").read_text()

        line = self.refusal(self.job("shapes.toml", text.replace("shape = [3]", "shape = [4]", 1)))

        self.assertIn("x and y have different shapes", line)
        line = self.refusal(self.job("beta.toml", text.replace("alpha", "beta")))
        self.assertIn("beta.toml:16:16: ", line)
        self.assertIn("'beta'", line)

    def test_with_kernels_for_gpus_only_are_refused_without_gpus_before_the_run_begins(self):
        self.copy("for_gpus")
        job = self.job("gpus.toml", self.saxpy("for_gpus.so").read_text().replace("saxpy", "for_gpus"))
        self.penstock("check", job)

        for ranks, options, why in ((None, ("--devices", "cpu"), "no GPU: not asked for"),
                                    (2, ("--devices", "cpu"), "no GPU: not asked for"),
                                    (None, ("--serial",), "no GPU for a checked or serial run"),
                                    (None, ("--checked",), "no GPU for a checked or serial run")):
            with self.subTest(ranks=ranks, options=options):
                started = self.penstock("run", job, *options, "--run-dir", "run", ranks=ranks, expect=2)

                (line,) = self.messages(started)
                self.assertRegex(line, r"gpus\.toml:1[2-6]:\d+: kernel sample\.for_gpus: it runs on GPUs only, and there "
                                       f"is {why}")
                self.assertFalse((self.folder / "run").exists())


class RefusedTest(PluginTest):
    def test_with_one_line_and_the_place_in_the_job(self):
        for name, text in (("no_symbol", "it is no plugin of penstock"),
                           ("other_abi", "rebuild the plugin"),
                           ("built_in", 'kernel "gemm": the name is taken'),
                           ("invalid_name", 'kernel "Sample Kernel"'),
                           ("throwing", "no licence found"),
                           ("unresolved", "undefined symbol")):
            with self.subTest(name):
                line = self.refusal(self.saxpy(self.copy(name)))

                place = f"{self.folder}/saxpy.toml:3:12"
                self.assertTrue(line.startswith(f"penstock: {place}: plugin {self.folder}/{name}.so: "), line)
                self.assertIn(text, line)

    def test_on_rank_0_ends_all_ranks(self):
        self.assertIn("there is no such file", self.refusal(self.saxpy("none.so"), ranks=3))

    def test_at_the_one_of_several_that_is_wrong(self):
        self.copy("good")
        self.copy("duplicate")

        line = self.refusal(self.saxpy("good.so", "duplicate.so"))

        self.assertIn("saxpy.toml:3:23: plugin ", line)
        self.assertIn(f'its kernel "sample.saxpy" is in the plugin {self.folder}/good.so already', line)

    def test_when_others_may_write_them(self):
        plugin = self.copy("good", "below/good.so")
        plugin.chmod(0o777)
        self.assertIn("every user may write it", self.refusal(self.saxpy("below/good.so")))
        plugin.chmod(0o755)
        plugin.parent.chmod(0o777)
        self.assertIn("every user may replace it", self.refusal(self.saxpy("below/good.so")))
        plugin.parent.chmod(0o755)

        self.penstock("run", self.saxpy("below/good.so"), "--run-dir", "run")

    def test_when_the_list_is_none(self):
        for plugins, text in (('"a.so"', "a list of strings is needed"), ("[1]", "a list of strings is needed"),
                              ('[""]', "the path of a plugin is empty"), (r'["a\nb.so"]', "control characters")):
            job = self.job("odd.toml", f'[job]\nplugins = {plugins}\n[[save]]\ndata = "x"\nfile = "x"\n')

            line = self.refusal(job)

            self.assertIn("odd.toml:2:1", line)
            self.assertIn(text, line)


class RanksTest(PluginTest):
    """Rank 1 runs in another folder, and so finds another file under one path."""

    def run_apart(self, command):
        apart = [*MPIRUN[:-1], "-wdir", str(self.folder / "a"), MPIRUN[-1], "1", *command, ":",
                 "-wdir", str(self.folder / "b"), MPIRUN[-1], "1", *command]
        started, code = self.run_program(apart)
        return started, code, self.messages(started)

    def run_job_apart(self):
        job = self.job("here.toml", '[job]\nplugins = ["/proc/self/cwd/x.so"]\n'
                                    '[data.x]\nshape = [2]\ndtype = "i64"\norigin = "ones"\n'
                                    '[[task]]\nkernel = "sample.other"\nread_write = ["x"]\n')
        return self.run_apart([PENSTOCK, "run", str(job), "--run-dir", str(self.folder / "run")])

    def setUp(self):
        super().setUp()
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        self.copy("other", "a/x.so")

    def test_with_equal_files_run(self):
        self.copy("other", "b/x.so")

        started, code, lines = self.run_job_apart()

        self.assertEqual(code, 0, started.stderr())
        self.assertEqual(lines, [])

    def test_with_another_file_are_named(self):
        other = self.copy("other_differing", "b/x.so")

        _, code, lines = self.run_job_apart()

        self.assertEqual(code, 2)
        (line,) = lines
        self.assertRegex(line, r"^penstock: rank 1 \(.+\) cannot use a plugin of this run: plugin /proc/self/cwd/x.so: "
                               "it is another file than on rank 0")
        self.assertIn(hashlib.sha256(other.read_bytes()).hexdigest(), line)
        self.assertIn(hashlib.sha256((self.folder / "a/x.so").read_bytes()).hexdigest(), line)
        self.assertFalse((self.folder / "run").exists())

    def test_without_the_file_are_named(self):
        _, code, lines = self.run_job_apart()

        self.assertEqual(code, 2)
        (line,) = lines
        self.assertRegex(line, r"rank 1 \(.+\) .*plugin /proc/self/cwd/x.so: there is no such file")

    def test_of_a_program_that_differ_are_named(self):
        self.copy("other_differing", "b/x.so")

        _, code, lines = self.run_apart([PROGRAM, "/proc/self/cwd/x.so"])

        self.assertEqual(code, 2)
        self.assertRegex(lines[0], r"rank 1 \(.+\) .*it is another file than on rank 0")


class ProgramsTest(PluginTest):
    def test_load_a_plugin_and_use_its_kernels_by_name(self):
        for ranks in (None, 2):
            started, code = self.run_program([PROGRAM, str(SAMPLES / "other.so")], ranks)

            self.assertEqual(code, 0, started.stderr())
            self.assertEqual(started.stdout(), "4\n")

    def test_are_told_that_it_is_too_late(self):
        started, code = self.run_program([PROGRAM, str(SAMPLES / "good.so"), str(SAMPLES / "other.so")])

        self.assertEqual(code, 2)
        self.assertIn("the kernel table was made before", self.messages(started)[0])


class KernelsTest(PluginTest):
    def test_are_listed_with_those_of_plugins(self):
        shown = self.penstock("kernels", "--plugin", SAMPLES / "good.so", "--plugin", SAMPLES / "other.so").stdout()

        self.assertIn("\ngemm\n", shown)
        self.assertIn("\nsample.other\n", shown)
        self.assertIn("sample.saxpy\n"
                      "    y = y + alpha * x, by element.\n"
                      "    read        x      f32\n"
                      "    read_write  y      f32\n"
                      "    parameter   alpha  real = 1  factor of x\n"
                      "    device      cpu    one core\n", shown)

    def test_are_printed_as_json(self):
        document = json.loads(self.penstock("kernels", "--json", "--plugin", SAMPLES / "good.so", ranks=2).stdout())

        kernels = {kernel["name"]: kernel for kernel in document["kernels"]}
        self.assertEqual(kernels["sample.saxpy"]["parameters"],
                         [{"name": "alpha", "type": "real", "default": 1.0, "meaning": "factor of x"}])
        self.assertEqual(kernels["sample.clear"]["accesses"], [{"name": "x", "modes": ["write"], "dtypes": None}])
        self.assertTrue(kernels["sample.clear"]["panels"])
        self.assertIsNone(kernels["gemm"]["plugin"])
        self.assertEqual(document["plugins"][0]["path"], str(SAMPLES / "good.so"))

    def test_are_shown_one_by_one_with_a_task_that_runs(self):
        self.copy("good")
        shown = self.penstock("kernels", "--plugin", "good.so", "sample.saxpy").stdout()
        self.assertIn(f"from         {self.folder}/good.so\n", shown)

        task = shown[shown.index("[[task]]"):]
        before, _, after = self.saxpy("good.so").read_text().partition("[[task]]")
        self.penstock("run", self.job("shown.toml", before + task + after[after.index("[[save]]"):]), "--run-dir", "run")

        self.assertEqual(read_npy(self.folder / "run/results/y.npy")[2], (1.0, 2.0, 3.0))

    def test_that_are_not_there_are_refused_once(self):
        started = self.penstock("kernels", "sample.saxpi", "--plugin", SAMPLES / "good.so", ranks=2, expect=2)

        (line,) = self.messages(started)
        self.assertIn("did you mean sample.saxpy?", line)


if __name__ == "__main__":
    unittest.main()
