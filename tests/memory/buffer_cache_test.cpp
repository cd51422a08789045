#include "memory/buffer_cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace penstock::memory {
namespace {

constexpr std::array<std::size_t, 9> sizes{0, 1, 63, 64, 65, 1000, 1024, 1025, 100'000};

TEST(BufferCache, GivesAlignedMemoryOfItsOwnToEach) {
  HostPool pool;
  BufferCache cache(pool);
  std::vector<std::pair<std::byte*, std::size_t>> held;

  for (int round = 0; round < 50; ++round) {
    for (const std::size_t bytes : sizes) {
      std::byte* const data = cache.allocate(bytes);
      ASSERT_NE(data, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U);
      std::memset(data, static_cast<int>(held.size() % 251), bytes);
      held.emplace_back(data, bytes);
    }
  }

  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto [data, bytes] = held[i];
    for (std::size_t at = 0; at < bytes; ++at) ASSERT_EQ(data[at], static_cast<std::byte>(i % 251)) << bytes;
    cache.free(data, bytes);
  }
}

TEST(BufferCache, GivesWhatWasFreedLastForTheSameSize) {
  HostPool pool;
  BufferCache cache(pool);
  std::byte* const first = cache.allocate(100);
  cache.free(first, 100);

  std::byte* const again = cache.allocate(128);  // as many lines

  EXPECT_EQ(again, first);
  cache.free(again, 128);
}

TEST(BufferCache, GivesAllBackWhenItEnds) {
  HostPool pool;
  {
    BufferCache cache(pool);
    for (const std::size_t bytes : sizes) cache.free(cache.allocate(bytes), bytes);
    EXPECT_GT(pool.used_bytes(), 0U);
  }

  EXPECT_EQ(pool.used_bytes(), 0U);
}

TEST(BufferCache, PassesLargeBuffersOn) {
  HostPool pool;
  BufferCache cache(pool);

  std::byte* const data = cache.allocate(BufferCache::small_bytes + 1);
  EXPECT_EQ(pool.used_bytes(), BufferCache::small_bytes + 64);
  cache.free(data, BufferCache::small_bytes + 1);

  EXPECT_EQ(pool.used_bytes(), 0U);
}

TEST(BufferCache, HoldsABoundedAmount) {
  HostPool pool;
  BufferCache cache(pool);
  std::vector<std::byte*> held;
  for (int i = 0; i < 10'000; ++i) held.push_back(cache.allocate(64));

  for (std::byte* const data : held) cache.free(data, 64);

  EXPECT_LE(pool.used_bytes(), 64U * 64U);
}

TEST(BufferCache, TakesBackWhatAnotherOneGave) {
  HostPool pool;
  std::optional<BufferCache> giver(std::in_place, pool);
  std::optional<BufferCache> taker(std::in_place, pool);

  for (int i = 0; i < 100'000; ++i) taker->free(giver->allocate(256), 256);

  EXPECT_LE(pool.used_bytes(), 4U * 64U * 256U);  // what lies in the two, and no more
  giver.reset();
  taker.reset();
  EXPECT_EQ(pool.used_bytes(), 0U);
}

TEST(BufferCache, WorksOnBesideThoseOfOtherThreads) {
  constexpr int rounds = 20'000;
  HostPool pool;
  std::array<std::atomic<std::byte*>, 64> slots{};
  std::atomic<int> wrong{0};
  const auto work = [&](std::uint64_t mark) {
    BufferCache cache(pool);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      std::byte* data = cache.allocate(512);
      std::memcpy(data, &mark, sizeof mark);
      std::memcpy(data + 504, &mark, sizeof mark);
      data = slots[(i * 7 + mark) % slots.size()].exchange(data);
      if (data == nullptr) continue;
      if (std::memcmp(data, data + 504, sizeof mark) != 0) ++wrong;
      cache.free(data, 512);
    }
  };

  {
    std::vector<std::jthread> threads;
    for (std::uint64_t mark = 1; mark <= 3; ++mark) threads.emplace_back(work, mark);
  }
  BufferCache last(pool);
  for (std::atomic<std::byte*>& slot : slots) {
    if (std::byte* const data = slot) last.free(data, 512);
  }

  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace penstock::memory
