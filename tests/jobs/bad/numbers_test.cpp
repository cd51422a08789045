/// Integers at the limits of their types, at every place that takes one, and numbers under a comma-decimal locale.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <string>
#include <vector>

#include "jobs/bad/refusal.hpp"

namespace penstock::jobs::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> numbers = {"0",
                                          "-1",
                                          "2147483647",
                                          "2147483648",
                                          "-2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "1099511627776",
                                          "4611686018427387904",
                                          "9223372036854775806",
                                          "9223372036854775807",
                                          "-9223372036854775807",
                                          "-9223372036854775808"};

/// A job with '#' at the place of the number, the line of that place, and the one where it is used.
struct Place {
  std::string job;
  int line;
  int use = line;
};

const std::string family = "[data.F]\nfor = \"i in 0..4\"\nshape = [4]\ndtype = \"f64\"\norigin = \"ones\"\n";
const std::string increment = "[[task]]\nkernel = \"increment\"\nread_write = [\"F[0]\"]\n";

std::vector<Place> places() {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string normal = replaced(family, "\"ones\"", "\"normal\"");
  return {
      {replaced(family, "[4]", "[#]") + increment, 3},
      {replaced(family, "[4]", "[4, #]") + increment, 3},
      {replaced(family, "[4]", "[\"#\"]") + increment, 3},
      {replaced(family, "[4]", "[\"2 * (#)\"]") + increment, 3},
      {replaced(family, "shape", "tile = [#]\nshape") + replaced(increment, "0", "0, 0"), 3},
      {replaced(family, "0..4", "0..#") + increment, 2},
      {replaced(family, "0..4", "#..4") + increment, 2},
      {normal + "seed = #\n" + increment, 6},
      {normal + "seed = \"#\"\n" + increment, 6},
      {normal + "seed = \"i + #\"\n" + increment, 6},
      {normal + "seed = \"# * i\"\n" + increment, 6},
      {normal + "seed = 1\nmean = #\n" + increment, 7},
      {normal + "seed = 1\ndeviation = #\n" + increment, 7},
      {family + increment + "cores = #\n", 9},
      {family + replaced(increment, "F[0]", "F[#]"), 8},
      {family + replaced(increment, "F[0]", "F[0 * (#)]"), 8},
      {family + replaced(increment, "F[0]", "F[# + 1]"), 8},
      {family + replaced(increment, "F[0]", "F[-(#)]"), 8},
      {family + replaced(increment, "F[0]", "F[(#) / 3]"), 8},
      {family + replaced(increment, "F[0]", "F[3 / (#)]"), 8},
      {family + replaced(increment, "F[0]", "F[ceil((#) / 9223372036854775807)]"), 8},
      {family + increment + "for = \"k in 0..#\"\n", 9},
      {family + increment + "for = \"k in #..4\"\n", 9},
      {family + increment + "for = \"k in (#) - 1..#\"\n", 9},
      {family + increment + "for = \"k in 0..10 step #\"\n", 9},
      {family + increment + "for = \"k in 0..9223372036854775807 step #\"\n", 9},
      {family + increment + "for = [\"k in 0..3\", \"l in # * k..3\"]\n", 9},
      {family + increment + "for = \"k in 0..3\"\nif = \"k < #\"\n", 10},
      {family + increment + "for = \"k in 0..3\"\nif = \"k * # == 0\"\n", 10},
      {family + increment + "for = \"k in 0..3\"\nif = \"k % # == 0\"\n", 10},
      {family + increment + "for = \"k in 0..3\"\nif = \"# / 3 == k\"\n", 10},
      {family + increment + "for = \"k in 0..3\"\nname = \"{#}\"\n", 10},
      {family + increment + "for = \"k in 0..3\"\nname = \"{k + #}\"\n", 10},
      {family + increment + "for = \"k in 0..3\"\nname = \"{k:0#}\"\n", 10},
      {family + increment + "parameters = { by = # }\n", 9},
      {family + increment + "for = \"k in 1..3\"\nparameters = { by = \"# * k\" }\n", 10},
      {"values = { a = # }\n" + family + increment, 1},
      {"values = { a = \"# - 1\" }\n" + family + increment, 1},
      {"values = { a = [#, 1] }\n" + family + increment + "for = \"k in a\"\n", 1, 10},
      {"values = { a = [#, 1] }\ntask = [{ kernel = \"increment\", read_write = [\"F[k]\"], for = \"k in a\" }]\n" +
           family,
       1, 2},
  };
}

