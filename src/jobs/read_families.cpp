#include <algorithm>
#include <unordered_map>
#include <utility>

#include "jobs/names.hpp"
#include "jobs/reader.hpp"

namespace penstock::jobs {

namespace {

/// The families of all documents, each with a name of its own.
class FamiliesReader {
 public:
  FamiliesReader(Kernels kernels, Plan& plan) : kernels_(kernels), plan_(plan) {}

  void read(const Document& document) {
    constexpr std::string_view keys[] = {"shape", "tile", "dtype", "origin",   "seed",
                                         "low",   "high", "mean",  "deviation"};
    const toml::table* const defaults = read_defaults(document, "data", keys);
    const toml::node* const node = document.root.get("data");
    if (node == nullptr) return;
    const Table data(document.source, *node, "[data]");
    plan_.families.reserve(plan_.families.size() + data.nodes().size());
    for (const auto& [at, key, value] : in_order(data.nodes())) {
      const std::string name(key->str());
      check_name(document.source, name, position_of(*key));
      plan_.families.push_back(read_family(document, *value, name, defaults, *plan_.values, kernels_));
    }
  }

 private:
  struct Member {
    toml::source_position at;
    const toml::key* key;
    const toml::node* node;
  };

  static std::vector<Member> in_order(const toml::table& table) {
    std::vector<Member> members;
    for (const auto& [key, value] : table) members.push_back({key.source().begin, &key, &value});
    std::ranges::sort(members, [](const Member& left, const Member& right) { return left.at < right.at; });
    return members;
  }

  void check_name(const SourceFile& source, const std::string& name, const Position& at) {
    if (!is_name(name)) {
      source.fail(at, in_quotes(name) + " cannot name data, letters, digits and '_' can (no digit first)");
    }
    const auto [found, is_new] = places_.try_emplace(name, at);
    if (is_new) return;
    source.fail(at, "the data " + in_quotes(name) + " are there already, see " + line_of(found->second, at) +
                        "; each needs a name of its own");
  }

  Kernels kernels_;
  Plan& plan_;
  std::unordered_map<std::string, Position> places_;  // only looked up
};

}  // namespace

void read_families(const Documents& documents, Kernels kernels, Plan& plan) {
  FamiliesReader reader(kernels, plan);
  for (const auto& document : documents) reader.read(*document);
}

}  // namespace penstock::jobs
