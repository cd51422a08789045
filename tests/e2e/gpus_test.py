"""Jobs on emulated GPUs: the CUDA module as it is, on a CUDA that runs on threads of the host."""
import json
import os
import pathlib
import unittest

import numpy
from support import JOBS, PENSTOCK, ProgramTest

PLUGIN_JOBS = pathlib.Path(os.environ["PENSTOCK_PLUGIN_JOBS"])
PRODUCTS = 64
TASKS = 3 * PRODUCTS + 1
# Of a machine with two sockets, as hwloc reads it: the emulated GPU 1 is near core 0, GPU 0 near core 1.
SOCKET = """
    <object type="Package" os_index="{core}" cpuset="{mask}" complete_cpuset="{mask}" nodeset="1" complete_nodeset="1"
            gp_index="{core}3">
      <object type="PU" os_index="{core}" cpuset="{mask}" complete_cpuset="{mask}" nodeset="1" complete_nodeset="1"
              gp_index="{core}4"/>
      <object type="PCIDev" gp_index="{core}5" pci_busid="e0e0:0{gpu}:00.0" pci_type="0302 [10de:0000] [10de:0000] 00"/>
    </object>"""
SOCKETS = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="3" complete_cpuset="3" allowed_cpuset="3" nodeset="1" complete_nodeset="1"
          allowed_nodeset="1" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="3" complete_cpuset="3" nodeset="1" complete_nodeset="1" gp_index="2"/>
    {SOCKET.format(core=0, mask=1, gpu=1)}{SOCKET.format(core=1, mask=2, gpu=0)}
  </object>
