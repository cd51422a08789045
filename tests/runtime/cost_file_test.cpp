#include "runtime/cost_file.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "observe/temporary_folder.hpp"

namespace penstock::runtime {
namespace {

namespace fs = std::filesystem;
using observe::read_file;
using observe::write_file;
using schedule::CostEntry;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

CostEntry cost(std::string kernel, double mean_ns, std::uint64_t footprint = 0xfedcba9876543210) {
  return {.kernel = std::move(kernel),
          .kind = "NVIDIA H200",
          .work = {.footprint = footprint, .amount = 1e9 / 3},
          .mean_ns = mean_ns,
          .samples = 7};
}

/// "gemm=1.5" of each entry.
std::vector<std::string> told(const std::vector<CostEntry>& entries) {
  std::vector<std::string> texts;
  for (const CostEntry& entry : entries) texts.push_back(entry.kernel + "=" + nlohmann::json(entry.mean_ns).dump());
  return texts;
}

class CostFileTest : public testing::Test {
 protected:
  observe::TemporaryFolder temporary;
  fs::path folder = temporary.path() / "cache" / "penstock";
  CostFile file{folder, {"AMD EPYC", "64 cores", "NVIDIA H200", "driver 580.1"}};

  /// What load() notes of the file once its text is this.
  std::string note_of(const std::string& text) {
    fs::create_directories(folder);
    write_file(file.path(), text);
    const CostFile::Loaded loaded = file.load();
    EXPECT_THAT(loaded.entries, IsEmpty());
    return loaded.note;
  }
};

// --- what is kept ---

TEST_F(CostFileTest, LoadsWhatItSaved) {
  const std::string note = file.save({cost("gemm", 0.1 + 0.2)});

  const CostFile::Loaded loaded = file.load();

  EXPECT_EQ(note, "");
  EXPECT_EQ(loaded.note, "");
  ASSERT_EQ(loaded.entries.size(), 1u);
  EXPECT_EQ(loaded.entries[0].kernel, "gemm");
  EXPECT_EQ(loaded.entries[0].kind, "NVIDIA H200");
  EXPECT_EQ(loaded.entries[0].work.footprint, 0xfedcba9876543210U);
  EXPECT_EQ(loaded.entries[0].work.amount, 1e9 / 3);
  EXPECT_EQ(loaded.entries[0].mean_ns, 0.1 + 0.2);
  EXPECT_EQ(loaded.entries[0].samples, 7u);
}

TEST_F(CostFileTest, HasNothingToSayOfAMissingFile) {
  const CostFile::Loaded loaded = file.load();

  EXPECT_THAT(loaded.entries, IsEmpty());
  EXPECT_EQ(loaded.note, "");
  EXPECT_FALSE(fs::exists(folder.parent_path()));
}

TEST_F(CostFileTest, HasNothingToSayOfAMissingFileInItsFolder) {
  fs::create_directories(folder);

  EXPECT_EQ(file.load().note, "");
}

TEST_F(CostFileTest, PutsNewCostsFirstAndKeepsTheOthers) {
  static_cast<void>(file.save({cost("gemm", 1), cost("potrf", 2)}));

  static_cast<void>(file.save({cost("potrf", 3), cost("gemm", 4, 1)}));

  EXPECT_THAT(told(file.load().entries), ElementsAre("potrf=3.0", "gemm=4.0", "gemm=1.0"));
}

TEST_F(CostFileTest, LetsGoOfTheKernelsSavedLongestAgo) {
  std::vector<CostEntry> many;
  for (std::size_t i = 0; i < CostFile::entries_most - 1; ++i) many.push_back(cost(std::to_string(i), 1));
  static_cast<void>(file.save({cost("older", 1), cost("oldest", 1)}));

  static_cast<void>(file.save(many));

  const auto entries = file.load().entries;
  ASSERT_EQ(entries.size(), CostFile::entries_most);
  EXPECT_EQ(entries.back().kernel, "older");
}

TEST_F(CostFileTest, KeepsNoMoreFootprintsOfAKernelThanAModel) {
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::vector<CostEntry> some;
    for (std::uint64_t j = 0; j < 40; ++j) some.push_back(cost("uniform", 1, 100 * i + j));
    static_cast<void>(file.save(some));
  }

  const auto entries = file.load().entries;

