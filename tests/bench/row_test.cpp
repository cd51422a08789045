#include "bench/row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace penstock::bench {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const MachineLine machine{
    .cpu = "a CPU", .cores = 2, .compiler = "c", .blas = "b", .date = "d", .version = "1.2.3", .load = 0.5};

Row example() {
  return {.bench = "matmul",
          .measure = {"products alone", "GFLOP/s", "GFLOP/s"},
          .system = "penstock",
          .workers = 2,
          .summary = {.median = 90.0, .least = 80.0, .greatest = 95.0, .runs = 5},
          .limit = 120.0,
          .ratio = 0.75,
          .rival = "bare",
          .regime = Regime::far};
}

TEST(Row, JsonHasExactlyTheKeysOfTheFormat) {
  const Row row = example();

  const json whole = json::parse(to_json(machine, std::span(&row, 1)));

  EXPECT_EQ(whole["rows"], json::array({{{"bench", "matmul"},
                                         {"case", "products alone"},
                                         {"system", "penstock"},
                                         {"workers", 2},
                                         {"metric", "GFLOP/s"},
                                         {"value", 90.0},
                                         {"unit", "GFLOP/s"},
                                         {"min", 80.0},
                                         {"max", 95.0},
                                         {"runs", 5},
                                         {"limit", 120.0},
                                         {"ratio", 0.75},
                                         {"regime", "far"}}}));
  EXPECT_EQ(whole.size(), 2U);
  EXPECT_EQ(whole["machine"]["cores"], 2);
}

TEST(Row, WhatIsNoneIsNullInJson) {
  Row row = example();
  row.limit = std::nullopt;
  row.ratio = std::nullopt;

  const json whole = json::parse(to_json(machine, std::span(&row, 1)));

  EXPECT_TRUE(whole["rows"][0]["limit"].is_null());
  EXPECT_TRUE(whole["rows"][0]["ratio"].is_null());
}

TEST(Row, NoRowsAreAnEmptyList) { EXPECT_EQ(json::parse(to_json(machine, {}))["rows"], json::array()); }

TEST(Row, TableNamesMachineAndRival) {
  const Row row = example();

  const std::string table = to_table(machine, std::span(&row, 1));

  EXPECT_THAT(table, HasSubstr("a CPU, 2 cores, load 0.50; c; b; penstock 1.2.3; d\n"));
  EXPECT_THAT(table, HasSubstr("0.75 of bare"));
  EXPECT_THAT(table, HasSubstr("90.00"));
}

TEST(Row, TableKeepsFourDigitsOfSmallAndLargeNumbers) {
  Row row = example();
  row.summary = {.median = 0.0012345, .least = 0.0, .greatest = 12345678.0, .runs = 5};

  const std::string table = to_table(machine, std::span(&row, 1));

  EXPECT_THAT(table, HasSubstr("0.001234 "));
  EXPECT_THAT(table, HasSubstr(" 12345678 "));
}

}  // namespace
}  // namespace penstock::bench
