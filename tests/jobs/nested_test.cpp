/// Random jobs with groups inside each other, against the loops that they mean, run here one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jobs/test_kernels.hpp"
#include "support/random.hpp"

namespace penstock::jobs::test {
namespace {

using Bindings = std::vector<std::pair<std::string, std::int64_t>>;

/// A number made of the variables around it: constant + sum of coefficient * variable.
struct Number {
  std::int64_t constant = 0;
  std::map<std::string, std::int64_t> coefficients;

  [[nodiscard]] std::int64_t value(const Bindings& bindings) const {
    std::int64_t sum = constant;
    for (const auto& [name, bound] : bindings) {
      const auto found = coefficients.find(name);
      if (found != coefficients.end()) sum += found->second * bound;
    }
    return sum;
  }
  [[nodiscard]] std::string text() const {
    std::string result = std::to_string(constant);
    for (const auto& [name, coefficient] : coefficients) result += " + " + std::to_string(coefficient) + " * " + name;
    return result;
  }
};

struct RandomRange {
  std::string name;
  Number begin;
  Number end;
  std::int64_t step = 1;
  bool is_list = false;
};

/// left % modulus == right, or left < right when the modulus is 0.
struct RandomCondition {
  Number left;
  Number right;
  std::int64_t modulus = 0;
};

struct RandomAccess {
  char family;
  Number row;
  Number column;
};

/// A task when it has no members.
struct RandomNode {
  std::vector<RandomRange> ranges;
  std::vector<RandomCondition> conditions;
  std::vector<RandomNode> members;
  bool is_group = false;
  std::vector<RandomAccess> accesses;
  Number by;
};

constexpr std::int64_t list[] = {2, -1, 2, 3};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::vector<RandomNode> job() { return members(0, {}); }

 private:
  std::int64_t between(std::int64_t least, std::int64_t greatest) {
    return least + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(greatest - least + 1)));
  }

  Number number(const std::vector<std::string>& names, std::int64_t reach) {
    Number result;
    result.constant = between(-reach, reach);
    for (const std::string& name : names) {
      if (random_.chance(40)) result.coefficients[name] = between(-1, 2);
    }
    return result;
  }

  std::vector<RandomNode> members(int depth, const std::vector<std::string>& names) {
    std::vector<RandomNode> result;
    for (std::int64_t count = between(1, 3); count > 0; --count) result.push_back(node(depth, names));
    return result;
  }

  RandomNode node(int depth, std::vector<std::string> names) {
    RandomNode result;
    for (std::int64_t count = between(0, 2); count > 0; --count) result.ranges.push_back(range(names));
    if (random_.chance(30)) {
      result.conditions.push_back({number(names, 2), number(names, 2), random_.chance(50) ? between(2, 3) : 0});
      RandomCondition& last = result.conditions.back();
      if (last.modulus > 0) last.right = {between(0, 1), {}};
    }
    result.is_group = depth < 3 && random_.chance(45);
    if (result.is_group) {
      result.members = members(depth + 1, names);
      return result;
    }
    result.by = number(names, 5);
    result.accesses.push_back(access(names));
    if (random_.chance(50)) result.accesses.push_back(access(names));
    // Of another family, so that no task accesses a datum twice, which is refused.
    if (result.accesses.size() == 2 && result.accesses[1].family == result.accesses[0].family) {
      result.accesses[1].family = result.accesses[0].family == 'x' ? 'y' : 'x';
    }
    return result;
  }

  RandomRange range(std::vector<std::string>& names) {
    RandomRange result;
    result.name.append(1, 'v').append(std::to_string(++variables_));
    if (random_.chance(15)) {
      result.is_list = true;
    } else if (names.empty() || random_.chance(40)) {
      result.begin.constant = between(-2, 2);
      result.end.constant = result.begin.constant + between(1, 4);
    } else {
      result.begin = number(names, 1);
      result.end = result.begin;
      result.end.constant += between(1, 3);
      // A length that is constant and positive, or one that follows the indices.
      if (random_.chance(60)) result.end.coefficients[names.back()] += between(-1, 1);
      result.step = between(1, 2);
    }
    names.push_back(result.name);
    return result;
  }

  RandomAccess access(const std::vector<std::string>& names) {
    return {static_cast<char>('x' + random_.below(3)), number(names, 3), number(names, 3)};
  }

  support::Random random_;
  int variables_ = 0;
};

void write(const std::vector<RandomNode>& nodes, const std::string& prefix, std::string& text) {
  for (const RandomNode& node : nodes) {
    text += "[[" + prefix + (node.is_group ? "group" : "task") + "]]\n";
    std::string ranges;
    for (const RandomRange& range : node.ranges) {
      ranges += (ranges.empty() ? "\"" : ", \"") + range.name + " in " +
                (range.is_list ? "steps" : range.begin.text() + " .. " + range.end.text()) +
                (range.step > 1 ? " step " + std::to_string(range.step) : "") + "\"";
    }
    if (!ranges.empty()) text += "for = [" + ranges + "]\n";
    for (const RandomCondition& each : node.conditions) {
      text += "if = \"(";
      text += each.left.text();
      text += each.modulus > 0 ? std::string(") % ") + std::to_string(each.modulus) + " == " : std::string(") < ");
      text += each.right.text() + "\"\n";
    }
    if (node.is_group) {
      write(node.members, prefix + "group.", text);
      continue;
    }
    text += std::string("kernel = \"") + (node.accesses.size() == 1 ? "increment" : "mix") + "\"\nread_write = [";
    for (const RandomAccess& each : node.accesses) {
      if (text.back() != '[') text += ", ";
      text += '"';
      text += each.family;
      text += '[';
      text += each.row.text() + ", " + each.column.text() + "]\"";
    }
    text += "]\nname = \"by {" + node.by.text() + "}\"\nparameters = { by = \"" + node.by.text() + "\" }\n";
  }
}

