#include "transport/mpi/buffers.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace penstock::transport {

namespace {

TEST(BufferPool, GivesTheSizeAskedFor) {
  BufferPool pool;

  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{256}, std::size_t{257}, max_message_bytes}) {
    const Buffer buffer = pool.take(size);

    EXPECT_EQ(buffer.bytes().size(), size);
    EXPECT_GE(buffer.capacity, size);
    EXPECT_NE(buffer.memory, nullptr);
  }
}

TEST(BufferPool, ReusesMemoryOfTheSameSizeClass) {
  BufferPool pool;
  Buffer first = pool.take(1000);
  const std::byte* memory = first.memory.get();
  pool.give_back(std::move(first));

  const Buffer smaller = pool.take(100);
  const Buffer same = pool.take(600);

  EXPECT_NE(smaller.memory.get(), memory);
  EXPECT_EQ(same.memory.get(), memory);
  EXPECT_EQ(same.size, 600u);
}

TEST(BufferPoolDeathTest, RefusesMoreThanAMessage) {
  BufferPool pool;

  EXPECT_DEATH(static_cast<void>(pool.take(max_message_bytes + 1)), "assertion failed");
}

}  // namespace

}  // namespace penstock::transport
