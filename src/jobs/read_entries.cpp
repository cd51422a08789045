#include <algorithm>
#include <unordered_map>
#include <utility>

#include "jobs/names.hpp"
#include "jobs/reader.hpp"

namespace penstock::jobs {

namespace {

/// "A[i, j]" taken apart: the name and the subscripts.
struct Reference {
  std::string_view name;
  std::vector<std::string_view> subscripts;
};

Reference parse_reference(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const std::size_t bracket = trimmed.find('[');
  Reference reference{trim(trimmed.substr(0, bracket)), {}};
  if (!is_name(reference.name) || (bracket != std::string_view::npos && !trimmed.ends_with(']'))) {
    throw Mistake(in_quotes(text) + " is no reference to data, \"B\" or \"A[i]\" would be");
  }
  if (bracket == std::string_view::npos) return reference;
  std::string_view inside = trimmed.substr(bracket + 1, trimmed.size() - bracket - 2);
  while (true) {
    const std::size_t comma = inside.find(',');
    reference.subscripts.push_back(inside.substr(0, comma));
    if (comma == std::string_view::npos) return reference;
    inside.remove_prefix(comma + 1);
  }
}

/// The number of the element within its family, as an expression of the entry's indices.
Expression element_of(const Family& family, const Reference& reference, std::span<const Variable> indices) {
  const auto ranges = family.loop.variables();
  if (reference.subscripts.size() != ranges.size()) {
    throw Mistake("data " + family.name + " has " + std::to_string(ranges.size()) +
                  (ranges.size() == 1 ? " range" : " ranges") + ", so " + std::to_string(ranges.size()) +
                  " subscripts are needed, not " + std::to_string(reference.subscripts.size()));
  }
  Expression element;
  std::int64_t stride = 1;
  for (std::size_t k = ranges.size(); k-- > 0;) {
    const Expression subscript = Expression::parse(reference.subscripts[k], indices);
    const auto [least, greatest] = subscript.extremes(indices);
    if (least < ranges[k].begin || greatest >= ranges[k].end) {
      const std::int64_t outside = least < ranges[k].begin ? least : greatest;
      throw Mistake("the subscript " + in_quotes(trim(reference.subscripts[k])) + " becomes " +
                    std::to_string(outside) + ", " + family.name + " has " + std::to_string(ranges[k].begin) + ".." +
                    std::to_string(ranges[k].end));
    }
    element.add_scaled(subscript, stride);
    element.add_scaled(Expression(ranges[k].begin), -stride);
    stride *= ranges[k].count();
  }
  return element;
}

/// The families by name.
class FamilyNames {
 public:
  explicit FamilyNames(std::span<const Family> families) {
    for (const Family& family : families) numbers_.emplace(family.name, static_cast<std::uint32_t>(numbers_.size()));
    for (const Family& family : families) names_.emplace_back(family.name);
  }

  /// Throws Mistake, with the most similar name, when there is none of that name.
  [[nodiscard]] std::uint32_t need(std::string_view name) const {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    constexpr std::size_t few = 10;
    throw Mistake("unknown data " + in_quotes(name) + suggestion(name, names_) +
                  (names_.empty() || names_.size() > few ? ", a table [data." + std::string(name) + "] is needed"
                                                         : "; known: " + listed(names_)));
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // only looked up
  std::vector<std::string_view> names_;                          // in the order of the file
};

/// Reads one [[task]] or [[save]].
class EntryReader {
 public:
  EntryReader(const SourceFile& source, const toml::node& node, std::string title, std::span<const Family> families,
              const FamilyNames& names, Kernels kernels)
      : source_(source),
        table_(source, node, std::move(title)),
        families_(families),
        names_(names),
        kernels_(kernels) {}

  Entry read_task() {
    constexpr std::string_view keys[] = {"for", "kernel", "read", "write", "read_write", "parameters", "cores"};
    table_.allow_only(keys);
    begin(Entry::Kind::task);
    const std::string kernel = table_.text("kernel", "kernel = \"gemm\"");
    source_.at(table_.position("kernel"), [&] { entry_.kernel = &need_kernel(kernels_, kernel); });
    read_accesses();
    check_aliases();
    read_parameters();
    read_cores();
    check_fit();
    return std::move(entry_);
  }

