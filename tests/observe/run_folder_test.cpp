#include "observe/run_folder.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <penstock/error.hpp>

#include "observe/temporary_folder.hpp"

namespace penstock::observe {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RunFolderTest : public testing::Test {
 protected:
  RunMarker marker = {.job = "blur",
                      .job_file = "/jobs/blur.toml",
                      .job_hash = content_hash("text"),
                      .started = "2026-01-31T08:05:09Z",
                      .version = "0.1.0",
                      .pid = 17,
                      .host = "node1"};
  TemporaryFolder temporary;
  fs::path folder = temporary.path() / "run";

  /// The message with which the folder is refused; empty when it is not.
  std::string refusal(const fs::path& path, bool fresh) {
    try {
      const RunFolder made(path, marker, fresh);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::run_folder);
      return error.what();
    }
  }
  void make_run() { const RunFolder made(folder, marker, false); }
};

TEST_F(RunFolderTest, MakesFolderMarkerAndResults) {
  const RunFolder made(folder / "deep" / "er", marker, false);

  EXPECT_EQ(made.path(), folder / "deep" / "er");
  EXPECT_EQ(fs::status(made.path()).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(fs::is_directory(made.results()));
  const auto json = nlohmann::json::parse(read_file(made.path() / "run.json"));
  EXPECT_EQ(json["job"], "blur");
  EXPECT_EQ(json["job_file"], "/jobs/blur.toml");
  EXPECT_EQ(json["started"], "2026-01-31T08:05:09Z");
  EXPECT_EQ(json["pid"], 17);
}

TEST_F(RunFolderTest, MakesParentsWithTheUmask) {
  const mode_t before = ::umask(027);
  const RunFolder made(folder / "deep", marker, false);
  ::umask(before);

  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
}

TEST_F(RunFolderTest, RelativePathBecomesAbsolute) {
  const fs::path before = fs::current_path();
  fs::current_path(temporary.path());
  const RunFolder made("here/", marker, false);
  fs::current_path(before);

  EXPECT_TRUE(made.path().is_absolute());
  EXPECT_EQ(fs::canonical(made.path()), fs::canonical(temporary.path()) / "here");
}

TEST_F(RunFolderTest, TakesAnEmptyFolderAndClosesItToOthers) {
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::all);

  EXPECT_EQ(refusal(folder, false), "");

  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
}

TEST_F(RunFolderTest, RefusesAnotherRunAndNamesIt) {
  make_run();

  EXPECT_EQ(refusal(folder, false), "run folder " + folder.string() +
                                        ": holds a run of blur from 2026-01-31T08:05:09Z; --fresh, or "
                                        ".fresh = true of a program, replaces it");
}

TEST_F(RunFolderTest, FreshReplacesARun) {
  make_run();
  write_file(folder / "results" / "c.npy", "old");
  write_file(folder / "report.json", "old");
  marker.job = "sharpen";

  EXPECT_EQ(refusal(folder, true), "");

  EXPECT_TRUE(fs::is_empty(folder / "results"));
  EXPECT_FALSE(fs::exists(folder / "report.json"));
  EXPECT_THAT(read_file(folder / "run.json"), HasSubstr("sharpen"));
}

TEST_F(RunFolderTest, FreshNeverFollowsLinksOut) {
  make_run();
  fs::remove(folder / "results");
  const fs::path outside = temporary.path() / "outside";
  fs::create_directory(outside);
  write_file(outside / "precious", "x");
  fs::create_directory_symlink(outside, folder / "results");

  EXPECT_EQ(refusal(folder, true), "");

  EXPECT_TRUE(fs::exists(outside / "precious"));
  EXPECT_FALSE(fs::is_symlink(folder / "results"));
}

