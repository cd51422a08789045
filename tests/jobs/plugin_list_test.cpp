#include "jobs/plugin_list.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include <penstock/error.hpp>

namespace penstock::jobs {
namespace {

class PluginListTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-jobs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  PluginList read(const std::string& text) {
    std::ofstream(folder_ / "job.toml") << text;
    return read_plugin_list(folder_ / "job.toml");
  }
  /// What is wrong with a job, behind its name.
  std::string mistake(const std::string& text) {
    try {
      static_cast<void>(read(text));
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_job);
      return std::string(error.what()).substr((folder_ / "job.toml").string().size());
    }
  }

  std::filesystem::path folder_;
};

TEST_F(PluginListTest, IsEmptyWhereNothingIsNamed) {
  EXPECT_TRUE(read("").plugins.empty());
  EXPECT_TRUE(read("[job]\nname = \"a\"\n").plugins.empty());
  EXPECT_TRUE(read("[job]\nplugins = []\n").plugins.empty());
}

TEST_F(PluginListTest, IsRelativeToTheJobFile) {
  const PluginList list = read("[job]\nplugins = [\"a.so\",\n  \"b/c.so\", \"/d.so\"]\n");

  ASSERT_EQ(list.plugins.size(), 3U);
  EXPECT_EQ(list.plugins[0].path, folder_ / "a.so");
  EXPECT_EQ(list.plugins[1].path, folder_ / "b/c.so");
  EXPECT_EQ(list.plugins[2].path, "/d.so");
  EXPECT_EQ(list.plugins[1].position.line, 3U);
  EXPECT_EQ(list.plugins[1].position.column, 3U);
  EXPECT_EQ(list.source.name(), (folder_ / "job.toml").string());
}

TEST_F(PluginListTest, LooksAtNothingElseOfTheJob) {
  EXPECT_EQ(read("[job]\nplugins = [\"a.so\"]\nodd = 1\n[[task]]\nkernel = 3\n").plugins.size(), 1U);
}

TEST_F(PluginListTest, RefusesWhatIsNoListOfPaths) {
  EXPECT_EQ(mistake("job = 3\n"), ":1:7: [job] is an integer, a table is needed");
  EXPECT_EQ(mistake("[job]\nplugins = \"a.so\"\n"),
            ":2:11: 'plugins' in [job] is a string, a list of strings is needed");
  EXPECT_EQ(mistake("[job]\nplugins = [\"a.so\", 1]\n"),
            ":2:20: 'plugins' in [job] is an integer, a list of strings is needed");
  EXPECT_EQ(mistake("[job]\nplugins = [\"\"]\n"), ":2:12: the path of a plugin is empty, the name of a file is needed");
  EXPECT_EQ(mistake("[job]\nplugins = [\"a\\nb\"]\n"),
            ":2:12: the path 'a?b' has control characters, printable ones are needed");
}

}  // namespace
}  // namespace penstock::jobs
