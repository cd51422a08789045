// deps: the graph of z = x * y + 2, as text and for GraphViz, its value, and how long after the first submission that
// is there.
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include <fmt/core.h>

#include <penstock/error.hpp>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/programs.hpp"
#include "bench/scratch_folder.hpp"

namespace penstock::bench {

namespace {

constexpr std::uint64_t folder_bytes = std::uint64_t{1} << 20;

/// The tasks of programs/deps.cpp.
constexpr const char* job_text = R"([job]
name = "z"

[data.x]
shape = [1, 2]
dtype = "f32"
origin = "ones"

[data.y]
shape = [1, 2]
dtype = "f32"
origin = "ones"

[data.z]
shape = [1, 2]
dtype = "f32"

[[task]]
kernel = "mul"
read = ["x", "y"]
write = ["z"]

[[task]]
kernel = "increment"
read_write = ["z"]
parameters = { by = 2.0 }
)";

std::string graph_for_graphviz() {
  const ScratchFolder folder(folder_bytes);
  const std::string prefix = folder.path().string() + "/";
  write_file(prefix + "z.toml", job_text);
  std::string dot = run_program({.command = {beside("penstock").string(), "check", "--graph", "-", prefix + "z.toml"},
                                 .environment = {}})
                        .out;
  for (std::size_t at = dot.find(prefix); at != std::string::npos; at = dot.find(prefix)) dot.erase(at, prefix.size());
  return dot;
}

/// A line a task, with the tasks it follows and the data that make it follow them; from the lines of GraphViz's text.
std::string graph_as_text(const std::string& dot) {
  const std::regex task(R"re(\s*t(\d+) \[label="\d+ (\w+)\\n(.*)"\];)re");
  const std::regex edge(R"re(\s*t(\d+) -> t(\d+) \[label="(.*)"\];)re");
  std::map<int, std::string> lines;
  std::istringstream in(dot);
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, match, task)) {
      lines[std::stoi(match[1])] = fmt::format("task {}: {} {}", match[1].str(), match[2].str(), match[3].str());
    } else if (std::regex_match(line, match, edge)) {
      lines[std::stoi(match[2])] += fmt::format(", after task {} for {}", match[1].str(), match[3].str());
    }
  }
  std::string text;
  for (const auto& [number, line] : lines) text += line + "\n";
  return text;
}

/// Seconds. Throws Error when z is not what it should be.
double time_of(const char* program) {
  const std::vector<double> values = ask(program, {}, {"seconds", "z0", "z1"});
  if (values[1] != 3.0 || values[2] != 3.0) {
    throw Error(ErrorCode::environment, fmt::format("deps: {} makes z = [[{}, {}]]", program, values[1], values[2]));
  }
  return values[0];
}

}  // namespace

std::string describe_deps() {
  const std::string dot = graph_for_graphviz();
  const std::vector<double> z = ask("penstock-bench-deps", {}, {"z0", "z1"});
  return fmt::format("{}\n{}\nz = [[{}, {}]]\n\n", graph_as_text(dot), dot, z[0], z[1]);
}

std::vector<Row> run_deps(const BenchOptions& options) {
  const Experiment experiment{
      .bench = "deps",
      .workers = cores_here(),
      .measures = {{.name = "z = x * y + 2", .metric = "time", .unit = "s"}},
      .contenders = {{Role::subject, "penstock", [] { return std::vector<double>{time_of("penstock-bench-deps")}; }},
                     {Role::rival, "bare", [] { return std::vector<double>{time_of("penstock-bench-deps-bare")}; }}}};
  return carry_out(experiment, effort_of(options));
}

}  // namespace penstock::bench