TEST_F(RunFolderTest, FoldersThatAreNotOursStayAsTheyAre) {
  fs::create_directory(folder);
  write_file(folder / "thesis.tex", "x");

  for (const bool fresh : {false, true}) {
    EXPECT_THAT(refusal(folder, fresh), HasSubstr("is not empty and holds no run of penstock"));
  }

  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(RunFolderTest, MarkersOfOthersAreNoMarkers) {
  fs::create_directory(folder);
  for (const char* text : {"", "{", "[]", "{\"program\": \"other\", \"started\": \"x\"}", "{\"program\": 3}"}) {
    write_file(folder / "run.json", text);

    EXPECT_THAT(refusal(folder, true), HasSubstr("holds no run of penstock")) << text;
  }
}

TEST_F(RunFolderTest, FreshReplacesARunWhoseMarkerIsDamaged) {
  const std::string long_text(3 << 20, ' ');
  for (const std::string& text : {std::string(), std::string("{\"format\": 1, \"prog"), std::string(100, '\0'),
                                  long_text, std::string(R"({"program": "penstock"})")}) {
    SCOPED_TRACE(text.substr(0, 30));
    EXPECT_EQ(refusal(folder, true), "");
    write_file(folder / "run.json", text);
    write_file(folder / "results" / "c.npy", "old");

    EXPECT_THAT(refusal(folder, false), HasSubstr("holds a run whose run.json is damaged; --fresh"));
    EXPECT_TRUE(fs::exists(folder / "results" / "c.npy"));
    EXPECT_EQ(refusal(folder, true), "");

    EXPECT_THAT(read_file(folder / "run.json"), HasSubstr("blur"));
    EXPECT_TRUE(fs::is_empty(folder / "results"));
  }
}

TEST_F(RunFolderTest, MarkerOfAnotherProgramIsNotADamagedOne) {
  make_run();
  write_file(folder / "run.json", R"({"program": "other"})");

  EXPECT_THAT(refusal(folder, true), HasSubstr("holds no run of penstock"));
}

TEST_F(RunFolderTest, MarkerThatIsMissingIsNotADamagedOne) {
  make_run();
  fs::remove(folder / "run.json");

  EXPECT_THAT(refusal(folder, true), HasSubstr("holds no run of penstock"));
}

TEST_F(RunFolderTest, MarkerThatIsALinkIsNoMarker) {
  make_run();
  fs::rename(folder / "run.json", temporary.path() / "elsewhere.json");
  fs::create_symlink(temporary.path() / "elsewhere.json", folder / "run.json");

  EXPECT_THAT(refusal(folder, true), HasSubstr("holds no run of penstock"));
}

TEST_F(RunFolderTest, RefusesALinkInPlaceOfTheFolder) {
  make_run();
  const fs::path link = temporary.path() / "link";
  fs::create_directory_symlink(folder, link);

  EXPECT_THAT(refusal(link, true), HasSubstr("is a symbolic link"));
  EXPECT_THAT(refusal(link.string() + "/", true), HasSubstr("is a symbolic link"));
}

TEST_F(RunFolderTest, RefusesALockThatIsALink) {
  fs::create_directory(folder);
  write_file(temporary.path() / "victim", "untouched");
  fs::create_symlink(temporary.path() / "victim", folder / ".penstock-lock");

  EXPECT_THAT(refusal(folder, false), HasSubstr("cannot make its lock"));

  EXPECT_EQ(read_file(temporary.path() / "victim"), "untouched");
}

TEST_F(RunFolderTest, RefusesAFileInPlaceOfTheFolderOrAParent) {
  write_file(folder, "x");

  EXPECT_THAT(refusal(folder, true), HasSubstr("is not a folder"));
  EXPECT_THAT(refusal(folder / "below", true), HasSubstr("Not a directory"));
  EXPECT_THAT(refusal("", true), HasSubstr("its name is empty"));
}

TEST_F(RunFolderTest, ReportsAFolderThatCannotBeMade) {
  // Nothing can be made in /proc, not by root either.
  EXPECT_THAT(refusal("/proc/penstock-run", false), HasSubstr("run folder /proc/penstock-run: cannot be made: "));
  EXPECT_THAT(refusal("/proc/penstock-runs/x", false), HasSubstr("cannot make /proc/penstock-runs: "));
}

TEST_F(RunFolderTest, TwoRunsAtOnceAreRefusedWithTheHolder) {
  const RunFolder first(folder, marker, false);
  ASSERT_TRUE(first.locked());

  for (const bool fresh : {false, true}) {
    EXPECT_THAT(refusal(folder, fresh), HasSubstr("is in use by pid " + std::to_string(::getpid()) + " on "));
  }
  EXPECT_TRUE(fs::exists(folder / "run.json"));
}

TEST_F(RunFolderTest, LockEndsWithItsProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    new RunFolder(folder, marker, false);  // never destroyed: the process ends as if killed
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);

  EXPECT_EQ(refusal(folder, true), "");
}

TEST_F(RunFolderTest, FolderOfARunKilledBeforeItsMarkerIsEmpty) {
  fs::create_directory(folder);
  write_file(folder / ".penstock-lock", "pid 1 on gone\n");
  write_file(folder / ".penstock-run.json.new", "{\"jo");

  EXPECT_EQ(refusal(folder, false), "");

  EXPECT_FALSE(fs::exists(folder / ".penstock-run.json.new"));
}

TEST_F(RunFolderTest, ReportIsPutInOneStep) {
  const RunFolder made(folder, marker, false);

  made.write_report("{}\n");
  made.write_report("{\"second\": 1}\n");

  EXPECT_EQ(read_file(folder / "report.json"), "{\"second\": 1}\n");
}

TEST_F(RunFolderTest, ReportThatCannotBeWrittenIsAnError) {
  const RunFolder made(folder, marker, false);
  fs::create_directory(folder / "report.json");

  EXPECT_THROW(made.write_report("{}\n"), Error);
}

TEST(ContentHash, IsFnv1a) {
  EXPECT_EQ(content_hash(""), "cbf29ce484222325");
  EXPECT_EQ(content_hash("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(content_hash("foobar"), "85944171f73967e8");
}

TEST(DefaultRunFolder, StaysBelowPenstockRuns) {
  EXPECT_EQ(default_run_folder("blur-2.1"), fs::path("penstock-runs/blur-2.1"));
  EXPECT_EQ(default_run_folder("../../etc"), fs::path("penstock-runs/_.._.._etc"));
  EXPECT_EQ(default_run_folder("a b/c"), fs::path("penstock-runs/a_b_c"));
  EXPECT_EQ(default_run_folder(""), fs::path("penstock-runs/_"));
}

TEST(MarkerOfThisProcess, NamesFileHashAndProcess) {
  const RunMarker marker = marker_of_this_process("blur", "jobs/blur.toml", "a", "0.1.0");

  EXPECT_EQ(marker.job_file, (fs::current_path() / "jobs/blur.toml").string());
  EXPECT_EQ(marker.job_hash, "af63dc4c8601ec8c");
  EXPECT_EQ(marker.pid, ::getpid());
  EXPECT_EQ(marker.started.size(), 20U);
}

}  // namespace
}  // namespace penstock::observe
