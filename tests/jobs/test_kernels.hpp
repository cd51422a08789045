/// Descriptions of kernels like the built-in ones, without bodies, and jobs made from text.
#pragma once

#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

#include "jobs/job.hpp"
#include "npy/temporary_folder.hpp"

namespace penstock::jobs::test {

[[nodiscard]] std::span<const KernelDescription* const> kernels();

/// A folder with a job file in it.
class JobFolder {
 public:
  explicit JobFolder(const std::string& text) { std::ofstream(path(), std::ios::binary) << text; }
  [[nodiscard]] std::string path() const { return folder_.file("job.toml"); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] Job load(const std::vector<Override>& overrides = {}) const {
    return Job::load(JobText(path()), kernels(), overrides);
  }

 private:
  penstock::test::TemporaryFolder folder_;
};

/// Of a step with a path below the results.
[[nodiscard]] std::string path_of(const Step& step);

/// The step as one line: "make A[3]", "gemm A[3] B >C[3]", "save C[3] c_3.npy", "release C[3]". A written datum has a
/// '>', a read and written one a '+', one that commutes a '%', and one that is reduced into a '&'; an origin task
/// begins with a '*', a part of a save with a '~'.
[[nodiscard]] std::string text_of(const Job& job, const Step& step);

/// All steps, as lines.
[[nodiscard]] std::vector<std::string> steps_of(const Job& job);

}  // namespace penstock::jobs::test
