/// What things of a run are called: what the ranks' descriptions say, which data are which elements of a job, and tasks
/// with names of their own. Made of what the traces say, which is not trusted; values, pure. Names are kept as JSON
/// strings, since each stands in a trace many times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "observe/trace_text.hpp"
#include "trace/reader.hpp"

namespace penstock::observe {

/// The JSON of one rank's trace. What is missing or of the wrong kind is empty.
struct RankDescription {
  struct Device {
    std::string kind;  ///< "cpu", "cuda"
    std::string name;
  };
  struct Family {
    std::string name;
    std::vector<std::int64_t> begin;  ///< of each range of indices, the last one fastest
    std::vector<std::int64_t> count;
  };

  std::string host;
  std::string boot;
  std::string version;
  std::string job;
  std::vector<std::string> kernels;
  std::vector<Device> devices;
  std::vector<Family> families;
};

/// Nothing where the text is no JSON object.
[[nodiscard]] std::optional<RankDescription> parse_description(const std::string& text);

class RunNames {
 public:
  /// Takes over what rank 0 says. Where its trace is missing: another rank, for the kernels.
  void take(const RankDescription& description, const trace::RankTrace& trace);

  /// "gemm", as a JSON string.
  [[nodiscard]] std::string_view kernel(core::KernelId id) const;
  /// The name that the task has of its own, as a JSON string; empty: none.
  [[nodiscard]] std::string_view task(core::TaskId id) const;
  /// Writes "A[1, 2]", "B", or "data 12", as a JSON string.
  void write_data(core::DataId data, core::Version version, TraceText& text) const;

 private:
  struct Family {
    std::string opening;  // a JSON string without its last quote
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> count;
  };
  struct Datum {
    core::DataId data;
    core::Version from;
    std::uint32_t family = 0;
    std::int64_t element = 0;
  };
  struct Task {
    core::TaskId task;
    std::string name;
  };
  void take_front_lane(const trace::LaneEvents& lane);
  [[nodiscard]] const Datum* find(core::DataId data, core::Version version) const;

  std::vector<std::string> kernels_;
  std::vector<Family> families_;
  std::vector<Datum> data_;  // by id, then by version
  std::vector<Task> tasks_;  // by id
};

}  // namespace penstock::observe
