#include "runtime/trace_description.hpp"

#include <fstream>

#include <nlohmann/json.hpp>

#include <penstock/version.hpp>

#include "kernels/table.hpp"

namespace penstock::runtime {

namespace {

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string describe_for_trace(const backend::Backend& backend, const std::string& host, const std::string& about) {
  nlohmann::ordered_json description;
  description["host"] = host;
  description["boot"] = boot_id();
  description["version"] = version();
  auto& kernels = description["kernels"] = nlohmann::ordered_json::array();
  for (const KernelDescription* kernel : kernels::KernelTable::process().all()) kernels.push_back(kernel->name);
  auto& devices = description["devices"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < backend.devices(); ++i) {
    const device::Device& device = backend.device(i);
    devices.push_back({{"kind", name_of(device.kind())}, {"name", backend.device_name(i)}, {"lanes", device.lanes()}});
  }
  description.update(nlohmann::ordered_json::parse(about));
  return text_of(description);
}

std::string describe_for_trace(const jobs::Job& job) {
  nlohmann::ordered_json description;
  description["job"] = job.name();
  auto& families = description["families"] = nlohmann::ordered_json::array();
  for (const jobs::Family& family : job.families()) {
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> count;
    for (const jobs::Family::Axis& axis : family.axes) {
      begin.push_back(axis.begin);
      count.push_back(axis.count);
    }
    families.push_back({{"name", family.name}, {"begin", begin}, {"count", count}});
  }
  return text_of(description);
}

}  // namespace penstock::runtime
