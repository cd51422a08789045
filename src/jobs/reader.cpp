#include "jobs/reader.hpp"

#include <algorithm>
#include <string_view>

#include "jobs/check.hpp"
#include "jobs/document.hpp"

namespace penstock::jobs {

namespace {

/// The name of the run; it becomes part of a folder's name.
std::string read_name(const SourceFile& source, const toml::table& root, const std::filesystem::path& path) {
  const toml::node* node = root.get("job");
  if (node == nullptr) return path.stem().string();
  const Table job(source, *node, "[job]");
  constexpr std::string_view keys[] = {"name"};
  job.allow_only(keys);
  const auto name = job.text_if("name");
  if (!name) return path.stem().string();
  const bool plain = std::ranges::all_of(*name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
  if (name->empty() || name->size() > 100 || name->front() == '.' || !plain) {
    source.fail(job.position("name"),
                "the name " + in_quotes(*name) +
                    " is not usable, letters, digits, '-', '_' and '.' are (at most 100, no '.' first)");
  }
  return *name;
}

}  // namespace

Plan read_plan(const std::filesystem::path& path, Kernels kernels) {
  Plan plan;
  plan.source = SourceFile(path.string());
  const toml::table root = read_document(path, plan.source);
  constexpr std::string_view keys[] = {"job", "data", "task", "save"};
  Table(plan.source, root, "the job file").allow_only(keys);
  plan.name = read_name(plan.source, root, path);
  plan.families = read_families(plan.source, root, std::filesystem::absolute(path).parent_path(), kernels);
  plan.entries = read_entries(plan.source, root, plan.families, kernels);
  if (plan.entries.empty()) plan.source.fail({}, "the job is empty, at least one [[task]] or [[save]] is needed");
  mark_last_uses(plan);
  check_paths(plan);
  check_order(plan);
  check_input_files(plan);
  return plan;
}

}  // namespace penstock::jobs
