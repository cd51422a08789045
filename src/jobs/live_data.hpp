/// Which data of a job are there at one point of its stream, and which of them go next. Memory: two bits a datum of the
/// families in use, and a number for each datum of which it is known when it goes. One thread at a time.
#pragma once

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
  void insert(Datum datum);
  void erase(Datum datum) { families_[datum.family].alive.erase(datum.element); }

  /// A step accesses the datum: notes when it goes, where the access says so.
  void touch(const EntryAccess& access, Datum datum, const Indices& indices);

  /// The loop of the node has moved on (or, without `moved`, has ended): what goes now, pop() hands out.
  void pass(const Node& node, std::optional<std::uint32_t> moved, const Indices& indices);
  /// The next datum that goes, which is erased.
  std::optional<Datum> pop();

 private:
  class Bits {
   public:
    [[nodiscard]] bool contains(std::int64_t element) const {
      return !words_.empty() && (words_[word_of(element)] & bit_of(element)) != 0;
    }
    [[nodiscard]] bool is_allotted() const { return !words_.empty(); }
    void allot(std::int64_t elements) { words_.resize(word_of(elements - 1) + 1); }
    void insert(std::int64_t element) { words_[word_of(element)] |= bit_of(element); }
    void erase(std::int64_t element) { words_[word_of(element)] &= ~bit_of(element); }
    /// The first element in the words from `from` on, which goes forward to it.
    [[nodiscard]] std::optional<std::int64_t> first(std::size_t& from) const;
    void clear() { std::vector<std::uint64_t>().swap(words_); }

   private:
    static std::uint64_t bit_of(std::int64_t element) { return std::uint64_t{1} << (element % 64); }
    static std::size_t word_of(std::int64_t element) { return static_cast<std::size_t>(element / 64); }
    std::vector<std::uint64_t> words_;
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