  ASSERT_EQ(entries.size(), schedule::CostHistory::footprints_most);
  EXPECT_EQ(entries.front().work.footprint, 200u);
  EXPECT_EQ(entries.back().work.footprint, 123u);
}

// --- what is ignored ---

TEST_F(CostFileTest, IgnoresADamagedFileAndReplacesIt) {
  static_cast<void>(file.save({cost("gemm", 1)}));
  const std::string whole = read_file(file.path());

  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    EXPECT_THAT(note_of(whole.substr(0, length)),
                EndsWith("is damaged; it is not used, and replaced at the end of a run"));
  }
  const std::string note = file.save({cost("gemm", 2)});

  EXPECT_EQ(note, "");
  EXPECT_THAT(told(file.load().entries), ElementsAre("gemm=2.0"));
}

TEST_F(CostFileTest, IgnoresEntriesThatAreNone) {
  static_cast<void>(file.save({cost("gemm", 1)}));
  const auto whole = nlohmann::json::parse(read_file(file.path()));
  const std::vector<std::pair<std::string, nlohmann::json>> damages{
      {"mean_ns", 0},    {"mean_ns", -1},   {"mean_ns", "1"},       {"mean_ns", nullptr},
      {"amount", -1},    {"samples", 0},    {"footprint", "12xyz"}, {"kernel", 5},
      {"footprint", ""}, {"footprint", 12}, {"kind", nullptr}};

  for (const auto& [key, value] : damages) {
    auto damaged = whole;
    damaged["costs"][0][key] = value;
    EXPECT_THAT(note_of(damaged.dump()), HasSubstr("is damaged")) << key << " " << value;
  }
  EXPECT_THAT(note_of(R"({"program": "penstock costs", "format": 1})"), HasSubstr("is damaged"));
  EXPECT_THAT(note_of("[1, 2]"), HasSubstr("is damaged"));
}

TEST_F(CostFileTest, IgnoresWhatIsOfOthers) {
  static_cast<void>(file.save({cost("gemm", 1)}));
  const auto whole = nlohmann::json::parse(read_file(file.path()));
  const std::vector<std::pair<std::string, nlohmann::json>> changes{
      {"program", "another"}, {"format", 2}, {"machine", {"AMD EPYC", "32 cores"}}};

  for (const auto& [key, value] : changes) {
    auto foreign = whole;
    foreign[key] = value;
    EXPECT_THAT(note_of(foreign.dump()), HasSubstr("is of another program, version or machine")) << key;
  }
}

TEST_F(CostFileTest, ReadsNoFileThatIsTooLong) {
  EXPECT_THAT(note_of(std::string(std::size_t{5} << 20, ' ')), HasSubstr("cannot be read: File too large"));
}

TEST_F(CostFileTest, FollowsNoSymbolicLink) {
  fs::create_directories(folder);
  write_file(temporary.path() / "other", "precious");
  fs::create_symlink(temporary.path() / "other", file.path());

  const std::string note = file.load().note;
  static_cast<void>(file.save({cost("gemm", 1)}));

  EXPECT_THAT(note, HasSubstr("cannot be read"));
  EXPECT_EQ(read_file(temporary.path() / "other"), "precious");
  EXPECT_THAT(told(file.load().entries), ElementsAre("gemm=1.0"));
}

// --- where it is ---

TEST_F(CostFileTest, MakesItsFolderForTheUserAlone) {
  const mode_t before = ::umask(0);

  static_cast<void>(file.save({}));
  ::umask(before);

  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder.parent_path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file.path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CostFileTest, NamesTheFileAfterTheMachine) {
  const CostFile other(folder, {"AMD EPYC", "64 cores", "NVIDIA H200", "driver 580.2"});
  const CostFile odd(folder, {"..//../\n \xff", std::string(300, 'x')});

  EXPECT_THAT(file.path().filename().string(), StartsWith("AMD_EPYC-64_cores-NVIDIA_H200-driver_580.1-"));
  EXPECT_THAT(file.path().filename().string(), EndsWith(".json"));
  EXPECT_NE(file.path(), other.path());
  EXPECT_EQ(odd.path().parent_path(), folder);
  EXPECT_LT(odd.path().filename().string().size(), 120u);
  EXPECT_THAT(odd.path().filename().string(), testing::Not(StartsWith(".")));
}

