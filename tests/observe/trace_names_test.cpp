#include "observe/trace_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/trace_builder.hpp"

namespace penstock::observe {
namespace {

using core::DataId;
using core::Version;
using testing::ElementsAre;

std::string data_name(const RunNames& names, std::uint32_t data, std::uint64_t version) {
  std::string all;
  TraceText text([&all](std::string_view part) { all += part; });
  names.write_data(DataId(data), Version(version), text);
  text.flush();
  return all;
}

core::Event datum(std::uint32_t data, std::uint64_t from, std::uint32_t family, std::int64_t element) {
  return to_event(core::DatumEvent{.data = DataId(data), .from = Version(from), .family = family, .element = element});
}

RunNames names_of(const TraceBuilder& trace) {
  RunNames names;
  names.take(parse_description(trace.trace().description).value(), trace.trace());
  return names;
}

TEST(RankDescription, IsReadFromItsJson) {
  const auto description = parse_description(TraceBuilder().trace().description);

  ASSERT_TRUE(description);
  EXPECT_EQ(description->host, "node");
  EXPECT_EQ(description->boot, "one");
  EXPECT_EQ(description->job, "blur");
  EXPECT_EQ(description->version, "1.2.3");
  EXPECT_THAT(description->kernels, ElementsAre("add", "gemm"));
  ASSERT_EQ(description->devices.size(), 1U);
  EXPECT_EQ(description->devices[0].kind, "cpu");
  ASSERT_EQ(description->families.size(), 2U);
  EXPECT_THAT(description->families[0].begin, ElementsAre(1, 0));
}

TEST(RankDescription, OfTheWrongKindIsEmptyOrNothing) {
  EXPECT_FALSE(parse_description("").has_value());
  EXPECT_FALSE(parse_description("{\"host\": \"no").has_value());
  EXPECT_FALSE(parse_description("[1, 2]").has_value());
  EXPECT_EQ(parse_description("{}")->host, "");

  const auto odd = parse_description(
      R"({"host": 5, "kernels": {"a": 1}, "devices": [7, {"kind": []}], "families": [{"name": "A", "begin": [1]}, null]})");

  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->host, "");
  EXPECT_TRUE(odd->kernels.empty());
  EXPECT_EQ(odd->devices.size(), 2U);
  EXPECT_EQ(odd->families.size(), 2U) << "places in the list are numbers elsewhere";
}

TEST(RunNames, ElementsCountTheLastRangeFastest) {
  TraceBuilder trace;
  trace.put(3, datum(7, 1, 0, 0)).put(3, datum(8, 1, 0, 5)).put(3, datum(9, 1, 1, 0));

  const RunNames names = names_of(trace);

  EXPECT_EQ(data_name(names, 7, 1), "\"A[1, 0]\"");
  EXPECT_EQ(data_name(names, 8, 4), "\"A[2, 2]\"");
  EXPECT_EQ(data_name(names, 9, 1), "\"B\"");
  EXPECT_EQ(data_name(names, 10, 1), "\"data 10\"");
}

TEST(RunNames, AnIdThatIsUsedAgainHasAnotherNameFromThenOn) {
  TraceBuilder trace;
  trace.put(3, datum(7, 5, 1, 0)).put(3, datum(7, 2, 0, 1));

  const RunNames names = names_of(trace);

  EXPECT_EQ(data_name(names, 7, 1), "\"data 7\"");
  EXPECT_EQ(data_name(names, 7, 4), "\"A[1, 1]\"");
  EXPECT_EQ(data_name(names, 7, 5), "\"B\"");
}

TEST(RunNames, WhatAFamilyDoesNotHaveIsCalledByItsNumber) {
  TraceBuilder trace;
  trace.put(3, datum(7, 1, 0, 6)).put(3, datum(8, 1, 0, -1)).put(3, datum(9, 1, 2, 0));

  const RunNames names = names_of(trace);

  EXPECT_EQ(data_name(names, 7, 1), "\"A[element 6]\"");
  EXPECT_EQ(data_name(names, 8, 1), "\"A[element -1]\"");
  EXPECT_EQ(data_name(names, 9, 1), "\"data 9\"");
}

TEST(RunNames, TasksMayHaveLongNamesOfTheirOwn) {
  const std::string long_name = "the second product of the third layer, which is quite long";
  TraceBuilder trace;
  trace.put(3, core::text_event("what was overwritten")).name(5, long_name).name(3, "short");

  const RunNames names = names_of(trace);

  EXPECT_EQ(names.task(core::TaskId(5)), "\"" + long_name + "\"");
  EXPECT_EQ(names.task(core::TaskId(3)), "\"short\"");
  EXPECT_EQ(names.task(core::TaskId(4)), "");
}

TEST(RunNames, AreEscapedAndMended) {
  TraceBuilder trace;
  trace.rank().description =
      R"({"kernels": ["a\"b\\c\u0007"], "families": [{"name": "x\ny", "begin": [0], "count": [1]}]})";
  trace.name(1, "bad \xc3\x28 bytes \x01").put(3, datum(1, 1, 0, 0));

  const RunNames names = names_of(trace);

  EXPECT_EQ(names.kernel(core::KernelId(0)), R"("a\"b\\c\u0007")");
  EXPECT_EQ(names.kernel(core::KernelId(9)), R"("unknown kernel")");
  EXPECT_EQ(names.task(core::TaskId(1)), "\"bad \ufffd( bytes \\u0001\"");
  EXPECT_EQ(data_name(names, 1, 1), "\"x\\ny[0]\"");
}

}  // namespace
}  // namespace penstock::observe
