/// What a rank's trace says of the rank itself, as JSON: {host, boot, version, kernels: names by id, devices: [{kind,
/// name, lanes}]} and whatever `about`, a JSON object, adds. `boot` tells which ranks share a clock.
#pragma once

#include <string>

#include "backend/backend.hpp"
#include "jobs/job.hpp"

namespace penstock::runtime {

[[nodiscard]] std::string describe_for_trace(const backend::Backend& backend, const std::string& host,
                                             const std::string& about);

/// {job, families: [{name, begin, count}]}: how the data of a job are called.
[[nodiscard]] std::string describe_for_trace(const jobs::Job& job);

}  // namespace penstock::runtime