  Entry read_save() {
    constexpr std::string_view keys[] = {"for", "data", "file"};
    table_.allow_only(keys);
    begin(Entry::Kind::save);
    source_.at(entry_.position, [&] { entry_.kernel = &need_kernel(kernels_, "save"); });
    const std::string data = table_.text("data", "data = \"C[i]\"");
    entry_.accesses.push_back(read_access({data, table_.position("data")}, AccessMode::read));
    const std::string file = table_.text("file", "file = \"c_{i}.npy\"");
    entry_.path_position = table_.position("file");
    source_.at(entry_.path_position, [&] {
      entry_.path = PathTemplate::parse(file, entry_.loop.variables());
      entry_.path.check_inside(entry_.loop.variables());
    });
    return std::move(entry_);
  }

 private:
  void begin(Entry::Kind kind) {
    entry_.kind = kind;
    entry_.position = table_.position();
    entry_.loop = table_.loop();
  }

  EntryAccess read_access(const Table::Text& text, AccessMode mode) {
    EntryAccess access{.family = 0, .mode = mode, .element = {}, .position = text.position};
    source_.at(text.position, [&] {
      const Reference reference = parse_reference(text.value);
      access.family = names_.need(reference.name);
      access.element = element_of(families_[access.family], reference, entry_.loop.variables());
    });
    return access;
  }

  /// Deals the three lists out to the kernel's accesses, in its order. A write that may be read-write takes from
  /// `read_write` while that list has more than the kernel's own read-write accesses need.
  void read_accesses() {
    const auto reads = table_.texts("read");
    const auto writes = table_.texts("write");
    const auto both = table_.texts("read_write");
    const auto modes = access_modes(reads.size(), writes.size(), both.size());
    std::size_t next[3] = {0, 0, 0};
    for (const AccessMode mode : modes) {
      const auto& list = mode == AccessMode::read ? reads : mode == AccessMode::write ? writes : both;
      entry_.accesses.push_back(read_access(list[next[static_cast<std::size_t>(mode)]++], mode));
    }
  }

  std::vector<AccessMode> access_modes(std::size_t reads, std::size_t writes, std::size_t both) const {
    std::size_t needs[3] = {0, 0, 0};
    std::size_t flexible = 0;
    for (const AccessDescription& each : entry_.kernel->accesses) {
      ++needs[static_cast<std::size_t>(each.mode)];
      flexible += each.mode == AccessMode::write && each.allows_read_write ? 1 : 0;
    }
    check_count("read", reads, needs[0], needs[0]);
    check_count("read_write", both, needs[2], needs[2] + flexible);
    std::size_t spare = both - needs[2];
    check_count("write", writes, needs[1] - spare, needs[1] - spare);

    std::vector<AccessMode> modes;
    for (const AccessDescription& each : entry_.kernel->accesses) {
      const bool becomes_both = each.mode == AccessMode::write && each.allows_read_write && spare > 0;
      if (becomes_both) --spare;
      modes.push_back(becomes_both ? AccessMode::read_write : each.mode);
    }
    return modes;
  }

  void check_count(std::string_view key, std::size_t given, std::size_t least, std::size_t most) const {
    if (given >= least && given <= most) return;
    std::string names;
    for (const AccessDescription& each : entry_.kernel->accesses) {
      constexpr std::string_view words[] = {"read ", "write ", "read_write "};
      names += (names.empty() ? "" : ", ") + std::string(words[static_cast<std::size_t>(each.mode)]) + each.name;
    }
    const std::string wanted = std::to_string(least) + (most > least ? " to " + std::to_string(most) : "");
    source_.fail(table_.position(key), in_quotes(key) + " has " + std::to_string(given) + " data, " + wanted +
                                           " are needed: kernel " + entry_.kernel->name + " takes " +
                                           (names.empty() ? "no data" : names));
  }

