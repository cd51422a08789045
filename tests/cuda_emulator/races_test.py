"""ThreadSanitizer finds planted mistakes in the use of streams, and none where there is none. Without it: skipped.

    races_test.py PROGRAM
"""
import os
import subprocess
import sys
import unittest

SKIPPED = 77
REPEATS = 5  # each run may be another order


class RaceTest(unittest.TestCase):
    def run_with(self, mistake):
        environment = dict(os.environ, TSAN_OPTIONS=os.environ.get("TSAN_OPTIONS", "") + ":exitcode=66")
        ended = subprocess.run([PROGRAM, mistake], env=environment, capture_output=True, text=True, timeout=60)
        return ended.returncode, ended.stderr

    def test_what_is_in_order_is_no_race(self):
        for _ in range(REPEATS):
            self.assertEqual(self.run_with("ordered"), (0, ""))

    def test_mistakes_are_races(self):
        for mistake in ("no-event", "early-reuse", "early-read"):
            for _ in range(REPEATS):
                with self.subTest(mistake=mistake):
                    code, error = self.run_with(mistake)
                    self.assertEqual(code, 66, error)
                    self.assertIn("data race", error)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    with open(PROGRAM, "rb") as program:
        if b"__tsan_" not in program.read():
            print("this build is without ThreadSanitizer")
            sys.exit(SKIPPED)
    unittest.main(verbosity=2)
