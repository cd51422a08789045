#include "jobs/reader.hpp"

#include <algorithm>
#include <string_view>

#include "jobs/check.hpp"
#include "jobs/last_uses.hpp"

namespace penstock::jobs {

namespace {

/// The name of the run; it becomes part of a folder's name.
std::string read_name(const Document& document, const std::filesystem::path& path) {
  const toml::node* node = document.root.get("job");
  if (node == nullptr) return path.stem().string();
  const Table job(document.source, *node, "[job]");
  constexpr std::string_view keys[] = {"name", "plugins"};
  job.allow_only(keys);
  const auto name = job.text_if("name");
  if (!name) return path.stem().string();
  const bool plain = std::ranges::all_of(*name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
  if (name->empty() || name->size() > 100 || name->front() == '.' || !plain) {
    document.source.fail(job.position("name"),
                         "the name " + in_quotes(*name) +
                             " is not usable, letters, digits, '-', '_' and '.' are (at most 100, no '.' first)");
  }
  return *name;
}

void check_keys(const Document& document, bool is_main) {
  constexpr std::string_view keys[] = {"job", "include", "values", "defaults", "data", "task", "save", "group"};
  Table(document.source, document.root, "the job file").allow_only(keys);
  const toml::node* const job = document.root.get("job");
  if (is_main || job == nullptr) return;
  document.source.fail(position_of(*job), "[job] stands in an included file, it is for the file that is run");
}

}  // namespace

const toml::table* read_defaults(const Document& document, std::string_view name,
                                 std::span<const std::string_view> known) {
  const toml::node* const node = document.root.get("defaults");
  if (node == nullptr) return nullptr;
  const Table defaults(document.source, *node, "[defaults]");
  constexpr std::string_view tables[] = {"data", "task"};
  defaults.allow_only(tables);
  const toml::node* const table = defaults.find(name);
  if (table == nullptr) return nullptr;
  const Table entries(document.source, *table, "[defaults." + std::string(name) + "]");
  entries.allow_only(known);
  return &entries.nodes();
}

Plan read_plan(const JobText& text, Kernels kernels, std::span<const Override> overrides) {
  const Documents& documents = text.documents();
  Plan plan;
  plan.source = text.source();
  for (const auto& document : documents) check_keys(*document, document == documents.back());
  plan.name = read_name(*documents.back(), text.path());
  plan.values = read_values(documents, overrides);
  read_families(documents, kernels, plan);
  read_entries(documents, kernels, plan);
  if (plan.entries.empty()) plan.source.fail({}, "the job is empty, at least one [[task]] or [[save]] is needed");
  measure_loops(plan);
  mark_last_uses(plan);
  check_paths(plan);
  check_tasks(plan);
  check_order(plan);
  check_input_files(plan);
  return plan;
}

}  // namespace penstock::jobs
