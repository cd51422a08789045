/// What is nested, repeated or large without end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jobs/bad/refusal.hpp"

namespace penstock::jobs::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string repeated(std::size_t times, const std::string& text) {
  std::string result;
  result.reserve(times * text.size());
  for (std::size_t k = 0; k < times; ++k) result += text;
  return result;
}

std::string in_subscript(const std::string& text) {
  return good_job +
         "[data.y]\nfor = \"i in 0..4\"\nshape = [4]\ndtype = \"f64\"\norigin = \"ones\"\n[[task]]\nkernel = "
         "\"increment\"\nread_write = [\"y[" +
         text + "]\"]\n";
}
const std::string place_of_subscript = "18:15: ";

std::string in_path(const std::string& path) {
  return "[data.x]\nshape = [4]\ndtype = \"f64\"\norigin = \"ones\"\n[[save]]\ndata = \"x\"\nfile = \"" + path + "\"\n";
}

std::string groups(std::size_t depth) {
  std::string text = good_job;
  std::string name = "group";
  for (std::size_t k = 0; k < depth; ++k) {
    text += "[[" + name + "]]\n";
    name += ".group";
  }
  name.replace(name.size() - 5, 5, "task");
  return text + "[[" + name + "]]\nkernel = \"increment\"\nread_write = [\"x\"]\n";
}

struct Row {
  std::string name;
  std::string text;
  std::string begin;  ///< of the message
  std::string phrase;
};

const std::string no_toml = "this is not TOML";
constexpr std::size_t million = 1'000'000;

std::vector<Row> rows() {
  return {
      {"lists", "a = " + repeated(million, "["), "1:", no_toml},
      {"lists that end", "a = " + repeated(million / 2, "[") + repeated(million / 2, "]"), "1:", no_toml},
      {"tables", "a = " + repeated(million / 4, "{a="), "1:", no_toml},
      {"tables of quoted keys", "a = " + repeated(million / 4, "{\"\"="), "1:", no_toml},
      {"lists and tables", "a = " + repeated(million / 4, "[{a="), "1:", no_toml},
      {"parts of a key", "a" + repeated(million / 2, ".a") + " = 1", "1:40: ", "more than 20 parts"},
      {"parts of a quoted key", "''" + repeated(million / 4, ".''") + " = 1", "1:", "more than 20 parts"},
      {"parts of a table's name", "[a" + repeated(million / 2, ".a") + "]", "1:41: ", "more than 20 parts"},
      {"parts of a list's name", "[[a" + repeated(million / 2, ".a") + "]]", "1:42: ", "more than 20 parts"},
      {"brackets of a table's name", repeated(million, "[") + "a", "1:3: ", no_toml},
      {"parentheses", in_subscript(repeated(million, "(")), place_of_subscript, "more than 32 parentheses"},
      {"ceilings", in_subscript(repeated(million / 5, "ceil(")), place_of_subscript, "more than 32 parentheses"},
      {"brackets of a reference", in_subscript(repeated(million, "[")), place_of_subscript, "has '[' where"},
      {"negations", good_job + "[[task]]\nif = \"" + repeated(million / 4, "not ") + "\"\nkernel = \"increment\"\n",
       "12:6: ", "has its end where"},
      {"groups", groups(17), "27:1: ", "more than 16 groups are inside each other"},
      {"subscripts", in_subscript("0" + repeated(million / 2, ",0")), place_of_subscript, "not 500001"},
      {"names of a list", "[values]\na = [" + repeated(million / 5, "'a', ") + "1]\n" + good_job, "2:", "mixes"},
      {"a name", "[data." + std::string(million, 'y') + "]\nshape = 4\n" + good_job, "2:9: ", "'shape' in [data.yyy"},
      {"a key", std::string(million, 'y') + " = 1\n" + good_job, "1:1: ", "unknown key 'yyy"},
      {"a kernel's name", good_job + "[[task]]\nkernel = \"" + std::string(million, 'y') + "\"\n",
       "12:10: ", "unknown kernel 'yyy"},
      {"a path", in_path(std::string(5000, 'y')), "7:8: ", "has 5000 characters, at most 4095 are allowed"},
      {"a path from a list", "values.s = ['" + std::string(5000, 'y') + "']\n" + in_path("{s}") + "for = \"s in s\"\n",
       "9:7: ", "has the name of a value"},
      {"a path from a long item",
       "values.items = ['" + std::string(5000, 'y') + "']\n" + in_path("{s}") + "for = \"s in items\"\n",
       "8:8: ", "longer than 3000 bytes"},
      {"the width of a number", in_path("{1:0999999999999}"), "7:8: ", "a width of at most 20"},
      {"a path to read",
       "[data.x]\nshape = [4]\ndtype = \"f64\"\norigin = \"file\"\nfile = \"" + std::string(5000, 'y') +
           "\"\n[[save]]\ndata = \"x\"\nfile = \"x.npy\"\n",
       "5:8: ", "at most 4095 are allowed"},
      {"a path to include", "include = \"" + std::string(5000, 'y') + "\"\n" + good_job, "1:11: ", "no such file"},
  };
}

