#!/usr/bin/env python3
"""Proves that check_layers.py reports what it is for: each test injects one violation into a small tree of its own."""

import pathlib
import tempfile
import unittest

import check_layers

TABLE = """
core pure:
graph pure: core
device acting: core
transport acting: core
runtime acting: core graph device transport
"""

CLEAN = {
    "include/penstock/types.hpp": "#pragma once\n#include <vector>\nnamespace penstock {}\n",
    "src/core/ids.hpp": "#pragma once\nnamespace penstock::core {\nnamespace detail {}\n}\n",
    "src/core/types.cpp": "#include <penstock/types.hpp>\nnamespace penstock {}\n",
    "src/core/assert.cpp": "#include <cstdio>\nnamespace penstock::core { void f() { std::fprintf(stderr, \"x\"); } }\n",
    "src/graph/domain.hpp": '#pragma once\n#include "core/ids.hpp"\nnamespace penstock::graph {}\n',
    "src/graph/domain.cpp": '#include "graph/domain.hpp"\n// steady_clock::now() and <thread> in a comment\n'
                            'namespace penstock::graph { const char* t = "x::now()"; int n = 1\'000; char c = \'"\'; }\n',
    "src/device/cpu/team.cpp": "#include <omp.h>\n#include <thread>\nnamespace penstock::device {}\n",
    "src/device/cuda/queue.cu": "#include <cuda_runtime.h>\nnamespace penstock::device::cuda {}\n",
    "src/transport/mpi/world.cpp": "#include <mpi.h>\nnamespace penstock::transport {}\n",
    "src/version.cpp": "namespace penstock {}\n",
}


class CheckLayers(unittest.TestCase):
    def problems(self, changes=None, table=TABLE):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**CLEAN, **(changes or {})}.items():
                file = root / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return check_layers.check(root, check_layers.read_table(table))

    def assert_reports(self, changes, *expected, table=TABLE):
        found = self.problems(changes, table)
        self.assertEqual(len(found), 1, found)
        for text in expected:
            self.assertIn(text, found[0])

    def graph(self, line):
        return {"src/graph/domain.cpp": f'#include "graph/domain.hpp"\n{line}\nnamespace penstock::graph {{}}\n'}

    def test_accepts_the_clean_tree(self):
        self.assertEqual(self.problems(), [])

    def test_reports_an_include_upwards(self):
        change = {"src/core/ids.hpp": '#pragma once\n#include "graph/domain.hpp"\nnamespace penstock::core {}\n'}
        self.assert_reports(change, "src/core/ids.hpp:2:", "does not name graph")

    def test_reports_an_include_sideways(self):
        change = {"src/device/device.hpp": '#pragma once\nnamespace penstock::device {}\n',
                  "src/transport/t.hpp": '\n\n#include "device/device.hpp"\nnamespace penstock::transport {}\n'}
        self.assert_reports(change, "src/transport/t.hpp:3:", "does not name device")

    def test_reports_an_include_relative_to_the_folder(self):
        self.assert_reports(self.graph('#include "domain.hpp"'), "src/graph/domain.cpp:2:", "layer/file.hpp")

    def test_reports_an_include_of_a_file_that_is_not_there(self):
        self.assert_reports(self.graph('#include "core/none.hpp"'), "src/graph/domain.cpp:2:", "does not exist")

    def test_reports_effects_in_a_pure_layer(self):
        lines = ["auto t = std::chrono::steady_clock::now();", "#include <thread>", "#include <mutex>", "#include <atomic>",
                 "#include <condition_variable>", "#include <fstream>", "#include <filesystem>", "std::random_device d;",
                 'auto e = std::getenv("X");', 'auto f = std::fopen("x", "r");', "thread_local int i;"]
        for line in lines:
            with self.subTest(line):
                self.assert_reports(self.graph(line), "src/graph/domain.cpp:2:", "pure layer graph")

    def test_lets_an_acting_layer_use_clock_and_threads(self):
        change = {"src/device/d.cpp": "#include <thread>\nnamespace penstock::device { auto t = C::now(); }\n"}
        self.assertEqual(self.problems(change), [])

    def test_reports_library_headers_outside_their_folders(self):
        for header in ["<mpi.h>", "<omp.h>", "<cuda_runtime.h>", "<cublas_v2.h>", "<hwloc.h>"]:
            with self.subTest(header):
                change = {"src/device/d.cpp": f"\n#include {header}\nnamespace penstock::device {{}}\n"}
                self.assert_reports(change, "src/device/d.cpp:2:", "appears outside")

    def test_reports_a_parallel_directive_but_not_simd(self):
        change = {"src/runtime/r.cpp": "#pragma omp parallel\n#pragma omp simd\nnamespace penstock::runtime {}\n"}
        self.assert_reports(change, "src/runtime/r.cpp:1:", "OpenMP appears outside")

    def test_reports_a_namespace_of_another_folder(self):
        change = {"src/device/d.cpp": "\nnamespace penstock::core {}\n"}
        self.assert_reports(change, "src/device/d.cpp:2:", "namespace penstock::core in layer device")

    def test_reports_the_public_namespace_in_an_internal_header(self):
        change = {"src/device/d.hpp": "namespace penstock {}\n"}
        self.assert_reports(change, "src/device/d.hpp:1:", "namespace penstock in layer device")

    def test_reports_a_file_without_namespace_unless_it_has_main(self):
        change = {"src/device/d.cpp": "int x;\n", "src/runtime/main.cpp": "int main() {}\n"}
        self.assert_reports(change, "src/device/d.cpp:1:", "nothing is in namespace penstock::device")

    def test_reports_a_public_header_that_includes_an_internal_one(self):
        change = {"include/penstock/types.hpp": '\n#include "core/ids.hpp"\n'}
        self.assert_reports(change, "include/penstock/types.hpp:2:", "core/ids.hpp")

    def test_reports_a_public_header_that_includes_a_third_party(self):
        change = {"include/penstock/types.hpp": "#include <fmt/core.h>\n"}
        self.assert_reports(change, "include/penstock/types.hpp:1:", "fmt/core.h")

    def test_reports_a_folder_that_is_no_layer(self):
        self.assert_reports({"src/extra/e.cpp": "namespace penstock::extra {}\n"}, "src/extra: is no layer")

    def test_reports_a_pure_layer_on_an_acting_one(self):
        self.assert_reports({}, "layer plan: is pure", table=TABLE + "plan pure: device\n")

    def test_reports_a_dependency_that_comes_later(self):
        self.assert_reports({}, "layer plan: depends on zoo", table=TABLE + "plan acting: zoo\nzoo acting: core\n")

    def test_reports_a_layer_missing_from_the_page(self):
        page = "| folder | it holds |\n|---|---|\n| core | ids |\n| `graph` | g |\n| device | d |\n| transport | t |\n"
        self.assert_reports({"ARCHITECTURE.md": page}, "ARCHITECTURE.md", "runtime")


if __name__ == "__main__":
    unittest.main()
