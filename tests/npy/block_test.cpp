#include "npy/block.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "npy/file.hpp"
#include "npy/header.hpp"
#include "npy/temporary_folder.hpp"

namespace penstock::npy {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

std::string data_file(const std::string& name) { return std::string(PENSTOCK_NPY_DATA) + "/" + name + ".npy"; }

constexpr std::int64_t rows = 70;
constexpr std::int64_t columns = 45;
const ArrayType matrix_type{DType::f64, {rows, columns}};

/// 0, 1, 2, ... of the whole, where a block has them.
std::vector<double> counted_block(const Shape& shape, BlockStart start) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      values.push_back(static_cast<double>((start.row + i) * columns + start.column + j));
    }
  }
  return values;
}

std::vector<double> read_doubles(const std::string& path, const Shape& shape, BlockStart start) {
  std::vector<double> values(static_cast<std::size_t>(shape.count()));
  read_block(path, start, {DType::f64, shape}, std::as_writable_bytes(std::span(values)));
  return values;
}

template <class Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::lost, "no error"};
}

void write_whole(const std::string& path) {
  const auto values = counted_block(matrix_type.shape, {});
  write(path, matrix_type, std::as_bytes(std::span(values)));
}

void write_doubles(const std::string& path, const Shape& shape, BlockStart start) {
  const auto values = counted_block(shape, start);
  write_block(path, matrix_type, start, {DType::f64, shape}, std::as_bytes(std::span(values)));
}

void expect_blocks_of(const std::string& path) {
  std::mt19937_64 random(1);
  const auto up_to = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  for (int trial = 0; trial < 200; ++trial) {
    const BlockStart start{.row = up_to(rows), .column = up_to(columns)};
    const bool is_wide = trial % 4 == 0;
    const Shape shape{up_to(rows - start.row), is_wide ? columns : up_to(columns - start.column)};
    const BlockStart place{.row = start.row, .column = is_wide ? 0 : start.column};

    ASSERT_EQ(read_doubles(path, shape, place), counted_block(shape, place))
        << shape.to_string() << " at " << place.row;
  }
  EXPECT_EQ(read_doubles(path, matrix_type.shape, {}), counted_block(matrix_type.shape, {}));
}

TEST(NpyBlockReader, ReadsAnyBlockOfAMatrix) {
  const TemporaryFolder folder;
  write_whole(folder.file("x.npy"));

  expect_blocks_of(folder.file("x.npy"));
}

TEST(NpyBlockReader, ReadsAnyBlockOfAMatrixInFortranOrder) { expect_blocks_of(data_file("fortran_matrix")); }

TEST(NpyBlockReader, RefusesArraysOfOtherDimensions) {
  const Error error = error_of([] { static_cast<void>(read_doubles(data_file("f8"), {2, 3}, {})); });

  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), HasSubstr("f8.npy: holds f64 [2, 3, 4], which has no block f64 [2, 3] at row 0, column 0"));
}

TEST(NpyBlockReader, DoesNotReadTheRest) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  const ArrayType huge{DType::f64, {std::int64_t{1} << 20, std::int64_t{1} << 15}};  // 256 GiB, nearly all a hole
  const double value = 7;
  write_block(path, huge, {.row = 1000, .column = 1000}, {DType::f64, {1, 1}}, std::as_bytes(std::span(&value, 1)));

  const auto block = read_doubles(path + ".partial", {2, 2}, {.row = 999, .column = 999});

  EXPECT_THAT(block, testing::ElementsAre(0, 0, 0, 7));
}

TEST(NpyBlockWriter, AnyOrderOfBlocksMakesTheFileThatWriteMakes) {
  const TemporaryFolder folder;
  write_whole(folder.file("whole.npy"));

  write_doubles(folder.file("x.npy"), {30, 45}, {.row = 40, .column = 0});
  write_doubles(folder.file("x.npy"), {40, 20}, {.row = 0, .column = 25});
  write_doubles(folder.file("x.npy"), {40, 25}, {.row = 0, .column = 0});
  publish(folder.file("x.npy"), rows * columns);

  const auto bytes_of = [](const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes_of(folder.file("x.npy")), bytes_of(folder.file("whole.npy")));
}

