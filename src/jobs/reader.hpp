/// From the text of a job file to a Plan in which everything fits: the parts of the reader. Called by Job::load(). All
/// throw Error (bad_job) for the first mistake found.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "jobs/includes.hpp"
#include "jobs/job_text.hpp"
#include "jobs/kernel_table.hpp"
#include "jobs/plan.hpp"
#include "jobs/table.hpp"

namespace penstock::jobs {

/// Reads the headers of the input files too.
[[nodiscard]] Plan read_plan(const JobText& text, Kernels kernels, std::span<const Override> overrides);

/// The tables [values] of all documents, with what replaces some of them.
[[nodiscard]] std::unique_ptr<const Values> read_values(const Documents& documents,
                                                        std::span<const Override> overrides);

/// The tables [data], in the order of the documents.
void read_families(const Documents& documents, Kernels kernels, Plan& plan);

/// One [data.NAME]. `defaults`: for the keys that it lacks; may be null.
[[nodiscard]] Family read_family(const Document& document, const toml::node& node, const std::string& name,
                                 const toml::table* defaults, const Values& values, Kernels kernels);

/// The tables [[task]], [[save]] and [[group]], in the order of the documents.
void read_entries(const Documents& documents, Kernels kernels, Plan& plan);

/// The table [defaults.NAME] of a document, or null. `known`: its keys.
[[nodiscard]] const toml::table* read_defaults(const Document& document, std::string_view name,
                                               std::span<const std::string_view> known);

/// The ranges of the key `for` and the condition of the key `if`, which are added to the scope.
[[nodiscard]] Loop read_loop(const Table& table, Scope& scope);

/// One parameter of a kernel as a key of a table gives it. `folder`: what a path is relative to; empty: nothing.
struct GivenParameter {
  std::size_t parameter = 0;
  std::optional<Parameter> constant;  ///< absent: it follows the indices, as `varying` says
  VaryingParameter varying;
  Position position;
};
[[nodiscard]] GivenParameter read_parameter(const SourceFile& source, const KernelDescription& kernel,
                                            std::string_view name, const toml::node& node, const Scope& scope,
                                            const std::string& folder);
/// Completes what is given by the kernel's defaults. Throws Mistake for a parameter that is missing.
[[nodiscard]] ParameterValues complete_parameters(const KernelDescription& kernel, std::vector<GivenParameter> given);
/// The places of what is given, by parameter.
[[nodiscard]] std::vector<std::optional<Position>> positions_of(const KernelDescription& kernel,
                                                                std::span<const GivenParameter> given);

/// The families by name, and what a text such as "A[i, j + 1]" refers to.
class References {
 public:
  explicit References(const Plan& plan);

  /// Throws Mistake. `text` is as it stands in the file.
  [[nodiscard]] EntryAccess read(std::string_view text, AccessMode mode, const Scope& scope) const;
  /// The family that it names. Throws Mistake.
  [[nodiscard]] std::uint32_t family(std::string_view text) const;
  /// Whether the text names a tiled family without the subscripts of a tile. Throws Mistake.
  [[nodiscard]] bool is_whole(std::string_view text) const;
  /// All tiles of it: `text` and two, or one, more variables, the last ones of the scope.
  [[nodiscard]] EntryAccess read_whole(std::string_view text, const Scope& scope) const;

 private:
  [[nodiscard]] std::uint32_t need(std::string_view name) const;

  const Plan& plan_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // only looked up
};

}  // namespace penstock::jobs