  /// One datum twice in one task has no meaning when the task writes it.
  void check_aliases() {
    const auto& accesses = entry_.accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (accesses[i].family != accesses[j].family) continue;
        if (accesses[i].mode == AccessMode::read && accesses[j].mode == AccessMode::read) continue;
        entry_.may_alias = true;
        if (accesses[i].element != accesses[j].element) continue;
        source_.fail(accesses[i].position,
                     "the task accesses this datum twice and writes it, read_write or another datum is needed");
      }
    }
  }

  void read_parameters() {
    std::vector<NamedValue> given;
    const toml::node* node = table_.find("parameters");
    if (node != nullptr) {
      const Table parameters(source_, *node, "'parameters'");
      for (const auto& [key, value] : parameters.nodes()) {
        const toml::source_position at = key.source().begin;
        NamedValue named{std::string(key.str()), read_value(key.str(), value)};
        const std::size_t index =
            source_.at(Position{at.line, at.column}, [&] { return parameter_index(*entry_.kernel, named.name); });
        named.value =
            source_.at(position_of(value), [&] { return converted_parameter(*entry_.kernel, index, named.value); });
        given.push_back(std::move(named));
      }
    }
    source_.at(table_.position("parameters"), [&] { entry_.parameters = complete_parameters(*entry_.kernel, given); });
  }

  Parameter read_value(std::string_view name, const toml::node& node) const {
    if (node.is_boolean()) return node.as_boolean()->get();
    if (node.is_integer()) return node.as_integer()->get();
    if (node.is_floating_point()) return node.as_floating_point()->get();
    if (node.is_string()) return node.as_string()->get();
    source_.fail(position_of(node), "parameter " + in_quotes(name) + " is " + std::string(kind_of(node)) +
                                        ", a boolean, a number or a string is needed");
  }

  void read_cores() {
    constexpr std::int64_t most = 1024;
    const std::int64_t cores = table_.integer_if("cores").value_or(1);
    if (cores < 1 || cores > most)
      source_.fail(table_.position("cores"), "'cores' is " + std::to_string(cores) + ", 1 to 1024 are allowed");
    entry_.cores = static_cast<int>(cores);
  }

  void check_fit() const {
    std::vector<TaskAccess> accesses;
    std::vector<std::string_view> names;
    for (const EntryAccess& access : entry_.accesses) {
      accesses.push_back({access.mode, families_[access.family].type});
      names.push_back(families_[access.family].name);
    }
    source_.at(table_.position("kernel"), [&] { check_types(*entry_.kernel, accesses, names, entry_.parameters); });
  }

  const SourceFile& source_;
  Table table_;
  std::span<const Family> families_;
  const FamilyNames& names_;
  Kernels kernels_;
  Entry entry_;
};

struct EntryNode {
  const toml::node* node;
  Entry::Kind kind;
};

void collect(const SourceFile& source, const toml::table& root, std::string_view key, Entry::Kind kind,
             std::vector<EntryNode>& found) {
  const toml::node* node = root.get(key);
  if (node == nullptr) return;
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    source.fail(position_of(*node), in_quotes(key) + " is " + std::string(kind_of(*node)) + ", tables [[" +
                                        std::string(key) + "]] are needed");
  }
  for (const toml::node& each : *list) found.push_back({&each, kind});
}

}  // namespace

std::vector<Entry> read_entries(const SourceFile& source, const toml::table& root, std::span<const Family> families,
                                Kernels kernels) {
  std::vector<EntryNode> nodes;
  collect(source, root, "task", Entry::Kind::task, nodes);
  collect(source, root, "save", Entry::Kind::save, nodes);
  std::ranges::stable_sort(nodes, {}, [](const EntryNode& each) {
    const Position at = position_of(*each.node);
    return std::pair(at.line, at.column);
  });
  const FamilyNames names(families);
  std::vector<Entry> entries;
  for (const auto& [node, kind] : nodes) {
    const bool is_task = kind == Entry::Kind::task;
    EntryReader reader(source, *node, is_task ? "[[task]]" : "[[save]]", families, names, kernels);
    entries.push_back(is_task ? reader.read_task() : reader.read_save());
  }
  return entries;
}

}  // namespace penstock::jobs