std::string with(const std::string& number, std::string text) {
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at)) {
    text.replace(at, 1, number);
  }
  return text;
}

TEST(BadNumbers, AtTheLimitsAreTakenOrRefusedAtTheirPlace) {
  const Scratch scratch;
  int refused = 0;
  for (const Place& place : places()) {
    for (const std::string& number : numbers) {
      const std::string text = with(number, place.job);

      const std::string message = scratch.refusal(text);

      EXPECT_THAT(message, AnyOf("ok", StartsWith(std::to_string(place.line) + ":"),
                                 StartsWith(std::to_string(place.use) + ":")))
          << text;
      refused += message == "ok" ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 200);
}

TEST(BadNumbers, BeyondTheLimitsAreRefusedAtTheirPlace) {
  const Scratch scratch;
  for (const Place& place : places()) {
    for (const std::string number : {"9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e400"}) {
      const std::string text = with(number, place.job);

      EXPECT_THAT(scratch.refusal(text), StartsWith(std::to_string(place.line) + ":")) << text;
    }
  }
}

/// Decimal commas, for C and C++, as far as the machine has such a locale; afterwards all is as before.
class CommaLocale {
 public:
  CommaLocale() : before_(std::locale::global(std::locale(std::locale(), new Commas))) {
    const char* const name = std::setlocale(LC_NUMERIC, nullptr);
    name_ = name == nullptr ? "C" : name;
    for (const char* const each : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"}) {
      if (std::setlocale(LC_NUMERIC, each) != nullptr) break;
    }
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;
  ~CommaLocale() {
    std::setlocale(LC_NUMERIC, name_.c_str());
    std::locale::global(before_);
  }

 private:
  struct Commas : std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }
    [[nodiscard]] char do_thousands_sep() const override { return '.'; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
  };
  std::locale before_;
  std::string name_;
};

TEST(BadNumbers, AreWrittenWithPointsInEveryLocale) {
  const Scratch scratch;
  const std::string text =
      good_job + "[[task]]\nkernel = \"scale\"\nread_write = [\"x\"]\nparameters = { by = 1234.5 }\n";
  const std::string named = "[values]\nr = [0.5]\n" + good_job +
                            "[[task]]\nfor = \"v in r\"\nname = \"{v} {1234567:010}\"\nkernel = \"increment\"\n"
                            "read_write = [\"x\"]\n";
  const CommaLocale commas;

  const Job job = load(scratch.write("scale.toml", text));
  const Job names = load(scratch.write("names.toml", named));
  std::string name;
  double by = 0;
  Stream steps = job.stream();
  for (Step step; steps.next(step);) {
    if (step.kernel != nullptr && step.kernel->name == "scale") by = std::get<double>(step.parameters[0]);
  }
  Stream others = names.stream();
  for (Step step; others.next(step);) {
    if (!step.name.empty()) name = step.name;
  }

  EXPECT_EQ(by, 1234.5);
  EXPECT_EQ(name, "0.5 0001234567");
  EXPECT_THAT(scratch.refusal(with("1,5", text + "cores = #\n")), StartsWith("15:10: this is not TOML"));
  EXPECT_THAT(scratch.refusal(text + "cores = 12345\n"), HasSubstr("'cores' is 12345, 1 to 1024"));
}

}  // namespace
}  // namespace penstock::jobs::test
