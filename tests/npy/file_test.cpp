#include "npy/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "npy/temporary_folder.hpp"

namespace penstock::npy {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;
using testing::StartsWith;

std::string data_file(const std::string& name) { return std::string(PENSTOCK_NPY_DATA) + "/" + name + ".npy"; }

template <class T>
std::vector<T> read_all(const std::string& path, const Shape& shape) {
  const ArrayType type{dtype_of<T>, shape};
  std::vector<T> values(static_cast<std::size_t>(shape.count()));
  read_into(path, type, std::as_writable_bytes(std::span(values)));
  return values;
}

/// 0, 1, 2, ...
template <class T>
std::vector<T> counted(std::int64_t count) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(i));
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

template <class T>
void write_all(const std::string& path, const Shape& shape, const std::vector<T>& values) {
  write(path, {dtype_of<T>, shape}, std::as_bytes(std::span(values)));
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(NpyReader, ReadsEveryElementType) {
  EXPECT_EQ(read_all<float>(data_file("f4"), {2, 3, 4}), counted<float>(24));
  EXPECT_EQ(read_all<double>(data_file("f8"), {2, 3, 4}), counted<double>(24));
  EXPECT_EQ(read_all<std::int32_t>(data_file("i4"), {2, 3, 4}), counted<std::int32_t>(24));
  EXPECT_EQ(read_all<std::int64_t>(data_file("i8"), {2, 3, 4}), counted<std::int64_t>(24));
}

TEST(NpyReader, ReadsVersions2And3) {
  EXPECT_EQ(read_all<float>(data_file("version2"), {2, 3, 4}), counted<float>(24));
  EXPECT_EQ(read_all<float>(data_file("version3"), {2, 3, 4}), counted<float>(24));
}

TEST(NpyReader, PutsFortranOrderIntoCOrder) {
  EXPECT_EQ(read_all<float>(data_file("fortran"), {2, 3, 4}), counted<float>(24));
  EXPECT_EQ(read_all<double>(data_file("fortran_matrix"), {70, 45}), counted<double>(3150));
  EXPECT_EQ(read_all<std::int64_t>(data_file("fortran_four"), {3, 4, 5, 6}), counted<std::int64_t>(360));
}

TEST(NpyReader, ReadsScalarEmptyAndVector) {
  EXPECT_EQ(read_all<double>(data_file("scalar"), {}), std::vector<double>{2.5});
  EXPECT_EQ(read_all<std::int32_t>(data_file("empty"), {0, 3}), std::vector<std::int32_t>{});
  EXPECT_EQ(read_all<std::int32_t>(data_file("vector"), {5}), counted<std::int32_t>(5));
}

TEST(NpyReader, SaysWhatAFileHolds) {
  EXPECT_EQ(read_type(data_file("fortran_matrix")), (ArrayType{DType::f64, {70, 45}}));
}

TEST(NpyReader, RefusesAnotherTypeThanExpected) {
  const Error error = error_of([] { static_cast<void>(read_all<double>(data_file("f4"), {2, 3, 4})); });

  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), HasSubstr("f4.npy: holds f32 [2, 3, 4], f64 [2, 3, 4] is needed"));
}

TEST(NpyReader, RefusesWhatItDoesNotRead) {
  const std::pair<const char*, const char*> rows[] = {{"big_endian", "(big-endian)"},
                                                      {"bool", "(bool)"},
                                                      {"half", "'<f2'"},
                                                      {"complex", "'<c8'"},
                                                      {"structured", "structures"},
                                                      {"objects", "(objects)"},
                                                      {"text", "'<U3'"},
                                                      {"nine_dimensions", "more than 8"},
                                                      {"truncated_data", "cut off: 93 bytes where"},
                                                      {"truncated_header", "cut off"},
                                                      {"trailing", "bytes follow the data: 97"},
                                                      {"make", "No such file"}};
  for (const auto& [name, phrase] : rows) {
    const Error error = error_of([&, file = name] { static_cast<void>(read_type(data_file(file))); });

    EXPECT_THAT(error.what(), StartsWith(data_file(name) + ": "));
    EXPECT_THAT(error.what(), HasSubstr(phrase));
  }
}

TEST(NpyReader, RefusesFoldersAndPipes) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);

  EXPECT_THAT(error_of([&] { static_cast<void>(read_type(folder.path().string())); }).what(),
              HasSubstr("regular file"));
  EXPECT_THAT(error_of([&] { static_cast<void>(read_type(folder.file("pipe"))); }).what(), HasSubstr("regular file"));
}

TEST(NpyReader, HugeShapeInASmallFileIsRefusedBeforeMemoryIsTaken) {
  const TemporaryFolder folder;
  write_all<float>(folder.file("x.npy"), {1}, {1.0F});
  std::string bytes;
  {
    std::ifstream in(folder.file("x.npy"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  bytes.replace(bytes.find("(1,), }"), 21, "(1000000000000000,), ");
  bytes.replace(bytes.find("),  "), 4, "), }");
  std::ofstream(folder.file("x.npy"), std::ios::binary) << bytes;

  const Error error = error_of([&] { static_cast<void>(read_type(folder.file("x.npy"))); });

  EXPECT_THAT(error.what(), HasSubstr("cut off"));
}

TEST(NpyWriter, RoundTripsEveryShape) {
  const TemporaryFolder folder;
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 0, 2}, Shape{7}, Shape{5, 6}, Shape{2, 1, 3, 1, 2}}) {
    const auto values = counted<double>(shape.count());

    write_all(folder.file("x.npy"), shape, values);

    EXPECT_EQ(read_all<double>(folder.file("x.npy"), shape), values) << shape.to_string();
  }
}

TEST(NpyWriter, CreatesMissingFoldersAndLeavesNoTemporaryFile) {
  const TemporaryFolder folder;

  write_all(folder.file("a/b/x.npy"), {3}, counted<float>(3));

  EXPECT_EQ(read_type(folder.file("a/b/x.npy")), (ArrayType{DType::f32, {3}}));
  EXPECT_EQ(files_in(folder.path() / "a/b"), 1U);
}

TEST(NpyWriter, ReportsAFolderThatCannotBe) {
  const TemporaryFolder folder;
  write_all(folder.file("x.npy"), {3}, counted<float>(3));

  const Error error = error_of([&] { write_all(folder.file("x.npy/y.npy"), {3}, counted<float>(3)); });

  EXPECT_EQ(error.code(), ErrorCode::environment);
  EXPECT_THAT(error.what(), HasSubstr("x.npy/y.npy: the folder cannot be created"));
}

/// A limit on the size of files stands for a full disk: write() writes a part, then fails.
TEST(NpyWriter, FailedWriteKeepsTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  write_all(folder.file("x.npy"), {3}, counted<float>(3));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);

  const Error error = error_of([&] { write_all(folder.file("x.npy"), {100'000}, counted<float>(100'000)); });

  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error.code(), ErrorCode::environment);
  EXPECT_THAT(error.what(), HasSubstr("x.npy: cannot be written: File too large"));
  EXPECT_EQ(read_all<float>(folder.file("x.npy"), {3}), counted<float>(3));
  EXPECT_EQ(files_in(folder.path()), 1U);
}

}  // namespace
}  // namespace penstock::npy
