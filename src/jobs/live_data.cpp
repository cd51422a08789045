#include "jobs/live_data.hpp"

#include <algorithm>
#include <bit>

#include "jobs/integers.hpp"

namespace penstock::jobs {

LiveData::LiveData(const Plan& plan) : plan_(&plan), families_(plan.families.size()), keys_(plan.lifetimes.size()) {
  for (std::size_t number = 0; number < keys_.size(); ++number) keys_[number].resize(plan.lifetimes[number].keys());
}

std::optional<std::int64_t> LiveData::Bits::first(std::size_t& from) const {
  while (from / page_words < pages_.size()) {
    const Page* const page = pages_[from / page_words].get();
    const std::uint64_t word = page == nullptr ? 0 : (*page)[from % page_words];
    if (word != 0) return static_cast<std::int64_t>(from) * 64 + std::countr_zero(word);
    from += page == nullptr ? page_words - from % page_words : 1;
  }
  return std::nullopt;
}

void LiveData::Bits::insert(std::int64_t element) {
  const std::size_t number = page_of(element);
  if (number >= pages_.size()) pages_.resize(number + 1);
  std::unique_ptr<Page>& page = pages_[number];
  if (page == nullptr) page = std::make_unique<Page>();
  (*page)[word_of(element)] |= bit_of(element);
}

void LiveData::touch(const EntryAccess& access, Datum datum, const Indices& indices) {
  Bits& noted = families_[datum.family].noted;
  if (noted.contains(datum.element)) return;
  noted.insert(datum.element);
  const Lifetime& lifetime = plan_->lifetimes[*access.lifetime];
  const std::int64_t key = lifetime.coefficient * indices.values[lifetime.variable] + access.lifetime_offset;
  auto& keys = keys_[*access.lifetime];
  Key& place = keys[static_cast<std::size_t>(floor_remainder(key, static_cast<std::int64_t>(keys.size())))];
  place.key = key;
  place.elements.push_back(datum.element);
}

void LiveData::pass(const Node& node, std::optional<std::uint32_t> moved, const Indices& indices) {
  going_.clear();
  for (const std::uint32_t number : node.lifetimes) pass_lifetime(number, moved, indices);
  std::ranges::reverse(going_);
  if (!moved) ending_ = node.last_families;
  word_ = 0;
}

void LiveData::pass_lifetime(std::uint32_t number, std::optional<std::uint32_t> moved, const Indices& indices) {
  const Lifetime& lifetime = plan_->lifetimes[number];
  if (moved && *moved > lifetime.variable) return;
  const bool is_over = !moved || *moved < lifetime.variable || lifetime.coefficient == 0;
  const std::int64_t here = lifetime.coefficient * indices.values[lifetime.variable];
  Bits& noted = families_[lifetime.family].noted;
  for (Key& key : keys_[number]) {
    const bool has_passed =
        lifetime.coefficient > 0 ? key.key < here + lifetime.least : key.key > here + lifetime.greatest;
    if (!is_over && !has_passed) continue;
    for (const std::int64_t element : key.elements) {
      noted.erase(element);
      going_.push_back({lifetime.family, element});
    }
    key.elements.clear();
  }
}

std::optional<Datum> LiveData::pop() {
  if (!going_.empty()) {
    const Datum datum = going_.back();
    going_.pop_back();
    erase(datum);
    return datum;
  }
  for (; !ending_.empty(); ending_ = ending_.subspan(1), word_ = 0) {
    FamilyData& family = families_[ending_.front()];
    if (const auto element = family.alive.first(word_)) {
      family.alive.erase(*element);
      return Datum{ending_.front(), *element};
    }
    family.alive.clear();
    family.noted.clear();
  }
  return std::nullopt;
}

}  // namespace penstock::jobs
