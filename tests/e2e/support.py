"""What the tests of whole programs share: starting them alone or on several ranks, and reading what they leave.

ctest hands over where things are: PENSTOCK, PENSTOCK_MPIRUN (with its options, for a number of ranks), PENSTOCK_JOBS, and
the programs of a test.
"""
import ast
import json
import os
import pathlib
import shlex
import signal
import struct
import subprocess
import tempfile
import time
import unittest

PENSTOCK = os.environ["PENSTOCK"]
MPIRUN = shlex.split(os.environ["PENSTOCK_MPIRUN"])
JOBS = pathlib.Path(os.environ["PENSTOCK_JOBS"])
LONGEST_S = 100.0


def on_ranks(ranks, command):
    """The command as it is (ranks is None), or started by mpirun."""
    return list(command) if ranks is None else [*MPIRUN, str(ranks), *command]


class Started:
    """A program under way; its output is collected in files, so that no pipe can fill up."""

    def __init__(self, command, folder, stdout=None):
        self._out = tempfile.TemporaryFile("w+", dir=folder)
        self._error = tempfile.TemporaryFile("w+", dir=folder)
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=stdout or self._out, stderr=self._error,
            start_new_session=True)

    def signal(self, number):
        self.process.send_signal(number)

    def stderr(self):
        """What is there so far."""
        return os.pread(self._error.fileno(), 1 << 20, 0).decode(errors="replace")

    def stdout(self):
        return os.pread(self._out.fileno(), 1 << 22, 0).decode(errors="replace")

    def end(self):
        """Waits for the exit code; a program that does not end is killed with all its children, and the test fails."""
        try:
            return self.process.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {LONGEST_S} s; standard error:\n{self.stderr()}") from None
        finally:
            self.kill()

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def close(self):
        self.kill()
        self._out.close()
        self._error.close()


class ProgramTest(unittest.TestCase):
    """Each case has a folder of its own, in which the programs run."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="penstock-e2e-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def start(self, command, ranks=None, stdout=None):
        started = Started(on_ranks(ranks, command), self.folder, stdout)
        self.addCleanup(started.close)
        return started

    def run_program(self, command, ranks=None):
        """The ended program and its exit code."""
        started = self.start(command, ranks)
        return started, started.end()

    def penstock(self, *arguments, ranks=None, expect=0):
        started, code = self.run_program([PENSTOCK, *map(str, arguments)], ranks)
        self.assertEqual(code, expect, f"{arguments} on {ranks} ranks:\n{started.stdout()}{started.stderr()}")
        return started

    def job(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def report(self, run_dir):
        return json.loads((self.folder / run_dir / "report.json").read_text())

    def messages(self, started):
        """The lines of penstock itself on standard error; a launcher adds its own."""
        return [line for line in started.stderr().splitlines() if line.startswith("penstock")]

    def await_until(self, condition, what):
        """Looks until the condition holds; the test fails when that takes too long."""
        deadline = time.monotonic() + LONGEST_S
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"waited in vain for {what}")
            time.sleep(0.005)


def read_npy(path):
    """The dtype, shape and numbers of an .npy file of version 1, without NumPy."""
    content = pathlib.Path(path).read_bytes()
    if content[:8] != b"\x93NUMPY\x01\x00":
        raise AssertionError(f"{path} is no .npy file of version 1.0")
    (length,) = struct.unpack_from("<H", content, 8)
    header = ast.literal_eval(content[10 : 10 + length].decode())
    if header["fortran_order"]:
        raise AssertionError(f"{path} is in Fortran order")
    numbers = content[10 + length :]
    kinds = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q"}
    count = len(numbers) // struct.calcsize(kinds[header["descr"]])
    return header["descr"], header["shape"], struct.unpack(f"<{count}{kinds[header['descr']]}", numbers)
