#include "cuda_emulator/settings.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace penstock::emulator {

namespace {

[[noreturn]] void refuse(const char* variable, std::string_view value) {
  std::fprintf(stderr, "the emulated CUDA cannot read %s=%.*s\n", variable, static_cast<int>(value.size()),
               value.data());
  std::_Exit(2);
}

template <class T>
bool reads(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= T{};
}

template <class T>
void read(const char* variable, T& value) {
  const char* const text = std::getenv(variable);
  if (text != nullptr && !reads(text, value)) refuse(variable, text);
}

/// What comes before the separator, which is taken off `rest`.
std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

void read_faults(std::vector<Fault>& faults) {
  constexpr const char* variable = "PENSTOCK_EMULATED_FAULT";
  const char* const text = std::getenv(variable);
  for (std::string_view rest = text != nullptr ? text : ""; !rest.empty();) {
    std::string_view one = take_until(rest, ',');
    Fault fault;
    fault.name = take_until(one, ':');
    const bool is_fault = reads(take_until(one, ':'), fault.call) && reads(one, fault.code);
    if (!is_fault || fault.name.empty()) refuse(variable, text);
    faults.push_back(std::move(fault));
  }
}

/// An entry names a GPU by its number or by the beginning of its uuid; what comes after one that names none is left.
std::vector<int> visible_of(int gpus, const char* list) {
  std::vector<int> visible;
  if (list == nullptr) {
    for (int index = 0; index < gpus; ++index) visible.push_back(index);
    return visible;
  }
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view entry = take_until(rest, ',');
    int found = -1;
    if (!reads(entry, found)) {
      for (int index = 0; index < gpus && found < 0; ++index) {
        if (entry.starts_with("GPU-") && uuid_text(index).starts_with(entry)) found = index;
      }
    }
    if (found < 0 || found >= gpus) break;
    visible.push_back(found);
  }
  return visible;
}

Settings from_environment() {
  Settings settings;
  read("PENSTOCK_EMULATED_GPUS", settings.gpus);
  read("PENSTOCK_EMULATED_MEMORY", settings.memory_bytes);
  read("PENSTOCK_EMULATED_GBPS", settings.gbps);
  read("PENSTOCK_EMULATED_GFLOPS", settings.gflops);
  read("PENSTOCK_EMULATED_KERNEL_NS", settings.kernel_ns);
  read("PENSTOCK_EMULATED_PEERS", settings.peers);
  if (const char* const trace = std::getenv("PENSTOCK_EMULATED_TRACE")) settings.trace = trace;
  read_faults(settings.faults);
  settings.visible = visible_of(settings.gpus, std::getenv("CUDA_VISIBLE_DEVICES"));
  return settings;
}

}  // namespace

const Settings& Settings::get() {
  static const auto* const settings = new Settings(from_environment());  // engines run until the process has ended
  return *settings;
}

std::string uuid_text(int index) {
  std::string digits = std::to_string(index);
  digits.insert(0, 12 - digits.size(), '0');
  return "GPU-e0e0e0e0-0000-4000-8000-" + digits;
}

}  // namespace penstock::emulator
