// What the front-end of a run without messages adds to its domain: lines for people, counts, and values by id.
#include "frontend/local_frontend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cluster/messages.hpp"

namespace penstock::frontend {
namespace {

using testing::HasSubstr;

class Outbox final : public Delivery {
 public:
  void deliver(core::RankId to, std::span<const std::byte> commands) override {
    EXPECT_EQ(to, core::front_rank);
    sent.emplace_back(commands.begin(), commands.end());
  }
  std::byte* bytes_of(core::DataId /*data*/, core::Version /*version*/) override { return nullptr; }

  std::vector<std::vector<std::byte>> sent;
};

class LocalFrontendOfTwo : public testing::Test {
 protected:
  LocalFrontendOfTwo() {
    set_.name = "set";
    set_.cpu = [](const TaskContext& context) { *reinterpret_cast<std::int64_t*>(context.arrays[0].data) = 7; };
    fail_.name = "fail";
    fail_.cpu = [](const TaskContext& /*context*/) { throw std::runtime_error("too bad"); };
    workers_.open(2, 2);
    engine_.emplace(kernels_, workers_, buffers_);
    frontend_.emplace(*engine_,
                      LocalFrontend::Options{.window = {.tasks = 100, .bytes = 1'000'000}, .back_end = &outbox_});
    for (int lane = 0; lane < 2; ++lane) threads_.emplace_back([this, lane] { workers_.work(lane); });
  }
  LocalFrontendOfTwo(const LocalFrontendOfTwo&) = delete;
  LocalFrontendOfTwo& operator=(const LocalFrontendOfTwo&) = delete;
  ~LocalFrontendOfTwo() override {
    frontend_->drain();
    workers_.close();
    threads_.clear();
  }

  core::DataId add() { return frontend_->add_data({DType::i64, Shape{1}}); }
  void submit(std::uint16_t kernel, core::DataId data, AccessMode mode, std::string_view name = {}) {
    const graph::Access access{data, mode};
    frontend_->submit({.kernel = core::KernelId(kernel),
                       .accesses = {&access, 1},
                       .parameters = {},
                       .place = Place("model.cpp", 9),
                       .name = name});
  }
  void set(core::DataId data) { submit(0, data, AccessMode::write); }
  void fail(core::DataId data, std::string_view name = {}) { submit(1, data, AccessMode::write, name); }
  void update(core::DataId data) { submit(0, data, AccessMode::read_write); }

  template <class Call>
  static std::string error_of(const Call& call) {
    try {
      call();
    } catch (const TaskError& error) {
      return error.what();
    }
    return "";
  }

