#include "jobs/table.hpp"

#include <algorithm>
#include <utility>

namespace penstock::jobs {

namespace {

const toml::table& as_table(const SourceFile& source, const toml::node& node, const std::string& title) {
  if (const toml::table* table = node.as_table()) return *table;
  source.fail(position_of(node), title + " is " + std::string(kind_of(node)) + ", a table is needed");
}

}  // namespace

Position position_of(const toml::node& node) {
  const toml::source_region& region = node.source();
  return {region.begin.line, region.begin.column, region.path};
}

Position position_of(const toml::key& key) {
  const toml::source_region& region = key.source();
  return {region.begin.line, region.begin.column, region.path};
}

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a real number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

Table::Table(const SourceFile& source, const toml::node& node, std::string title, const toml::table* defaults)
    : source_(source), table_(as_table(source, node, title)), title_(std::move(title)), defaults_(defaults) {}

void Table::allow_only(std::span<const std::string_view> known) const {
  const toml::key* unknown = nullptr;  // the first in the file; the tree has them sorted by name
  for (const auto& [key, node] : table_) {
    if (std::ranges::find(known, key.str()) != known.end()) continue;
    if (unknown == nullptr || key.source().begin < unknown->source().begin) unknown = &key;
  }
  if (unknown == nullptr) return;
  source_.fail(position_of(*unknown), "unknown key " + in_quotes(unknown->str()) + " in " + title_ +
                                          suggestion(unknown->str(), known) + "; known: " + listed(known));
}

const toml::node& Table::need(std::string_view key, std::string_view example) const {
  if (const toml::node* node = find(key)) return *node;
  source_.fail(position(), title_ + " lacks the key " + in_quotes(key) + ", write " + std::string(example));
}

void Table::wrong_kind(std::string_view key, const toml::node& node, std::string_view wanted) const {
  source_.fail(position_of(node), in_quotes(key) + " in " + title_ + " is " + std::string(kind_of(node)) + ", " +
                                      std::string(wanted) + " is needed");
}

std::string Table::text(std::string_view key, std::string_view example) const {
  static_cast<void>(need(key, example));
  return *text_if(key);
}

std::optional<std::string> Table::text_if(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_string()) wrong_kind(key, *node, "a string");
  return node->as_string()->get();
}

std::optional<double> Table::real_if(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_number()) wrong_kind(key, *node, "a number");
  return node->value<double>();
}

std::optional<std::int64_t> Table::integer_if(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_integer()) wrong_kind(key, *node, "an integer");
  return node->as_integer()->get();
}

std::vector<Table::Text> Table::texts(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  const toml::array* list = node->as_array();
  if (list == nullptr) wrong_kind(key, *node, "a list of strings");
  std::vector<Text> result;
  for (const toml::node& each : *list) {
    if (!each.is_string()) wrong_kind(key, each, "a list of strings");
    result.push_back({each.as_string()->get(), position_of(each)});
  }
  return result;
}

std::vector<Table::Text> Table::text_or_texts(std::string_view key, std::string_view example) const {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (node->is_string()) return {{node->as_string()->get(), position_of(*node)}};
  if (!node->is_array() || node->as_array()->empty()) {
    wrong_kind(key, *node, std::string(example) + " or a list of them");
  }
  return texts(key);
}

Position Table::position(std::string_view key) const {
  const toml::node* node = find(key);
  return node != nullptr ? position_of(*node) : position();
}

}  // namespace penstock::jobs
