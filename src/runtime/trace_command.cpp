// `penstock trace`: what happened in a run, for viewers.
#include <cstdio>

#include <fmt/core.h>

#include "observe/standard_output.hpp"
#include "observe/trace_json.hpp"
#include "observe/trace_report.hpp"
#include "observe/trace_run.hpp"
#include "runtime/commands.hpp"

namespace penstock::runtime {

int make_trace(const std::filesystem::path& folder, const std::filesystem::path& output) {
  const observe::TraceRun run(folder);
  for (const std::string& warning : run.warnings()) fmt::print(stderr, "penstock: {}\n", warning);
  if (output == "-")
    observe::write_trace_json(run, observe::write_standard_output);
  else
    observe::save_trace_json(run, output);
  fmt::print(stderr, "penstock: {}\n", observe::trace_line(run));
  return exit_code::all_done;
}

}  // namespace penstock::runtime
