#include "observe/trace_arrows.hpp"

#include <algorithm>
#include <tuple>

namespace penstock::observe {

namespace {

constexpr int any_rank = -1;

auto key_of(const auto& entry) { return std::tuple(entry.data, entry.version, entry.rank); }

}  // namespace

std::optional<Arrow> arrow_between(const SliceEnd& from, const SliceEnd& to) {
  if (from.begin_ns >= from.end_ns || to.begin_ns >= to.end_ns) return std::nullopt;
  // From the end to the beginning; where these are the wrong way round, as for a sending and its receipt, which
  // overlap, or where clocks differ, as little as need be before the end and after the beginning.
  const std::int64_t last_ns = to.end_ns - 1;
  Arrow arrow{.from = from, .to = to, .from_ns = from.end_ns - 1, .to_ns = std::min(to.begin_ns + 1, last_ns)};
  if (arrow.to_ns < arrow.from_ns) arrow.to_ns = std::min(arrow.from_ns, last_ns);
  if (arrow.to_ns < arrow.from_ns) arrow.from_ns = std::max(arrow.to_ns, from.begin_ns);
  return arrow.from_ns <= arrow.to_ns ? std::optional(arrow) : std::nullopt;
}

void VersionIndex::add(const RankTimeline& timeline) {
  const int rank = timeline.trace().rank;
  const auto entry = [&](core::DataId data, core::Version version, int at, const Slice& slice) {
    return Entry{.version = version.value(),
                 .data = data.value(),
                 .rank = at,
                 .end = {.rank = rank, .row = slice.row, .begin_ns = slice.begin_ns, .end_ns = slice.end_ns}};
  };
  for (const Slice& slice : timeline.tasks()) {
    for (const core::Event& event : timeline.accesses(slice)) {
      const core::AccessEvent access = core::access_of(event);
      if (access.writes != core::Version()) made_.push_back(entry(access.data, access.writes, rank, slice));
    }
  }
  for (const Slice& slice : timeline.transfers()) {
    if (timeline.is_copy(slice)) continue;
    const core::TransferEvent transfer = timeline.transfer(slice);
    const bool in = transfer.direction == core::Direction::in;
    for (const core::Event& event : timeline.accesses(slice)) {
      const core::AccessEvent access = core::access_of(event);
      (in ? received_ : sent_).push_back(entry(access.data, access.reads, in ? rank : transfer.peer.value(), slice));
    }
  }
}

void VersionIndex::sort() {
  for (Entries* entries : {&made_, &sent_, &received_}) std::ranges::stable_sort(*entries, {}, key_of<Entry>);
}

const SliceEnd* VersionIndex::maker(core::DataId data, core::Version version) const {
  return find(made_, data, version, any_rank);
}

const SliceEnd* VersionIndex::sending(core::DataId data, core::Version version, int to) const {
  return find(sent_, data, version, to);
}

const SliceEnd* VersionIndex::source_on(int rank, core::DataId data, core::Version version) const {
  if (const SliceEnd* const here = find(made_, data, version, rank)) return here;
  if (const SliceEnd* const receipt = find(received_, data, version, rank)) return receipt;
  return maker(data, version);
}

const SliceEnd* VersionIndex::find(const Entries& entries, core::DataId data, core::Version version, int rank) {
  const auto found =
      std::ranges::lower_bound(entries, std::tuple(data.value(), version.value(), rank), {}, key_of<Entry>);
  if (found == entries.end() || found->data != data.value() || found->version != version.value()) return nullptr;
  return rank == any_rank || found->rank == rank ? &found->end : nullptr;
}

}  // namespace penstock::observe
