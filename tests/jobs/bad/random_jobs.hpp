/// Random jobs that are right: data with and without ranges and tiles, groups, loops, conditions, lists, all kinds of
/// parameters and saves. The same seed makes the same job.
#pragma once

#include <cstdint>
#include <string>

namespace penstock::jobs::test {

[[nodiscard]] std::string random_job(std::uint32_t seed);

}  // namespace penstock::jobs::test
