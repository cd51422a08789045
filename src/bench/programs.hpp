/// The programs that benchmarks measure: how they are called and how their answers are read. Main thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/process.hpp"

namespace penstock::bench {

/// A program beside this one. Throws Error (environment) when it is not there.
[[nodiscard]] std::filesystem::path beside(const std::string& name);
[[nodiscard]] bool is_beside(const std::string& name);

/// The command as `ranks` ranks on this machine, bound to no cores by the launcher.
[[nodiscard]] ProgramCall as_ranks(int ranks, std::vector<std::string> command);

/// `penstock run JOB --run-dir FOLDER --workers WORKERS` with its report as JSON on standard output.
[[nodiscard]] std::vector<std::string> run_command(const std::filesystem::path& job,
                                                   const std::filesystem::path& run_folder, int workers);

/// A number of the JSON object that a program wrote: "wall_s" of a report, "seconds" of a rival. Throws Error
/// (environment) when there is no such number.
[[nodiscard]] double number_in(const std::string& json, const std::string& key);

/// As number_in(), of several.
[[nodiscard]] std::vector<double> numbers_in(const std::string& json, const std::vector<std::string>& keys);

/// Runs a program beside this one that answers with a JSON object, and reads numbers of the answer. Throws as
/// run_program(), beside() and number_in() do.
[[nodiscard]] std::vector<double> ask(const std::string& program, const std::vector<std::string>& arguments,
                                      const std::vector<std::string>& keys,
                                      const std::map<std::string, std::string>& environment = {});

/// The BLAS that the kernels call.
[[nodiscard]] std::string blas_name();

/// Puts the text into a file. Throws Error (environment).
void write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace penstock::bench
