// What tasks that reduce are made of, as a front-end that only writes down what it is given sees it.
#include "frontend/reductions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "frontend/frontend.hpp"

namespace penstock::frontend {

namespace {

using core::DataId;
using core::KernelId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr KernelId body{1};
constexpr KernelId combine{2};
constexpr KernelId neutral{3};
constexpr KernelId other_combine{4};
constexpr Reduction by_sum{.combine = combine, .combine_parameters = {}, .neutral = neutral, .neutral_parameters = {}};
constexpr Reduction by_other{
    .combine = other_combine, .combine_parameters = {}, .neutral = neutral, .neutral_parameters = {}};

/// Writes tasks down: "neutral >2" writes datum 2, "body +2 0" reads and writes 2, and reads 0.
class Recorder final : public Frontend {
 public:
  [[nodiscard]] DataId add_data(const ArrayType& /*type*/) override {
    live_.insert(next_);
    most_ = std::max(most_, live_.size());
    return DataId(next_++);
  }
  DataId add_written() {
    const DataId data = add_data({});
    written_.insert(data.value());
    return data;
  }
  std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }
  [[nodiscard]] std::size_t live() const { return live_.size(); }
  [[nodiscard]] std::size_t most() const { return most_; }
  [[nodiscard]] const std::vector<std::uint32_t>& lines_of_places() const { return places_; }
  [[nodiscard]] const std::vector<std::int32_t>& priorities() const { return priorities_; }
  void borrow(DataId data, bool read_only) {
    borrowed_.insert(data.value());
    if (read_only) read_only_.insert(data.value());
  }
  /// Called before the task of this kernel is taken.
  void fail_at(KernelId kernel) { fails_at_ = kernel; }

  [[nodiscard]] core::Version first_version(DataId /*data*/) const override { return {}; }
  void unpin(const Pinned& /*pinned*/) override {}
  bool wait_for(const Pinned& /*pinned*/, const Deadline& /*deadline*/) override { return true; }
  void fetch(Pinned& /*pinned*/) override {}
  bool wait_all(const Deadline& /*deadline*/) override { return true; }
  void drain() override {}
  [[nodiscard]] Group* add_group() override { return nullptr; }
  bool wait_for(const Group& /*group*/, const Deadline& /*deadline*/) override { return true; }
  void cancel(Group& /*group*/) override {}
  void cancel(core::TaskId /*task*/) override {}
  [[nodiscard]] Resource* add_resource(std::int64_t /*amount*/) override { return nullptr; }
  void close() override {}
  void cancel() override {}
  void finish() override {}
  void break_off(const std::string& /*why*/) override {}
  [[nodiscard]] Counts counts() const override { return {}; }
  [[nodiscard]] Window in_flight() const override { return {}; }
  [[nodiscard]] std::vector<Failure> first_failures() const override { return {}; }
  [[nodiscard]] std::vector<Skipped> first_skipped() const override { return {}; }
  void on_endings(core::RankId /*from*/, std::span<const std::byte> /*item*/) override {}

 private:
  core::TaskId take(std::span<const Task> tasks) override {
    for (const Task& task : tasks) {
      if (task.kernel == fails_at_) throw Error(ErrorCode::interrupted, "interrupted");
      constexpr const char* names[] = {"", "body", "combine", "neutral", "other"};
      std::string line = names[task.kernel.value()];
      for (const graph::Access& access : task.accesses) {
        constexpr const char* signs[] = {" ", " >", " +", " ~", " !"};
        line += signs[static_cast<int>(access.mode)] + std::to_string(access.data.value());
        if (access.mode != AccessMode::read) written_.insert(access.data.value());
      }
      lines_.push_back(line);
      places_.push_back(task.place.line);
      priorities_.push_back(task.priority);
    }
    next_task_ += tasks.size();
    return core::TaskId(next_task_ - tasks.size());
  }
  [[nodiscard]] Pinned hold(DataId data, bool /*for_view*/) override {
    return {.data = data, .version = core::Version(1)};
  }
  void drop(DataId data) override { live_.erase(data.value()); }
  [[nodiscard]] engine::Standing standing(DataId data) const override {
    return {.type = {},
            .is_written = written_.contains(data.value()),
            .is_read_only = read_only_.contains(data.value()),
            .is_borrowed = borrowed_.contains(data.value())};
  }

