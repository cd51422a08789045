#include "memory/pinned_pool.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <set>
#include <vector>

#include "memory/host_pool.hpp"

namespace penstock::memory {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// The system's pinned memory, of which there is so much.
struct System {
  std::size_t left = 1024 * mib;
  std::set<void*> slabs = {};
  std::size_t largest = 0;

  PinnedPool::Source source() {
    return {.allocate = [this](std::size_t bytes) -> void* {
              if (bytes > left) return nullptr;
              left -= bytes;
              largest = std::max(largest, bytes);
              return *slabs.insert(std::aligned_alloc(4096, bytes)).first;
            },
            .free =
                [this](void* slab) {
                  EXPECT_EQ(slabs.erase(slab), 1U);
                  std::free(slab);
                }};
  }
};

TEST(PinnedPool, TakesFewSlabsForManyBuffers) {
  System system;
  {
    PinnedPool pool(system.source(), 256 * mib);
    std::set<std::byte*> buffers;
    for (int i = 0; i < 1000; ++i) buffers.insert(pool.allocate(100'000));

    EXPECT_EQ(buffers.size(), 1000U);
    EXPECT_FALSE(buffers.contains(nullptr));
    EXPECT_EQ(system.slabs.size(), 2U);
    for (std::byte* const buffer : buffers) EXPECT_TRUE(pool.free(buffer, 100'000));
    EXPECT_NE(pool.allocate(60 * mib), nullptr);
    EXPECT_EQ(system.slabs.size(), 2U);
  }
  EXPECT_TRUE(system.slabs.empty());
}

TEST(PinnedPool, GivesNoMoreThanItsBound) {
  System system;
  PinnedPool pool(system.source(), 100 * mib);

  EXPECT_EQ(pool.allocate(101 * mib), nullptr);
  EXPECT_NE(pool.allocate(90 * mib), nullptr);
  EXPECT_EQ(pool.allocate(20 * mib), nullptr);
  EXPECT_NE(pool.allocate(10 * mib), nullptr);
  EXPECT_EQ(pool.allocate(1), nullptr);
}

TEST(PinnedPool, DoesWithoutWhatTheSystemRefuses) {
  System system{.left = 0};
  PinnedPool pool(system.source(), 100 * mib);

  EXPECT_EQ(pool.allocate(1), nullptr);
  EXPECT_EQ(pool.allocate(1), nullptr);
}

TEST(PinnedPool, KnowsWhatIsNotItsOwn) {
  System system;
  PinnedPool pool(system.source(), 100 * mib);
  std::vector<std::byte> other(10);

  EXPECT_FALSE(pool.free(other.data(), 10));
}

TEST(HostPool, TakesOtherMemoryWhenNoneCanBePinned) {
  System system;
  HostPool pool;
  pool.use_pinned(system.source(), mib);

  std::byte* const pinned = pool.allocate(mib / 2);
  std::byte* const other = pool.allocate(mib);
  EXPECT_EQ(system.slabs.size(), 1U);
  EXPECT_NE(other, nullptr);
  pool.free(other, mib);
  pool.free(pinned, mib / 2);

  EXPECT_EQ(pool.allocate(mib / 2), pinned);
  EXPECT_EQ(pool.used_bytes(), mib / 2);
  pool.free(pinned, mib / 2);
}

}  // namespace
}  // namespace penstock::memory
