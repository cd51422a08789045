#include <algorithm>
#include <utility>

#include "jobs/fit.hpp"
#include "jobs/task_reader.hpp"

namespace penstock::jobs {

namespace {

class TaskReader {
 public:
  TaskReader(const EntryContext& context, const Table& table, const Scope& scope, Entry& entry)
      : context_(context), source_(context.document.source), table_(table), scope_(scope), entry_(entry) {}

  void read() {
    read_kernel();
    read_name();
    entry_.accesses = read_accesses(context_, table_, *entry_.kernel, scope_);
    read_modes(context_, table_, *entry_.kernel, entry_.accesses);
    check_aliases();
    read_parameters();
    read_cores();
  }

 private:
  void read_kernel() {
    const std::string name = table_.text("kernel", "kernel = \"gemm\"");
    source_.at(table_.position("kernel"), [&] {
      entry_.kernel = &need_kernel(context_.kernels, name);
      if (name != "save" && name != "save_part" && name != "publish") return;
      throw Mistake("kernel " + name +
                    " writes files and is for [[save]] only, write [[save]] data = \"...\", file = \"...\"");
    });
  }

  void read_name() {
    const auto name = table_.text_if("name");
    if (!name) return;
    const Position place = table_.position("name");
    if (name->empty()) source_.fail(place, "the name is empty, leave it out or write one such as \"update {i}\"");
    entry_.name = source_.at(place, [&] { return TextTemplate::parse(*name, scope_, "name"); });
  }

  /// One datum twice in one task has no meaning when the task writes it.
  void check_aliases() {
    const auto& accesses = entry_.accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (accesses[i].family != accesses[j].family || are_apart(accesses[i], accesses[j])) continue;
        if (accesses[i].mode == AccessMode::read && accesses[j].mode == AccessMode::read) continue;
        entry_.may_alias = true;
        if (accesses[i].element != accesses[j].element || scope_.steps_max() == 0) continue;
        source_.fail(accesses[i].position,
                     "the task accesses this datum twice and writes it, read_write or another datum is needed");
      }
    }
  }

  /// Some subscripts differ in every step, as far as bounds can tell.
  [[nodiscard]] bool are_apart(const EntryAccess& left, const EntryAccess& right) const {
    for (std::size_t axis = 0; axis < left.subscripts.size(); ++axis) {
      try {
        const Extremes range = scope_.extremes(left.subscripts[axis].value.plus(right.subscripts[axis].value, -1));
        if (range.least > 0 || range.greatest < 0) return true;
      } catch (const Mistake&) {
        continue;  // the difference goes beyond 64 bits: nothing is known
      }
    }
    return false;
  }

  void read_parameters() {
    std::vector<GivenParameter> given;
    const toml::node* const node = table_.find("parameters");
    if (node != nullptr) {
      const Table parameters(source_, *node, "'parameters'");
      for (const auto& [key, value] : parameters.nodes()) {
        source_.at(position_of(key), [&] { static_cast<void>(parameter_index(*entry_.kernel, key.str())); });
        given.push_back(read_parameter(source_, *entry_.kernel, key.str(), value, scope_, folder_of(key.str())));
      }
    }
    entry_.parameter_positions = positions_of(*entry_.kernel, given);
    source_.at(table_.position("parameters"),
               [&] { entry_.parameters = complete_parameters(*entry_.kernel, std::move(given)); });
  }

  /// The path of a file to read is relative to the job file, as that of an origin is.
  [[nodiscard]] std::string folder_of(std::string_view parameter) const {
    return entry_.kernel->name == "load" && parameter == "path" ? context_.document.folder.string() : "";
  }

  void read_cores() {
    constexpr std::int64_t most = 1024;
    const std::int64_t cores = table_.integer_if("cores").value_or(1);
    if (cores < 1 || cores > most)
      source_.fail(table_.position("cores"), "'cores' is " + std::to_string(cores) + ", 1 to 1024 are allowed");
    entry_.cores = static_cast<int>(cores);
  }

  const EntryContext& context_;
  const SourceFile& source_;
  const Table& table_;
  const Scope& scope_;
  Entry& entry_;
};

}  // namespace

void read_task(const EntryContext& context, const Table& table, const Scope& scope, Entry& entry) {
  TaskReader(context, table, scope, entry).read();
}

}  // namespace penstock::jobs
