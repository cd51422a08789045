#include "runtime/kernel_list.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "kernels/text.hpp"
#include "runtime/check_report.hpp"

namespace penstock::runtime {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string_view> modes_of(const AccessDescription& access) {
  std::vector<std::string_view> modes{kernels::name_of(access.mode)};
  if (access.allows_read_write) modes.push_back(kernels::name_of(AccessMode::read_write));
  return modes;
}

std::vector<std::string_view> dtypes_of(const AccessDescription& access) {
  std::vector<std::string_view> dtypes;
  for (const DType dtype : access.dtypes) dtypes.push_back(penstock::name_of(dtype));
  return dtypes;
}

std::string joined(std::span<const std::string_view> words, std::string_view between) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

/// Lines of columns: what it is, its name, its type, its meaning.
class Rows {
 public:
  using Row = std::array<std::string, 4>;
  void add(Row row) {
    const std::size_t padded = row[3].empty() ? 2 : 3;  // what ends a line may be of any length
    for (std::size_t i = 0; i < padded; ++i) widths_[i] = std::max(widths_[i], row[i].size());
    rows_.push_back(std::move(row));
  }
  [[nodiscard]] std::string to_text() const {
    std::string text;
    for (const Row& row : rows_) {
      std::string line = fmt::format("    {:<{}}  {:<{}}  {:<{}}  {}", row[0], widths_[0], row[1], widths_[1], row[2],
                                     widths_[2], row[3]);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    return text;
  }

 private:
  std::vector<Row> rows_;
  std::array<std::size_t, 3> widths_{};
};

std::string cores_text(const KernelDescription& kernel) {
  if (kernel.uses_openmp) return "one core, or OpenMP threads on several";
  return kernel.allows_panels ? "one core, or panels on several" : "one core";
}

std::string block(const KernelDescription& kernel) {
  std::string text = kernel.name + '\n';
  if (!kernel.summary.empty()) text += "    " + kernel.summary + '\n';
  Rows rows;
  for (const AccessDescription& access : kernel.accesses) {
    const auto dtypes = dtypes_of(access);
    rows.add({joined(modes_of(access), " or "), access.name, dtypes.empty() ? "any" : joined(dtypes, ", "), ""});
  }
  for (const ParameterDescription& parameter : kernel.parameters) {
    const std::string type(kernels::name_of(parameter.type));
    const auto& value = parameter.default_value;
    rows.add({"parameter", parameter.name, value ? type + " = " + kernels::to_text(*value) : type, parameter.meaning});
  }
  for (const std::string& kind : device_kinds(kernel)) {
    rows.add({"device", kind, kind == "cpu" ? cores_text(kernel) : "one GPU", ""});
  }
  return text + rows.to_text();
}

const plugins::Plugin* plugin_of(const KernelDescription& kernel, std::span<const plugins::Plugin> plugins) {
  for (const plugins::Plugin& plugin : plugins) {
    if (std::ranges::binary_search(plugin.kernels, kernel.name)) return &plugin;
  }
  return nullptr;
}

/// read = ["x", "y"], for the accesses of one mode; empty without any.
std::string accesses_line(const KernelDescription& kernel, AccessMode mode) {
  std::string names;
  for (const AccessDescription& access : kernel.accesses) {
    if (access.mode == mode) names += (names.empty() ? "\"" : ", \"") + access.name + '"';
  }
  return names.empty() ? "" : fmt::format("{} = [{}]\n", kernels::name_of(mode), names);
}

/// A value that TOML reads back as of the parameter's type.
std::string example_of(const ParameterDescription& parameter) {
  constexpr std::array<const char*, 4> any{"false", "0", "0.0", "\"\""};
  if (!parameter.default_value) return any[static_cast<std::size_t>(parameter.type)];
  std::string text = kernels::to_text(*parameter.default_value);
  if (parameter.type == ParameterType::real && text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string task_of(const KernelDescription& kernel) {
  std::string text = fmt::format("[[task]]\nkernel = \"{}\"\n", kernel.name);
  for (const AccessMode mode : {AccessMode::read, AccessMode::write, AccessMode::read_write}) {
    text += accesses_line(kernel, mode);
  }
  std::string values;
  for (const ParameterDescription& parameter : kernel.parameters) {
    values += fmt::format("{}\"{}\" = {}", values.empty() ? "" : ", ", parameter.name, example_of(parameter));
  }
  return values.empty() ? text : text + fmt::format("parameters = {{ {} }}\n", values);
}

Json value_json(const Parameter& value) {
  return std::visit([](const auto& each) { return Json(each); }, value);
}

Json json_of(const KernelDescription& kernel, std::span<const plugins::Plugin> plugins) {
  Json accesses = Json::array();
  for (const AccessDescription& access : kernel.accesses) {
    const auto dtypes = dtypes_of(access);
    accesses.push_back(
        {{"name", access.name}, {"modes", modes_of(access)}, {"dtypes", dtypes.empty() ? Json() : Json(dtypes)}});
  }
  Json parameters = Json::array();
  for (const ParameterDescription& parameter : kernel.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"type", kernels::name_of(parameter.type)},
                          {"default", parameter.default_value ? value_json(*parameter.default_value) : Json()},
                          {"meaning", parameter.meaning}});
  }
  const plugins::Plugin* const plugin = plugin_of(kernel, plugins);
  return {{"name", kernel.name},
          {"summary", kernel.summary},
          {"plugin", plugin != nullptr ? Json(plugin->path.string()) : Json()},
          {"panels", kernel.allows_panels},
          {"openmp", kernel.uses_openmp},
          {"devices", device_kinds(kernel)},
          {"flops", static_cast<bool>(kernel.flops)},
          {"bytes", static_cast<bool>(kernel.bytes)},
          {"accesses", accesses},
          {"parameters", parameters}};
}

/// Text that is not UTF-8 is mended: a plugin may say anything.
std::string dumped(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

}  // namespace

std::string kernels_text(std::span<const KernelDescription* const> kernels) {
  std::string text;
  for (const KernelDescription* const kernel : kernels) text.append(text.empty() ? "" : "\n").append(block(*kernel));
  return text;
}

std::string kernel_text(const KernelDescription& kernel, std::span<const plugins::Plugin> plugins) {
  std::string text = block(kernel) + '\n';
  const plugins::Plugin* const plugin = plugin_of(kernel, plugins);
  if (plugin != nullptr) {
    text += fmt::format("from         {}\nsha256       {}\n", plugin->path.string(), plugin->sha256);
  } else {
    text += "from         penstock itself\n";
  }
  text += fmt::format("operations   {}\n", kernel.flops ? "known of each task" : "not known");
  text += fmt::format("bytes moved  {}\n", kernel.bytes ? "as the kernel says" : "those of its arrays");
  return text + "\nIn a job file, the data named as there:\n\n" + task_of(kernel);
}

std::string kernels_json(std::span<const KernelDescription* const> kernels, std::span<const plugins::Plugin> plugins) {
  Json list = Json::array();
  for (const KernelDescription* const kernel : kernels) list.push_back(json_of(*kernel, plugins));
  Json files = Json::array();
  for (const plugins::Plugin& plugin : plugins) {
    files.push_back({{"path", plugin.path.string()}, {"sha256", plugin.sha256}});
  }
  return dumped({{"kernels", list}, {"plugins", files}});
}

std::string kernel_json(const KernelDescription& kernel, std::span<const plugins::Plugin> plugins) {
  return dumped(json_of(kernel, plugins));
}

}  // namespace penstock::runtime
