#include "trace/reader.hpp"

#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <penstock/error.hpp>

#include "trace/file_format.hpp"
#include "trace/trace_file.hpp"

namespace penstock::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of(const std::filesystem::path& file) {
  try {
    static_cast<void>(read(file));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    EXPECT_THAT(error.what(), HasSubstr(file.string()));
    return error.what();
  }
  return "";
}

/// The file with its header changed.
void change_header(const TraceFile& file, const std::function<void(FileHeader&)>& change) {
  std::string content = file.content();
  FileHeader header;
  std::memcpy(&header, content.data(), sizeof header);
  change(header);
  std::memcpy(content.data(), &header, sizeof header);
  file.replace(content);
}

class RefusingReader : public testing::Test {
 protected:
  void SetUp() override {
    Recorder recorder(file_.options());
    recorder.lane(0).record(numbered(1));
  }
  TraceFile file_;
};

TEST_F(RefusingReader, SaysWhatIsNoTrace) {
  EXPECT_THAT(refusal_of(file_.folder() / "none"), HasSubstr("No such file"));
  EXPECT_THAT(refusal_of(file_.folder()), HasSubstr("not a regular file"));

  ASSERT_EQ(::mkfifo((file_.folder() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal_of(file_.folder() / "pipe"), HasSubstr("not a regular file"));
  std::filesystem::create_symlink(file_.path(), file_.folder() / "link");
  EXPECT_NE(refusal_of(file_.folder() / "link"), "");

  file_.replace("");
  EXPECT_THAT(refusal_of(file_.path()), HasSubstr("is no trace"));
  file_.replace(std::string(10'000, 'x'));
  EXPECT_THAT(refusal_of(file_.path()), HasSubstr("is no trace"));
}

TEST_F(RefusingReader, SaysWhatItCannotRead) {
  const std::string whole = file_.content();
  change_header(file_, [](FileHeader& header) { header.version = 9; });
  EXPECT_THAT(refusal_of(file_.path()), HasSubstr("has format 9, this penstock reads format 1"));

  const std::vector<std::function<void(FileHeader&)>> damages{
      [](FileHeader& header) { header.event_bytes = 31; },
      [](FileHeader& header) { header.lanes = 0; },
      [](FileHeader& header) { header.lanes = ~0U; },
      [](FileHeader& header) { header.lanes = 3; },
      [](FileHeader& header) { header.slots = 0; },
      [](FileHeader& header) { header.slots = 3; },
      [](FileHeader& header) { header.slots = 1ULL << 63; },
      [](FileHeader& header) { header.slots *= 2; },
      [](FileHeader& header) { header.rank = -1; },
      [](FileHeader& header) { header.rank = 5; },
      [](FileHeader& header) { header.description_bytes = ~0U; }};
  for (std::size_t i = 0; i < damages.size(); ++i) {
    file_.replace(whole);
    change_header(file_, damages[i]);
    EXPECT_THAT(refusal_of(file_.path()), HasSubstr("is damaged")) << i;
  }
  file_.replace(whole.substr(0, whole.size() - 1));
  EXPECT_THAT(refusal_of(file_.path()), HasSubstr("is damaged"));
}

TEST_F(RefusingReader, LeavesOutEventsOfNoKind) {
  std::string content = file_.content();
  auto* const lane = content.data() + lane_headers_begin();
  const std::uint64_t written = 3;  // two more than there are
  std::memcpy(lane, &written, sizeof written);
  file_.replace(content);

  EXPECT_EQ(read(file_.path()).lanes[0].events.size(), 1U);
}

TEST(Reader, FilesAreInTheOrderOfTheirRanks) {
  const TraceFile file;
  for (const int rank : {100'000, 7, 99'999, 0}) std::ofstream(file.folder() / file_name(rank)) << "x";
  std::ofstream(file.folder() / "other.txt") << "x";

  std::vector<std::string> names;
  for (const auto& path : files_in(file.folder())) names.push_back(path.filename().string());

  EXPECT_THAT(names, ElementsAre("rank-00000.trace", "rank-00007.trace", "rank-99999.trace", "rank-100000.trace"));
  EXPECT_THROW(static_cast<void>(files_in(file.folder() / "none")), Error);
}

TEST(Reader, OfARankThatRunsFindsNoEventTwiceNorHalf) {
  const TraceFile file;
  Recorder recorder(file.options());
  std::atomic<bool> enough{false};
  std::thread writer([&] {
    Lane& lane = recorder.lane(0);
    for (std::uint64_t i = 0; !enough.load(std::memory_order_relaxed); ++i) {
      lane.put(numbered(i));
      if (i % 7 == 0) lane.publish();
    }
  });

  for (int round = 0; round < 200; ++round) {
    const LaneEvents lane = read(file.path()).lanes[0];
    for (std::size_t i = 0; i < lane.events.size(); ++i) {
      const core::CounterEvent counter = core::counter_of(lane.events[i]);
      ASSERT_EQ(counter.at_ns, static_cast<std::int64_t>(lane.dropped + i));
      ASSERT_EQ(counter.value, counter.at_ns * 3);
    }
  }
  enough.store(true, std::memory_order_relaxed);
  writer.join();
}

}  // namespace
}  // namespace penstock::trace
