/// What `penstock check` prints of jobs that are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "jobs/bad/random_jobs.hpp"
#include "jobs/bad/refusal.hpp"
#include "jobs/graph_dot.hpp"
#include "jobs/graph_summary.hpp"
#include "runtime/check_report.hpp"

namespace penstock::jobs::test {
namespace {

constexpr std::uint32_t jobs = 300;

void expect_screen(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(is_inert(line)) << line;
    EXPECT_LE(line.size(), 140U) << line;
  }
  EXPECT_LE(std::ranges::count(text, '\n'), 24);
}

TEST(Printing, OfRandomJobsIsAScreenADocumentAndAPicture) {
  const Scratch scratch;
  std::int64_t tasks = 0;
  for (std::uint32_t seed = 0; seed < jobs; ++seed) {
    const std::string text = random_job(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto path = scratch.write("job.toml", text);
    ASSERT_EQ(refusal_of(path), "ok");

    const Job job = load(path);
    const runtime::CheckReport report{
        .file = "job.toml", .job = job.name(), .graph = summarize(job), .memory_bytes = 1 << 30};

    expect_screen(to_screen(report));
    EXPECT_TRUE(nlohmann::json::accept(to_json(report)));
    EXPECT_EQ(report.graph.all_tasks(), job.totals().all_tasks());
    EXPECT_TRUE(graph_dot(job).ends_with("}\n"));
    tasks += report.graph.tasks;
  }
  EXPECT_GT(tasks, 10 * jobs);
}

}  // namespace
}  // namespace penstock::jobs::test