</topology>
"""


class GpuTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.emulate(1)

    def emulate(self, gpus, **settings):
        """From now on the machine has so many GPUs."""
        for name in [name for name in os.environ if name.startswith(("PENSTOCK_EMULATED_", "CUDA_VISIBLE_DEVICES"))]:
            if name != "PENSTOCK_EMULATED_CUDA":
                del os.environ[name]
        os.environ["LD_LIBRARY_PATH"] = os.environ["PENSTOCK_EMULATED_CUDA"]
        os.environ["PENSTOCK_EMULATED_GPUS"] = str(gpus)
        os.environ["XDG_CACHE_HOME"] = str(self.folder)
        os.environ.update({name if name.isupper() else f"PENSTOCK_EMULATED_{name.upper()}": value
                           for name, value in settings.items()})

    def multiply(self, *options, ranks=None, expect=0):
        return self.penstock("run", JOBS / "matmul.toml", *options, "--run-dir", "run", "--fresh", ranks=ranks,
                             expect=expect)

    def devices(self):
        """Of the report: what each took, by kind."""
        devices = [device for rank in self.report("run")["ranks"] for device in rank["devices"]]
        return {kind: [device["tasks"] for device in devices if device["kind"] == kind] for kind in ("cpu", "cuda")}

    def check_products(self):
        b = numpy.load(JOBS / "data" / "b.npy").astype("f8")
        for path in sorted((self.folder / "run" / "results").rglob("*.npy")):
            a = numpy.load(JOBS / "data" / f"a_{int(path.stem.split('_')[-1]):02}.npy").astype("f8")
            numpy.testing.assert_allclose(numpy.load(path), a @ b, rtol=1e-5, atol=1e-5)

    def test_products_are_right_on_one_two_and_four_gpus(self):
        for gpus in (1, 2, 4):
            with self.subTest(gpus=gpus):
                self.emulate(gpus, kernel_ns="2000000")
                self.multiply("--devices", "cuda")
                self.check_products()
                taken = self.devices()["cuda"]
                self.assertEqual(len(taken), gpus)
                self.assertEqual(sum(taken), PRODUCTS)
                self.assertGreater(min(taken), 0, "a GPU was left idle")

    def test_products_are_right_on_cores_and_gpus_together(self):
        self.emulate(2)
        self.multiply()
        self.check_products()

    def test_the_trace_tells_what_was_copied_to_a_gpu_and_back(self):
        self.emulate(1)
        self.multiply("--devices", "cuda")
        events = json.loads((self.folder / "run" / "trace.json").read_text())["traceEvents"]
        rows = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        names = {row: [event["name"] for event in events if event["ph"] == "X" and rows[event["tid"]] == row]
                 for row in ("GPU 0 copies in", "GPU 0 copies out")}
        self.assertEqual(sorted(names["GPU 0 copies in"]), sorted([f"A[{i}]" for i in range(PRODUCTS)] + ["B"]))
        self.assertEqual(sorted(names["GPU 0 copies out"]), sorted(f"C[{i}]" for i in range(PRODUCTS)))

    def test_a_kernel_of_a_plugin_has_the_same_results_on_gpus_and_cores(self):
        for devices, gpus in (("cuda", 16), ("cpu", 0)):
            with self.subTest(devices=devices):
                self.penstock("run", PLUGIN_JOBS / "saxpy.toml", "--devices", devices, "--run-dir", "run", "--fresh")
                for i in range(16):
                    numpy.testing.assert_array_equal(numpy.load(self.folder / f"run/results/y_{i:02}.npy"),
                                                     1 + 2 * numpy.arange(1000, dtype="f4"))
                self.assertGreaterEqual(sum(self.devices()["cuda"]), gpus)

    def test_gpus_that_are_hidden_are_not_there(self):
        for visible, number in (("", 0), ("-1", 0), ("1", 1), ("1,0", 2), ("0,7,1", 1),
                                ("GPU-e0e0e0e0-0000-4000-8000-000000000001", 1)):
            with self.subTest(visible=visible):
                self.emulate(2, CUDA_VISIBLE_DEVICES=visible)
                ended = self.penstock("devices")
                self.assertEqual(ended.stdout().count("Emulated GPU"), number, ended.stdout())

    def on_ranks_with(self, variable, values, *arguments):
        """penstock on a rank for each value, which it has in that environment variable; by rank in Open MPI's words."""
        choose = f'shift $OMPI_COMM_WORLD_RANK; export {variable}="$1"; shift $(({len(values)} - OMPI_COMM_WORLD_RANK))'
        command = ["sh", "-c", f'{choose}; exec "$@"', "sh", *values, PENSTOCK, *arguments]
        started, code = self.run_program([str(word) for word in command], ranks=len(values))
        self.assertEqual(code, 0, started.stdout() + started.stderr())
        return started

    def gpus_of_ranks(self, devices):
        return [rank["gpus"] for rank in json.loads(devices.stdout())["ranks"]]

    def test_ranks_that_see_a_gpu_each_use_both_whole(self):
        self.emulate(2, memory=str(64 << 20), kernel_ns="2000000")
        devices = self.on_ranks_with("CUDA_VISIBLE_DEVICES", "10", "devices", "--json")
        self.assertEqual(self.gpus_of_ranks(devices), ["gpu 0 of 1: Emulated GPU"] * 2)
        job = self.job("large.toml", """
            [job]
            name = "large"
            [data.A]
            for = "i in 0..20"
            shape = [9000000]
            dtype = "f32"
            [[task]]
            for = "i in 0..20"
            kernel = "fill"
            write = ["A[i]"]
            parameters = { value = 1.0 }
        """)  # 36 MB each, more than half of a GPU's memory
        self.on_ranks_with("CUDA_VISIBLE_DEVICES", "10", "run", job, "--devices", "cuda", "--run-dir", "run")
        taken = self.devices()["cuda"]
        self.assertEqual((len(taken), sum(taken)), (2, 20))
        self.assertGreater(min(taken), 0, "a GPU was left idle")

    def test_ranks_use_the_gpus_near_their_cores(self):
        if not {0, 1} <= os.sched_getaffinity(0):
            self.skipTest("this needs the cores 0 and 1")
        self.emulate(2)
        sockets = self.folder / "sockets.xml"
        sockets.write_text(SOCKETS)
        devices = self.on_ranks_with("HWLOC_XMLFILE", [sockets, sockets], "devices", "--json")
        self.assertEqual([gpus.split(":")[0] for gpus in self.gpus_of_ranks(devices)],
                         ["gpu 1, nearest of 2", "gpu 0, nearest of 2"])

    def failures(self, ended):
        return " ".join((ended.stdout() + ended.stderr()).split())

    def test_a_product_that_fails_is_told_by_its_error(self):
        self.emulate(1, fault="gemm:5:1")
        ended = self.multiply("--devices", "cuda", expect=1)
        self.assertIn("CUBLAS_STATUS_EXECUTION_FAILED", self.failures(ended))
        tasks = self.report("run")["tasks"]
        self.assertEqual((tasks["failed"], tasks["skipped"]), (1, 1))
        self.check_products()

    def test_a_gpu_that_breaks_ends_no_process_and_hangs_nothing(self):
        self.emulate(1, fault="kernel:5:700")
        ended = self.multiply("--devices", "cuda", expect=1)
        self.assertIn("cudaErrorIllegalAddress", self.failures(ended))
        self.check_products()

    def chain(self, length, *options, expect=0):
        """A chain of sums, whose last value alone leaves the GPU; the run's report folder and that value."""
        job = self.folder / "chain.toml"
        job.write_text(f"""
            [job]
            name = "chain"
            [data.A]
            for = "i in 0..{length}"
            shape = [100]
            dtype = "f32"
            [data.B]
            shape = [100]
            dtype = "f32"
            origin = "uniform"
            seed = 3
            [[task]]
            kernel = "fill"
            write = ["A[0]"]
            parameters = {{ value = 1.0 }}
            [[task]]
            for = "i in 1..{length}"
            kernel = "add"
            read = ["A[i-1]", "B"]
            write = ["A[i]"]
            [[save]]
            data = "A[{length - 1}]"
            file = "last.npy"
        """)
        return self.penstock("run", job, *options, "--run-dir", "run", "--fresh", expect=expect)

    def last_of_chain(self):
        return numpy.load(self.folder / "run" / "results" / "last.npy")

    def test_what_was_lost_with_a_gpu_is_made_again(self):
        self.emulate(1)
        self.chain(30, "--devices", "cpu")
        expected = self.last_of_chain()
        self.emulate(1, fault="copy:1:700")
        ended = self.chain(30, "--devices", "cuda")
        self.assertIn("GPU 0 has failed and is not used any more", self.failures(ended))
        self.assertGreaterEqual(self.devices()["cuda"][0], 30)
        numpy.testing.assert_array_equal(self.last_of_chain(), expected)

    def test_what_was_lost_and_cannot_be_made_again_is_told_by_its_error(self):
        self.emulate(1, fault="copy:1:700")
        ended = self.chain(400, "--devices", "cuda", expect=4)
        self.assertIn("cannot be made again: the GPU has failed before: cudaErrorIllegalAddress", self.failures(ended))
        self.assertEqual(self.report("run")["tasks"]["failed"], 1)

    def test_a_launch_that_is_refused_fails_its_task_alone(self):
        self.emulate(1, fault="cudaLaunchKernel:4:9")
        ended = self.chain(30, "--devices", "cuda", expect=1)
        self.assertIn("cudaErrorInvalidConfiguration", self.failures(ended))
        tasks = self.report("run")["tasks"]
        self.assertEqual(tasks["failed"], 1)
        self.assertGreaterEqual(tasks["skipped"], 27)

    def test_tasks_that_wait_for_a_gpu_that_breaks_run_on_cores(self):
        """No more than 32 are launched ahead, and may fail with it."""
        self.emulate(1, fault="kernel:9:700", kernel_ns="3000000")
        job = self.folder / "sums.toml"
        job.write_text("""
            [job]
            name = "sums"
            [data.A]
            shape = [100]
            dtype = "f32"
            origin = "uniform"
            seed = 3
            [data.C]
            for = "i in 0..200"
            shape = [100]
            dtype = "f32"
            [[task]]
            for = "i in 0..200"
            kernel = "add"
            read = ["A", "A"]
            write = ["C[i]"]
        """)
        self.penstock("run", job, "--devices", "cuda", "--run-dir", "run", expect=1)
        tasks = self.report("run")["tasks"]
        self.assertGreaterEqual(tasks["failed"], 1)
        self.assertGreaterEqual(tasks["done"], 200 - 40)

    def test_a_product_whose_inputs_have_not_come_is_not_believed(self):
        self.emulate(1, fault="cudaMemcpyAsync:1:2")
        ended = self.multiply("--devices", "cuda", expect=1)
        self.assertIn("what it reads could not be brought to the GPU: cudaErrorMemoryAllocation", self.failures(ended))
        self.check_products()

    def test_a_result_that_does_not_come_at_first_is_asked_for_again(self):
        self.emulate(1, fault="cudaMemcpyAsync:1:2")
        self.chain(30, "--devices", "cuda")
        self.assertGreaterEqual(self.devices()["cuda"][0], 30)

    def test_an_allocation_that_fails_once_is_made_smaller(self):
        self.emulate(1, fault="cudaMalloc:9:2")
        self.multiply("--devices", "cuda")
        self.check_products()
        self.assertEqual(self.devices()["cuda"], [PRODUCTS])

    def test_a_gpu_that_fails_while_nothing_runs_there_is_told_of(self):
        self.emulate(1, fault="cudaSetDevice:2:46")
        ended = self.multiply()
        self.assertIn("has failed and is not used any more", self.failures(ended))
        self.check_products()

    def test_a_gpu_that_cannot_be_opened_is_done_without(self):
        self.emulate(2, fault="cudaStreamCreateWithFlags:1:2")
        ended = self.multiply()
        self.assertIn("Emulated GPU is not used: ", self.failures(ended))
        self.assertIn("cudaErrorMemoryAllocation", self.failures(ended))
        self.check_products()
        self.assertEqual(len(self.devices()["cuda"]), 1)

    def gpu(self):
        """Of the report: the only one."""
        (gpu,) = [device for device in self.report("run")["ranks"][0]["devices"] if device["kind"] == "cuda"]
        return gpu

    def test_no_more_of_a_gpus_memory_is_used_than_was_asked_for(self):
        self.multiply("--devices", "cuda", "--gpu-memory", "128KiB")  # a product and a half
        self.check_products()
        self.assertEqual(self.gpu()["tasks"], PRODUCTS)
        self.assertGreater(self.gpu()["evictions"], 0)
        self.multiply("--devices", "cuda", "--gpu-memory", "40KiB")
        self.assertIn("64 were too large for its memory", self.gpu()["why_idle"])

    def test_devices_are_chosen_by_the_placement_that_was_asked_for(self):
        # The last knows from the runs before how long a product takes.
        signs = {"eager": "free sooner", "locality": "more of", "heft": "predicted to end sooner"}
        for placement, sign in signs.items():
            with self.subTest(placement=placement):
                self.emulate(1, kernel_ns="20000000")
                self.multiply("--placement", placement)
                self.check_products()
                why = self.gpu()["why_idle"]
                self.assertIn(sign, why)
                self.assertFalse([other for other in signs.values()
                                  if other not in (sign, "free sooner") and other in why], why)

    def test_a_gpu_that_cannot_be_opened_is_an_error_where_only_gpus_were_asked_for(self):
        self.emulate(1, memory=str(5 << 20))
        ended = self.multiply("--devices", "cuda", expect=2)
        self.assertIn("cudaErrorMemoryAllocation", self.failures(ended))


if __name__ == "__main__":
    unittest.main(verbosity=2)
