#include "bench/gpus.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <penstock/error.hpp>

#include "bench/programs.hpp"

namespace penstock::bench {

namespace {

using Environment = std::map<std::string, std::string>;

/// Their names with commas between, or "none: " and why.
std::string names_of_gpus(const Environment& environment) {
  const std::string answer =
      run_program({.command = {beside("penstock").string(), "devices", "--json"}, .environment = environment}).out;
  const auto devices = nlohmann::json::parse(answer, nullptr, false);
  const auto gpus = nlohmann::json::json_pointer("/ranks/0/gpus");
  if (!devices.is_object() || !devices.contains(gpus) || !devices[gpus].is_string()) {
    throw Error(ErrorCode::environment, "penstock devices was to name the GPUs, but wrote: " + answer);
  }
  return devices[gpus].get<std::string>();
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream rest(list);
  for (std::string part; std::getline(rest, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<std::string> visible_of(std::size_t count) {
  const char* const chosen = std::getenv("CUDA_VISIBLE_DEVICES");
  std::vector<std::string> visible = parts_of(chosen != nullptr ? chosen : "");
  for (std::size_t i = visible.size(); i < count; ++i) visible.push_back(std::to_string(i));
  visible.resize(count);
  return visible;
}

Environment emulated(const Emulation& emulation) {
  const auto folder = beside("penstock").parent_path().parent_path() / "emulated_cuda";
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  return {{"LD_LIBRARY_PATH", path != nullptr ? fmt::format("{}:{}", folder.string(), path) : folder.string()},
          {"PENSTOCK_EMULATED_GPUS", std::to_string(emulation.gpus)},
          {"PENSTOCK_EMULATED_GFLOPS", fmt::format("{}", emulation.gflops)},
          {"PENSTOCK_EMULATED_GBPS", fmt::format("{}", emulation.gbps)}};
}

bool are_none(const std::string& names) { return names.starts_with("none: "); }

}  // namespace

Gpus find_gpus(const Emulation& emulation) {
  Gpus found;
  std::string names = names_of_gpus({});
  const std::string why = names;
  if (are_none(names) || names.starts_with("Emulated ")) {
    found.environment = emulated(emulation);
    found.label = "emulated: ";
    names = names_of_gpus(found.environment);
  }
  if (are_none(names)) {
    throw Error(
        ErrorCode::environment,
        fmt::format("this benchmark needs a GPU, but there is {}, and no build tree with its tests that emulate one",
                    why));
  }
  found.visible = visible_of(parts_of(names).size());
  return found;
}

}  // namespace penstock::bench
