/// What is wrong, or known, about a job as a whole, once each of its entries is right by itself. Called by read_plan().
/// Mistakes are Errors (bad_job) with their place.
#pragma once

#include "jobs/plan.hpp"

namespace penstock::jobs {

/// Fills in Entry::last_uses and Entry::last_names. A datum can be released right after a step of the last entry that
/// names its family when all accesses of that entry to the family have one subscript, and no two steps the same value
/// of it; the others are released after the entry's last step.
void mark_last_uses(Plan& plan);

/// No two saves write the same path, or one below a path that another writes; exact. At most 2^22 saves are allowed.
void check_paths(const Plan& plan);

/// Nothing is read that nothing wrote before. Decided by whole families at first; then, for jobs of up to 2^22 steps,
/// by a walk through all steps, exactly. Longer jobs are checked exactly while they are streamed.
void check_order(const Plan& plan);

/// All input files are there, with the dtype and shape of their data.
void check_input_files(const Plan& plan);

}  // namespace penstock::jobs
