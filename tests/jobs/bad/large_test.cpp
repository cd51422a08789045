/// Job files of 10 MB, of whatever there can be much: read or refused at once. A core of its own takes about a second
/// for the worst of them, half of it for TOML; the limit leaves room for what else the machine may do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "jobs/bad/refusal.hpp"
#include "jobs/graph_summary.hpp"

namespace penstock::jobs::test {
namespace {

constexpr std::size_t size = 10'000'000;
constexpr double longest_s = 2.5;

/// A file: the head, very many pieces, the tail. In a piece, '#' is its number and '@' the next one.
struct Row {
  std::string name;
  std::string head;
  std::string piece;
  std::string tail;
  std::string begin;  ///< of what is said
};

std::string text_of(const Row& row) {
  std::string text = row.head;
  text.reserve(size + row.piece.size() + row.tail.size() + 64);
  for (int k = 0; text.size() < size; ++k) {
    for (const char c : row.piece) {
      if (c == '#' || c == '@')
        text += std::to_string(c == '#' ? k : k + 1);
      else
        text += c;
    }
  }
  return text + row.tail;
}

const std::string increment = "kernel = 'increment'\nread_write = ['x']\n";
const std::string task = "[[task]]\n" + increment;
const std::string data = "shape = [4]\ndtype = 'f64'\norigin = 'zeros'\n";

const std::vector<Row> rows = {
    {"a comment", good_job + "# ", "x", "\n", "ok"},
    {"spaces", good_job, " ", "\n", "ok"},
    {"lines", good_job, "\n", "", "ok"},
    {"a text", "[job]\nname = '", "x", "'\n", "2:8: the name 'xxx"},
    {"a key", "", "x", " = 1\n", "1:1: unknown key 'xxx"},
    {"keys", "", "x# = 1\n", "", "1:1: unknown key 'x0'"},
    {"tasks", good_job, task, "", "ok"},
    {"tasks in loops", good_job, task + "for = 'i in 0..2'\nif = 'i > 0'\n", "", "ok"},
    {"tasks in long loops", good_job,
     "[[task]]\nkernel = 'scale'\nread_write = ['x']\nfor = ['i in 0..900000', 'j in i..1000']\nif = 'i < 0'\n"
     "parameters = { by = 'i' }\n",
     "", "ok"},
    {"groups", good_job, "[[group]]\nfor = 'i in 0..2'\n[[group.task]]\n" + increment, "", "ok"},
    {"tasks of a group", good_job + "[[group]]\nfor = 'i in 0..2'\n", "[[group.task]]\n" + increment, "", "ok"},
    {"saves", good_job, "[[save]]\ndata = 'x'\nfile = 'a/b/#.npy'\n", "", "ok"},
    {"saves of long loops", good_job,
     "[[save]]\ndata = 'x'\nfile = '#_{i}.npy'\nfor = 'i in 0..60000000'\nif = 'i < 0'\n", "",
     "16:1: the loops around the saves so far"},
    {"data", good_job, "[data.y#]\n" + data, "", "ok"},
    {"data with tasks", good_job,
     "[data.y#]\nfor = 'i in 0..3'\n" + data +
         "[[task]]\nfor = 'i in 0..3'\nkernel = 'increment'\nread_write = ['y#[i]']\n",
     "", "ok"},
    {"data, and one unknown", good_job, "[data.y#]\n" + data, "[[task]]\nkernel = 'increment'\nread_write = ['z']\n",
     ""},
    {"values", "[values]\n", "v# = 1\n", good_job, "ok"},
    {"values in a chain", "[values]\nv0 = '1'\n", "v@ = 'v#'\n", good_job, "ok"},
    {"values in a ring", "[values]\nv0 = 'w'\n", "v@ = 'v#'\n", "w = 'v1000'\n" + good_job, "2:6: the value"},
    {"an expression", "[values]\na = '0", "+1", "'\n" + good_job, "ok"},
    {"an expression of values", "[values]\nb = 1\na = '0", "+b", "'\n" + good_job, "ok"},
    {"numbers of a list", "[values]\na = [0", ",1", "]\n" + good_job, "ok"},
    {"texts of a list", "[values]\na = ['0'", ",'1'", "]\n" + good_job, "ok"},
    {"extents", "[data.y]\ndtype = 'f64'\nshape = [0", ",1", "]\n", "3:9: a shape has at most 8 extents"},
    {"data of a task", good_job + "[[task]]\nkernel = 'increment'\nread_write = ['x'", ",'x'", "]\n",
     "13:14: 'read_write' has"},
    {"subscripts", good_job + "[[task]]\nkernel = 'increment'\nread_write = ['x[0", ",0", "]']\n",
     "13:15: data x has 0 ranges"},
    {"a path", good_job + "[[save]]\ndata = 'x'\nfile = '", "{1}", "'\n", "13:8: the path '{1}{1}"},
    {"a condition", good_job + task + "if = '0 < 1", " and 0 < 1", "'\n", "ok"},
};

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(LargeJobFile, IsReadOrRefusedAtOnce) {
  const Scratch scratch;
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto path = scratch.write("job.toml", text_of(row));
    const double begin = seconds();

    const std::string message = refusal_without_path(path);

    const double taken = seconds() - begin;
    EXPECT_LT(taken, longest_s);
    EXPECT_THAT(message, testing::StartsWith(row.begin));
    EXPECT_LT(message.size(), 1200U);
  }
}

/// Each value needs those of the next line, which a reader could look for again and again.
TEST(LargeJobFile, OfValuesThatNeedManyOthersIsReadAtOnce) {
  const Scratch scratch;
  std::string text = "[values]\n";
  for (int line = 0; text.size() < size; ++line) {
    text.append("v").append(std::to_string(300 * line)).append(" = '0");
    for (int k = 1; k <= 300; ++k) text.append("+v").append(std::to_string(300 * line + k));
    text.append("'\n");
    for (int k = 1; k < 300; ++k) text.append("v").append(std::to_string(300 * line + k)).append(" = 1\n");
  }
  const auto path = scratch.write("job.toml", text + good_job);
  const double begin = seconds();

  const std::string message = refusal_without_path(path);

  EXPECT_LT(seconds() - begin, longest_s);
  EXPECT_THAT(message, testing::HasSubstr("unknown value"));  // that of the line after the last one
}

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * std::int64_t{1024};
}

/// Two bits for each of 2^31 data would be half a gigabyte a family.
TEST(LargeJobFile, DataThatNoStepNamesTakeNoMemory) {
  const Scratch scratch;
  std::string text = good_job + "[[group]]\nfor = 'i in 0..2'\n";
  for (int k = 0; k < 4; ++k) {
    const std::string name(1, static_cast<char>('a' + k));
    text += "[[group.task]]\nkernel = 'increment'\nread_write = ['" + name + "[2147483647 * i]']\n";
    text += "[data." + name + "]\nfor = 'i in 0..2147483648'\n" + data;
  }
  const auto path = scratch.write("job.toml", text);
  const std::int64_t before = peak_bytes();

  const GraphSummary summary = summarize(load(path));

  EXPECT_EQ(summary.tasks, 9);
  EXPECT_LT(peak_bytes() - before, std::int64_t{256} << 20);
}

}  // namespace
}  // namespace penstock::jobs::test
