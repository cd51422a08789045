#include "jobs/job_text.hpp"

#include <utility>

#include "jobs/includes.hpp"
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

JobText::JobText(const std::filesystem::path& job)
    : path_(job), documents_(std::make_shared<const Documents>(read_documents(job))) {}

const SourceFile& JobText::source() const { return documents_->back()->source; }

std::vector<NamedPlugin> JobText::plugins() const {
  const Document& main = *documents_->back();
  const toml::node* const node = main.root.get("job");
  if (node == nullptr) return {};
  std::vector<NamedPlugin> plugins;
  for (const Table::Text& text : Table(main.source, *node, "[job]").texts("plugins")) {
    check_path(main.source, text);
    plugins.push_back({.path = main.folder / text.value, .position = text.position});  // an absolute one stays
  }
  return plugins;
}

std::string JobText::bytes() const {
  std::string bytes;
  for (const auto& document : *documents_) (bytes += document->text) += '\0';
  return bytes;
}

}  // namespace penstock::jobs
