#include "jobs/job_text.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include <penstock/error.hpp>

namespace penstock::jobs {
namespace {

class JobTextTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-jobs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  JobText read(const std::string& text) {
    std::ofstream(folder_ / "job.toml") << text;
    return JobText(folder_ / "job.toml");
  }
  /// What is wrong with a job, behind its name.
  std::string mistake(const std::string& text) {
    try {
      static_cast<void>(read(text).plugins());
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_job);
      return std::string(error.what()).substr((folder_ / "job.toml").string().size());
    }
  }

  std::filesystem::path folder_;
};

TEST_F(JobTextTest, HasNoPluginsWhereNoneIsNamed) {
  EXPECT_TRUE(read("").plugins().empty());
  EXPECT_TRUE(read("[job]\nname = \"a\"\n").plugins().empty());
  EXPECT_TRUE(read("[job]\nplugins = []\n").plugins().empty());
}

TEST_F(JobTextTest, HasPluginsRelativeToTheJobFile) {
  const JobText text = read("[job]\nplugins = [\"a.so\",\n  \"b/c.so\", \"/d.so\"]\n");

  const std::vector<NamedPlugin> plugins = text.plugins();

  ASSERT_EQ(plugins.size(), 3U);
  EXPECT_EQ(plugins[0].path, folder_ / "a.so");
  EXPECT_EQ(plugins[1].path, folder_ / "b/c.so");
  EXPECT_EQ(plugins[2].path, "/d.so");
  EXPECT_EQ(plugins[1].position.line, 3U);
  EXPECT_EQ(plugins[1].position.column, 3U);
  EXPECT_EQ(text.source().name(), (folder_ / "job.toml").string());
}

TEST_F(JobTextTest, LooksForPluginsAtNothingElse) {
  EXPECT_EQ(read("[job]\nplugins = [\"a.so\"]\nodd = 1\n[[task]]\nkernel = 3\n").plugins().size(), 1U);
}

TEST_F(JobTextTest, RefusesWhatIsNoListOfPaths) {
  EXPECT_EQ(mistake("job = 3\n"), ":1:7: [job] is an integer, a table is needed");
  EXPECT_EQ(mistake("[job]\nplugins = \"a.so\"\n"),
            ":2:11: 'plugins' in [job] is a string, a list of strings is needed");
  EXPECT_EQ(mistake("[job]\nplugins = [\"a.so\", 1]\n"),
            ":2:20: 'plugins' in [job] is an integer, a list of strings is needed");
  EXPECT_EQ(mistake("[job]\nplugins = [\"\"]\n"), ":2:12: the path of a plugin is empty, the name of a file is needed");
  EXPECT_EQ(mistake("[job]\nplugins = [\"a\\nb\"]\n"),
            ":2:12: the path 'a?b' has control characters, printable ones are needed");
}

TEST_F(JobTextTest, HasTheBytesOfAllFiles) {
  std::ofstream(folder_ / "a.toml") << "values.n = 1\n";
  std::ofstream(folder_ / "b.toml") << "# b";

  const std::string bytes = read("include = ['a.toml', 'b.toml']\n").bytes();

  EXPECT_EQ(bytes, std::string("values.n = 1\n\0# b\0include = ['a.toml', 'b.toml']\n\0", 50));
}

}  // namespace
}  // namespace penstock::jobs