  KernelDescription set_;
  KernelDescription fail_;
  const std::vector<const KernelDescription*> kernels_{&set_, &fail_};
  Outbox outbox_;
  executor::Workers workers_{{.lanes_most = 2, .idle = [](int /*lane*/) {}, .seed = std::nullopt}};
  memory::HostPool buffers_;
  std::optional<engine::Engine> engine_;
  std::optional<LocalFrontend> frontend_;
  std::vector<std::jthread> threads_;
};

TEST_F(LocalFrontendOfTwo, BringsAValueOfAVersionThatStays) {
  const core::DataId x = add();
  set(x);

  const Pinned pinned = frontend_->bring(x);
  const Pinned again = frontend_->bring(x);

  EXPECT_EQ(*reinterpret_cast<std::int64_t*>(pinned.bytes), 7);
  EXPECT_EQ(pinned.version, frontend_->first_version(x));
  EXPECT_EQ(again.bytes, pinned.bytes);
  frontend_->unpin(pinned);
  frontend_->release_data(x);
  EXPECT_EQ(*reinterpret_cast<std::int64_t*>(again.bytes), 7);
  frontend_->unpin(again);
}

TEST_F(LocalFrontendOfTwo, ThrowsWithNameKernelPlaceAndCause) {
  const core::DataId x = add();
  fail(x, "step 3");
  update(x);

  const std::string expected = "step 3 [fail] (model.cpp:9): failed on rank 0, device 0, attempt 1: too bad";
  EXPECT_EQ(error_of([&] { frontend_->wait(x); }), expected);
  EXPECT_EQ(error_of([&] { static_cast<void>(frontend_->bring(x)); }), expected);
}

TEST_F(LocalFrontendOfTwo, CallsATaskWithoutANameByItsKernel) {
  const core::DataId x = add();
  fail(x);

  EXPECT_THAT(error_of([&] { frontend_->wait(x); }), testing::StartsWith("fail (model.cpp:9)"));
}

TEST_F(LocalFrontendOfTwo, ReportsAFailureOnceByWaitAll) {
  const core::DataId x = add();
  fail(x);
  frontend_->drain();
  update(x);

  EXPECT_THAT(error_of([&] { frontend_->wait_all(); }), HasSubstr("too bad (and 1 more)"));
  EXPECT_EQ(error_of([&] { frontend_->wait_all(); }), "");
  fail(x);
  EXPECT_THAT(error_of([&] { frontend_->wait_all(); }), HasSubstr("too bad"));
}

TEST_F(LocalFrontendOfTwo, CountsHowTasksEnded) {
  const core::DataId good = add();
  const core::DataId bad = add();
  for (int i = 0; i < 10; ++i) set(good);
  fail(bad);
  for (int i = 0; i < 3; ++i) update(bad);
  frontend_->drain();

  const Counts counts = frontend_->counts();

  EXPECT_EQ(counts.submitted, 14U);
  EXPECT_EQ(counts.done, 10U);
  EXPECT_EQ(counts.failed, 1U);
  EXPECT_EQ(counts.skipped, 3U);
  EXPECT_EQ(frontend_->first_failures().size(), 1U);
  EXPECT_EQ(frontend_->first_skipped().size(), 3U);
  EXPECT_EQ(frontend_->in_flight().tasks, 0U);
  EXPECT_EQ(engine_->statistics().tasks + frontend_->own_work().tasks, 14U);
  EXPECT_GT(engine_->record_bytes(), 0U);
}

TEST_F(LocalFrontendOfTwo, NeverCountsMoreDoneThanThereAre) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  const core::DataId x = add();
  {
    std::jthread reader([&] {
      while (!stop) {
        const Counts counts = frontend_->counts();
        if (counts.ended() > counts.submitted) ++wrong;
      }
    });
    for (int i = 0; i < 3000; ++i) {
      if (i % 100 == 0)
        fail(x);
      else
        update(x);
    }
    frontend_->drain();
    stop = true;
  }

  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(frontend_->counts().ended(), 3000U);
}

TEST_F(LocalFrontendOfTwo, NumbersABatchInARow) {
  const core::DataId x = add();
  const graph::Access access{x, AccessMode::write};
  const Task task{.kernel = core::KernelId(0), .accesses = {&access, 1}, .parameters = {}, .place = {}};
  const std::vector<Task> batch(5, task);

  const core::TaskId first = frontend_->submit(batch);
  const core::TaskId next = frontend_->submit(batch);

  EXPECT_EQ(next.value(), first.value() + 5);
}

TEST_F(LocalFrontendOfTwo, SubmitsWhatComesBeforeTheWrongTaskOfABatch) {
  const core::DataId x = add();
  const core::DataId never_written = add();
  const graph::Access write{x, AccessMode::write};
  const graph::Access wrong{never_written, AccessMode::read};
  const std::vector<Task> batch{{.kernel = core::KernelId(0), .accesses = {&write, 1}, .parameters = {}, .place = {}},
                                {.kernel = core::KernelId(0), .accesses = {&wrong, 1}, .parameters = {}, .place = {}},
                                {.kernel = core::KernelId(0), .accesses = {&write, 1}, .parameters = {}, .place = {}}};

  EXPECT_THROW(frontend_->submit(batch), Error);

  EXPECT_EQ(frontend_->counts().submitted, 1U);
}

TEST_F(LocalFrontendOfTwo, EndsTheBackEndByOneCommand) {
  frontend_->finish();

  ASSERT_EQ(outbox_.sent.size(), 1U);
  EXPECT_FALSE(outbox_.sent[0].empty());
  EXPECT_THROW(frontend_->on_endings(core::RankId(3), {}), Error);
}

}  // namespace
}  // namespace penstock::frontend
