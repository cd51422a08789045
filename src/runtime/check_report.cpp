#include "runtime/check_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "device/cuda/module_abi.hpp"
#include "observe/table.hpp"
#include "observe/units.hpp"

namespace penstock::runtime {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kernels_shown = 8;
constexpr std::size_t accesses_columns = 48;
constexpr std::size_t runs_on_columns = 40;

std::string bytes(std::int64_t amount) { return observe::bytes_text(static_cast<std::uint64_t>(amount)); }

/// "12", "1.5 k", "983 M": three digits that count.
std::string amount(double value) {
  constexpr std::array<std::string_view, 7> prefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000.0;
    ++prefix;
  }
  return fmt::format("{:.3g} {}", value, prefixes[prefix]);
}

std::string flops_text(const std::optional<double>& flops) { return flops ? amount(*flops) + "flop" : "not known"; }

std::string task_line(const jobs::TaskText& task) {
  return jobs::to_line({.name = observe::clipped(task.name, accesses_columns),
                        .accesses = observe::clipped(task.accesses, accesses_columns),
                        .place = task.place});
}

std::string width_text(const jobs::GraphSummary& graph) {
  if (graph.width_levels == 1) return fmt::format("{} tasks", graph.width);
  return fmt::format("{} tasks (mean of {} levels)", graph.width, graph.width_levels);
}

std::string path_text(const jobs::GraphSummary& graph) {
  if (!graph.flops) return "not known, since some kernel does not say";
  std::string all = flops_text(graph.flops);
  const auto speedup = graph.speedup_max();
  if (!speedup) return all;
  return fmt::format("{}, {} on the longest path: at most {:.4g} times as fast as one by one", all,
                     flops_text(graph.path_flops), *speedup);
}

/// Which kinds there are on this machine is not looked at: that would load CUDA.
std::string runs_on(const KernelDescription& kernel) {
  std::string text;
  for (const std::string& kind : device_kinds(kernel)) {
    text += (text.empty() ? "" : ", ") + kind + (kind == "cuda" ? " where a GPU is found" : "");
  }
  return text;
}

using Line = std::pair<std::string_view, std::string>;

std::vector<Line> lines_of(const CheckReport& report) {
  const jobs::GraphSummary& graph = report.graph;
  std::vector<Line> lines{
      {"job", report.job},
      {"tasks", fmt::format("{}, and {} that load or make data, {} saves", graph.tasks, graph.origins, graph.saves)},
      {"data", fmt::format("{}, {} together, {} at once in the order of the file", graph.data, bytes(graph.data_bytes),
                           bytes(graph.alive_bytes_max))},
      {"files", fmt::format("{} in, {} out", bytes(graph.bytes_read), bytes(graph.bytes_written))},
      {"depth", fmt::format("{} tasks on the longest path of dependencies", graph.depth)},
      {"width", fmt::format("at most {}, on average {:.1f}", width_text(graph), graph.parallelism())},
      {"operations", path_text(graph)}};
  if (graph.first_task) lines.emplace_back("first task", task_line(*graph.first_task));
  if (graph.last_task) lines.emplace_back("last task", task_line(*graph.last_task));
  if (graph.largest_task) {
    lines.emplace_back("largest task", bytes(graph.largest_task_bytes) + ": " + task_line(*graph.largest_task));
  }
  return lines;
}

std::string kernel_table(const jobs::GraphSummary& graph) {
  observe::Table table({{"kernel"},
                        {"tasks", observe::Align::right},
                        {"operations", observe::Align::right},
                        {"runs on", observe::Align::left, runs_on_columns}});
  for (const jobs::KernelUse& use : graph.kernels) {
    if (&use - graph.kernels.data() == kernels_shown) break;
    table.add(
        {use.kernel->name, std::to_string(use.tasks), use.flops ? flops_text(use.flops) : "-", runs_on(*use.kernel)});
  }
  std::string text = table.to_text(2);
  if (graph.kernels.size() > kernels_shown)
    text += fmt::format("  and {} more\n", graph.kernels.size() - kernels_shown);
  return text;
}

Json json_of(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json json_of(const std::optional<jobs::TaskText>& task) {
  if (!task) return {};
  return {{"name", task->name}, {"accesses", task->accesses}, {"place", task->place}};
}

Json kernels_json(const jobs::GraphSummary& graph) {
  Json kernels = Json::array();
  for (const jobs::KernelUse& use : graph.kernels) {
    kernels.push_back({{"name", use.kernel->name},
                       {"tasks", use.tasks},
                       {"bytes", use.bytes},
                       {"flops", json_of(use.flops)},
                       {"devices", device_kinds(*use.kernel)}});
  }
  return kernels;
}

Json graph_json(const jobs::GraphSummary& graph) {
  return {{"depth", graph.depth},
          {"width", graph.width},
          {"width_levels", graph.width_levels},
          {"parallelism", graph.parallelism()},
          {"flops", json_of(graph.flops)},
          {"path_flops", json_of(graph.path_flops)},
          {"speedup_max", json_of(graph.speedup_max())}};
}

}  // namespace

std::vector<std::string> device_kinds(const KernelDescription& kernel) {
  std::vector<std::string> kinds;
  if (kernel.cpu) kinds.emplace_back("cpu");
  const bool is_built_in = std::ranges::find(device::cuda_kernels, kernel.name) != device::cuda_kernels.end();
  if (kernel.cuda || is_built_in) kinds.emplace_back("cuda");
  return kinds;
}

std::vector<std::string> warnings(const CheckReport& report) {
  const jobs::GraphSummary& graph = report.graph;
  std::vector<std::string> lines;
  if (report.memory_bytes == 0) return lines;
  if (graph.largest_task_bytes > report.memory_bytes) {
    lines.push_back(fmt::format("the largest task needs {}, this machine has {}", bytes(graph.largest_task_bytes),
                                bytes(report.memory_bytes)));
  } else if (graph.alive_bytes_max > report.memory_bytes) {
    lines.push_back(fmt::format("{} of data are alive at once, this machine has {}: more machines are needed",
                                bytes(graph.alive_bytes_max), bytes(report.memory_bytes)));
  }
  return lines;
}

std::string to_screen(const CheckReport& report) {
  std::string text = report.file + ": ok\n";
  for (const auto& [title, content] : lines_of(report)) text += fmt::format("  {:<14}{}\n", title, content);
  if (!report.graph.kernels.empty()) text += '\n' + kernel_table(report.graph);
  for (const std::string& line : warnings(report)) text += "warning: " + line + '\n';
  return text;
}

std::string to_json(const CheckReport& report) {
  const jobs::GraphSummary& graph = report.graph;
  Json largest = json_of(graph.largest_task);
  if (!largest.is_null()) largest["bytes"] = graph.largest_task_bytes;
  const Json document{
      {"format", 1},
      {"file", report.file},
      {"job", report.job},
      {"tasks", {{"tasks", graph.tasks}, {"origins", graph.origins}, {"saves", graph.saves}}},
      {"kernels", kernels_json(graph)},
      {"data", {{"count", graph.data}, {"bytes", graph.data_bytes}, {"alive_bytes_max", graph.alive_bytes_max}}},
      {"files", {{"bytes_read", graph.bytes_read}, {"bytes_written", graph.bytes_written}}},
      {"graph", graph_json(graph)},
      {"first_task", json_of(graph.first_task)},
      {"last_task", json_of(graph.last_task)},
      {"largest_task", largest},
      {"memory_bytes", report.memory_bytes},
      {"warnings", warnings(report)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock::runtime
