#include <algorithm>
#include <string>
#include <utility>

#include "jobs/task_reader.hpp"

namespace penstock::jobs {

namespace {

constexpr std::string_view operations[] = {"sum", "product", "minimum", "maximum"};

class ModeReader {
 public:
  ModeReader(const EntryContext& context, const Table& table, const KernelDescription& kernel,
             std::vector<EntryAccess>& accesses)
      : source_(context.document.source),
        kernels_(context.kernels),
        table_(table),
        kernel_(kernel),
        accesses_(accesses) {}

  void read() {
    for (const Table::Text& text : table_.texts("commute")) {
      source_.at(text.position, [&] { take(text.value, "commute").mode = AccessMode::commute; });
    }
    const toml::node* const node = table_.find("reduce");
    if (node == nullptr) return;
    const Table reductions(source_, *node, "'reduce'");
    for (const auto& [key, value] : reductions.nodes()) read_reduction(key, value);
  }

 private:
  /// The access of the argument, of which nothing was said yet.
  EntryAccess& take(std::string_view name, std::string_view what) {
    const auto found = std::ranges::find(kernel_.accesses, name, &AccessDescription::name);
    if (found == kernel_.accesses.end()) fail_unknown(name);
    EntryAccess& access = accesses_[static_cast<std::size_t>(found - kernel_.accesses.begin())];
    if (access.mode == AccessMode::commute) throw Mistake("'commute' names " + in_quotes(name) + ", once is enough");
    if (access.mode == AccessMode::read_write) return access;
    throw Mistake("the task does not read and write " + in_quotes(name) + ", which '" + std::string(what) +
                  "' needs, its datum in the list 'read_write' would be right");
  }

  [[noreturn]] void fail_unknown(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const AccessDescription& each : kernel_.accesses) names.emplace_back(each.name);
    throw Mistake("kernel " + kernel_.name + " has no argument " + in_quotes(name) + suggestion(name, names) +
                  (names.empty() ? ", it takes no data" : "; it takes " + listed(names)));
  }

  void read_reduction(const toml::key& key, const toml::node& value) {
    EntryAccess& access = source_.at(position_of(key), [&]() -> EntryAccess& { return take(key.str(), "reduce"); });
    access.mode = AccessMode::reduce;
    if (value.is_string()) {
      source_.at(position_of(value), [&] { access.reduction = built_in(value.as_string()->get()); });
    } else if (value.is_table()) {
      access.reduction = own(Table(source_, value, "the reduction of " + in_quotes(key.str())));
    } else {
      table_.wrong_kind("reduce", value, "\"sum\", another operation, or a table for each argument");
    }
    access.reduction->position = position_of(value);
  }

  [[nodiscard]] Reduction built_in(const std::string& operation) const {
    if (std::ranges::find(operations, operation) == std::end(operations)) {
      throw Mistake("unknown operation " + in_quotes(operation) + suggestion(operation, operations) +
                    "; known: " + listed(operations));
    }
    Reduction reduction;
    reduction.combine = &need_kernel(kernels_, "combine");
    reduction.neutral = &need_kernel(kernels_, "neutral");
    reduction.combine_parameters = with(*reduction.combine, "operation", operation);
    reduction.neutral_parameters = with(*reduction.neutral, "operation", operation);
    return reduction;
  }

  /// { combine = "my.larger", neutral = 0.0 }
  [[nodiscard]] Reduction own(const Table& table) const {
    constexpr std::string_view keys[] = {"combine", "neutral"};
    table.allow_only(keys);
    const std::string combine = table.text("combine", "combine = \"my.larger\"");
    static_cast<void>(table.need("neutral", "neutral = 0.0"));
    const double neutral = *table.real_if("neutral");
    Reduction reduction;
    reduction.is_built_in = false;
    reduction.neutral = &need_kernel(kernels_, "fill");
    source_.at(table.position("combine"), [&] {
      reduction.combine = &need_kernel(kernels_, combine);
      check_combines(*reduction.combine);
      reduction.combine_parameters = complete_parameters(*reduction.combine, {}).constant;
    });
    reduction.neutral_parameters = with(*reduction.neutral, "value", neutral);
    return reduction;
  }

  static void check_combines(const KernelDescription& kernel) {
    const auto& accesses = kernel.accesses;
    if (accesses.size() == 2 && accesses[0].mode == AccessMode::read_write && accesses[1].mode == AccessMode::read) {
      return;
    }
    throw Mistake("kernel " + kernel.name +
                  " cannot combine, one that reads and writes an array and reads another is needed");
  }

  /// All parameters of the kernel, this one as given.
  static std::vector<Parameter> with(const KernelDescription& kernel, std::string_view name, Parameter value) {
    std::vector<GivenParameter> given(1);
    given[0].parameter = parameter_index(kernel, name);
    given[0].constant = std::move(value);
    return complete_parameters(kernel, std::move(given)).constant;
  }

  const SourceFile& source_;
  Kernels kernels_;
  const Table& table_;
  const KernelDescription& kernel_;
  std::vector<EntryAccess>& accesses_;
};

}  // namespace

void read_modes(const EntryContext& context, const Table& table, const KernelDescription& kernel,
                std::vector<EntryAccess>& accesses) {
  ModeReader(context, table, kernel, accesses).read();
}

}  // namespace penstock::jobs