  std::uint32_t next_ = 0;
  std::uint64_t next_task_ = 1;
  KernelId fails_at_;
  std::set<std::uint32_t> live_;
  std::set<std::uint32_t> written_;
  std::set<std::uint32_t> borrowed_;
  std::set<std::uint32_t> read_only_;
  std::size_t most_ = 0;
  std::vector<std::string> lines_;
  std::vector<std::uint32_t> places_;
  std::vector<std::int32_t> priorities_;
};

core::TaskId submit(Recorder& frontend, std::vector<graph::Access> accesses, const Reduction& reduction = by_sum,
                    std::uint32_t line = 0) {
  const Task task{.kernel = body,
                  .priority = static_cast<std::int32_t>(line),
                  .accesses = accesses,
                  .parameters = {},
                  .place = {"program", line}};
  const bool reduces = std::ranges::find(accesses, AccessMode::reduce, &graph::Access::mode) != accesses.end();
  return reduces ? frontend.submit(task, {&reduction, 1}) : static_cast<Frontend&>(frontend).submit({&task, 1});
}

TEST(Reductions, CombineTwoOfALevelAtOnceAndFoldTheRestAtARead) {
  Recorder frontend;
  const DataId y = frontend.add_written();

  submit(frontend, {{y, AccessMode::reduce}});
  EXPECT_THAT(frontend.take_lines(), ElementsAre("neutral >1", "body +1"));
  submit(frontend, {{y, AccessMode::reduce}});
  EXPECT_THAT(frontend.take_lines(), ElementsAre("neutral >2", "body +2", "combine +1 2"));
  submit(frontend, {{y, AccessMode::reduce}});
  EXPECT_THAT(frontend.take_lines(), ElementsAre("neutral >3", "body +3"));
  submit(frontend, {{y, AccessMode::read}});
  EXPECT_THAT(frontend.take_lines(), ElementsAre("combine +1 3", "combine +0 1", "body 0"));
  submit(frontend, {{y, AccessMode::read}});
  EXPECT_THAT(frontend.take_lines(), ElementsAre("body 0"));
  EXPECT_EQ(frontend.live(), 1U);
  EXPECT_EQ(frontend.inserted(), 3U + 3U);
}

TEST(Reductions, UseAnArrayThatNothingHasWrittenItself) {
  Recorder frontend;
  const DataId y = frontend.add_data({});

  for (int task = 0; task < 3; ++task) submit(frontend, {{y, AccessMode::reduce}});
  frontend.fold_reductions();

  EXPECT_THAT(frontend.take_lines(), ElementsAre("neutral >0", "body +0",                    //
                                                 "neutral >1", "body +1", "combine +0 1",    //
                                                 "neutral >2", "body +2", "combine +0 2"));  //
  EXPECT_EQ(frontend.live(), 1U);
}

TEST(Reductions, KeepNoMoreArraysThanTheTreeIsHigh) {
  for (const std::size_t tasks : {1U, 2U, 3U, 100U, 1023U, 1024U, 5000U}) {
    Recorder frontend;
    const DataId y = frontend.add_written();

    for (std::size_t task = 0; task < tasks; ++task) submit(frontend, {{y, AccessMode::reduce}});
    const auto height = static_cast<std::size_t>(std::bit_width(tasks));

    EXPECT_LE(frontend.most(), 1 + height + 1) << tasks;
    EXPECT_LE(frontend.live(), 1 + height) << tasks;
    frontend.release_data(y);
    EXPECT_EQ(frontend.live(), 0U) << tasks;
  }
}

TEST(Reductions, FoldBeforeAPinAndAnotherOperation) {
  Recorder frontend;
  const DataId y = frontend.add_written();

  submit(frontend, {{y, AccessMode::reduce}});
  frontend.take_lines();
  static_cast<void>(frontend.pin(y, false));
  EXPECT_THAT(frontend.take_lines(), ElementsAre("combine +0 1"));
  submit(frontend, {{y, AccessMode::reduce}});
  submit(frontend, {{y, AccessMode::reduce}}, by_other);
  EXPECT_THAT(frontend.take_lines(), ElementsAre("neutral >2", "body +2", "combine +0 2", "neutral >3", "body +3"));
  submit(frontend, {{y, AccessMode::write}});
  EXPECT_THAT(frontend.take_lines(), ElementsAre("other +0 3", "body >0"));
}

TEST(Reductions, LeaveOtherArraysAlone) {
  Recorder frontend;
  const DataId x = frontend.add_written();
  const DataId y = frontend.add_written();

  submit(frontend, {{x, AccessMode::reduce}, {y, AccessMode::read}});
  frontend.take_lines();
  submit(frontend, {{y, AccessMode::read_write}});
  static_cast<void>(frontend.pin(y, true));
  frontend.release_data(y);

  EXPECT_THAT(frontend.take_lines(), ElementsAre("body +1"));
}

TEST(Reductions, HaveThePlaceAndThePriorityOfTheTaskThatReduces) {
  Recorder frontend;
  const DataId y = frontend.add_written();

  submit(frontend, {{y, AccessMode::reduce}}, by_sum, 7);
  submit(frontend, {{y, AccessMode::reduce}}, by_sum, 8);
  submit(frontend, {{y, AccessMode::read}}, by_sum, 9);

  EXPECT_THAT(frontend.lines_of_places(), ElementsAre(7U, 7U, 8U, 8U, 8U, 8U, 9U));
  EXPECT_THAT(frontend.priorities(), ElementsAre(7, 7, 8, 8, 8, 8, 9));
}

TEST(Reductions, GiveTheIdOfTheTaskItself) {
  Recorder frontend;
  const DataId y = frontend.add_written();

  EXPECT_EQ(submit(frontend, {{y, AccessMode::reduce}}), core::TaskId(2));
  EXPECT_EQ(submit(frontend, {{y, AccessMode::reduce}}), core::TaskId(4));
  EXPECT_EQ(submit(frontend, {{y, AccessMode::read}}), core::TaskId(7));
}

TEST(Reductions, RefuseATaskThatAccessesTheArrayBesides) {
  Recorder frontend;
  const DataId x = frontend.add_written();
  const DataId y = frontend.add_written();

  try {
    submit(frontend, {{x, AccessMode::read}, {y, AccessMode::reduce}, {y, AccessMode::read}}, by_sum, 5);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "program:5: access 2 reduces into an array that the same task accesses besides, as "
                 "access 3");
  }
  EXPECT_THAT(frontend.take_lines(), IsEmpty());
}

