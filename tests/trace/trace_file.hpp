/// A trace in a folder of its own, for one test.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "core/event.hpp"
#include "trace/recorder.hpp"

namespace penstock::trace {

class TraceFile {
 public:
  TraceFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "penstock-trace-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    folder_ = pattern;
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "rank-00003.trace"; }
  /// Rank 3 of 5 with a core and a driver, and the smallest rings there are unless `bytes` says otherwise.
  [[nodiscard]] Recorder::Options options(std::int64_t bytes = 0) const {
    return {.file = path(),
            .bytes = bytes,
            .rank = 3,
            .ranks = 5,
            .start_ns = 1000,
            .start_unix_ns = 2000,
            .lanes = {{.kind = LaneKind::core, .device = 0, .name = "core 0"},
                      {.kind = LaneKind::driver, .device = 7, .name = "driver"}},
            .description = R"({"host": "node"})"};
  }

  [[nodiscard]] std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path(), std::ios::binary).rdbuf();
    return text.str();
  }
  void replace(const std::string& content) const { std::ofstream(path(), std::ios::binary) << content; }

 private:
  std::filesystem::path folder_;
};

/// What the smallest ring holds.
inline constexpr std::uint64_t slots_least =
    static_cast<std::uint64_t>(Recorder::lane_bytes_least) / sizeof(core::Event);

/// An event that a test finds again by its number.
inline core::Event numbered(std::uint64_t number) {
  return to_event(core::CounterEvent{.counter = core::CounterKind::ready,
                                     .at_ns = static_cast<std::int64_t>(number),
                                     .value = static_cast<std::int64_t>(number) * 3});
}

}  // namespace penstock::trace
