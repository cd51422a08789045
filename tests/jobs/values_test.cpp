/// Constants, lists, defaults and included files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "jobs/test_kernels.hpp"

namespace penstock::jobs::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string message_of(const JobFolder& folder, const std::vector<Override>& overrides = {}) {
  try {
    static_cast<void>(folder.load(overrides));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_job);
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message.substr(message.find(folder.path()) == 0 ? folder.path().size() : 0);
  }
  return "no mistake found";
}

/// The shape of the only datum of a job of `values`.
std::string shape_of(const std::string& values, const std::string& shape, const std::vector<Override>& overrides = {}) {
  const JobFolder folder("[values]\n" + values + "\n[data.A]\nshape = " + shape +
                         "\ndtype = 'f32'\norigin = 'ones'\n[[save]]\ndata = 'A'\nfile = 'a'\n");
  Stream stream = folder.load(overrides).stream();
  Step step;
  EXPECT_TRUE(stream.next(step));
  return step.type.shape.to_string();
}

std::string mistake(const std::string& values, const std::vector<Override>& overrides = {}) {
  return message_of(
      JobFolder("[values]\n" + values + "\n[[task]]\nkernel = 'spin'\nparameters = { microseconds = 1 }\n"), overrides);
}

TEST(Values, MayBeMadeOfOthersInAnyOrder) {
  EXPECT_EQ(shape_of("tiles = 'n / tile'\nn = 4000\ntile = 'n / 8'", "['tiles', 'n', 'tile - 1']"), "[8, 4000, 499]");
}

TEST(Values, LongChainsTakeNoStack) {
  std::string values = "v0 = 1\n";
  for (int k = 1; k <= 20'000; ++k) {
    values += 'v' + std::to_string(k) + " = 'v" + std::to_string(k - 1) + " + 1'\n";
  }

  EXPECT_EQ(shape_of(values, "['v20000']"), "[20001]");
}

TEST(Values, MistakesSayWhatIsWrong) {
  EXPECT_THAT(mistake("n = 10\ntiles = 'n / 3'"), StartsWith(":3:9: the expression 'n / 3' divides 10 by 3, which"));
  EXPECT_THAT(mistake("a = 'b'\nb = 'c + 1'\nc = 'b'"), HasSubstr("depends on itself: b -> c -> b"));
  EXPECT_THAT(mistake("a = 'a'"), StartsWith(":2:5: the value 'a' depends on itself: a -> a"));
  EXPECT_THAT(mistake("a = 'siz'\nsize = 2"), StartsWith(":2:5: unknown value 'siz', did you mean 'size'?"));
  EXPECT_THAT(mistake("a = 'x +'"), StartsWith(":2:5: the expression 'x +' has its end"));
  EXPECT_THAT(mistake("'a b' = 1"), StartsWith(":2:1: 'a b' cannot name a value"));
  EXPECT_THAT(mistake("step = 1"), StartsWith(":2:1: 'step' cannot name a value"));
  EXPECT_THAT(mistake("a = 1979-05-27"), StartsWith(":2:5: a value is a date or time"));
  EXPECT_THAT(mistake("a = {}"), StartsWith(":2:5: the value lacks the key 'text', write { text = \"left\" }"));
  EXPECT_THAT(mistake("a = { text = 1 }"), StartsWith(":2:14: 'text' in the value is an integer, a string is needed"));
  EXPECT_THAT(mistake("a = { text = 'x', b = 1 }"), StartsWith(":2:19: unknown key 'b' in the value"));
  EXPECT_THAT(mistake("a = { text = \"x\\n\" }"), StartsWith(":2:5: the text 'x?' has control characters"));
  EXPECT_THAT(mistake("a = { text = 'x' }\nb = 'a + 1'"),
              StartsWith(":3:5: the value 'a' is a text, an integer is needed"));
  EXPECT_THAT(mistake("a = []"), StartsWith(":2:5: the list is empty"));
  EXPECT_THAT(mistake("a = [1, 'x']"), StartsWith(":2:9: the list mixes numbers and texts"));
  EXPECT_THAT(mistake("a = [1, [2]]"), StartsWith(":2:9: a list holds a list"));
  EXPECT_THAT(mistake("a = 9223372036854775807\nb = 'a + 1'"), StartsWith(":3:5: the number does not fit"));
  EXPECT_THAT(mistake("x = 0.5\nb = 'x + 1'"),
              StartsWith(":3:5: the value 'x' is a real number, an integer is needed"));
}

