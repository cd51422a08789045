// How runtimes begin and end, each case in a process of its own, many times:
//
//     penstock_lifetimes CASE TIMES
//
// Returns 0 when every process ended in time with the code that its case says, else 1 with a line on standard error.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <penstock/penstock.hpp>

namespace ps = penstock;

namespace {

using I64 = std::int64_t;

constexpr int fault = 99;  ///< what a case returns that found something wrong
constexpr int exit_given = 5;
constexpr unsigned longest_s = 60;
constexpr int many = 300;

std::atomic<int> begun{0};
std::atomic<int> ran{0};

void await_begun() {
  for (int now = begun; now == 0; now = begun) begun.wait(now);
}

void begin() {
  ++begun;
  begun.notify_all();
}

void spin(I64 microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

const auto work = ps::kernel("lifetimes.work", [](ps::InOut<I64> x, I64 microseconds) {
  begin();
  spin(microseconds);
  x[0] += 1;
  ++ran;
});
const auto exit_now = ps::kernel("lifetimes.exit_now", [](ps::Out<I64> /*x*/, int code) { std::exit(code); });
const auto never_end = ps::kernel("lifetimes.never_end", [](ps::Out<I64> /*x*/) {
  begin();
  while (true) ::pause();
});

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  ::_exit(fault);
}

/// Many tasks, some of which run when it returns.
ps::Array<I64> start_work(ps::Runtime& runtime, I64 microseconds = 100) {
  const auto x = runtime.array<I64>({1}, ps::zeros());
  const auto y = runtime.array<I64>({1}, ps::zeros());
  for (int i = 0; i < many; ++i) {
    runtime.submit(work, ps::read_write(x), microseconds);
    runtime.submit(work, ps::read_write(y), microseconds);
  }
  await_begun();
  return x;
}

void compute(ps::Runtime& runtime) {
  const auto x = start_work(runtime, 0);
  demand(runtime.read(x)[0] == many, "a value is wrong");
}

// --- several runtimes ---

int one_after_another() {
  for (int i = 0; i < 2; ++i) {
    ps::Runtime runtime;
    compute(runtime);
  }
  return 0;
}

int at_the_same_time() {
  ps::Runtime first;
  ps::Runtime second;
  const auto x = start_work(first, 1);
  const auto y = start_work(second, 1);
  demand(second.read(y)[0] == many && first.read(x)[0] == many, "a value is wrong");
  try {
    second.wait(x);
    demand(false, "an array of the other runtime was taken");
  } catch (const ps::Error&) {
  }
  return 0;
}

// --- the end of a scope ---

int end_of_scope() {
  {
    ps::Runtime runtime;
    start_work(runtime, 1);
  }
  demand(ran == 2 * many, "the destructor did not wait for all tasks");
  return 0;
}

int exception() {
  try {
    ps::Runtime runtime;
    start_work(runtime, 1000);  // a third of a second, if they all ran
    throw std::runtime_error("on its way");
  } catch (const std::runtime_error&) {
  }
  demand(ran < 2 * many, "no task was cancelled");
  ps::Runtime next;
  compute(next);
  return 0;
}

int exception_through_run() {
  const int code = ps::run(0, nullptr, [](ps::Runtime& runtime) {
    start_work(runtime, 1000);
    throw std::runtime_error("on its way");
  });
  demand(code == 1 && ran < 2 * many, "no task was cancelled");
  return 0;
}

// --- exit() ---

int exit_with_tasks() {
  ps::Runtime runtime;
  start_work(runtime);
  std::exit(exit_given);
}

int exit_with_a_static_runtime() {
  static ps::Runtime runtime;
  static const ps::Array<I64> array = start_work(runtime);
  std::exit(exit_given);
}

int exit_with_a_late_pointer() {
  static std::unique_ptr<ps::Runtime> runtime;  // its destructor comes after the handlers of the runtime
  runtime = std::make_unique<ps::Runtime>();
  start_work(*runtime);
  std::exit(exit_given);
}

int exit_in_run() {
  return ps::run(0, nullptr, [](ps::Runtime& runtime) {
    start_work(runtime);
    std::exit(exit_given);
  });
}

/// The main thread waits meanwhile, and must not see tasks that are cancelled for the exit.
int exit_by_another_thread() {
  ps::Runtime runtime;
  std::jthread other([] {
    await_begun();
    std::exit(exit_given);
  });
  try {
    start_work(runtime, 1000);
    runtime.wait_all();
  } catch (const std::exception& error) {
    demand(false, error.what());
  }
  await_begun();
  while (true) ::pause();
}

int return_from_main() {
  start_work(*new ps::Runtime);
  return exit_given;
}

template <class Make>
int exit_in_a_kernel(const Make& make) {
  ps::Runtime& runtime = make();
  start_work(runtime);
  const auto x = runtime.array<I64>({1});
  runtime.submit(exit_now, ps::write(x), exit_given);
  try {
    runtime.wait_all();
  } catch (const std::exception& error) {
    demand(false, error.what());
  }
  return fault;
}

int exit_in_a_kernel_of_a_local_one() {
  std::optional<ps::Runtime> runtime;
  return exit_in_a_kernel([&]() -> ps::Runtime& { return runtime.emplace(); });
}

int exit_in_a_kernel_of_a_static_one() {
  static ps::Runtime runtime;
  return exit_in_a_kernel([]() -> ps::Runtime& { return runtime; });
}

int exit_in_a_kernel_while_the_runtime_ends() {
  {
    ps::Runtime runtime;
    const auto x = runtime.array<I64>({1});
    for (int i = 0; i < many; ++i) runtime.submit(work, ps::read_write(runtime.array<I64>({1}, ps::zeros())), 10);
    runtime.submit(exit_now, ps::write(x), exit_given);
  }
  return fault;
}

int exit_with_a_body_that_never_ends() {
  ps::Runtime runtime(ps::Options{.workers = 2});
  runtime.submit(never_end, ps::write(runtime.array<I64>({1})));
  await_begun();
  std::exit(exit_given);
}

int quick_exit_with_tasks() {
  ps::Runtime runtime;
  start_work(runtime);
  std::quick_exit(exit_given);
}

// --- fork() ---

/// Runs `body` in a child and demands that it exits with 0.
template <class Body>
void in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(longest_s);
    body();
    std::exit(0);
  }
  int status = 0;
  demand(::waitpid(child, &status, 0) == child && status == 0, "the child did not end well");
}