TEST(BadDepths, AreAnsweredWithPlaceAndReasonInOneShortLine) {
  const Scratch scratch;
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);

    const std::string message = scratch.refusal(row.text);

    EXPECT_THAT(message, StartsWith(row.begin));
    EXPECT_THAT(message, HasSubstr(row.phrase));
    EXPECT_TRUE(is_inert(message));
    EXPECT_LT(message.size(), 1200U);
  }
}

TEST(BadDepths, GoodOnesAreTaken) {
  const Scratch scratch;
  const std::string parentheses = repeated(32, "(") + "1" + repeated(32, ")");

  EXPECT_EQ(scratch.refusal(in_subscript(parentheses)), "ok");
  EXPECT_EQ(scratch.refusal(in_subscript(repeated(million / 2, "--") + "1")), "ok");
  EXPECT_EQ(scratch.refusal(in_subscript(std::string(million, ' ') + "1")), "ok");
  EXPECT_EQ(scratch.refusal(groups(16)), "ok");
  EXPECT_EQ(scratch.refusal("#" + std::string(million, '[') + "\n" + good_job), "ok");
}

/// The ranges outside pass 2^39 times over one that is empty; to find that out by going through them would take hours.
TEST(BadDepths, LoopsWithoutAStepAreNotGoneThrough) {
  const Scratch scratch;
  const std::string loop = "for = [\"i in 0..2097152\", \"j in 0..262144\", \"k in i..0\"]\n";
  const std::string group = "[[group]]\n" + loop + "[[group.task]]\nkernel = \"increment\"\nread_write = [\"x\"]\n";
  const std::string save = "[[save]]\ndata = \"x\"\nfile = \"{i}.npy\"\n" + loop;

  EXPECT_EQ(scratch.refusal(good_job + "[[task]]\nkernel = \"increment\"\nread_write = [\"x\"]\n" + loop), "ok");
  EXPECT_EQ(scratch.refusal(good_job + group), "ok");
  EXPECT_THAT(scratch.refusal(good_job + save), StartsWith("11:1: the loops around the saves so far have more than"));
}

std::string link_name(std::size_t number) { return "link_" + std::to_string(number) + ".toml"; }

/// Each file includes the next one, up to the last.
void write_chain(const Scratch& scratch, std::size_t files) {
  for (std::size_t k = 1; k < files; ++k) scratch.write(link_name(k), "include = '" + link_name(k + 1) + "'\n");
  scratch.write(link_name(files), "");
}

TEST(BadDepths, ChainOfIncludedFilesEndsAtTheLimit) {
  const Scratch scratch;
  write_chain(scratch, 1000);

  const std::string message = scratch.refusal("include = 'link_1.toml'\n" + good_job);

  EXPECT_THAT(message, StartsWith(scratch.file("link_16.toml") + ":1:11: "));
  EXPECT_THAT(message, HasSubstr("more than 16 files include each other, at most 16 are allowed"));
}

TEST(BadDepths, ChainOfIncludedFilesUpToTheLimitIsTaken) {
  const Scratch scratch;
  write_chain(scratch, 16);

  EXPECT_EQ(scratch.refusal("include = 'link_1.toml'\n" + good_job), "ok");
}

}  // namespace
}  // namespace penstock::jobs::test
