#include "bench/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include <penstock/error.hpp>

#include "observe/files.hpp"

namespace penstock::bench {

namespace {

using Clock = std::chrono::steady_clock;
using observe::Descriptor;

constexpr int patience_ms = 100;
constexpr std::chrono::seconds end_limit{10};

constexpr std::array noted_signals{SIGINT, SIGTERM, SIGHUP};

/// An eventfd that can be read from once one of the signals has come; -1, which poll() leaves out, until they are
/// noted.
int signal_came = -1;

void note(int /*number*/) {
  const int error = errno;
  static_cast<void>(eventfd_write(signal_came, 1));
  errno = error;
}

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(ErrorCode::environment, what + ": " + std::generic_category().message(error));
}

[[noreturn]] void interrupted() { throw Error(ErrorCode::interrupted, "interrupted"); }

/// "NAME=value" for all variables of the program.
std::vector<std::string> environment_of(const ProgramCall& call) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool replaced = call.environment.contains(std::string(text.substr(0, text.find('='))));
    if (!replaced && !text.starts_with("OMP_") && !text.starts_with("GOMP_")) variables.emplace_back(text);
  }
  for (const auto& [name, value] : call.environment) variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

bool is_readable(int descriptor, int limit_ms) {
  pollfd watched{descriptor, POLLIN, 0};
  return poll(&watched, 1, limit_ms) > 0;
}

/// A program in a process group of its own, so that a signal from the terminal is ours alone to hand on.
class Child {
 public:
  explicit Child(const ProgramCall& call) : name_(call.command.front()) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("no pipe can be made", errno);
    out_ = Descriptor(ends[0]);
    const Descriptor write_end(ends[1]);
    spawn(call, write_end.get());
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (running_) end();
  }

  [[nodiscard]] int out() const { return out_.get(); }

  /// Waits for its end; looks every millisecond, so that a program that hangs can be interrupted.
  rusage wait() {
    rusage usage{};
    int status = 0;
    while (wait4(pid_, &status, WNOHANG, &usage) == 0) {
      if (is_readable(signal_came, 1)) interrupted();
    }
    running_ = false;
    if (WIFSIGNALED(status)) {
      throw Error(ErrorCode::environment, fmt::format("{} was ended by signal {}", name_, WTERMSIG(status)));
    }
    if (WEXITSTATUS(status) != 0) {
      throw Error(ErrorCode::environment, fmt::format("{} returned {}", name_, WEXITSTATUS(status)));
    }
    return usage;
  }

 private:
  void spawn(const ProgramCall& call, int out) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    sigset_t none;
    sigemptyset(&none);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);  // the noted ones get theirs back without being named
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    std::vector<std::string> arguments = call.command;
    std::vector<std::string> variables = environment_of(call);
    const int error = posix_spawnp(&pid_, name_.c_str(), &actions, &attributes, pointers_to(arguments).data(),
                                   pointers_to(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) fail(name_ + " cannot be started", error);
    running_ = true;
  }

  /// Asks all of the group to end, and after a while does not ask any more.
  void end() {
    const auto limit = Clock::now() + end_limit;
    kill(-pid_, SIGTERM);
    while (waitpid(pid_, nullptr, WNOHANG) == 0 && Clock::now() < limit) poll(nullptr, 0, patience_ms);
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  const std::string name_;
  Descriptor out_;
  pid_t pid_ = -1;
  bool running_ = false;
};

/// Until the program closes its standard output.
std::string read_all(int from) {
  std::string out;
  std::array<char, 4096> block{};
  while (true) {
    std::array<pollfd, 2> watched{pollfd{from, POLLIN, 0}, pollfd{signal_came, POLLIN, 0}};
    if (poll(watched.data(), watched.size(), -1) < 0) {
      if (errno != EINTR) fail("the program cannot be watched", errno);
      continue;
    }
    if (watched[1].revents != 0) interrupted();
    if (watched[0].revents == 0) continue;
    const ssize_t got = read(from, block.data(), block.size());
    if (got < 0) fail("the program's output cannot be read", errno);
    if (got == 0) return out;
    out.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

void note_signals() {
  signal_came = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signal_came < 0) fail("signals cannot be watched", errno);
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (const int number : noted_signals) sigaction(number, &action, nullptr);
}

void stop_if_interrupted() {
  if (is_readable(signal_came, 0)) interrupted();
}

ProgramResult run_program(const ProgramCall& call) {
  stop_if_interrupted();
  const auto begin = Clock::now();
  Child child(call);
  ProgramResult result;
  result.out = read_all(child.out());
  const rusage usage = child.wait();
  result.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  result.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.peak_bytes = std::int64_t{usage.ru_maxrss} * 1024;
  return result;
}

}  // namespace penstock::bench