TEST(Values, CanBeReplaced) {
  EXPECT_EQ(shape_of("n = 10\nm = '2 * n'", "['n', 'm']", {{"n", "7"}}), "[7, 14]");
  EXPECT_EQ(shape_of("n = 10\nm = '2 * n'", "['n', 'm']", {{"m", "n - 1"}}), "[10, 9]");
  EXPECT_EQ(shape_of("n = 10\nm = '2 * n'", "['n', 'm']", {{"m", "5"}, {"n", "'m + 1'"}}), "[6, 5]");
}

TEST(Values, ReplacementsThatDoNotFitAreRefused) {
  EXPECT_THAT(mistake("size = 1", {{"siz", "2"}}),
              StartsWith(":1:1: --set names the value 'siz', which [values] has not, did you mean 'size'?"));
  EXPECT_THAT(mistake("n = 1", {{"n", "[1]"}}), StartsWith(":2:5: '--set n=[1]' gives a list, an integer is needed"));
  // The place was one in the text that is given, of which there is no file.
  EXPECT_THAT(mistake("m = 1\nn = [1]", {{"n", "[]"}}), StartsWith(":3:5: '--set n=[]': the list is empty"));
  EXPECT_THAT(mistake("m = 1\nn = [1]", {{"n", "[[1]]"}}), StartsWith(":3:5: '--set n=[[1]]': a list holds a list"));
  EXPECT_THAT(mistake("m = 1\nn = [1]", {{"n", "[1, 'a']"}}), StartsWith(":3:5: '--set n=[1, 'a']': the list mixes"));
  EXPECT_THAT(mistake("n = 1", {{"n", "0.5"}}), HasSubstr("gives a real number, an integer is needed"));
  EXPECT_THAT(mistake("n = [1]", {{"n", "2"}}), HasSubstr("gives an integer, a list is needed"));
  EXPECT_THAT(mistake("n = 1", {{"n", ""}}), HasSubstr("the expression '' has its end"));
  EXPECT_THAT(mistake("n = 1", {{"n", "2\nm = 3"}}), HasSubstr("the expression '2?m = 3'"));
  EXPECT_EQ(mistake("x = 0.5", {{"x", "2"}}), "no mistake found");
}

TEST(Values, AreParametersOfTheirType) {
  const JobFolder folder(R"(
values = { n = 3, factor = 0.25, flip = true, factors = [0.5, 2], names = ["a", "b"], counts = [7, 5] }
data.A = { shape = [3, 3], dtype = "f32", origin = "ones" }
[[task]]
for = ["f in factors", "c in counts"]
kernel = "gemm"
read = ["A", "A"]
write = ["C[c]"]
name = "{f} {c}"
parameters = { transpose_a = "flip", alpha = "f", beta = 0 }
[[task]]
for = ["c in counts"]
kernel = "gemm"
read = ["A", "A"]
read_write = ["C[c]"]
parameters = { alpha = "factor", beta = "n - c" }
[data.C]
for = "i in 0..8"
shape = [3, 3]
dtype = "f32"
)");
  std::vector<std::string> seen;

  const Job job = folder.load();
  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    if (step.kind != Step::Kind::task || step.is_origin) continue;
    std::string text(step.name);
    text += std::get<bool>(step.parameters[0]) ? " t " : " n ";
    text += std::to_string(std::get<double>(step.parameters[2])) + ' ' +
            std::to_string(std::get<double>(step.parameters[3]));
    seen.push_back(text);
  }

  EXPECT_THAT(seen, ElementsAre("0.5 7 t 0.500000 0.000000", "0.5 5 t 0.500000 0.000000", "2 7 t 2.000000 0.000000",
                                "2 5 t 2.000000 0.000000", " n 0.250000 -4.000000", " n 0.250000 -2.000000"));
}

