#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "jobs/names.hpp"
#include "jobs/reader.hpp"

namespace penstock::jobs {

namespace {

constexpr std::string_view origins[] = {"file", "zeros", "ones", "iota", "uniform"};

/// Reads one [data.NAME].
class FamilyReader {
 public:
  FamilyReader(const SourceFile& source, const toml::node& node, const std::string& name,
               const std::filesystem::path& folder, Kernels kernels)
      : source_(source), table_(source, node, "[data." + name + "]"), folder_(folder), kernels_(kernels) {
    family_.name = name;
  }

  Family read() {
    constexpr std::string_view keys[] = {"for", "shape", "dtype", "origin", "file", "seed", "low", "high"};
    table_.allow_only(keys);
    family_.position = table_.position();
    family_.loop = table_.loop();
    if (family_.loop.steps() > Family::max_elements) {
      source_.fail(table_.position("for"), "the family has more than 2^31 elements, at most 2^31 are allowed");
    }
    family_.type = read_type();
    check_size();
    read_origin();
    return std::move(family_);
  }

 private:
  ArrayType read_type() {
    const auto extents = table_.integers("shape", "shape = [192, 160]");
    ArrayType type;
    source_.at(table_.position("shape"), [&] { type.shape = Shape(extents); });
    const std::string dtype = table_.text("dtype", "dtype = \"f32\"");
    std::vector<std::string_view> names;
    for (int i = 0; i < dtype_count; ++i) {
      type.dtype = static_cast<DType>(i);
      if (name_of(type.dtype) == dtype) return type;
      names.push_back(name_of(type.dtype));
    }
    source_.fail(table_.position("dtype"),
                 "unknown dtype " + in_quotes(dtype) + suggestion(dtype, names) + "; known: " + listed(names));
  }

  void check_size() const {
    std::int64_t bytes = 0;
    if (!__builtin_mul_overflow(family_.type.bytes(), family_.loop.steps(), &bytes)) return;
    source_.fail(table_.position("shape"), "the family has more than 2^63 bytes, smaller shapes or ranges are needed");
  }

  void read_origin() {
    const auto origin = table_.text_if("origin");
    if (origin && std::ranges::find(origins, *origin) == std::end(origins)) {
      source_.fail(table_.position("origin"), "unknown origin " + in_quotes(*origin) + suggestion(*origin, origins) +
                                                  "; known: " + listed(origins));
    }
    refuse_unused(origin.value_or(""), "file", "file");
    for (const std::string_view key : {"seed", "low", "high"}) refuse_unused(origin.value_or(""), "uniform", key);
    if (!origin) return;
    if (*origin == "file")
      read_file();
    else if (*origin == "uniform")
      read_uniform();
    else if (*origin == "iota")
      set_origin("iota", {});
    else
      set_origin("fill", {{"value", *origin == "ones" ? 1.0 : 0.0}});
  }

  void refuse_unused(std::string_view origin, std::string_view wanted, std::string_view key) const {
    if (origin == wanted || table_.find(key) == nullptr) return;
    source_.fail(table_.position(key), in_quotes(key) + " in " + table_.title() + " is used only with origin = \"" +
                                           std::string(wanted) + "\"");
  }

  void read_file() {
    const std::string file = table_.text("file", "file = \"data/a.npy\"");
    family_.path_position = table_.position("file");
    source_.at(family_.path_position, [&] { family_.path = PathTemplate::parse(file, family_.loop.variables()); });
    family_.folder = folder_.string();
    set_origin("load", {{"path", file}});  // stands for the paths of all elements
    family_.varying = parameter_index(*family_.origin, "path");
  }

  void read_uniform() {
    const toml::node& node = table_.need("seed", "seed = 1");
    if (!node.is_integer() && !node.is_string())
      table_.wrong_kind("seed", node, "an integer or an expression in a string");
    if (node.is_integer())
      family_.seed = Expression(node.as_integer()->get());
    else
      source_.at(position_of(node), [&] { parse_seed(node.as_string()->get()); });

    const double low = table_.real_if("low").value_or(0.0);
    const double high = table_.real_if("high").value_or(1.0);
    if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
      const std::string_view key = table_.find("low") != nullptr ? "low" : "high";
      source_.fail(table_.position(key), "low and high are no interval, finite numbers with low <= high are needed");
    }
    set_origin("uniform", {{"seed", std::int64_t{0}}, {"low", low}, {"high", high}});
    family_.varying = parameter_index(*family_.origin, "seed");
  }

  void parse_seed(std::string_view text) {
    family_.seed = Expression::parse(text, family_.loop.variables());
    static_cast<void>(family_.seed.extremes(family_.loop.variables()));
  }

  void set_origin(std::string_view kernel, const std::vector<NamedValue>& parameters) {
    source_.at(table_.position("origin"), [&] {
      family_.origin = &need_kernel(kernels_, kernel);
      family_.origin_parameters = complete_parameters(*family_.origin, parameters);
      const std::array<TaskAccess, 1> access{{{AccessMode::write, family_.type}}};
      const std::array<std::string_view, 1> name{family_.name};
      check_types(*family_.origin, access, name, family_.origin_parameters);
    });
  }

  const SourceFile& source_;
  Table table_;
  const std::filesystem::path& folder_;
  Kernels kernels_;
  Family family_;
};

}  // namespace

std::vector<Family> read_families(const SourceFile& source, const toml::table& root,
                                  const std::filesystem::path& folder, Kernels kernels) {
  const toml::node* node = root.get("data");
  if (node == nullptr) return {};
  const Table data(source, *node, "[data]");
  std::vector<std::pair<const toml::key*, const toml::node*>> members;
  for (const auto& [key, value] : data.nodes()) members.emplace_back(&key, &value);
  std::ranges::sort(members, {}, [](const auto& member) {
    return std::pair(member.first->source().begin.line, member.first->source().begin.column);
  });

  std::vector<Family> families;
  for (const auto& [key, value] : members) {
    const std::string name(key->str());
    if (!is_name(name)) {
      const toml::source_position at = key->source().begin;
      source.fail({at.line, at.column},
                  in_quotes(name) + " cannot name data, letters, digits and '_' can (no digit first)");
    }
    families.push_back(FamilyReader(source, *value, name, folder, kernels).read());
  }
  return families;
}

}  // namespace penstock::jobs