TEST_F(CostFileTest, KeepsMachinesApart) {
  const CostFile other(folder, {"AMD EPYC", "64 cores", "NVIDIA H200", "driver 580.2"});

  static_cast<void>(file.save({cost("gemm", 1)}));
  static_cast<void>(other.save({cost("gemm", 2)}));

  EXPECT_THAT(told(file.load().entries), ElementsAre("gemm=1.0"));
  EXPECT_THAT(told(other.load().entries), ElementsAre("gemm=2.0"));
}

TEST_F(CostFileTest, SaysThatItsFolderCannotBeMade) {
  write_file(temporary.path() / "cache", "a file");

  EXPECT_THAT(file.save({cost("gemm", 1)}), HasSubstr("cannot make its folder: Not a directory"));
  EXPECT_EQ(file.load().note, "");
}

TEST_F(CostFileTest, SaysThatItsFolderCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directories(folder);
  ::chmod(folder.c_str(), 0500);

  const std::string note = file.save({cost("gemm", 1)});
  ::chmod(folder.c_str(), 0700);

  EXPECT_THAT(note, HasSubstr("cannot make its lock: Permission denied"));
  EXPECT_THAT(note, testing::Not(HasSubstr("\n")));
}

TEST_F(CostFileTest, SaysThatTheFileCannotBeReplaced) {
  fs::create_directories(file.path());

  EXPECT_THAT(file.save({cost("gemm", 1)}), HasSubstr("cannot be written"));
  EXPECT_THAT(file.load().note, HasSubstr("cannot be read"));
}

TEST_F(CostFileTest, LeavesAnotherUsersFolderAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directories(folder);
  ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);

  EXPECT_THAT(file.save({cost("gemm", 1)}), HasSubstr("its folder belongs to another user"));
  EXPECT_THAT(file.load().note, HasSubstr("its folder belongs to another user"));
  EXPECT_TRUE(fs::is_empty(folder));
}

// --- several at once ---

TEST_F(CostFileTest, LosesNothingWhenSeveralSaveAtOnce) {
  constexpr int savers = 4;
  constexpr int saves = 4;
  const auto save = [this](int saver) {
    const CostFile own(folder, {"AMD EPYC", "64 cores", "NVIDIA H200", "driver 580.1"});
    for (int i = 0; i < saves; ++i) {
      EXPECT_EQ(own.save({cost(std::to_string(saves * saver + i), 1)}), "");
      EXPECT_EQ(own.load().note, "");
    }
  };

  std::vector<std::jthread> threads;
  for (int saver = 0; saver < savers; ++saver) threads.emplace_back(save, saver);
  threads.clear();

  EXPECT_EQ(file.load().entries.size(), static_cast<std::size_t>(savers * saves));
}

// --- cost_folder ---

class CostFolder : public testing::Test {
 protected:
  CostFolder() {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (const char* value = std::getenv(variables[i])) before[i] = value;
    }
  }
  ~CostFolder() override {
    for (std::size_t i = 0; i < variables.size(); ++i) set(variables[i], before[i]);
  }
  static void set(const char* variable, const std::optional<std::string>& value) {
    if (value) {
      ::setenv(variable, value->c_str(), 1);
    } else {
      ::unsetenv(variable);
    }
  }

  static constexpr std::array<const char*, 2> variables{"XDG_CACHE_HOME", "HOME"};
  std::array<std::optional<std::string>, 2> before;
};

TEST_F(CostFolder, IsInTheCacheThatTheUserNames) {
  set("XDG_CACHE_HOME", "/scratch/me");
  set("HOME", "/home/me");

  EXPECT_EQ(cost_folder(), fs::path("/scratch/me/penstock"));
}

TEST_F(CostFolder, IsElseInTheHomeFolder) {
  set("HOME", "/home/me");
  for (const std::optional<std::string>& useless : {std::optional<std::string>(), {""}, {"relative"}}) {
    set("XDG_CACHE_HOME", useless);

    EXPECT_EQ(cost_folder(), fs::path("/home/me/.cache/penstock"));
  }
}

TEST_F(CostFolder, IsNowhereWithoutAHome) {
  set("XDG_CACHE_HOME", std::nullopt);
  for (const std::optional<std::string>& useless : {std::optional<std::string>(), {""}, {"relative"}}) {
    set("HOME", useless);

    EXPECT_EQ(cost_folder(), std::nullopt);
  }
}

}  // namespace
}  // namespace penstock::runtime
