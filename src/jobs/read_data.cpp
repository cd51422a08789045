#include <algorithm>
#include <array>
#include <utility>

#include "jobs/fit.hpp"
#include "jobs/integers.hpp"
#include "jobs/reader.hpp"

namespace penstock::jobs {

namespace {

constexpr std::string_view origins[] = {"file", "zeros", "ones", "iota", "uniform", "normal"};

/// A key that only tables of some origins may have, and the kernel parameter of the same name.
struct OriginKey {
  std::string_view key;
  std::string_view origins;
};
constexpr OriginKey origin_keys[] = {{"file", "file"},   {"seed", "uniform or normal"},
                                     {"low", "uniform"}, {"high", "uniform"},
                                     {"mean", "normal"}, {"deviation", "normal"}};

/// Reads one [data.NAME].
class FamilyReader {
 public:
  FamilyReader(const Document& document, const toml::node& node, const std::string& name, const toml::table* defaults,
               const Values& values, Kernels kernels)
      : source_(document.source),
        table_(source_, node, "[data." + name + "]", defaults),
        folder_(document.folder.string()),
        values_(values),
        scope_(values),
        kernels_(kernels) {
    family_.name = name;
  }

  Family read() {
    constexpr std::string_view keys[] = {"for",  "shape", "tile", "dtype", "origin",   "file",
                                         "seed", "low",   "high", "mean",  "deviation"};
    table_.allow_only(keys);
    family_.position = table_.position();
    read_axes();
    read_type();
    read_tiles();
    check_size();
    read_origin();
    return std::move(family_);
  }

 private:
  void read_axes() {
    const auto texts = table_.text_or_texts("for", "a range such as \"i in 0..64\"");
    for (const Table::Text& text : texts) {
      source_.at(text.position, [&] {
        if (family_.axes.size() == Loop::max_ranges)
          throw Mistake("`for` has more than 8 ranges, at most 8 are allowed");
        const Range range = scope_.add(text.value);
        if (range.list != nullptr || range.step != 1 || !range.begin.is_constant() || !range.end.is_constant()) {
          throw Mistake("the range " + in_quotes(text.value) +
                        " is not one from a constant to a constant, as data need");
        }
        const std::int64_t count = checked_difference(range.end.constant(), range.begin.constant());
        family_.axes.push_back({range.begin.constant(), std::max<std::int64_t>(count, 0)});
      });
    }
    check_count();
  }

  /// A range without a step counts like one of one step: the product of the others must be in range too.
  void check_count() const {
    std::int64_t count = 1;
    for (const Family::Axis& axis : family_.axes) count = capped_product(count, std::max<std::int64_t>(axis.count, 1));
    if (count <= Family::max_elements) return;
    source_.fail(table_.position(family_.is_tiled() ? "tile" : "for"),
                 "the family has more than 2^31 elements, at most 2^31 are allowed");
  }

  void read_type() {
    const auto extents = integers("shape", table_.need("shape", "shape = [192, 160]"));
    source_.at(table_.position("shape"), [&] { family_.whole.shape = Shape(extents); });
    const std::string dtype = table_.text("dtype", "dtype = \"f32\"");
    std::vector<std::string_view> names;
    for (int i = 0; i < dtype_count; ++i) {
      family_.whole.dtype = static_cast<DType>(i);
      if (name_of(family_.whole.dtype) == dtype) return;
      names.push_back(name_of(family_.whole.dtype));
    }
    source_.fail(table_.position("dtype"),
                 "unknown dtype " + in_quotes(dtype) + suggestion(dtype, names) + "; known: " + listed(names));
  }

  /// A list of integers or expressions of values.
  std::vector<std::int64_t> integers(std::string_view key, const toml::node& node) const {
    const toml::array* const list = node.as_array();
    if (list == nullptr) table_.wrong_kind(key, node, "a list of integers");
    std::vector<std::int64_t> result;
    const Scope constants(values_);
    for (const toml::node& each : *list) {
      if (each.is_integer()) {
        result.push_back(each.as_integer()->get());
      } else if (each.is_string()) {
        source_.at(position_of(each),
                   [&] { result.push_back(Expression::parse(each.as_string()->get(), constants).constant()); });
      } else {
        table_.wrong_kind(key, each, "a list of integers");
      }
    }
    return result;
  }

  void read_tiles() {
    const toml::node* const node = table_.find("tile");
    if (node == nullptr) return;
    const auto tile = integers("tile", *node);
    if (tile.empty()) return;  // says that the default does not hold here
    const Shape& shape = family_.whole.shape;
    const Position place = table_.position("tile");
    if (shape.dimensions() > 2 || tile.size() != shape.dimensions()) {
      source_.fail(place, "'tile' has " + std::to_string(tile.size()) + " extents and the shape " +
                              std::to_string(shape.dimensions()) + ", the same are needed: 1 or 2");
    }
    for (std::size_t axis = 0; axis < tile.size(); ++axis) {
      if (tile[axis] < 1 || shape[axis] < 1) {
        source_.fail(place, "a tile of " + std::to_string(tile[axis]) + " of " + std::to_string(shape[axis]) +
                                " is empty, both must be positive");
      }
      family_.tile[axis] = std::min(tile[axis], shape[axis]);
      const std::int64_t count = (shape[axis] - 1) / tile[axis] + 1;
      family_.tile_axes = axis + 1;
      family_.axes.push_back({0, count});
      check_count();
      scope_.add_unnamed(count);
    }
  }

