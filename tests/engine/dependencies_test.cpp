// What runs after what, and in which memory.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <vector>

#include "engine/program.hpp"

namespace penstock::engine {
namespace {

/// Notes where the first array of a task lies.
auto place_in(const I64*& place) {
  return [&place](const Arrays& arrays) { place = arrays[0].data(); };
}

TEST(Dependencies, LetAReadSeeTheWriteBefore) {
  Gate gate;
  Program program;
  const core::DataId x = program.add();
  std::atomic<I64> seen{0};

  program.submit({writes(x)}, [&](const Arrays& arrays) {
    gate.pass();
    arrays[0][0] = 7;
  });
  program.submit({reads(x)}, [&](const Arrays& arrays) { seen = arrays[0][0]; });
  gate.open();
  program.domain().drain();

  EXPECT_EQ(seen, 7);
}

TEST(Dependencies, LetAWriteInPlaceWaitForTheReadsBefore) {
  Gate gate;
  Program program;
  const core::DataId x = program.add_filled(1);
  std::atomic<I64> seen{0};
  std::atomic<bool> updated{false};

  program.submit({reads(x)}, [&](const Arrays& arrays) {
    gate.pass();
    seen = arrays[0][0];
  });
  gate.await();
  program.submit({updates(x)}, [&](const Arrays& arrays) {
    updated = true;
    ++arrays[0][0];
  });
  program.wait(program.add_filled(0));  // the other worker has passed by the update
  EXPECT_FALSE(updated);
  gate.open();

  EXPECT_EQ(program.read(x), 2);
  EXPECT_EQ(seen, 1);
}

TEST(Dependencies, KeepTheOrderOfWrites) {
  Program program;
  const core::DataId x = program.add();
  const core::DataId y = program.add();

  for (I64 i = 0; i < 1000; ++i) {
    program.write(x, i);
    program.submit({reads(x), writes(y)}, [](const Arrays& arrays) { arrays[1][0] = arrays[0][0]; });
  }

  EXPECT_EQ(program.read(x), 999);
  EXPECT_EQ(program.read(y), 999);
}

TEST(Dependencies, RunAChainOfUpdatesInOrder) {
  Program program;
  const core::DataId x = program.add_filled(0);
  std::atomic<int> wrong{0};

  for (I64 i = 0; i < 20'000; ++i) {
    program.submit({updates(x)}, [i, &wrong](const Arrays& arrays) {
      if (arrays[0][0] != i) ++wrong;
      arrays[0][0] = i + 1;
    });
  }

  EXPECT_EQ(program.read(x), 20'000);
  EXPECT_EQ(wrong, 0);
}

TEST(Dependencies, LetReadsOfOneVersionRunTogether) {
  std::latch all(3);
  Program program({.workers = 3});
  const core::DataId x = program.add_filled(5);
  std::atomic<I64> sum{0};

  for (int i = 0; i < 3; ++i) {
    program.submit({reads(x)}, [&](const Arrays& arrays) {
      all.arrive_and_wait();
      sum += arrays[0][0];
    });
  }
  program.domain().drain();

  EXPECT_EQ(sum, 15);
}

TEST(Dependencies, TakeFlatMemoryForManyReadersOfOneVersion) {
  constexpr int readers = 100'000;
  Program program;
  const core::DataId x = program.add_filled(1);
  std::atomic<I64> sum{0};
  const Body add = [&](const Arrays& arrays) { sum += arrays[0][0]; };

  for (int i = 0; i < readers; ++i) program.submit({reads(x)}, add);
  program.increment(x);

  EXPECT_EQ(program.read(x), 2);
  EXPECT_EQ(sum, readers);
  const std::size_t records = Domain::Options().window_tasks + 4 * 2 * executor::RecordPool<Task>::batch;
  EXPECT_LE(program.engine().record_bytes(), records * sizeof(Task) + 16 * 64 * sizeof(Version));
}

TEST(Dependencies, TakeFlatMemoryForManyVersions) {
  constexpr std::size_t bytes = 4096;
  Program program({.window_tasks = 64});
  const core::DataId x = program.add(bytes / 8);

  for (int i = 0; i < 20'000; ++i) program.write(x, i);
  program.domain().drain();

  EXPECT_EQ(program.data_bytes(), bytes);
  EXPECT_LE(program.engine().record_bytes(), (64 + 4 * 2 * 64) * (sizeof(Task) + sizeof(Version)));
}

TEST(Dependencies, LetAPureWritePassOldReaders) {
  Gate gate;
  Program program;
  const core::DataId x = program.add_filled(1);
  std::atomic<I64> old{0};
  program.submit({reads(x)}, [&](const Arrays& arrays) {
    gate.pass();
    old = arrays[0][0];
  });
  gate.await();

  program.write(x, 2);
  EXPECT_EQ(program.read(x), 2);  // would not come while the reader is held
  gate.open();
  program.domain().drain();

  EXPECT_EQ(old, 1);
}

class WithoutRenaming : public testing::TestWithParam<bool> {
 protected:
  static Configuration by_parameter() {
    return GetParam() ? Configuration{.renames = false} : Configuration{.renaming_bytes = 8};
  }
};

TEST_P(WithoutRenaming, AWriteWaitsForOldReadersAndTakesTheMemoryOver) {
  Gate gate;
  Program program(by_parameter());
  const core::DataId x = program.add_filled(1, 1000);
  const I64* old = nullptr;
  const I64* taken = nullptr;
  std::atomic<I64> seen{0};
  std::atomic<bool> written{false};
  program.submit({reads(x)}, [&](const Arrays& arrays) {
    old = arrays[0].data();
    gate.pass();
    seen = arrays[0][999];
  });
  gate.await();

  program.submit({writes(x)}, [&](const Arrays& arrays) {
    written = true;
    taken = arrays[0].data();
    std::ranges::fill(arrays[0], 2);
  });
  program.wait(program.add_filled(0));  // the other worker has passed by the write
  EXPECT_FALSE(written);
  gate.open();

  EXPECT_EQ(program.read(x), 2);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(taken, old);
}

TEST_P(WithoutRenaming, AWriteDoesNotWaitForAView) {
  Program program(by_parameter());
  const core::DataId x = program.add_filled(1);
  const View view(program, x);

  program.write(x, 2);

  EXPECT_EQ(program.read(x), 2);
  EXPECT_EQ(view.value(), 1);
}

TEST_P(WithoutRenaming, AWriteDoesNotWaitForItsOwnRead) {
  Program program(by_parameter());
  const core::DataId x = program.add_filled(1);

  program.submit({reads(x), writes(x)}, [](const Arrays& arrays) { arrays[1][0] = arrays[0][0] + 10; });

  EXPECT_EQ(program.read(x), 11);
}

TEST_P(WithoutRenaming, AWriteWaitsForTheWriteBefore) {
  Gate gate;
  Program program(by_parameter());
  const core::DataId x = program.add(100);
  program.submit({writes(x)}, [&](const Arrays& arrays) {
    gate.pass();
    std::ranges::fill(arrays[0], 1);
  });
  gate.await();

  for (I64 i = 2; i < 100; ++i) program.write(x, i);
  gate.open();

  EXPECT_EQ(program.read(x), 99);
}

/// A task that was skipped never had memory that could be taken over.
TEST_P(WithoutRenaming, AWriteStartsCleanAfterOneThatNeverRan) {
  Program program(by_parameter());
  const core::DataId broken = program.add(100);
  const core::DataId x = program.add(100);
  program.fail(broken);
  program.submit({reads(broken), writes(x)}, [](const Arrays& /*arrays*/) {});

  program.write(x, 3);

  EXPECT_EQ(program.read(x), 3);
}

INSTANTIATE_TEST_SUITE_P(ByOptionOrForWantOfMemory, WithoutRenaming, testing::Bool());

TEST(InPlace, AnUpdateTakesTheMemoryOver) {
  Program program;
  const core::DataId x = program.add(1000);
  const I64* first = nullptr;
  const I64* second = nullptr;

  program.submit({writes(x)}, place_in(first));
  program.submit({updates(x)}, place_in(second));
  program.domain().drain();

  EXPECT_EQ(first, second);
}

TEST(InPlace, AnUpdateCopiesWhatAViewLooksAt) {
  Program program;
  const core::DataId x = program.add_filled(1);
  auto view = std::make_unique<View>(program, x);

  for (int i = 0; i < 1000; ++i) program.increment(x);

  EXPECT_EQ(program.read(x), 1001);
  EXPECT_EQ(view->value(), 1);
  view.reset();
  EXPECT_EQ(program.read(x), 1001);
}

TEST(InPlace, AnUpdateTakesTheMemoryOverAgainOnceTheViewIsGone) {
  Program program;
  const core::DataId x = program.add(1000);
  const I64* first = nullptr;
  const I64* second = nullptr;
  program.submit({writes(x)}, place_in(first));
  { const View view(program, x); }

  program.submit({updates(x)}, place_in(second));
  program.domain().drain();

  EXPECT_EQ(first, second);
}

TEST(InPlace, AnUpdateCopiesWhatItsTaskReadsToo) {
  Program program;
  const core::DataId x = program.add_filled(4);

  program.submit({updates(x), reads(x)}, [](const Arrays& arrays) { arrays[0][0] += 10 * arrays[1][0]; });
  program.submit({reads(x), updates(x), reads(x)},
                 [](const Arrays& arrays) { arrays[1][0] += arrays[0][0] + arrays[2][0]; });

  EXPECT_EQ(program.read(x), 3 * 44);
}

TEST(InPlace, AnUpdateWaitsForAThreadThatWaits) {
  Gate gate;
  Program program;
  const core::DataId x = program.add();
  program.submit({writes(x)}, [&](const Arrays& arrays) {
    gate.pass();
    arrays[0][0] = 1;
  });
  Version& version = program.domain().pin(x, false);

  program.increment(x);
  gate.open();
  EXPECT_TRUE(program.domain().wait_for(version));
  program.wait(program.add_filled(0));
  EXPECT_EQ(*reinterpret_cast<I64*>(version.data), 1);
  program.domain().unpin(version, false);

  EXPECT_EQ(program.read(x), 2);
}

TEST(Views, KeepTheirBytesWhileLaterTasksWrite) {
  constexpr I64 rounds = 200;
  Program program;
  const core::DataId x = program.add_filled(0);
  std::deque<View> views;

  for (I64 i = 1; i <= rounds; ++i) {
    views.emplace_back(program, x);
    if (i % 2 == 0)
      program.write(x, i);
    else
      program.increment(x);
  }
  program.domain().drain();

  for (I64 i = 0; i < rounds; ++i) ASSERT_EQ(views[static_cast<std::size_t>(i)].value(), i);
}

TEST(Views, SeveralOfOneVersionMayGoInAnyOrder) {
  Program program;
  const core::DataId x = program.add_filled(1, 1000);
  auto first = std::make_unique<View>(program, x);
  auto second = std::make_unique<View>(program, x);

  first.reset();
  program.increment(x);
  EXPECT_EQ(program.read(x), 2);
  EXPECT_EQ(second->value(), 1);
  second.reset();

  program.domain().drain();  // a value is there before its task has let go of what it read
  program.domain().release_data(x);
  EXPECT_EQ(program.data_bytes(), 0U);
}

TEST(Dependencies, AllowTheSameDatumToBeReadTwiceByATask) {
  Program program;
  const core::DataId x = program.add_filled(3);
  const core::DataId y = program.add();

  program.submit({reads(x), reads(x), writes(y)},
                 [](const Arrays& arrays) { arrays[2][0] = arrays[0][0] + arrays[1][0]; });
  program.increment(x);

  EXPECT_EQ(program.read(y), 6);
  EXPECT_EQ(program.read(x), 4);
}

TEST(Dependencies, HoldFor255Accesses) {
  constexpr std::size_t most = 255;
  Program program;
  std::vector<core::DataId> data;
  std::vector<graph::Access> accesses;
  for (std::size_t i = 0; i < most; ++i) {
    data.push_back(program.add_filled(static_cast<I64>(i)));
    accesses.push_back(i % 2 == 0 ? updates(data[i]) : reads(data[i]));
  }

  for (int round = 0; round < 20; ++round) {
    program.submit(accesses, [](const Arrays& arrays) {
      for (std::size_t i = 0; i + 1 < most; i += 2) arrays[i][0] += arrays[i + 1][0];
    });
  }

  for (std::size_t i = 0; i < most - 1; i += 2) EXPECT_EQ(program.read(data[i]), static_cast<I64>(i + 20 * (i + 1)));
}

TEST(Dependencies, AllowEmptyArrays) {
  Program program;
  const core::DataId x = program.add(0);
  std::atomic<std::size_t> elements{1};

  program.write(x, 1);
  program.increment(x);
  program.submit({reads(x)}, [&](const Arrays& arrays) { elements = arrays[0].size(); });
  program.domain().drain();

  EXPECT_EQ(elements, 0U);
  EXPECT_TRUE(program.read_all(x).empty());
}

}  // namespace
}  // namespace penstock::engine
