/// What a cost model knew, kept between runs: a JSON file for each sort of machine in the user's cache. Used at the
/// start and the end of a run, by one thread; blocks. Nothing here is an error to a run: what could not be read or
/// written is a line for the log.
///
///     {"format": 1, "program": "penstock costs", "machine": ["AMD EPYC 9534", "64 cores", "NVIDIA H200", ...],
///      "costs": [{"kernel", "kind", "footprint" (16 hexadecimal digits), "amount", "mean_ns", "samples"}, ...]}
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "observe/files.hpp"
#include "schedule/cost_model.hpp"

namespace penstock::runtime {

/// $XDG_CACHE_HOME/penstock, or else ~/.cache/penstock; nothing where neither variable names an absolute path.
[[nodiscard]] std::optional<std::filesystem::path> cost_folder();

class CostFile {
 public:
  /// Entries that are kept; of more, those go that were not saved for longest.
  static constexpr std::size_t entries_most = 4096;

  /// `machine`: all that times depend on, the most telling first: model and number of the host's cores; model, driver,
  /// CUDA and cuBLAS of its GPUs. The file is named after it. Touches nothing.
  CostFile(std::filesystem::path folder, std::vector<std::string> machine);

  [[nodiscard]] std::filesystem::path path() const { return folder_ / name_; }

  struct Loaded {
    std::vector<schedule::CostEntry> entries;  ///< empty where there is no file, and where there is a note
    std::string note;                          ///< one line for the log; empty: nothing to say
  };
  [[nodiscard]] Loaded load() const;

  /// Puts the entries first into the file, and keeps its others: those of other programs, and what another process has
  /// saved since load(). Makes the folder, with mode 0700. Processes take turns, and a reader sees the file before or
  /// after, never a part. Returns a line for the log; empty: saved.
  [[nodiscard]] std::string save(std::vector<schedule::CostEntry> entries) const;

 private:
  /// The folder, if it is the user's own; otherwise why not in `note`.
  [[nodiscard]] observe::Descriptor open_folder(std::string& note) const;
  [[nodiscard]] Loaded load_from(const observe::Descriptor& folder) const;
  [[nodiscard]] std::string note(const std::string& why) const;
  [[nodiscard]] std::string note(const std::string& what, int error) const;

  std::filesystem::path folder_;
  std::vector<std::string> machine_;
  std::string name_;
};

}  // namespace penstock::runtime
