#include "observe/standard_output.hpp"

#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <penstock/error.hpp>

#include "observe/files.hpp"

namespace penstock::observe {

void survive_closed_pipes() {
  // A handler, unlike SIG_IGN, is not inherited through exec.
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, nullptr);
}

void write_standard_output(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return;
  throw Error(ErrorCode::environment, "cannot write to standard output: " + std::generic_category().message(error));
}

}  // namespace penstock::observe