TEST(Reductions, RefuseAnArrayThatIsOnlyRead) {
  Recorder frontend;
  const DataId y = frontend.add_written();
  frontend.borrow(y, true);

  EXPECT_THROW(submit(frontend, {{y, AccessMode::reduce}}), Error);
}

TEST(Reductions, IntoABorrowedArrayOutliveItsHandle) {
  Recorder frontend;
  const DataId y = frontend.add_written();
  frontend.borrow(y, false);
  submit(frontend, {{y, AccessMode::reduce}});
  frontend.take_lines();

  frontend.release_data(y);
  EXPECT_EQ(frontend.live(), 2U);
  frontend.fold_reductions();

  EXPECT_THAT(frontend.take_lines(), ElementsAre("combine +0 1"));
  EXPECT_EQ(frontend.live(), 0U);
}

TEST(Reductions, OfATaskThatIsNotTakenLeaveNothingBehind) {
  Recorder frontend;
  const DataId y = frontend.add_written();
  submit(frontend, {{y, AccessMode::reduce}});
  frontend.take_lines();

  for (const KernelId kernel : {body, neutral}) {
    frontend.fail_at(kernel);
    EXPECT_THROW(submit(frontend, {{y, AccessMode::reduce}}), Error);
    EXPECT_EQ(frontend.live(), 2U);
  }
  frontend.fail_at(KernelId());
  frontend.take_lines();
  frontend.fold_reductions();

  EXPECT_THAT(frontend.take_lines(), ElementsAre("combine +0 1"));
}

TEST(Reductions, ThatCannotBeCombinedNowAreLater) {
  Recorder frontend;
  const DataId y = frontend.add_written();
  submit(frontend, {{y, AccessMode::reduce}});
  frontend.fail_at(combine);
  EXPECT_THROW(submit(frontend, {{y, AccessMode::reduce}}), Error);
  EXPECT_THROW(static_cast<void>(frontend.pin(y, false)), Error);
  frontend.fail_at(KernelId());
  frontend.take_lines();

  static_cast<void>(frontend.pin(y, false));

  EXPECT_THAT(frontend.take_lines(), ElementsAre("combine +1 2", "combine +0 1"));
  EXPECT_EQ(frontend.live(), 1U);
}

}  // namespace

}  // namespace penstock::frontend
