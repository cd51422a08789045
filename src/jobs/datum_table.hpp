/// A value for every datum of a stream that is alive, found without hashing. Kept by what follows the steps of a job,
/// on its thread: insert at a make, erase at a release.
///
/// Costs a value and a few bits a live datum where neighbours live together; at worst, where they are far apart, a page
/// of 64 values each. On top, a pointer for every 64 elements of a family where neighbours were met: one bit an
/// element, as much as the stream needs itself. Pages whose data are all gone are used again, by any family.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/assert.hpp"
#include "jobs/stream.hpp"

namespace penstock::jobs {

template <class T>
class DatumTable {
 public:
  /// The datum must not be there.
  void insert(Datum datum, T value) {
    std::unique_ptr<Page>& page = slot(datum);
    if (page == nullptr) page = take_page();
    ++page->alive;
    page->values[place_of(datum)] = std::move(value);
  }

  /// The datum must be there; valid until the next insert or erase.
  [[nodiscard]] T& at(Datum datum) { return slot(datum)->values[place_of(datum)]; }

  /// The datum must be there.
  void erase(Datum datum) {
    std::unique_ptr<Page>& page = slot(datum);
    PENSTOCK_ASSERT(page != nullptr);
    if (--page->alive == 0) spare_.push_back(std::move(page));
  }

 private:
  static constexpr std::int64_t page_values = 64;
  struct Page {
    std::array<T, page_values> values{};
    std::uint32_t alive = 0;
  };

  static constexpr std::size_t chapter_pages = 512;
  using Chapter = std::array<std::unique_ptr<Page>, chapter_pages>;

  static std::size_t number_of(Datum datum) { return static_cast<std::size_t>(datum.element / page_values); }
  static std::size_t place_of(Datum datum) { return static_cast<std::size_t>(datum.element % page_values); }

  std::unique_ptr<Page>& slot(Datum datum) {
    if (datum.family >= families_.size()) families_.resize(datum.family + 1);
    auto& chapters = families_[datum.family];
    const std::size_t chapter = number_of(datum) / chapter_pages;
    if (chapter >= chapters.size()) chapters.resize(chapter + 1);
    if (chapters[chapter] == nullptr) chapters[chapter] = std::make_unique<Chapter>();
    return (*chapters[chapter])[number_of(datum) % chapter_pages];
  }

  std::unique_ptr<Page> take_page() {
    if (spare_.empty()) return std::make_unique<Page>();
    std::unique_ptr<Page> page = std::move(spare_.back());
    spare_.pop_back();
    return page;
  }

  std::vector<std::vector<std::unique_ptr<Chapter>>> families_;
  std::vector<std::unique_ptr<Page>> spare_;  ///< their values are of data long gone
};

}  // namespace penstock::jobs
