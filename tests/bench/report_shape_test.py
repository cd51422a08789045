#!/usr/bin/env python3
"""Shows that report_shape.py accepts a good report and finds each kind of mistake."""

import copy
import unittest

from report_shape import mistakes

ROW = {"bench": "b", "case": "c", "system": "penstock", "workers": 2, "metric": "time", "value": 2.0, "unit": "s",
       "min": 1.0, "max": 3.0, "runs": 5, "limit": None, "ratio": 0.5, "regime": "near"}
GOOD = {"machine": {"cpu": "", "cores": 2, "compiler": "", "blas": "", "date": "", "version": "", "load": 0.0},
        "rows": [ROW, {**ROW, "system": "bare", "ratio": None}]}


class ReportShape(unittest.TestCase):
    def test_good_report_has_no_mistakes(self):
        self.assertEqual(list(mistakes(GOOD)), [])

    def test_each_mistake_in_a_row_is_found(self):
        for change in ({"value": "2"}, {"value": 9.0}, {"unit": "ns"}, {"runs": 0}, {"workers": 1.5}, {"limit": "1"},
                       {"regime": "here"}, {"extra": 1}, {"case": None}, {"system": "bare"}):
            with self.subTest(change=change):
                report = copy.deepcopy(GOOD)
                report["rows"][0].update(change)
                self.assertTrue(list(mistakes(report)))

    def test_missing_parts_are_found(self):
        self.assertTrue(list(mistakes([])))
        self.assertTrue(list(mistakes({**GOOD, "rows": []})))
        self.assertTrue(list(mistakes({**GOOD, "rows": GOOD["rows"][:1]})))
        self.assertTrue(list(mistakes({**GOOD, "machine": {}})))


if __name__ == "__main__":
    unittest.main()
