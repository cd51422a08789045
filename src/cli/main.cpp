#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "cli/dispatch.hpp"
#include "cli/launcher.hpp"
#include "observe/standard_output.hpp"
#include "runtime/commands.hpp"

int main(int argc, char** argv) {
  namespace ps = penstock;
  ps::observe::survive_closed_pipes();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  std::ostringstream out;
  const int code = ps::cli::dispatch(arguments, out, std::cerr);
  try {
    if (ps::cli::is_first_rank()) ps::observe::write_standard_output(out.view());
  } catch (const ps::Error& error) {
    std::cerr << std::string("penstock: ") + error.what() + "\n";
    return code != ps::runtime::exit_code::all_done ? code : ps::runtime::exit_code_of(error.code());
  }
  return code;
}
