// Whatever a file holds, reading it ends in a trace or in an error of one line.
#include <random>

#include <gtest/gtest.h>

#include <penstock/error.hpp>

#include "trace/file_format.hpp"
#include "trace/reader.hpp"
#include "trace/trace_file.hpp"

namespace penstock::trace {
namespace {

class DamagedFile : public testing::Test {
 protected:
  void SetUp() override {
    {
      Recorder recorder(file_.options());
      for (std::uint64_t i = 0; i < 2 * slots_least; ++i) recorder.lane(0).record(numbered(i));
    }
    whole_ = file_.content();
  }
  /// Whether it could be read.
  [[nodiscard]] bool is_read(const std::string& content) const {
    file_.replace(content);
    try {
      const RankTrace trace = read(file_.path());
      for (const LaneEvents& lane : trace.lanes) {
        EXPECT_LE(lane.events.size(), slots_least);
        EXPECT_LE(lane.name.size(), 64U);
        for (const core::Event& event : lane.events) EXPECT_NE(event.kind, core::EventKind{});
      }
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return false;
    }
  }

  TraceFile file_;
  std::string whole_;
};

TEST_F(DamagedFile, CutAnywhereIsRefused) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) EXPECT_FALSE(is_read(whole_.substr(0, random() % whole_.size())));
}

TEST_F(DamagedFile, WithOtherBytesInItsHeadersIsReadOrRefused) {
  std::mt19937 random(2);
  int read = 0;
  constexpr int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = whole_;
    // One byte of the file's header in every other round, and several of the lanes'.
    if (round % 2 == 0) damaged[random() % sizeof(FileHeader)] = static_cast<char>(random());
    for (int i = 0; i < 8; ++i) {
      damaged[lane_headers_begin() + random() % (2 * sizeof(LaneHeader))] = static_cast<char>(random());
    }
    read += is_read(damaged) ? 1 : 0;
  }
  EXPECT_GE(read, rounds / 2);
  EXPECT_LT(read, rounds);
}

TEST_F(DamagedFile, WithOtherBytesAnywhereElseIsRead) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    std::string damaged = whole_;
    for (int i = 0; i < 1000; ++i) damaged[page + random() % (damaged.size() - page)] = static_cast<char>(random());

    EXPECT_TRUE(is_read(damaged));
  }
}

}  // namespace
}  // namespace penstock::trace
