#include "jobs/task_reader.hpp"

namespace penstock::jobs {

namespace {

class AccessReader {
 public:
  AccessReader(const EntryContext& context, const Table& table, const KernelDescription& kernel, const Scope& scope)
      : source_(context.document.source), context_(context), table_(table), kernel_(kernel), scope_(scope) {}

  /// Deals the three lists out to the kernel's accesses, in its order. A write that may be read-write takes from
  /// `read_write` while that list has more than the kernel's own read-write accesses need.
  std::vector<EntryAccess> read() {
    const auto reads = table_.texts("read");
    const auto writes = table_.texts("write");
    const auto both = table_.texts("read_write");
    std::vector<EntryAccess> accesses;
    std::size_t next[3] = {0, 0, 0};
    for (const AccessMode mode : modes(reads.size(), writes.size(), both.size())) {
      const auto& list = mode == AccessMode::read ? reads : mode == AccessMode::write ? writes : both;
      const Table::Text& text = list[next[static_cast<std::size_t>(mode)]++];
      source_.at(text.position, [&] { accesses.push_back(context_.references.read(text.value, mode, scope_)); });
      accesses.back().position = text.position;
    }
    return accesses;
  }

 private:
  std::vector<AccessMode> modes(std::size_t reads, std::size_t writes, std::size_t both) const {
    std::size_t needs[3] = {0, 0, 0};
    std::size_t flexible = 0;
    for (const AccessDescription& each : kernel_.accesses) {
      ++needs[static_cast<std::size_t>(each.mode)];
      flexible += each.mode == AccessMode::write && each.allows_read_write ? 1 : 0;
    }
    check_count("read", reads, needs[0], needs[0]);
    check_count("read_write", both, needs[2], needs[2] + flexible);
    std::size_t spare = both - needs[2];
    check_count("write", writes, needs[1] - spare, needs[1] - spare);

    std::vector<AccessMode> result;
    for (const AccessDescription& each : kernel_.accesses) {
      const bool becomes_both = each.mode == AccessMode::write && each.allows_read_write && spare > 0;
      if (becomes_both) --spare;
      result.push_back(becomes_both ? AccessMode::read_write : each.mode);
    }
    return result;
  }

  void check_count(std::string_view key, std::size_t given, std::size_t least, std::size_t most) const {
    if (given >= least && given <= most) return;
    std::string names;
    for (const AccessDescription& each : kernel_.accesses) {
      constexpr std::string_view words[] = {"read ", "write ", "read_write "};
      names += (names.empty() ? "" : ", ") + std::string(words[static_cast<std::size_t>(each.mode)]) + each.name;
    }
    const std::string wanted = std::to_string(least) + (most > least ? " to " + std::to_string(most) : "");
    source_.fail(table_.position(key), in_quotes(key) + " has " + std::to_string(given) + " data, " + wanted +
                                           " are needed: kernel " + kernel_.name + " takes " +
                                           (names.empty() ? "no data" : names));
  }

  const SourceFile& source_;
  const EntryContext& context_;
  const Table& table_;
  const KernelDescription& kernel_;
  const Scope& scope_;
};

}  // namespace

std::vector<EntryAccess> read_accesses(const EntryContext& context, const Table& table, const KernelDescription& kernel,
                                       const Scope& scope) {
  return AccessReader(context, table, kernel, scope).read();
}

}  // namespace penstock::jobs
