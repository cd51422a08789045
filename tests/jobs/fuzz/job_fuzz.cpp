/// libFuzzer's target: any text as a job file, with the built-in kernels. What the text is said to mean is walked
/// through, summed up and drawn; what is refused must be one line that is safe to print. Files are read in a scratch
/// folder only: the link takes open() through the check below.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/error.hpp>

#include "jobs/graph_dot.hpp"
#include "jobs/graph_summary.hpp"
#include "jobs/job.hpp"
#include "kernels/table.hpp"
#include "npy/file.hpp"
#include "npy/temporary_folder.hpp"

// The names are the linker's: with --wrap=open, calls of open() come here.
extern "C" int __real_open(const char* path, int flags, ...);  // NOLINT
extern "C" int __wrap_open(const char* path, int flags, ...);  // NOLINT

namespace penstock::jobs::test {
namespace {

constexpr int steps_max = 10'000;
constexpr std::int64_t drawn_tasks_max = 300;

/// The folder of the job file, with what a job may want to read: arrays, files to include, and no files at all.
class Scratch {
 public:
  Scratch() {
    std::filesystem::create_directory(folder_.path() / "data");
    for (int i = 0; i < 64; ++i) write_array((i < 10 ? "data/a_0" : "data/a_") + std::to_string(i), {96, 80});
    write_array("data/b", {80, 64});
    write_array("x", {4});
    write_text("values.toml", "[values]\nn = 4\ns = ['a', 'b']\nr = [0.5, 2.0]\nk = [3, 1]\n");
    write_text("data.toml", "data.X = { shape = [4], dtype = 'f32', origin = 'ones' }\n");
    write_text("more.toml", "include = ['values.toml', 'data.toml']\n");
    write_text("itself.toml", "include = 'itself.toml'\n");
    write_text("there.toml", "include = 'back.toml'\n");
    write_text("back.toml", "include = 'there.toml'\n");
    std::filesystem::create_symlink("/etc/passwd", folder_.path() / "outside.toml");
    std::filesystem::create_symlink("loop.toml", folder_.path() / "loop.toml");
    if (mkfifo(folder_.file("pipe").c_str(), 0600) != 0) abort();
  }

  void write_text(const std::string& name, std::string_view text) const {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  /// Whether the file there, behind all links, is one of the folder.
  [[nodiscard]] bool holds(const char* path) const {
    std::error_code error;
    const std::string real = std::filesystem::canonical(path, error).string();
    return error || real.starts_with(std::filesystem::canonical(folder_.path()).string() + '/');
  }

 private:
  void write_array(const std::string& name, const Shape& shape) const {
    const std::vector<float> zeros(static_cast<std::size_t>(shape.count()));
    npy::write(file(name + ".npy"), {DType::f32, shape}, std::as_bytes(std::span(zeros)));
  }

  penstock::test::TemporaryFolder folder_;
};

const Scratch& scratch() {
  static const Scratch the_one;
  return the_one;
}

bool is_reading = false;  // a job: from now on open() is watched

/// Ends the walk over a job of very many tasks.
struct Enough {};

void demand(bool holds) {
  if (!holds) abort();  // libFuzzer reports it
}

void check_message(const std::string& message) {
  demand(std::ranges::none_of(message, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
  demand(message.size() < 4000);
  demand(message.find(".toml:") != std::string::npos);
}

/// A loop that passes over most of its steps may take hours until it does one; next() says that it waits for that.
bool may_pass_for_long(std::string_view text) {
  if (text.find("if") != std::string_view::npos) return true;
  const auto is_open_end = [](char c) { return c != ' ' && c != '\t' && (c < '0' || c > '9'); };
  for (std::size_t at = text.find(".."); at != std::string_view::npos; at = text.find("..", at + 1)) {
    const std::size_t before = text.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    const std::size_t after = text.find_first_not_of(" \t", at + 2);
    if (before != std::string_view::npos && is_open_end(text[before])) return true;
    if (after != std::string_view::npos && is_open_end(text[after])) return true;
  }
  return false;
}

void walk(const Job& job) {
  Stream stream = job.stream();
  std::size_t characters = 0;
  Step step;
  for (int steps = 0; steps < steps_max && stream.next(step); ++steps) {
    if (step.kind == Step::Kind::make || step.kind == Step::Kind::release)
      characters += job.datum_name(step.datum).size();
    for (const DatumAccess& access : step.accesses) characters += job.datum_name(access.datum).size();
    for (const Parameter& parameter : step.parameters) {
      const auto* const text = std::get_if<std::string>(&parameter);
      if (text != nullptr) demand(text->find('\0') == std::string::npos);
    }
    characters += step.name.size() + std::string_view(step.place.file).size();
  }
  demand(characters > 0 || !job.totals().is_exact || job.totals().all_tasks() == 0 || job.families().empty());
}

void read_job(std::string_view text) {
  const std::string path = scratch().file("job.toml");
  const JobText read(path);
  static_cast<void>(read.plugins());
  const Job job = Job::load(read, kernels::KernelTable::process().all());
  if (!job.totals().is_exact && may_pass_for_long(text)) return;
  walk(job);
  try {
    const GraphSummary summary = summarize(job, [](std::int64_t tasks) {
      if (tasks > steps_max) throw Enough();
    });
    demand(!job.totals().is_exact || summary.all_tasks() == job.totals().all_tasks());
  } catch (const Enough&) {
    return;
  }
  if (job.totals().is_exact && job.totals().all_tasks() <= drawn_tasks_max) demand(!graph_dot(job).empty());
}

}  // namespace
}  // namespace penstock::jobs::test

extern "C" int __wrap_open(const char* path, int flags, ...) {  // NOLINT
  using namespace penstock::jobs::test;
  if (is_reading && ((flags & O_ACCMODE) != O_RDONLY || !scratch().holds(path))) {
    errno = EACCES;
    return -1;
  }
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return __real_open(path, flags, mode);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
  using namespace penstock::jobs::test;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  scratch().write_text("job.toml", text);
  is_reading = true;
  try {
    read_job(text);
  } catch (const penstock::Error& error) {
    check_message(error.what());
  }
  is_reading = false;
  return 0;
}
