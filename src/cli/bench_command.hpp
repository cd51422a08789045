/// `penstock bench` hands over to a program of its own: benchmarks need other OpenMP libraries than the command.
#pragma once

#include <filesystem>
#include <vector>

namespace penstock::cli {

/// Where penstock-bench may be when the command is in `folder`, the likeliest place first.
[[nodiscard]] std::vector<std::filesystem::path> benchmark_places(const std::filesystem::path& folder);

/// The first of them that is there; Error (environment) that names them when none is.
[[nodiscard]] std::filesystem::path find_benchmark_program(const std::filesystem::path& folder);

}  // namespace penstock::cli
