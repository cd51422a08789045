#include "bench/programs.hpp"

#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

#include <penstock/error.hpp>

namespace penstock::bench {

namespace {

std::filesystem::path path_of(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace

bool is_beside(const std::string& name) { return std::filesystem::is_regular_file(path_of(name)); }

std::filesystem::path beside(const std::string& name) {
  std::filesystem::path path = path_of(name);
  if (!std::filesystem::is_regular_file(path)) throw Error(ErrorCode::environment, path.string() + " is not there");
  return path;
}

ProgramCall as_ranks(int ranks, std::vector<std::string> command) {
  ProgramCall call{.command = {"mpirun", "-n", std::to_string(ranks), "--bind-to", "none", "--oversubscribe"},
                   .environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}};
  for (std::string& argument : command) call.command.push_back(std::move(argument));
  return call;
}

std::vector<std::string> run_command(const std::filesystem::path& job, const std::filesystem::path& run_folder,
                                     int workers) {
  return {beside("penstock").string(),
          "run",
          job.string(),
          "--run-dir",
          run_folder.string(),
          "--fresh",
          "--json",
          "--quiet",
          "--devices",
          "cpu",
          "--workers",
          std::to_string(workers)};
}

double number_in(const std::string& json, const std::string& key) {
  const auto object = nlohmann::json::parse(json, nullptr, false);
  const bool found = object.is_object() && object.contains(key) && object[key].is_number();
  if (!found) throw Error(ErrorCode::environment, "a program was to answer with \"" + key + "\", but wrote: " + json);
  return object[key].get<double>();
}

std::vector<double> numbers_in(const std::string& json, const std::vector<std::string>& keys) {
  std::vector<double> numbers;
  for (const std::string& key : keys) numbers.push_back(number_in(json, key));
  return numbers;
}

std::vector<double> ask(const std::string& program, const std::vector<std::string>& arguments,
                        const std::vector<std::string>& keys, const std::map<std::string, std::string>& environment) {
  ProgramCall call{.command = {beside(program).string()}, .environment = environment};
  call.command.insert(call.command.end(), arguments.begin(), arguments.end());
  return numbers_in(run_program(call).out, keys);
}

std::string blas_name() {
  std::string name =
      run_program({.command = {beside("penstock-bench-matmul-bare").string(), "blas"}, .environment = {}}).out;
  while (!name.empty() && (name.back() == '\n' || name.back() == ' ')) name.pop_back();
  return name;
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw Error(ErrorCode::environment, file.string() + " cannot be written");
}

}  // namespace penstock::bench
