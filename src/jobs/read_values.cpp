#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "jobs/names.hpp"
#include "jobs/reader.hpp"
#include "jobs/syntax.hpp"

namespace penstock::jobs {

namespace {

/// What a name stands for in the file: `node`, or the text that replaces it.
struct Definition {
  enum class State : std::uint8_t { untouched, open, done };  ///< open: it is being computed

  const toml::node* node = nullptr;
  const toml::node* original = nullptr;  ///< in the file
  std::string given;                     ///< the option that replaces it: `--set x=[1]`; empty: none
  State state = State::untouched;

  [[nodiscard]] Position position() const { return position_of(*original); }
};
using Named = std::pair<const std::string, Definition>;
using State = Definition::State;

std::optional<Parameter> item_of(const toml::node& node) {
  if (node.is_integer()) return node.as_integer()->get();
  if (node.is_floating_point()) return node.as_floating_point()->get();
  if (node.is_string()) return node.as_string()->get();
  return std::nullopt;
}

/// At the node, which is one of the definition, as far as it is in the file.
[[noreturn]] void fail(const SourceFile& source, const Definition& definition, const toml::node& node,
                       const std::string& fault) {
  if (definition.given.empty()) source.fail(position_of(node), fault);
  source.fail(definition.position(), in_quotes(definition.given) + ": " + fault);
}

void check_text(const SourceFile& source, const Definition& definition, const toml::node& node, std::string_view text) {
  if (!has_control(text)) return;
  fail(source, definition, node, "the text " + in_quotes(text) + " has control characters, printable ones are needed");
}

List read_list(const SourceFile& source, const Definition& definition) {
  const toml::array& array = *definition.node->as_array();
  List list;
  for (const toml::node& node : array) {
    const std::optional<Parameter> item = item_of(node);
    if (!item) {
      fail(source, definition, node,
           "a list holds " + std::string(kind_of(node)) + ", integers, real numbers or texts are needed");
    }
    if (const auto* const text = std::get_if<std::string>(&*item)) check_text(source, definition, node, *text);
    list.items.push_back(*item);
  }
  if (list.items.empty()) fail(source, definition, array, "the list is empty, at least one item is needed");
  const auto is_real = [](const Parameter& item) { return std::holds_alternative<double>(item); };
  if (std::ranges::any_of(list.items, is_real)) {
    for (Parameter& item : list.items) {
      if (const auto* const number = std::get_if<std::int64_t>(&item)) item = static_cast<double>(*number);
    }
  }
  for (std::size_t k = 1; k < list.items.size(); ++k) {
    if (list.items[k].index() == list.items[0].index()) continue;
    fail(source, definition, array[k], "the list mixes numbers and texts, items of one kind are needed");
  }
  list.type = static_cast<ParameterType>(list.items[0].index());
  return list;
}

class ValueReader {
 public:
  ValueReader(const Documents& documents, std::span<const Override> overrides)
      : main_(*documents.back()), overrides_(overrides) {
    for (const auto& document : documents) collect(*document);
  }

  std::unique_ptr<Values> run() {
    for (const Override& each : overrides_) replace(each);
    for (Named& each : definitions_) compute(each);
    return std::move(values_);
  }

 private:
  void collect(const Document& document) {
    const toml::node* const node = document.root.get("values");
    if (node == nullptr) return;
    const Table table(document.source, *node, "[values]");
    for (const auto& [key, value] : table.nodes()) {
      const std::string name(key.str());
      const Position at = position_of(key);
      if (!is_name(name) || is_reserved(name)) {
        main_.source.fail(at, in_quotes(name) +
                                  " cannot name a value, letters, digits and '_' can (no digit first; not " +
                                  "and, or, not, in, step, ceil, floor)");
      }
      const std::size_t before = definitions_.size();
      const auto found = definitions_.try_emplace(
          definitions_.end(), name, Definition{.node = &value, .original = &value, .given = {}});  // sorted
      if (definitions_.size() == before) {
        main_.source.fail(at, "the value " + in_quotes(name) + " is there already, see " +
                                  line_of(found->second.position(), at) + "; each needs a name of its own");
      }
    }
  }

  void replace(const Override& given) {
    const auto found = definitions_.find(given.name);
    if (found == definitions_.end()) {
      const auto known = names();
      main_.source.fail({}, "--set names the value " + in_quotes(given.name) + ", which [values] has not" +
                                suggestion(given.name, known) + (known.empty() ? "" : "; known: " + listed(known)));
    }
    const std::string what = "--set " + given.name + '=' + given.text;
    Definition& definition = found->second;
    definition.given = what;
    const toml::node& before = *definition.node;
    if (before.is_table()) {  // a text: as it is given, whatever it looks like
      definition.node = texts_.emplace_back(toml::table{{"value", toml::table{{"text", given.text}}}}).get("value");
      return;
    }
    // A TOML value, or else an expression without its quotes.
    const auto& parsed = texts_.emplace_back(parsed_value(given.text));
    const toml::node* const node = parsed.get("value");
    definition.node = node;
    if (node == nullptr) {
      definition.node = texts_.emplace_back(toml::table{{"value", given.text}}).get("value");
    }
    const bool fits = before.type() == definition.node->type() ||
                      (before.is_string() && definition.node->is_integer()) ||
                      (before.is_integer() && definition.node->is_string()) ||
                      (before.is_floating_point() && definition.node->is_integer());
    if (!fits) {
      main_.source.fail(definition.position(), in_quotes(what) + " gives " + std::string(kind_of(*definition.node)) +
                                                   ", " + std::string(kind_of(before)) + " is needed");
    }
    if (before.is_floating_point() && node != nullptr && node->is_integer()) {
      definition.node = texts_.emplace_back(toml::table{{"value", node->value<double>().value()}}).get("value");
    }
  }