TEST(NpyBlockWriter, CreatesFoldersAndAFileWithTheModeOfSave) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);

  write_doubles(folder.file("a/b/x.npy"), {1, 1}, {});
  write_whole(folder.file("a/b/y.npy"));

  ::umask(before);
  const auto mode_of = [&](const char* name) { return std::filesystem::status(folder.file(name)).permissions(); };
  EXPECT_EQ(mode_of("a/b/x.npy.partial"), mode_of("a/b/y.npy"));
}

TEST(NpyBlockWriter, LeavesWhatOthersWrote) {
  const TemporaryFolder folder;
  write_doubles(folder.file("x.npy"), {1, 1}, {.row = rows - 1, .column = columns - 1});

  write_doubles(folder.file("x.npy"), {1, 1}, {});

  EXPECT_EQ(read_doubles(folder.file("x.npy.partial"), {1, 1}, {.row = rows - 1, .column = columns - 1}),
            std::vector<double>{rows * columns - 1});
}

TEST(NpyBlockWriter, TheRestOfAnotherAttemptDoesNoHarm) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("x.npy.partial"), std::ios::binary) << std::string(100'000, 'x');

  write_doubles(folder.file("x.npy"), matrix_type.shape, {});
  publish(folder.file("x.npy"), rows * columns);

  EXPECT_EQ(read_doubles(folder.file("x.npy"), matrix_type.shape, {}), counted_block(matrix_type.shape, {}));
}

TEST(NpyBlockWriter, FollowsNoLinkAndWritesToNoPipe) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("secret")) << "mine";
  std::filesystem::create_symlink(folder.file("secret"), folder.file("x.npy.partial"));
  ASSERT_EQ(::mkfifo(folder.file("pipe.npy.partial").c_str(), 0600), 0);

  const Error link = error_of([&] { write_doubles(folder.file("x.npy"), {1, 1}, {}); });
  const Error pipe = error_of([&] { write_doubles(folder.file("pipe.npy"), {1, 1}, {}); });

  EXPECT_EQ(link.code(), ErrorCode::environment);
  EXPECT_THAT(link.what(), HasSubstr("x.npy.partial: cannot be opened: Too many levels of symbolic links"));
  EXPECT_EQ(std::filesystem::file_size(folder.file("secret")), 4U);
  EXPECT_THAT(pipe.what(), HasSubstr("pipe.npy.partial: cannot be opened"));
}

/// A limit on the size of files stands for a full disk.
TEST(NpyBlockWriter, ReportsADiskThatIsFull) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);

  const Error error = error_of([&] { write_doubles(folder.file("x.npy"), {1, 1}, {}); });

  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error.code(), ErrorCode::environment);
  EXPECT_THAT(error.what(), HasSubstr("x.npy.partial: cannot be given its length: File too large"));
}

TEST(NpyPublish, NamesAFileThatNobodyWrote) {
  const TemporaryFolder folder;

  const Error error = error_of([&] { publish(folder.file("x.npy"), 1); });

  EXPECT_EQ(error.code(), ErrorCode::environment);
  EXPECT_EQ(std::string(error.what()), folder.file("x.npy.partial") + ": cannot be opened: No such file or directory");
}

TEST(NpyPublish, RefusesAFileOfAnotherSize) {
  const TemporaryFolder folder;
  write_doubles(folder.file("x.npy"), {1, 1}, {});
  write_doubles(folder.file("short.npy"), {1, 1}, {});
  std::filesystem::resize_file(folder.file("short.npy.partial"), 1000);

  const Error other = error_of([&] { publish(folder.file("x.npy"), 5); });
  const Error cut = error_of([&] { publish(folder.file("short.npy"), rows * columns); });

  EXPECT_THAT(other.what(), HasSubstr("x.npy.partial: holds f64 [70, 45], that is 3150 elements, not 5"));
  EXPECT_THAT(cut.what(), HasSubstr("short.npy.partial: the data are cut off: 872 bytes where"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.npy")));
}

TEST(NpyPublish, ReportsANameThatCannotBeGiven) {
  const TemporaryFolder folder;
  write_doubles(folder.file("x.npy"), {1, 1}, {});
  std::filesystem::create_directories(folder.file("x.npy/taken"));

  const Error error = error_of([&] { publish(folder.file("x.npy"), rows * columns); });

  EXPECT_EQ(error.code(), ErrorCode::environment);
  EXPECT_THAT(error.what(), HasSubstr("x.npy: cannot be given its name: "));
}

}  // namespace
}  // namespace penstock::npy
