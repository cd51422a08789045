// penstock::run(): a C++ program on every rank.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>

#include <penstock/runtime.hpp>

#include "runtime/access.hpp"
#include "runtime/commands.hpp"
#include "runtime/interrupts.hpp"
#include "runtime/options.hpp"
#include "runtime/state.hpp"

namespace penstock {

namespace {

using runtime::Interrupts;
namespace exit_code = runtime::exit_code;

void say(const char* message) { std::fprintf(stderr, "penstock: %s\n", message); }

/// Runs the program on rank 0; what escapes it is printed and becomes an exit code.
int run_program(const std::function<void(Runtime&)>& program, Runtime& handle) {
  try {
    program(handle);
    return exit_code::all_done;
  } catch (const TaskError& error) {
    say(error.what());
    return exit_code::task_failed;
  } catch (const Error& error) {
    say(error.what());
    return runtime::exit_code_of(error.code());
  } catch (const std::exception& error) {
    say(error.what());
  } catch (const std::string& text) {
    say(text.c_str());
  } catch (const char* text) {
    say(text);
  } catch (...) {
    say("the program ended with an unknown exception");
  }
  return exit_code::task_failed;
}

int run_front(std::unique_ptr<runtime::Session>& owner, const std::function<void(Runtime&)>& program,
              const Options& options) {
  runtime::Session& session = *owner;
  auto state = std::make_shared<detail::RuntimeState>(session);
  if (!options.run_dir.empty()) {
    try {
      state->folder.emplace(session, options);
    } catch (const Error& error) {
      session.end();
      throw;
    }
  }
  Runtime handle = RuntimeAccess::make(state);
  frontend::Frontend& frontend = session.frontend();
  frontend.set_while_waiting([&frontend] {
    if (Interrupts::level() >= Interrupts::Level::cancel) frontend.cancel();
  });
  int code = run_program(program, handle);
  if (state->is_forked()) {  // the program returns in a child of its process
    static_cast<void>(owner.release());
    return code;
  }
  if (code != exit_code::all_done) frontend.cancel();
  frontend.drain();
  if (code == exit_code::all_done && frontend.counts().not_done() > 0) {
    for (const frontend::Failure& failure : frontend.first_failures()) say(failure.line.c_str());
    code = exit_code::task_failed;
  }
  if (Interrupts::level() != Interrupts::Level::none) code = exit_code::interrupted;
  state->ended = true;
  session.end();
  if (state->folder) state->folder->finish();
  return code;
}

}  // namespace

int run(int /*argc*/, char** /*argv*/, const std::function<void(Runtime&)>& program, const Options& options) {
  static std::atomic<bool> is_other_rank{false};  // by an earlier run: then there is no MPI to ask
  std::unique_ptr<runtime::Session> session;      // outlives the handler: a lost run is left without its destructors
  try {
    runtime::SessionOptions setup = runtime::session_options(options);
    setup.prepare = [&] { runtime::check(options); };
    session = std::make_unique<runtime::Session>(setup);
    std::optional<Interrupts> interrupts;
    is_other_rank = !session->is_front();
    if (session->is_front()) interrupts.emplace(false);
    return session->is_front() ? run_front(session, program, options) : session->serve();
  } catch (const Error& error) {
    if (session == nullptr && is_other_rank) return exit_code::all_done;  // rank 0 reports
    say(error.what());
    const int code = runtime::exit_code_of(error.code());
    if (error.code() == ErrorCode::lost) _exit(code);  // MPI cannot be left in order any more
    return code;
  } catch (const std::exception& error) {  // the system had no thread or no memory
    say(error.what());
    return exit_code::bad_input;
  }
}

}  // namespace penstock