  static toml::table parsed_value(const std::string& text) {
    if (text.find_first_of("\n\r") != std::string::npos || text.size() > max_override) return {};
    try {
      return toml::parse("value = " + text);
    } catch (const toml::parse_error&) {
      return {};
    }
  }

  struct Computed {
    Named* named;
    std::vector<Named*> needed;  ///< those in it, the next one last
  };
  using Open = std::vector<Computed>;

  /// Without recursion: a chain of values may be long.
  void compute(Named& first) {
    Open open;
    begin(first, open);
    while (!open.empty()) {
      auto& needed = open.back().needed;
      if (needed.empty()) {
        auto& [name, definition] = *open.back().named;
        values_->emplace(name, value_of(definition));
        definition.state = State::done;
        open.pop_back();
        continue;
      }
      Named& next = *needed.back();
      needed.pop_back();
      if (next.second.state == State::open) fail_cycle(open, next.first);
      begin(next, open);
    }
  }

  void begin(Named& named, Open& open) {
    if (named.second.state == State::done) return;
    named.second.state = State::open;
    open.push_back({&named, needed_by(named.second)});
  }

  /// The names in an expression that are not yet computed, the first one last.
  std::vector<Named*> needed_by(const Definition& definition) {
    if (!definition.node->is_string()) return {};
    const std::string& text = definition.node->as_string()->get();
    const auto operations = main_.source.at(definition.position(), [&] { return parse_sum(text); });
    std::vector<Named*> needed;
    for (const Operation& each : operations) {
      if (each.kind != Operation::Kind::name) continue;
      const auto found = definitions_.find(each.name);
      if (found == definitions_.end()) fail_unknown(definition, each.name);
      if (found->second.state != State::done) needed.push_back(&*found);
    }
    std::ranges::reverse(needed);
    return needed;
  }

  [[nodiscard]] std::vector<std::string_view> names() const {
    std::vector<std::string_view> known;
    for (const auto& each : definitions_) known.emplace_back(each.first);
    return known;
  }

  [[noreturn]] void fail_unknown(const Definition& definition, std::string_view name) const {
    const auto known = names();
    main_.source.fail(definition.position(),
                      "unknown value " + in_quotes(name) + suggestion(name, known) + "; known: " + listed(known));
  }

  [[noreturn]] void fail_cycle(const Open& open, const std::string& again) const {
    std::string chain;
    for (const Computed& each : open) {
      if (chain.empty() && each.named->first != again) continue;
      chain += each.named->first + " -> ";
      if (chain.size() > max_chain) {
        chain += "... -> ";
        break;
      }
    }
    main_.source.fail(definitions_.find(again)->second.position(),
                      "the value " + in_quotes(again) + " depends on itself: " + chain + again);
  }

  Value value_of(const Definition& definition) const {
    const toml::node& node = *definition.node;
    if (node.is_boolean()) return node.as_boolean()->get();
    if (node.is_integer()) return node.as_integer()->get();
    if (node.is_floating_point()) return node.as_floating_point()->get();
    if (node.is_array()) return read_list(main_.source, definition);
    if (node.is_table()) return read_text(definition);
    if (!node.is_string()) {
      main_.source.fail(definition.position(), "a value is " + std::string(kind_of(node)) +
                                                   ", a number, a boolean, an expression, a list or a text is needed");
    }
    return main_.source.at(definition.position(),
                           [&] { return Expression::parse(node.as_string()->get(), Scope(*values_)).constant(); });
  }

  /// { text = "left" }, since a string alone is an expression.
  [[nodiscard]] std::string read_text(const Definition& definition) const {
    const Table table(main_.source, *definition.node, "the value");
    constexpr std::string_view keys[] = {"text"};
    table.allow_only(keys);
    std::string text = table.text("text", "{ text = \"left\" }");
    check_text(main_.source, definition, *definition.original, text);
    return text;
  }

  static constexpr std::size_t max_override = 4096;
  static constexpr std::size_t max_chain = 200;

  const Document& main_;
  std::span<const Override> overrides_;
  std::map<std::string, Definition, std::less<>> definitions_;
  std::deque<toml::table> texts_;  // of the overrides
  std::unique_ptr<Values> values_ = std::make_unique<Values>();
};

}  // namespace

std::unique_ptr<const Values> read_values(const Documents& documents, std::span<const Override> overrides) {
  return ValueReader(documents, overrides).run();
}

}  // namespace penstock::jobs
