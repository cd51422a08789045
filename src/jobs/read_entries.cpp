#include <algorithm>
#include <utility>

#include "jobs/task_reader.hpp"

namespace penstock::jobs {

namespace {

constexpr std::size_t max_depth = 16;

struct EntryNode {
  toml::source_position at;
  const toml::node* node;
  std::string_view key;
};

void collect(const SourceFile& source, const toml::table& table, const std::string& prefix, std::string_view key,
             std::vector<EntryNode>& found) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return;
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    source.fail(position_of(*node), in_quotes(key) + " is " + std::string(kind_of(*node)) + ", tables [[" + prefix +
                                        std::string(key) + "]] are needed");
  }
  for (const toml::node& each : *list) found.push_back({each.source().begin, &each, key});
}

/// The tasks, saves and groups of the table, in the order of the file.
std::vector<EntryNode> members(const SourceFile& source, const toml::table& table, const std::string& prefix) {
  std::vector<EntryNode> nodes;
  for (const std::string_view key : {"task", "save", "group"}) collect(source, table, prefix, key, nodes);
  std::ranges::sort(nodes, [](const EntryNode& left, const EntryNode& right) { return left.at < right.at; });
  return nodes;
}

/// Reads the entries of one document. The groups inside each other are at most max_depth, so recursion ends.
class EntriesReader {
 public:
  explicit EntriesReader(const EntryContext& context) : context_(context), plan_(context.plan) {}

  void read_members(const toml::table& table, const std::string& prefix, std::uint32_t parent, const Scope& scope,
                    std::size_t depth) {
    const SourceFile& source = context_.document.source;
    const auto nodes = members(source, table, prefix);
    if (nodes.empty() && depth > 0) {
      source.fail(position_of(table), "the group is empty, a [[" + prefix + "task]] in it is needed");
    }
    if (depth == 0) {
      plan_.nodes.reserve(plan_.nodes.size() + nodes.size());
      plan_.entries.reserve(plan_.entries.size() + nodes.size());
    }
    for (const auto& [at, node, key] : nodes) {
      const auto number = static_cast<std::uint32_t>(plan_.nodes.size());
      plan_.nodes[parent].children.push_back(number);
      plan_.nodes.emplace_back().parent = parent;
      const std::string title = "[[" + prefix + std::string(key) + "]]";
      if (key == "group")
        read_group(*node, title, prefix, number, scope, depth + 1);
      else
        read_entry(*node, title, key == "task", number, scope);
    }
  }

 private:
  void read_group(const toml::node& node, const std::string& title, const std::string& prefix, std::uint32_t number,
                  Scope scope, std::size_t depth) {
    const SourceFile& source = context_.document.source;
    if (depth > max_depth) {
      source.fail(position_of(node), "more than 16 groups are inside each other, at most 16 are allowed");
    }
    const Table table(source, node, title);
    constexpr std::string_view keys[] = {"for", "if", "task", "save", "group"};
    table.allow_only(keys);
    plan_.nodes[number].loop = read_loop(table, scope);
    read_members(table.nodes(), prefix + "group.", number, scope, depth);
  }

  void read_entry(const toml::node& node, const std::string& title, bool is_task, std::uint32_t number, Scope scope) {
    const Table table(context_.document.source, node, title, is_task ? context_.task_defaults : nullptr);
    if (is_task)
      table.allow_only(task_keys);
    else
      table.allow_only(save_keys);
    Entry entry;
    entry.position = table.position();
    entry.node = number;
    Loop loop = read_loop(table, scope);
    if (is_task)
      read_task(context_, table, scope, entry);
    else
      read_save(context_, table, scope, loop, entry);
    entry.scope = std::move(scope);
    plan_.indices = std::max(plan_.indices, entry.scope->variables().size());
    plan_.nodes[number].loop = std::move(loop);
    plan_.nodes[number].entry = static_cast<std::uint32_t>(plan_.entries.size());
    plan_.entries.push_back(std::move(entry));
  }

  const EntryContext& context_;
  Plan& plan_;
};

/// The numbers of elements that the steps of saves have written, until they are added up: two on each level of a tree.
Family counts_family() {
  constexpr std::int64_t levels = 34;
  Family family;
  family.name = "(elements written)";
  family.axes.push_back({0, 2 * levels});
  family.whole = {DType::i64, Shape{1}};
  return family;
}

}  // namespace

Loop read_loop(const Table& table, Scope& scope) {
  Loop loop;
  for (const Table::Text& text : table.text_or_texts("for", "a range such as \"i in 0..64\"")) {
    table.source().at(text.position, [&] {
      if (loop.ranges.size() == Loop::max_ranges) throw Mistake("`for` has more than 8 ranges, at most 8 are allowed");
      loop.ranges.push_back(scope.add(text.value));
    });
  }
  if (const auto condition = table.text_if("if")) {
    table.source().at(table.position("if"), [&] { loop.condition = Condition::parse(*condition, scope); });
    scope.add_condition();
  }
  return loop;
}

void read_entries(const Documents& documents, Kernels kernels, Plan& plan) {
  plan.counts_family = static_cast<std::uint32_t>(plan.families.size());
  const References references(plan);
  plan.nodes.emplace_back();
  for (const auto& document : documents) {
    constexpr std::string_view keys[] = {"cores"};
    const EntryContext context{*document, references, kernels, plan, read_defaults(*document, "task", keys)};
    EntriesReader(context).read_members(document->root, "", 0, Scope(*plan.values), 0);
  }
  const bool has_counts = std::ranges::find(plan.entries, Entry::Kind::save_array, &Entry::kind) != plan.entries.end();
  if (has_counts) plan.families.push_back(counts_family());
}

}  // namespace penstock::jobs
