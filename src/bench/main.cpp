#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <boost/program_options.hpp>

#include <penstock/error.hpp>

#include "bench/benchmark.hpp"
#include "bench/machine.hpp"
#include "bench/process.hpp"
#include "bench/programs.hpp"
#include "bench/programs/traced.hpp"
#include "bench/scratch_folder.hpp"
#include "observe/standard_output.hpp"

namespace penstock::bench {

namespace {

namespace po = boost::program_options;

constexpr int bad_use = 2;
constexpr int was_interrupted = 130;
constexpr int n_most = 20'000;

struct Request {
  const Benchmark* benchmark = nullptr;  ///< null: only help was asked for
  BenchOptions options;
  bool json = false;
};

po::options_description visible_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("quick", "smaller sizes and fewer runs: shows that it works, not how fast it is");
  add("json", "print JSON in place of the table");
  add("n", po::value<int>()->value_name("N"),
      "rows and columns of the matrices (default: 1000 for matmul, 4000 for cholesky and on GPUs)");
  add("devices", po::value<std::string>()->value_name("KINDS"),
      "cpu (default), gpu or cpu,gpu for minibatch: on what the network learns");
  add("help,h", "print this text and exit");
  return options;
}

std::string help() {
  std::string text =
      "Usage: penstock bench [--quick] [--json] NAME, or penstock-bench [options] NAME\n\n"
      "Measures penstock beside a rival that does the same work and the limit of the machine.\n\n"
      "Benchmarks:\n";
  for (const Benchmark& benchmark : benchmarks) text += fmt::format("  {:<16}{}\n", benchmark.name, benchmark.summary);
  std::ostringstream options;
  options << visible_options();
  return text + "\n" + options.str();
}

const Benchmark& find_benchmark(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(benchmarks, [&](const Benchmark& benchmark) { return benchmark.name == name; });
  if (found != std::end(benchmarks)) return *found;
  std::string names;
  for (const Benchmark& benchmark : benchmarks) names += (names.empty() ? "" : ", ") + std::string(benchmark.name);
  throw po::error(fmt::format("there is no benchmark '{}', but {}", name, names));
}

int read_n(const Benchmark& benchmark, int n) {
  if (!benchmark.takes_n) throw po::error(fmt::format("{} has no --n", benchmark.name));
  if (n < 1 || n > n_most) throw po::error(fmt::format("--n takes 1 to {}", n_most));
  return n;
}

std::string read_devices(const Benchmark& benchmark, const std::string& devices) {
  if (!benchmark.takes_devices) throw po::error(fmt::format("{} has no --devices", benchmark.name));
  if (devices != "cpu" && devices != "gpu" && devices != "cpu,gpu") {
    throw po::error(fmt::format("--devices takes cpu, gpu or cpu,gpu, not '{}'", devices));
  }
  return devices;
}

Request read_arguments(int argc, char** argv) {
  po::options_description all;
  all.add(visible_options()).add_options()("name", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("name", -1);
  po::variables_map given;
  constexpr int strict = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::store(po::command_line_parser(argc, argv).options(all).positional(positional).style(strict).run(), given);

  Request request;
  request.json = given.contains("json");
  request.options.quick = given.contains("quick");
  if (given.contains("help")) return request;
  if (!given.contains("name")) throw po::error("the NAME of a benchmark is missing");
  const auto& names = given["name"].as<std::vector<std::string>>();
  if (names.size() > 1) throw po::error(fmt::format("one NAME is taken, '{}' is too much", names[1]));
  request.benchmark = &find_benchmark(names.front());
  if (given.contains("n")) request.options.n = read_n(*request.benchmark, given["n"].as<int>());
  if (given.contains("devices")) {
    request.options.devices = read_devices(*request.benchmark, given["devices"].as<std::string>());
  }
  return request;
}

int run(int argc, char** argv) {
  const Request request = read_arguments(argc, argv);
  if (request.benchmark == nullptr) {
    observe::write_standard_output(help());
    return 0;
  }
  MachineLine machine = read_machine_line();
  machine.blas = blas_name();
  const std::vector<Row> rows = request.benchmark->run(request.options);
  if (request.json) {
    observe::write_standard_output(to_json(machine, rows));
    return 0;
  }
  const std::string text = request.benchmark->text != nullptr ? request.benchmark->text() : "";
  observe::write_standard_output(text + to_table(machine, rows));
  return 0;
}

int say(const std::string& message, int code) {
  std::cerr << "penstock-bench: " << message << '\n';
  return code;
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  namespace bench = penstock::bench;
  penstock::observe::survive_closed_pipes();
  bench::note_signals();
  try {
    const bench::ScratchFolder traces(std::uint64_t{64} << 20);
    setenv(bench::run_dir_variable, (traces.path() / "run").c_str(), 1);
    // What is learned of tasks' times is neither kept for the user's runs nor taken from them.
    setenv("XDG_CACHE_HOME", (traces.path() / "cache").c_str(), 1);
    return bench::run(argc, argv);
  } catch (const boost::program_options::error& error) {
    return bench::say(std::string(error.what()) + "; see penstock-bench --help", bench::bad_use);
  } catch (const penstock::Error& error) {
    const bool interrupted = error.code() == penstock::ErrorCode::interrupted;
    return bench::say(error.what(), interrupted ? bench::was_interrupted : bench::bad_use);
  } catch (const std::exception& error) {
    return bench::say(error.what(), bench::bad_use);
  }
}