/// What is known of a task: its name and its parameter, and the data it accesses.
struct Line {
  std::string task;
  std::vector<std::string> data;
  friend bool operator==(const Line&, const Line&) = default;
};

class Expander {
 public:
  std::vector<Line> run(const std::vector<RandomNode>& nodes) {
    expand(nodes);
    return std::move(lines_);
  }

 private:
  void expand(const std::vector<RandomNode>& nodes) {
    for (const RandomNode& node : nodes) expand_ranges(node, 0);
  }

  void expand_ranges(const RandomNode& node, std::size_t next) {
    if (next == node.ranges.size()) {
      if (holds(node)) expand_step(node);
      return;
    }
    const RandomRange& range = node.ranges[next];
    const auto with = [&](std::int64_t value) {
      bindings_.emplace_back(range.name, value);
      expand_ranges(node, next + 1);
      bindings_.pop_back();
    };
    if (range.is_list) {
      for (const std::int64_t value : list) with(value);
      return;
    }
    const std::int64_t end = range.end.value(bindings_);
    for (std::int64_t value = range.begin.value(bindings_); value < end; value += range.step) with(value);
  }

  [[nodiscard]] bool holds(const RandomNode& node) const {
    for (const RandomCondition& each : node.conditions) {
      const std::int64_t left = each.left.value(bindings_);
      const std::int64_t right = each.right.value(bindings_);
      const std::int64_t modulus = each.modulus;
      if (modulus > 0 ? (left % modulus + modulus) % modulus != right : left >= right) return false;
    }
    return true;
  }

  void expand_step(const RandomNode& node) {
    if (node.is_group) return expand(node.members);
    const std::string by = std::to_string(node.by.value(bindings_));
    Line line;
    line.task = "by " + by + " " + by;
    for (const RandomAccess& each : node.accesses) {
      std::string& datum = line.data.emplace_back(1, each.family);
      datum += '[';
      datum += std::to_string(each.row.value(bindings_)) + ", ";
      datum += std::to_string(each.column.value(bindings_)) + "]";
    }
    lines_.push_back(std::move(line));
  }

  Bindings bindings_;
  std::vector<Line> lines_;
};

std::string job_text(const std::vector<RandomNode>& nodes) {
  std::string text = "values.steps = [2, -1, 2, 3]\n";
  for (const char family : {'x', 'y', 'z'}) {
    text += std::string("data.") + family +
            " = { for = ['i in -500..500', 'j in -500..500'], shape = [1], dtype = 'i64', origin = 'iota' }\n";
  }
  write(nodes, "", text);
  return text;
}

/// The tasks of the stream; that data are made before they are used, and released once, and not before their last use,
/// is checked on the way.
std::vector<Line> streamed(const Job& job, const std::vector<Line>& expected, std::size_t& alive_max) {
  std::map<std::string, std::size_t> uses;
  for (const Line& line : expected) {
    for (const std::string& datum : line.data) ++uses[datum];
  }
  std::vector<Line> lines;
  std::map<std::string, bool> alive;
  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    if (step.kind == Step::Kind::make) {
      EXPECT_TRUE(alive.emplace(job.datum_name(step.datum), true).second) << "made twice";
    } else if (step.kind == Step::Kind::release) {
      EXPECT_EQ(alive.erase(job.datum_name(step.datum)), 1U) << "released what is not there";
      EXPECT_EQ(uses[job.datum_name(step.datum)], 0U) << "released too early: " << job.datum_name(step.datum);
    } else if (!step.is_origin) {
      Line line{std::string(step.name) + " " +
                    std::to_string(static_cast<std::int64_t>(std::get<double>(step.parameters[0]))),
                {}};
      for (const DatumAccess& each : step.accesses) {
        line.data.push_back(job.datum_name(each.datum));
        EXPECT_TRUE(alive.contains(line.data.back())) << "used before it is made or after it is released";
        --uses[line.data.back()];
      }
      lines.push_back(std::move(line));
    }
    alive_max = std::max(alive_max, alive.size());
  }
  EXPECT_TRUE(alive.empty()) << "not released";
  return lines;
}

TEST(NestedJobs, StreamIsWhatTheLoopsMean) {
  std::size_t tasks = 0;
  std::size_t alive_max = 0;
  std::size_t data = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<RandomNode> nodes = Generator(seed).job();
    const std::vector<Line> expected = Expander().run(nodes);
    const JobFolder folder(job_text(nodes));
    const Job job = folder.load();

    std::size_t alive_here = 0;
    ASSERT_EQ(streamed(job, expected, alive_here), expected) << job_text(nodes);

    EXPECT_EQ(job.totals().tasks, static_cast<std::int64_t>(expected.size()));
    EXPECT_TRUE(job.totals().is_exact);
    tasks += expected.size();
    alive_max += alive_here;
    data += static_cast<std::size_t>(job.totals().data);
  }
  EXPECT_GT(tasks, 2000U);
  EXPECT_LT(alive_max, data) << "something is released early";
}

}  // namespace
}  // namespace penstock::jobs::test
