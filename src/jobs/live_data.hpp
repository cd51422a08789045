/// Which data of a job are there at one point of its stream, and which of them go next. Memory: two bits a datum of the
/// families in use, where neighbours were met, and a number for each datum of which it is known when it goes. One
/// thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "jobs/datum.hpp"
#include "jobs/plan.hpp"

namespace penstock::jobs {

class LiveData {
 public:
  explicit LiveData(const Plan& plan);

  [[nodiscard]] bool contains(Datum datum) const { return families_[datum.family].alive.contains(datum.element); }
  void insert(Datum datum) { families_[datum.family].alive.insert(datum.element); }
  void erase(Datum datum) { families_[datum.family].alive.erase(datum.element); }

  /// A step accesses the datum: notes when it goes, where the access says so.
  void touch(const EntryAccess& access, Datum datum, const Indices& indices);

  /// The loop of the node has moved on (or, without `moved`, has ended): what goes now, pop() hands out.
  void pass(const Node& node, std::optional<std::uint32_t> moved, const Indices& indices);
  /// The next datum that goes, which is erased.
  std::optional<Datum> pop();

 private:
  /// A bit for each element, in pages that are there from their first bit on.
  class Bits {
    static constexpr std::size_t page_words = 512;
    using Page = std::array<std::uint64_t, page_words>;

   public:
    [[nodiscard]] bool contains(std::int64_t element) const {
      const std::size_t page = page_of(element);
      return page < pages_.size() && pages_[page] != nullptr &&
             ((*pages_[page])[word_of(element)] & bit_of(element)) != 0;
    }
    void insert(std::int64_t element);
    /// The element must be there.
    void erase(std::int64_t element) { (*pages_[page_of(element)])[word_of(element)] &= ~bit_of(element); }
    /// The first element in the words from `from` on, which goes forward to it.
    [[nodiscard]] std::optional<std::int64_t> first(std::size_t& from) const;
    void clear() { std::vector<std::unique_ptr<Page>>().swap(pages_); }

   private:
    static std::uint64_t bit_of(std::int64_t element) { return std::uint64_t{1} << (element % 64); }
    static std::size_t word_of(std::int64_t element) { return static_cast<std::size_t>(element / 64) % page_words; }
    static std::size_t page_of(std::int64_t element) { return static_cast<std::size_t>(element / 64) / page_words; }
    std::vector<std::unique_ptr<Page>> pages_;
  };

  struct FamilyData {
    Bits alive;
    Bits noted;  ///< those of which a lifetime has noted that they go
  };

  /// What goes when a key has passed.
  struct Key {
    std::int64_t key = 0;
    std::vector<std::int64_t> elements;
  };

  void pass_lifetime(std::uint32_t number, std::optional<std::uint32_t> moved, const Indices& indices);

  const Plan* plan_;
  std::vector<FamilyData> families_;
  std::vector<std::vector<Key>> keys_;     ///< by lifetime; a key's place is its remainder
  std::vector<Datum> going_;               ///< last first
  std::span<const std::uint32_t> ending_;  ///< families all of whose data go, after `going_`
  std::size_t word_ = 0;                   ///< within the first of them
};

}  // namespace penstock::jobs