  void check_size() const {
    std::int64_t arrays = 1;
    for (std::size_t k = 0; k < family_.axes.size() - family_.tile_axes; ++k) arrays *= family_.axes[k].count;
    std::int64_t bytes = 0;
    if (!__builtin_mul_overflow(family_.whole.bytes(), arrays, &bytes)) return;
    source_.fail(table_.position("shape"), "the family has more than 2^63 bytes, smaller shapes or ranges are needed");
  }

  void read_origin() {
    const auto origin = table_.text_if("origin");
    if (origin && std::ranges::find(origins, *origin) == std::end(origins)) {
      source_.fail(table_.position("origin"), "unknown origin " + in_quotes(*origin) + suggestion(*origin, origins) +
                                                  "; known: " + listed(origins));
    }
    for (const OriginKey& each : origin_keys) refuse_unused(origin.value_or(""), each);
    if (!origin) return;
    const bool is_fill = *origin == "zeros" || *origin == "ones";
    const std::string_view kernel = *origin == "file" ? "load" : is_fill ? "fill" : std::string_view(*origin);
    source_.at(table_.position("origin"), [&] { family_.origin = &need_kernel(kernels_, kernel); });
    if (*origin == "file") {
      read_file();
    } else {
      give_keys(*origin);
      if (is_fill) give_constant("value", *origin == "ones" ? 1.0 : 0.0);
      if (!is_fill) give_block();
    }
    source_.at(table_.position("origin"), [&] { complete(); });
  }

  static bool takes(std::string_view origin, const OriginKey& key) {
    return !origin.empty() && key.origins.find(origin) != std::string_view::npos;
  }

  void refuse_unused(std::string_view origin, const OriginKey& each) const {
    if (takes(origin, each) || table_.find_own(each.key) == nullptr) return;
    source_.fail(table_.position(each.key), in_quotes(each.key) + " in " + table_.title() +
                                                " is used only with the origin " + std::string(each.origins));
  }

  void read_file() {
    const std::string file = table_.text("file", "file = \"data/a.npy\"");
    family_.file_position = table_.position("file");
    family_.folder = folder_;
    if (file.empty()) source_.fail(family_.file_position, "the path is empty, the name of a file is needed");
    family_.file = source_.at(family_.file_position, [&] { return TextTemplate::parse(file, scope_, "path"); });
    given_.push_back(read_parameter(source_, *family_.origin, "path", *table_.find("file"), scope_, folder_));
    if (!family_.is_tiled()) return;
    give_constant("part", true);
    give_along("row", 0, family_.tile[0]);
    if (family_.tile_axes == 2) give_along("column", 1, family_.tile[1]);
  }

  void give_keys(std::string_view origin) {
    for (const OriginKey& each : origin_keys) {
      if (!takes(origin, each)) continue;
      if (each.key == "seed") static_cast<void>(table_.need("seed", "seed = 1"));
      const toml::node* const node = table_.find(each.key);
      if (node == nullptr) continue;
      given_.push_back(read_parameter(source_, *family_.origin, each.key, *node, scope_, {}));
    }
  }

  /// Where the tile begins in the whole array, so that its elements are those of the whole.
  void give_block() {
    if (!family_.is_tiled()) return;
    const std::int64_t columns = family_.tile_axes == 2 ? family_.whole.shape[1] : 1;
    GivenParameter& first = give("first");
    first.varying.number = along(0, family_.tile[0] * columns);
    if (family_.tile_axes == 1) return;
    first.varying.number = first.varying.number.plus(along(1, family_.tile[1]));
    give_constant("row_stride", columns);
  }

  GivenParameter& give(std::string_view name) {
    GivenParameter& given = given_.emplace_back();
    source_.at(table_.position("origin"), [&] { given.parameter = parameter_index(*family_.origin, name); });
    given.position = table_.position("tile");
    given.varying.parameter = given.parameter;
    given.varying.type = family_.origin->parameters[given.parameter].type;
    return given;
  }
  void give_constant(std::string_view name, const Parameter& value) { give(name).constant = value; }
  void give_along(std::string_view name, std::size_t axis, std::int64_t step) {
    give(name).varying.number = along(axis, step);
  }

  [[nodiscard]] Expression along(std::size_t axis, std::int64_t step) const {
    const std::size_t first = family_.axes.size() - family_.tile_axes;
    return {static_cast<std::uint32_t>(first + axis), step};
  }

  /// The first element stands for all, there or not: what makes elements differ is the seed, the place and the path.
  void complete() {
    const auto positions = positions_of(*family_.origin, given_);
    family_.parameters = complete_parameters(*family_.origin, std::move(given_));
    std::vector<Parameter> parameters = family_.parameters.constant;
    Indices indices;
    for (const Family::Axis& axis : family_.axes) indices.values.push_back(axis.begin);
    for (const VaryingParameter& each : family_.parameters.varying) {
      each.make(indices, true, parameters[each.parameter]);
    }
    const std::array<TaskAccess, 1> access{{{AccessMode::write, family_.largest_type()}}};
    const std::array<std::string_view, 1> name{family_.name};
    const Position origin = table_.position("origin");
    const std::array<const Position*, 1> place{&origin};
    check_fit(source_, *family_.origin, access, parameters,
              {.names = name, .accesses = place, .parameters = positions, .otherwise = origin});
  }

  const SourceFile& source_;
  Table table_;
  std::string folder_;
  const Values& values_;
  Scope scope_;
  Kernels kernels_;
  Family family_;
  std::vector<GivenParameter> given_;
};

}  // namespace

Family read_family(const Document& document, const toml::node& node, const std::string& name,
                   const toml::table* defaults, const Values& values, Kernels kernels) {
  return FamilyReader(document, node, name, defaults, values, kernels).read();
}

}  // namespace penstock::jobs
