#include "memory/host_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <penstock/error.hpp>

namespace penstock::memory {
namespace {

using testing::HasSubstr;

constexpr std::size_t mib = std::size_t{1} << 20;

bool is_aligned(const std::byte* data, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

TEST(HostPool, GivesAlignedMemoryOfAnySize) {
  HostPool pool;

  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{65}, mib, 5 * mib + 1}) {
    std::byte* const data = pool.allocate(bytes);
    ASSERT_NE(data, nullptr);
    EXPECT_TRUE(is_aligned(data, 64)) << bytes;
    std::memset(data, 0x5a, bytes);
    pool.free(data, bytes);
  }
}

TEST(HostPool, PutsLargeBuffersOnHugePages) {
  HostPool pool;
  std::byte* const data = pool.allocate(3 * mib);

  EXPECT_TRUE(is_aligned(data, 2 * mib));

  pool.free(data, 3 * mib);
}

TEST(HostPool, GivesDifferentMemoryToDifferentUsers) {
  HostPool pool;
  std::byte* const one = pool.allocate(100);
  std::byte* const other = pool.allocate(100);

  EXPECT_GE(std::abs(one - other), 100);

  pool.free(one, 100);
  pool.free(other, 100);
}

TEST(HostPool, UsesFreedMemoryAgainForTheSameSize) {
  HostPool pool;
  std::byte* const first = pool.allocate(1000);
  pool.free(first, 1000);

  std::byte* const same = pool.allocate(1000);
  std::byte* const larger = pool.allocate(4000);

  EXPECT_EQ(same, first);
  EXPECT_NE(larger, first);
  pool.free(same, 1000);
  pool.free(larger, 4000);
}

TEST(HostPool, CountsWhatIsInUse) {
  HostPool pool;
  std::byte* const one = pool.allocate(64);
  std::byte* const other = pool.allocate(65);
  EXPECT_EQ(pool.used_bytes(), 192u);

  pool.free(one, 64);
  EXPECT_EQ(pool.used_bytes(), 128u);
  pool.free(other, 65);
  EXPECT_EQ(pool.used_bytes(), 0u);
}

TEST(HostPool, KeepsNoMoreThanItsBound) {
  HostPool nothing_kept(0);
  std::vector<std::byte*> held;
  for (int i = 0; i < 4; ++i) held.push_back(nothing_kept.allocate(mib));

  for (std::byte* data : held) nothing_kept.free(data, mib);

  EXPECT_EQ(nothing_kept.used_bytes(), 0u);
}

TEST(HostPool, KeepsAsMuchAsItsBound) {
  HostPool pool(128);
  std::array<std::byte*, 3> held{pool.allocate(64), pool.allocate(64), pool.allocate(64)};
  for (std::byte* data : held) pool.free(data, 64);

  std::byte* const latest_kept = pool.allocate(64);
  std::byte* const first_kept = pool.allocate(64);

  EXPECT_EQ(latest_kept, held[1]);
  EXPECT_EQ(first_kept, held[0]);
  pool.free(latest_kept, 64);
  pool.free(first_kept, 64);
}

TEST(HostPool, SaysWhatItHadWhenThereIsNoMore) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's allocator ends the process";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer's allocator ends the process";
#endif
#endif
  constexpr std::size_t too_many = std::size_t{1} << 62;
  HostPool pool;
  std::byte* const held = pool.allocate(6400);

  try {
    static_cast<void>(pool.allocate(too_many));
    ADD_FAILURE() << "so much memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(too_many)));
    EXPECT_THAT(error.what(), HasSubstr("6400 bytes in use"));
  }

  EXPECT_EQ(pool.used_bytes(), 6400u);
  pool.free(held, 6400);
}

TEST(HostPool, MayBeUsedByManyThreads) {
  HostPool pool;
  const auto work = [&](unsigned char mark) {
    for (int i = 0; i < 2000; ++i) {
      const std::size_t bytes = static_cast<std::size_t>(i % 7) * 64 + 1;
      std::byte* const data = pool.allocate(bytes);
      std::memset(data, mark, bytes);
      EXPECT_EQ(data[bytes - 1], static_cast<std::byte>(mark));
      pool.free(data, bytes);
    }
  };
  std::vector<std::thread> threads;

  for (unsigned char mark = 1; mark <= 4; ++mark) threads.emplace_back(work, mark);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(pool.used_bytes(), 0u);
}

}  // namespace
}  // namespace penstock::memory
