// Runs random programs through the public interface, and serially, and compares every value bit for bit.
//
//     penstock_random_graph FIRST_SEED SEEDS [failures] [checked] [serial] [tasks=N] [bytes=N] [workers=N] [schedule=N]
//
// All seeds run one after the other in one runtime, so ids and buffers are used again and again. With `failures` some
// tasks throw. Returns 0 when everything was as expected on every rank, 2 with a line that names seed and operation
// when not.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/penstock.hpp>

#include "e2e/random_kernels.hpp"
#include "e2e/random_program.hpp"

namespace ps = penstock;
namespace pt = penstock::tests;

namespace {

using pt::I64;

struct Request {
  std::uint64_t first_seed = 0;
  std::uint64_t seeds = 0;
  bool with_failures = false;
  ps::Options options;
};

[[noreturn]] void refuse(const std::string& what) { throw ps::Error(ps::ErrorCode::environment, what); }

/// One program, run in parallel by `runtime` and serially by the oracle, step by step.
class Run {
 public:
  Run(ps::Runtime& runtime, pt::Oracle oracle, std::uint64_t seed)
      : runtime_(runtime),
        oracle_(std::move(oracle)),
        seed_(seed),
        integers_(pt::integer_places),
        reals_(pt::real_places) {}

  void run(const std::vector<pt::Operation>& program) {
    for (step_ = 0; step_ < program.size(); ++step_) {
      oracle_.run(program[step_]);
      carry_out(program[step_]);
    }
    for (std::size_t place = 0; place < pt::places; ++place) {
      oracle_.run({.kind = pt::Operation::Kind::read, .arrays = {place}});
      look_at(place, false);
    }
    for (const auto& kept : kept_integers_) demand(pt::difference(kept.expected, kept.view.span()));
    for (const auto& kept : kept_reals_) demand(pt::difference(kept.expected, kept.view.span()));
    wait_all();
  }

 private:
  template <class T>
  struct Kept {
    ps::View<T> view;
    pt::Value expected;
  };

  void carry_out(const pt::Operation& operation) {
    const std::size_t place = operation.arrays[0];
    switch (operation.kind) {
      case pt::Operation::Kind::make:
        return make(place, operation.salt);
      case pt::Operation::Kind::task:
        submit(operation);
        return;
      case pt::Operation::Kind::read:
        return look_at(place, false);
      case pt::Operation::Kind::keep:
        return look_at(place, true);
      case pt::Operation::Kind::wait:
        return wait(place);
    }
  }

  void make(std::size_t place, I64 salt) {
    const I64 elements = pt::elements_at(place);
    if (place < pt::integer_places) {
      integers_[place] = runtime_.array<I64>({elements}, ps::fill(static_cast<double>(pt::fill_value(salt))));
    } else {
      real(place) = runtime_.array<float>({elements}, ps::uniform(salt, 0.0, pt::uniform_high));
    }
  }

  ps::Task submit(const pt::Operation& operation) {
    const I64 salt = operation.salt;
    const bool fails = operation.fails;
    const auto a = [&](std::size_t access) -> ps::Array<I64>& { return integers_[operation.arrays[access]]; };
    const auto x = [&](std::size_t access) -> ps::Array<float>& { return real(operation.arrays[access]); };
    switch (operation.task) {
      case pt::TaskKind::fresh:
        return runtime_.submit(pt::fresh, ps::write(a(0)), salt, fails);
      case pt::TaskKind::map:
        return runtime_.submit(pt::map, ps::write(a(0)), ps::read(a(1)), salt, fails);
      case pt::TaskKind::mix:
        return runtime_.submit(pt::mix, ps::read_write(a(0)), ps::read(a(1)), ps::read(a(2)), salt, fails);
      case pt::TaskKind::cross:
        return runtime_.submit(pt::cross, ps::read_write(a(0)), ps::read_write(a(1)), salt, fails);
      case pt::TaskKind::narrow:
        return runtime_.submit(pt::narrow, ps::write(x(0)), ps::read(a(1)), salt, fails);
      case pt::TaskKind::widen:
        return runtime_.submit(pt::widen, ps::read_write(a(0)), ps::read(x(1)), salt, fails);
      case pt::TaskKind::scale:
        return runtime_.submit(pt::scale, ps::read_write(x(0)), salt, fails);
      case pt::TaskKind::gather:
        return runtime_.submit(pt::gather, ps::reduce(a(0), ps::sum), ps::read(a(1)), salt, fails);
      case pt::TaskKind::extend:
        return runtime_.submit(pt::extend, ps::reduce(x(0), ps::maximum), ps::read(a(1)), salt, fails);
      case pt::TaskKind::add:
        return runtime_.submit(pt::gather, ps::commute(a(0)), ps::read(a(1)), salt, fails);
    }
    return {};
  }

