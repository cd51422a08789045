#include "observe/device_table.hpp"

#include <array>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace penstock::observe {
namespace {

const std::array<DeviceRow, 2> rows{
    {{0, "node1", "2 of 16: affinity mask 0-1", "NVIDIA H200", "31.2 GiB", "serialized"},
     {1, "n2", "16 of 16", "none: no driver", "8.0 GiB", "serialized"}}};

TEST(DeviceTable, PrintsALinePerRank) {
  EXPECT_EQ(to_screen(rows),
            "rank  host     memory  MPI         cores                       GPUs\n"
            "   0  node1  31.2 GiB  serialized  2 of 16: affinity mask 0-1  NVIDIA H200\n"
            "   1  n2      8.0 GiB  serialized  16 of 16                    none: no driver\n");
}

TEST(DeviceTable, JsonHasEveryField) {
  const auto json = nlohmann::json::parse(to_json(rows));

  EXPECT_EQ(json["format"], 1);
  ASSERT_EQ(json["ranks"].size(), 2U);
  EXPECT_EQ(json["ranks"][1], (nlohmann::json{{"rank", 1},
                                              {"host", "n2"},
                                              {"cores", "16 of 16"},
                                              {"gpus", "none: no driver"},
                                              {"memory", "8.0 GiB"},
                                              {"mpi", "serialized"}}));
}

TEST(DeviceTable, JsonMendsTextThatIsNotUtf8) {
  const std::array<DeviceRow, 1> row{{{.host = "a\xff", .cores = "", .gpus = "", .memory = "", .mpi = ""}}};

  EXPECT_EQ(nlohmann::json::parse(to_json(row))["ranks"][0]["host"], "a\ufffd");
}

}  // namespace
}  // namespace penstock::observe