template <class Call>
void demand_refusal(const Call& call) {
  try {
    call();
  } catch (const ps::Error& error) {
    const std::string expected = "this process was forked from process " + std::to_string(::getppid());
    demand(error.code() == ps::ErrorCode::invalid_argument, error.what());
    demand(std::string_view(error.what()).find(expected) != std::string_view::npos, error.what());
    return;
  }
  demand(false, "a call on the parent's runtime was not refused");
}

int fork_and_call() {
  std::optional<ps::Runtime> runtime(std::in_place);
  auto x = runtime->array<I64>({1}, ps::zeros());
  std::optional view(runtime->read(x));
  start_work(*runtime);
  in_child([&] {
    demand_refusal([&] { runtime->submit(work, ps::read_write(x), 0); });
    demand_refusal([&] { runtime->submit(ps::KernelName("increment"), ps::read_write(x)); });
    demand_refusal([&] { runtime->wait(x); });
    demand_refusal([&] { runtime->wait_all(); });
    demand_refusal([&] { static_cast<void>(runtime->read(x)); });
    demand_refusal([&] { static_cast<void>(runtime->array<I64>({1})); });
    demand_refusal([&] { runtime->save(x, "x.npy"); });
    demand_refusal([&] { static_cast<void>(runtime->ranks()); });
    demand((*view)[0] == 0, "a view changed");
    view.reset();
    x = {};
    runtime.reset();
  });
  runtime->submit(work, ps::read_write(x), 0);
  demand(runtime->read(x)[0] == 1, "the parent was disturbed");
  return 0;
}

int fork_and_exit() {
  ps::Runtime runtime;
  const auto x = start_work(runtime);
  const auto view = runtime.read(x);
  in_child([] {});
  return 0;
}

int fork_and_begin_anew() {
  ps::Runtime runtime;
  const auto x = start_work(runtime);
  in_child([] {
    {
      ps::Runtime own;
      compute(own);
    }
    in_child([] {
      ps::Runtime own;
      compute(own);
    });
  });
  demand(runtime.read(x)[0] == many, "the parent was disturbed");
  return 0;
}

int fork_and_exit_with_tasks() {
  ps::Runtime runtime;
  start_work(runtime);
  in_child([] {
    begun = 0;
    ps::Runtime own;
    start_work(own);
    std::exit(0);
  });
  return 0;
}

int fork_in_run() {
  pid_t child = -1;
  const int code = ps::run(0, nullptr, [&](ps::Runtime& runtime) {
    const auto x = start_work(runtime);
    child = ::fork();
    if (child == 0) return;
    int status = 0;
    demand(::waitpid(child, &status, 0) == child && status == 0, "the child did not end well");
    demand(runtime.read(x)[0] == many, "the parent was disturbed");
  });
  return code;
}

// --- all of them ---

struct Case {
  std::string_view name;
  int (*run)();
  int code = 0;
};

constexpr Case cases[] = {
    {"one_after_another", one_after_another},
    {"at_the_same_time", at_the_same_time},
    {"end_of_scope", end_of_scope},
    {"exception", exception},
    {"exception_through_run", exception_through_run},
    {"exit_with_tasks", exit_with_tasks, exit_given},
    {"exit_with_a_static_runtime", exit_with_a_static_runtime, exit_given},
    {"exit_with_a_late_pointer", exit_with_a_late_pointer, exit_given},
    {"exit_in_run", exit_in_run, exit_given},
    {"exit_by_another_thread", exit_by_another_thread, exit_given},
    {"return_from_main", return_from_main, exit_given},
    {"exit_in_a_kernel", exit_in_a_kernel_of_a_local_one, exit_given},
    {"exit_in_a_kernel_of_a_static_runtime", exit_in_a_kernel_of_a_static_one, exit_given},
    {"exit_in_a_kernel_while_the_runtime_ends", exit_in_a_kernel_while_the_runtime_ends, exit_given},
    {"exit_with_a_body_that_never_ends", exit_with_a_body_that_never_ends, exit_given},
    {"quick_exit_with_tasks", quick_exit_with_tasks, exit_given},
    {"fork_and_call", fork_and_call},
    {"fork_and_exit", fork_and_exit},
    {"fork_and_begin_anew", fork_and_begin_anew},
    {"fork_and_exit_with_tasks", fork_and_exit_with_tasks},
    {"fork_in_run", fork_in_run},
};

std::string ending_of(int status) {
  return WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                           : "signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (argc != 3) return 2;
  const auto* const each = std::ranges::find(cases, std::string_view(arguments[1]), &Case::name);
  if (each == std::end(cases)) return 2;
  const int times = std::atoi(arguments[2]);
  for (int i = 1; i <= times; ++i) {
    const pid_t child = ::fork();  // there is no thread and no runtime in this process yet
    if (child == 0) {
      ::alarm(longest_s);
      return each->run();
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == each->code) continue;
    std::fprintf(stderr, "%s, time %d: %s in place of exit code %d\n", arguments[1], i, ending_of(status).c_str(),
                 each->code);
    return 1;
  }
  return 0;
}