  void look_at(std::size_t place, bool keep) {
    if (place < pt::integer_places)
      look_at(integers_[place], oracle_.at(place), keep, kept_integers_);
    else
      look_at(real(place), oracle_.at(place), keep, kept_reals_);
  }

  template <class T>
  void look_at(const ps::Array<T>& array, const pt::Value& expected, bool keep, std::vector<Kept<T>>& kept) {
    try {
      ps::View<T> view = runtime_.read(array);
      demand(expected.spoilt ? "a value is there that could not be made" : pt::difference(expected, view.span()));
      if (keep) kept.push_back({std::move(view), expected});
    } catch (const ps::TaskError& error) {
      if (!expected.spoilt) demand(error.what());
    }
  }

  void wait(std::size_t place) {
    bool spoilt = false;
    try {
      if (place < pt::integer_places)
        runtime_.wait(integers_[place]);
      else
        runtime_.wait(real(place));
    } catch (const ps::TaskError&) {
      spoilt = true;
    }
    if (spoilt != oracle_.at(place).spoilt) demand(spoilt ? "wait() threw" : "wait() did not throw");
  }

  void wait_all() {
    static std::uint64_t before = 0;  // failed_tasks() counts over the whole run
    before += oracle_.not_done();
    try {
      runtime_.wait_all();
      if (oracle_.not_done() > 0) demand("wait_all() did not throw");
    } catch (const ps::TaskError& error) {
      if (oracle_.not_done() == 0) demand(std::string("wait_all() threw: ") + error.what());
      if (error.failed_tasks() != before) {
        demand(std::to_string(error.failed_tasks()) + " tasks not done in place of " + std::to_string(before));
      }
    }
  }

  void demand(const std::string& problem) const {
    if (problem.empty()) return;
    refuse("seed " + std::to_string(seed_) + ", operation " + std::to_string(step_) + ": " + problem);
  }

  ps::Array<float>& real(std::size_t place) { return reals_[place - pt::integer_places]; }

  ps::Runtime& runtime_;
  pt::Oracle oracle_;
  std::uint64_t seed_;
  std::size_t step_ = 0;
  std::vector<ps::Array<I64>> integers_;
  std::vector<ps::Array<float>> reals_;
  std::vector<Kept<I64>> kept_integers_;
  std::vector<Kept<float>> kept_reals_;
};

void run_all(ps::Runtime& runtime, const Request& request) {
  // One worker that does nothing else makes the oracle's uniform numbers.
  ps::Runtime serial(ps::Options{.workers = 1});
  const pt::Uniform uniform = [&serial](std::span<float> out, I64 seed) {
    const auto array = serial.array<float>({static_cast<I64>(out.size())}, ps::uniform(seed, 0.0, pt::uniform_high));
    std::ranges::copy(serial.read(array), out.begin());
  };
  for (std::uint64_t seed = request.first_seed; seed < request.first_seed + request.seeds; ++seed) {
    const bool with_failures = request.with_failures && seed % 2 == 1;
    Run(runtime, pt::Oracle(uniform), seed)
        .run(pt::random_program(seed, {.operations = 100 + seed % 300, .with_failures = with_failures}));
  }
  std::printf("seeds %llu to %llu: all values equal\n", static_cast<unsigned long long>(request.first_seed),
              static_cast<unsigned long long>(request.first_seed + request.seeds - 1));
}

std::uint64_t number(std::string_view text) { return std::strtoull(std::string(text).c_str(), nullptr, 10); }

Request parse(std::span<char*> arguments) {
  Request request{.first_seed = number(arguments[1]), .seeds = number(arguments[2]), .options = {}};
  for (const std::string_view argument : arguments.subspan(3)) {
    const std::uint64_t value = number(argument.substr(argument.find('=') + 1));
    if (argument == "failures")
      request.with_failures = true;
    else if (argument == "checked")
      request.options.checked = true;
    else if (argument == "serial")
      request.options.serial = true;
    else if (argument.starts_with("schedule="))
      request.options.schedule_seed = value;
    else if (argument.starts_with("tasks="))
      request.options.window_tasks = value;
    else if (argument.starts_with("bytes="))
      request.options.window_bytes = static_cast<I64>(value);
    else if (argument.starts_with("workers="))
      request.options.workers = static_cast<int>(value);
    else
      refuse("unknown argument " + std::string(argument));
  }
  return request;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const Request request = parse(std::span(argv, static_cast<std::size_t>(argc)));
  const int code = ps::run(
      argc, argv,
      [&](ps::Runtime& runtime) {
        try {
          run_all(runtime, request);
        } catch (const ps::TaskError& error) {
          refuse(error.what());
        }
      },
      request.options);
  return code == 1 && request.with_failures ? 0 : code;  // 1: tasks failed, as they should
}