TEST(Values, OfTextStandInNamesAndPaths) {
  const JobFolder folder(R"(
[values]
side = { text = "a{b" }
n = 2
[data.A]
shape = [2]
dtype = "f32"
origin = "ones"
[[task]]
name = "{side} {n}"
kernel = "increment"
read_write = ["A"]
[[save]]
for = "i in 0..n"
data = "A"
file = "{side}/{i}.npy"
)");
  const auto texts_of = [&](const std::vector<Override>& overrides) {
    std::vector<std::string> texts;
    const Job job = folder.load(overrides);
    Stream stream = job.stream();
    for (Step step; stream.next(step);) {
      if (!step.name.empty()) texts.emplace_back(step.name);
      if (step.kind == Step::Kind::save) texts.push_back(path_of(step));
    }
    return texts;
  };

  EXPECT_THAT(texts_of({}), ElementsAre("a{b 2", "a{b/0.npy", "a{b/1.npy"));
  EXPECT_THAT(texts_of({{"side", "out of n"}}), ElementsAre("out of n 2", "out of n/0.npy", "out of n/1.npy"));
  EXPECT_THAT(texts_of({{"side", "7"}, {"n", "1"}}), ElementsAre("7 1", "7/0.npy")) << "whatever it looks like";
  EXPECT_THAT(texts_of({{"side", "\"'"}, {"n", "1"}}), ElementsAre("\"' 1", "\"'/0.npy"));
  EXPECT_THAT(message_of(folder, {{"side", "../up"}}), StartsWith(":16:8: the path '../up/0.npy' has a '..'"));
  EXPECT_THAT(message_of(folder, {{"side", "a\nb"}}),
              StartsWith(":3:8: '--set side=a?b': the text 'a?b' has control characters"));
  EXPECT_THAT(message_of(folder, {{"n", "x"}}), HasSubstr("unknown value 'x'"));
}

TEST(Defaults, StandInForWhatAnEntryDoesNotSay) {
  const JobFolder folder(R"(
[defaults.data]
shape = [2]
dtype = "f64"
origin = "uniform"
seed = 3
[defaults.task]
cores = 2
[data.A]
[data.B]
dtype = "i32"
origin = "zeros"
[[task]]
kernel = "increment"
read_write = ["A"]
[[task]]
kernel = "increment"
read_write = ["B"]
cores = 1
)");
  std::vector<std::string> seen;

  const Job job = folder.load();
  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    if (step.kind == Step::Kind::make) seen.emplace_back(name_of(step.type.dtype));
    if (step.kind == Step::Kind::task) seen.push_back(step.kernel->name + " " + std::to_string(step.cores));
  }

  EXPECT_THAT(seen, ElementsAre("f64", "uniform 1", "increment 2", "i32", "fill 1", "increment 1"));
}

TEST(Defaults, MistakesInThemStandWhereTheyAre) {
  const std::string rest = "\n[[save]]\ndata = 'A'\nfile = 'a'\n";

  EXPECT_THAT(message_of(JobFolder("[defaults.data]\nfor = 'i in 0..3'" + rest)),
              StartsWith(":2:1: unknown key 'for' in [defaults.data]"));
  EXPECT_THAT(message_of(JobFolder("[defaults.tasks]\ncores = 3" + rest)),
              StartsWith(":1:11: unknown key 'tasks' in [defaults], did you mean 'task'?"));
  EXPECT_THAT(message_of(JobFolder("[defaults.data]\ndtype = 'f16'\n[data.A]\nshape = [2]" + rest)),
              StartsWith(":2:9: unknown dtype 'f16'"));
}

/// A job file, and others beside it.
class Files {
 public:
  explicit Files(const std::string& main) : main_(main) {}
  Files& with(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(main_.file(name)).parent_path());
    std::ofstream(main_.file(name), std::ios::binary) << text;
    return *this;
  }
  [[nodiscard]] std::string message() const { return message_of(main_); }
  [[nodiscard]] const JobFolder& main() const { return main_; }

 private:
  JobFolder main_;
};

const std::string save_a = "[[save]]\ndata = 'A'\nfile = 'a'\n";

TEST(Includes, ComeFirstInTheirOrder) {
  Files files("include = ['parts/common.toml', 'more.toml']\n[[save]]\ndata = 'A'\nfile = 'main'\n");
  files
      .with("parts/common.toml",
            "include = ['deep.toml']\n[data.A]\nshape = ['n']\ndtype = 'f32'\norigin = 'ones'\n" + save_a)
      .with("parts/deep.toml", "[values]\nn = 4\n")
      .with("more.toml", "[[task]]\nkernel = 'increment'\nread_write = ['A']\n");
  const Job job = files.main().load();

  EXPECT_THAT(steps_of(job), ElementsAre("make A", "*fill >A", "save A a", "increment +A", "save A main", "release A"));

  Stream stream = job.stream();
  Step step;
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(stream.next(step));
  EXPECT_EQ(step.place.file, files.main().file("parts/common.toml"));
  EXPECT_EQ(step.place.line, 6U);
}

