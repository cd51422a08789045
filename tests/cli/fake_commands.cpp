#include "cli/fake_commands.hpp"

#include <string>

#include <penstock/version.hpp>

namespace penstock {

const char* version() { return "9.8.7"; }

namespace cli {

FakeLibrary& fake_library() {
  static FakeLibrary library;
  return library;
}

}  // namespace cli

namespace runtime {

namespace {

int finish() {
  const auto& fake = cli::fake_library();
  if (fake.error) throw Error(*fake.error, "what the library said");
  return fake.exit_code;
}

}  // namespace

int run_job(const RunOptions& options) {
  cli::fake_library().run = options;
  return finish();
}

int check_job(const CheckOptions& options, std::ostream& out) {
  cli::fake_library().check = options;
  out << "understood " << options.job.string() << '\n';
  return finish();
}

int list_devices(std::ostream& out, bool json) {
  cli::fake_library().devices_json = json;
  out << (json ? "{}\n" : "devices\n");
  return 0;
}

int list_kernels(const KernelsOptions& options, std::ostream& out) {
  cli::fake_library().kernels = options;
  // More than a pipe holds, so that a reader who goes away is noticed.
  for (int i = 0; i < 20'000; ++i) out << "kernel number " << i << '\n';
  return 0;
}

int make_trace(const std::filesystem::path& folder, const std::filesystem::path& output) {
  cli::fake_library().trace = {{folder, output}};
  return finish();
}

}  // namespace runtime
}  // namespace penstock
