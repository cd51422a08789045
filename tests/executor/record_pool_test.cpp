#include "executor/record_pool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace penstock::executor {
namespace {

struct alignas(64) Record {
  std::uint64_t number = 0;
  std::array<std::uint64_t, 7> rest{};
};

using Pool = RecordPool<Record>;

TEST(RecordPool, GivesDifferentAlignedRecordsWithTheirValues) {
  Pool pool;
  Pool::Cache cache(pool);
  std::set<Record*> made;

  for (std::uint64_t i = 0; i < 1000; ++i) {
    Record* const record = cache.make(i);
    EXPECT_EQ(record->number, i);
    EXPECT_EQ(record->rest[6], 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(record) % alignof(Record), 0U);
    EXPECT_TRUE(made.insert(record).second);
  }

  EXPECT_EQ(made.size(), 1000U);
}

TEST(RecordPool, MakesARecordAnewWhenItIsUsedAgain) {
  Pool pool;
  Pool::Cache cache(pool);
  Record* const first = cache.make(std::uint64_t{5});
  first->rest.fill(7);
  cache.free(first);

  Record* const again = cache.make();

  EXPECT_EQ(again, first);
  EXPECT_EQ(again->number, 0U);
  for (const std::uint64_t value : again->rest) EXPECT_EQ(value, 0U);
}

TEST(RecordPool, TakesAsMuchAsItsPeakNeeds) {
  Pool pool;
  Pool::Cache cache(pool);
  std::vector<Record*> held;

  EXPECT_EQ(pool.bytes(), 0U);
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 1000; ++i) held.push_back(cache.make());
    for (Record* const record : held) cache.free(record);
    held.clear();
  }

  EXPECT_EQ(pool.bytes(), (1000 + Pool::batch - 1) / Pool::batch * Pool::batch * sizeof(Record));
}

TEST(RecordPool, HandsToOneCacheWhatAnotherHasFreed) {
  Pool pool;
  Pool::Cache maker(pool);
  Pool::Cache ender(pool);

  for (int i = 0; i < 100'000; ++i) ender.free(maker.make());

  // What lies in the two caches: at most two batches in one, one in the other, and what is on its way.
  EXPECT_LE(pool.bytes(), 4 * Pool::batch * sizeof(Record));
}

TEST(RecordPool, KeepsWhatACacheStillHasWhenItEnds) {
  Pool pool;
  Record* held = nullptr;
  {
    Pool::Cache cache(pool);
    held = cache.make(std::uint64_t{9});
  }

  EXPECT_EQ(held->number, 9U);
}

/// Records go round between two threads through slots of one record each.
TEST(RecordPool, StaysFlatWhenOneThreadMakesAMillionThatAnotherFrees) {
  constexpr std::uint64_t count = 1'000'000;
  constexpr std::size_t slots_count = 256;
  Pool pool;
  std::array<std::atomic<Record*>, slots_count> slots{};
  std::uint64_t wrong = 0;

  {
    std::jthread ender([&] {
      Pool::Cache cache(pool);
      for (std::uint64_t i = 0; i < count; ++i) {
        std::atomic<Record*>& slot = slots[i % slots_count];
        Record* record = nullptr;
        while ((record = slot.exchange(nullptr, std::memory_order_acquire)) == nullptr) std::this_thread::yield();
        if (record->number != i || record->rest[3] != ~i) ++wrong;
        cache.free(record);
      }
    });
    Pool::Cache cache(pool);
    for (std::uint64_t i = 0; i < count; ++i) {
      Record* const record = cache.make(i);
      record->rest[3] = ~i;
      std::atomic<Record*>& slot = slots[i % slots_count];
      while (slot.load(std::memory_order_relaxed) != nullptr) std::this_thread::yield();
      slot.store(record, std::memory_order_release);
    }
  }

  EXPECT_EQ(wrong, 0U);
  EXPECT_LE(pool.bytes(), (slots_count + 4 * Pool::batch) * sizeof(Record));
}

}  // namespace
}  // namespace penstock::executor
