#include "runtime/options.hpp"

#include <concepts>
#include <string>

#include "schedule/device_choice.hpp"

namespace penstock::runtime {

namespace {

constexpr int workers_most = 4096;
constexpr std::int64_t trace_bytes_least = std::int64_t{1} << 20;  // a ring for each of many lanes

template <std::integral T>
void demand(bool holds, const char* name, T value, const std::string& range) {
  if (holds) return;
  throw Error(ErrorCode::invalid_argument,
              std::string("Options::") + name + " is " + std::to_string(value) + ", but needs to be " + range);
}

void check_devices(const Options& options) {
  if (options.use_cpu) return;
  if (!options.use_cuda) {
    throw Error(ErrorCode::invalid_argument, "Options::use_cpu and Options::use_cuda leave nothing to compute on");
  }
  if (options.checked || options.serial || options.schedule_seed) {
    throw Error(ErrorCode::invalid_argument,
                "Options::checked, serial and schedule_seed are for cores: leave Options::use_cpu as it is");
  }
}

}  // namespace

void check(const Options& options) {
  demand(options.workers >= 0 && options.workers <= workers_most, "workers", options.workers,
         "from 0, which is all cores, to " + std::to_string(workers_most));
  demand(options.window_tasks >= 1, "window_tasks", options.window_tasks, "1 or more");
  demand(options.window_bytes >= 1, "window_bytes", options.window_bytes, "1 or more");
  demand(options.trace_bytes >= trace_bytes_least, "trace_bytes", options.trace_bytes,
         std::to_string(trace_bytes_least) + " (1 MiB) or more");
  demand(options.gpu_bytes >= 0, "gpu_bytes", options.gpu_bytes, "0 or more");
  const std::int64_t pinned_bytes = options.pinned_bytes.value_or(0);
  demand(pinned_bytes >= 0, "pinned_bytes", pinned_bytes, "0 or more");
  static_cast<void>(schedule::policy_of(options.placement));
  check_devices(options);
}

SessionOptions session_options(const Options& options) {
  return {.workers = options.workers,
          .window = {options.window_tasks, options.window_bytes},
          .use_cpu = options.use_cpu,
          .use_cuda = options.use_cuda,
          .alone = false,
          .checked = options.checked,
          .serial = options.serial,
          .schedule_seed = options.schedule_seed,
          .gpu_bytes = options.gpu_bytes,
          .pinned_bytes = options.pinned_bytes,
          .placement = options.placement};
}

}  // namespace penstock::runtime
