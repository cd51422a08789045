#include "runtime/options.hpp"

#include <concepts>
#include <string>

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

}  // namespace

void check(const Options& options) {
  demand(options.workers >= 0 && options.workers <= workers_most, "workers", options.workers,
         "from 0, which is all cores, to " + std::to_string(workers_most));
  demand(options.window_tasks >= 1, "window_tasks", options.window_tasks, "1 or more");
  demand(options.window_bytes >= 1, "window_bytes", options.window_bytes, "1 or more");
  demand(options.trace_bytes >= trace_bytes_least, "trace_bytes", options.trace_bytes,
         std::to_string(trace_bytes_least) + " (1 MiB) or more");
}

}  // namespace penstock::runtime