TEST(Includes, MistakesStandInTheirOwnFile) {
  Files files("include = 'common.toml'\n" + save_a);
  files.with("common.toml", "\n[data.A]\nshape = [2]\ndtype = 'f16'\n");

  EXPECT_EQ(files.message().substr(0, files.message().find(": unknown")), files.main().file("common.toml") + ":4:9");
}

TEST(Includes, CyclesAreNamed) {
  Files files("include = ['a.toml']\n" + save_a);
  files.with("a.toml", "include = ['sub/b.toml']\n").with("sub/b.toml", "include = ['../a.toml']\n");

  EXPECT_THAT(files.message(),
              HasSubstr("/sub/b.toml:1:12: the files include each other: a.toml -> sub/b.toml -> a.toml"));
  EXPECT_THAT(Files("include = ['job.toml']\n" + save_a).message(),
              StartsWith(":1:12: the files include each other: job.toml -> job.toml"));
}

TEST(Includes, AFileTwiceIsRefused) {
  Files files("include = ['a.toml', './a.toml']\n" + save_a);
  files.with("a.toml", "values.n = 1\n");

  EXPECT_THAT(files.message(), StartsWith(":1:22: './a.toml' is included twice, see line 1"));
}

TEST(Includes, DepthIsLimited) {
  Files files("include = ['1.toml']\n" + save_a);
  for (int k = 1; k <= 17; ++k) {
    files.with(std::to_string(k) + ".toml", "include = ['" + std::to_string(k + 1) + ".toml']\n");
  }

  EXPECT_THAT(files.message(), HasSubstr("/16.toml:1:12: more than 16 files include each other"));
}

TEST(Includes, OnlyRegularFilesAreOpened) {
  const std::string rest = "\n" + save_a;
  Files files("include = ['pipe']" + rest);
  ASSERT_EQ(mkfifo(files.main().file("pipe").c_str(), 0600), 0);

  EXPECT_THAT(files.message(), StartsWith(":1:12: this is not a regular file"));
  EXPECT_THAT(Files("include = '/dev/zero'" + rest).message(), StartsWith(":1:11: this is not a regular file"));
  EXPECT_THAT(Files("include = '.'" + rest).message(), StartsWith(":1:11: this is not a regular file"));
  EXPECT_THAT(Files("include = 'none.toml'" + rest).message(), StartsWith(":1:11: there is no such file"));
  EXPECT_THAT(Files("include = ''" + rest).message(), StartsWith(":1:11: the path '' is not that of a file"));
  EXPECT_THAT(Files("include = 3" + rest).message(), StartsWith(":1:11: 'include' in the job file is an integer"));
  EXPECT_THAT(Files("include = \"a\\u0000b\"" + rest).message(), StartsWith(":1:11: the path 'a?b' is not that"));
}

TEST(Includes, NamesAreSharedByAllFiles) {
  Files data("include = 'a.toml'\ndata.A = { shape = [2], dtype = 'f32' }\n" + save_a);
  data.with("a.toml", "data.A = { shape = [2], dtype = 'f32' }\n");
  Files values("include = 'a.toml'\nvalues.n = 1\n" + save_a);
  values.with("a.toml", "values.n = 2\n");
  Files job("include = 'a.toml'\n" + save_a);
  job.with("a.toml", "[job]\nname = 'x'\n");

  EXPECT_THAT(data.message(), HasSubstr(":2:6: the data 'A' are there already, see " + data.main().file("a.toml:1")));
  EXPECT_THAT(values.message(),
              HasSubstr(":2:8: the value 'n' is there already, see " + values.main().file("a.toml:1")));
  EXPECT_THAT(job.message(), HasSubstr("/a.toml:1:1: [job] stands in an included file"));
}

TEST(Includes, DefaultsHoldInTheirOwnFile) {
  Files files("include = 'a.toml'\ndata.A = { shape = [2], origin = 'ones' }\n" + save_a);
  files.with("a.toml", "defaults.data.dtype = 'f32'\n");

  EXPECT_THAT(files.message(), StartsWith(":2:10: [data.A] lacks the key 'dtype'"));
}

}  // namespace
}  // namespace penstock::jobs::test
