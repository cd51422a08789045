#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "npy/file.hpp"
#include "npy/temporary_folder.hpp"

namespace penstock::npy {
namespace {

/// An interpreter that has NumPy, or nothing.
std::string python_with_numpy() {
  for (const std::string python : {PENSTOCK_PYTHON, "/usr/bin/python3"}) {
    if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) == 0) return python;
  }
  return "";
}

template <class T>
void write_counted(const std::string& path, const Shape& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.count(); ++i) values.push_back(static_cast<T>(i) - T{3});
  write(path, {dtype_of<T>, shape}, std::as_bytes(std::span(values)));
}

constexpr const char* script = R"(
import sys, numpy
folder = sys.argv[1]
for name, dtype, shape in [("f4", "<f4", (2, 3, 4)), ("f8", "<f8", (7,)), ("i4", "<i4", ()), ("i8", "<i8", (3, 0, 2))]:
    array = numpy.load(f"{folder}/{name}.npy", allow_pickle=False)
    wanted = (numpy.arange(numpy.prod(shape, dtype=int)) - 3).astype(dtype).reshape(shape)
    assert array.dtype == numpy.dtype(dtype) and array.shape == shape and array.flags.c_contiguous, name
    assert (array == wanted).all(), name
mapped = numpy.load(f"{folder}/f4.npy", mmap_mode="r")
assert mapped.offset % 64 == 0, mapped.offset
)";

TEST(NumPy, ReadsWhatTheWriterWrote) {
  const std::string python = python_with_numpy();
  if (python.empty()) GTEST_SKIP() << "no Python with NumPy";
  const test::TemporaryFolder folder;
  write_counted<float>(folder.file("f4.npy"), {2, 3, 4});
  write_counted<double>(folder.file("f8.npy"), {7});
  write_counted<std::int32_t>(folder.file("i4.npy"), {});
  write_counted<std::int64_t>(folder.file("i8.npy"), {3, 0, 2});
  std::ofstream(folder.file("check.py")) << script;

  const int status = std::system((python + " " + folder.file("check.py") + " " + folder.path().string()).c_str());

  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace penstock::npy
