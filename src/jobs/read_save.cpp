#include <utility>

#include "jobs/task_reader.hpp"

namespace penstock::jobs {

namespace {

class SaveReader {
 public:
  SaveReader(const EntryContext& context, const Table& table, Scope& scope, Entry& entry)
      : context_(context), source_(context.document.source), table_(table), scope_(scope), entry_(entry) {}

  void read(Loop& loop) {
    const std::string data = table_.text("data", "data = \"C[i]\"");
    read_path();
    const Position place = table_.position("data");
    if (source_.at(place, [&] { return context_.references.is_whole(data); })) {
      read_array(data, loop);
    } else {
      entry_.kind = Entry::Kind::save;
      source_.at(place, [&] { add(context_.references.read(data, AccessMode::read, scope_)); });
      entry_.kernel = &need("save");
      entry_.result_parameter = set_parameters(*entry_.kernel, {}, entry_.parameters);
    }
    entry_.parameter_positions.resize(entry_.kernel->parameters.size());
  }

 private:
  void read_path() {
    const std::string file = table_.text("file", "file = \"c_{i}.npy\"");
    entry_.path_position = table_.position("file");
    if (file.empty()) source_.fail(entry_.path_position, "the path is empty, the name of a file is needed");
    source_.at(entry_.path_position, [&] { entry_.path = TextTemplate::parse(file, scope_, "path"); });
  }

  /// The steps of the loop go over the tiles, each into its part of the file.
  void read_array(const std::string& data, Loop& loop) {
    entry_.kind = Entry::Kind::save_array;
    source_.at(table_.position("data"), [&] {
      const std::size_t first = scope_.variables().size();
      const Family& family = context_.plan.families[context_.references.family(data)];
      const std::size_t tiled = family.axes.size() - family.tile_axes;
      for (std::size_t axis = tiled; axis < family.axes.size(); ++axis) {
        loop.ranges.push_back(scope_.add_unnamed(family.axes[axis].count));
      }
      add(context_.references.read_whole(data, scope_));
      add_count();
      set_part_parameters(family, first);
    });
  }

  void add(EntryAccess access) {
    access.position = table_.position("data");
    entry_.accesses.push_back(std::move(access));
  }

  /// Which of the counts is the stream's to say.
  void add_count() {
    EntryAccess access;
    access.family = context_.plan.counts_family;
    access.mode = AccessMode::write;
    add(std::move(access));
  }

  void set_part_parameters(const Family& family, std::size_t first) {
    const bool is_matrix = family.tile_axes == 2;
    entry_.kernel = &need("save_part");
    const auto along = [&](std::size_t axis) {
      return Expression(static_cast<std::uint32_t>(first + axis), family.tile[axis]);
    };
    entry_.result_parameter = set_parameters(*entry_.kernel,
                                             {{"rows", Expression(family.whole.shape[0])},
                                              {"columns", Expression(is_matrix ? family.whole.shape[1] : 0)},
                                              {"row", along(0)},
                                              {"column", is_matrix ? along(1) : Expression(0)}},
                                             entry_.parameters);
    entry_.add = &need("add");
    entry_.publish = &need("publish");
    entry_.publish_result_parameter = set_parameters(
        *entry_.publish, {{"elements", Expression(family.whole.shape.count())}}, entry_.publish_parameters);
  }

  [[nodiscard]] const KernelDescription& need(std::string_view name) const {
    return source_.at(entry_.position,
                      [&]() -> const KernelDescription& { return need_kernel(context_.kernels, name); });
  }

  struct NamedNumber {
    std::string_view name;
    Expression number;
  };
  /// The path, and these. Returns the place of the path.
  std::size_t set_parameters(const KernelDescription& kernel, const std::vector<NamedNumber>& numbers,
                             ParameterValues& values) const {
    std::vector<GivenParameter> given;
    for (const auto& [name, number] : numbers) {
      GivenParameter& each = given.emplace_back();
      each.parameter = parameter_index(kernel, name);
      each.varying.parameter = each.parameter;
      each.varying.number = number;
      if (number.is_constant()) each.constant = number.constant();
    }
    GivenParameter& path = given.emplace_back();
    path.parameter = parameter_index(kernel, "path");
    path.varying.parameter = path.parameter;
    path.varying.type = ParameterType::text;
    path.varying.text = entry_.path;
    const std::size_t place = path.parameter;
    values = complete_parameters(kernel, std::move(given));
    return place;
  }

  const EntryContext& context_;
  const SourceFile& source_;
  const Table& table_;
  Scope& scope_;
  Entry& entry_;
};

}  // namespace

void read_save(const EntryContext& context, const Table& table, Scope& scope, Loop& loop, Entry& entry) {
  SaveReader(context, table, scope, entry).read(loop);
}

}  // namespace penstock::jobs
