#include "runtime/program_folder.hpp"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include <penstock/version.hpp>

#include "observe/trace_report.hpp"
#include "runtime/commands.hpp"

namespace penstock::runtime {

namespace {

std::string program_name() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "program" : program.filename().string();
}

}  // namespace

ProgramFolder::ProgramFolder(Session& session, const Options& options)
    : folder_(options.run_dir, observe::marker_of_this_process(program_name(), {}, {}, version()), options.fresh) {
  const nlohmann::ordered_json about{{"job", program_name()}, {"families", nlohmann::ordered_json::array()}};
  session.record(folder_.make_trace_folder(), options.trace_bytes,
                 about.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void ProgramFolder::finish() const {
  for (const std::string& note : observe::report_trace(folder_.path()).notes) {
    std::fprintf(stderr, "penstock: %s\n", note.c_str());
  }
}

}  // namespace penstock::runtime
