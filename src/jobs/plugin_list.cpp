#include "jobs/plugin_list.hpp"

#include <string>

#include "jobs/document.hpp"
#include "jobs/names.hpp"
#include "jobs/table.hpp"

namespace penstock::jobs {

namespace {

void check_path(const SourceFile& source, const Table::Text& text) {
  if (text.value.empty()) source.fail(text.position, "the path of a plugin is empty, the name of a file is needed");
  if (has_control(text.value)) {
    source.fail(text.position,
                "the path " + in_quotes(text.value) + " has control characters, printable ones are needed");
  }
}

}  // namespace

PluginList read_plugin_list(const std::filesystem::path& job) {
  PluginList list{.source = SourceFile(job.string()), .plugins = {}};
  const toml::table root = read_document(job, list.source);
  const toml::node* node = root.get("job");
  if (node == nullptr) return list;
  const std::filesystem::path folder = std::filesystem::absolute(job).parent_path();
  for (const Table::Text& text : Table(list.source, *node, "[job]").texts("plugins")) {
    check_path(list.source, text);
    list.plugins.push_back({.path = folder / text.value, .position = text.position});  // an absolute one stays
  }
  return list;
}

}  // namespace penstock::jobs
