/// What is wrong, or known, about a job as a whole, once each of its entries is right by itself. Called by read_plan().
/// Mistakes are Errors (bad_job) with their place.
#pragma once

#include "jobs/plan.hpp"

namespace penstock::jobs {

/// How many steps are walked through when a job is loaded, at most. Few where a fuzzer waits for the end of each.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
inline constexpr std::int64_t max_walked = std::int64_t{1} << 15;
#else
inline constexpr std::int64_t max_walked = std::int64_t{1} << 22;
#endif

/// All paths of saves stay inside the results, and no two saves write the same one, or one below a path that another
/// writes; exact. At most 2^22 saves are allowed.
void check_paths(const Plan& plan);

/// Data and parameters fit the kernels: of each entry whose steps are alike; of the others, the first step.
void check_tasks(const Plan& plan);

/// Nothing is read that nothing wrote before. Decided by whole families at first; then, for jobs of up to 2^22 steps,
/// by a walk through all steps, which makes what is known of them exact: subscripts, data that a task accesses twice,
/// tiles and parameters that fit, Plan::totals. Longer jobs are checked while they are streamed.
void check_order(Plan& plan);

/// All input files are there, with the dtype and shape of their data.
void check_input_files(const Plan& plan);

}  // namespace penstock::jobs
