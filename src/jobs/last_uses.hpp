/// When the data of a job are released. Called by read_plan(), once its entries are read.
#pragma once

#include "jobs/plan.hpp"

namespace penstock::jobs {

/// Fills in Entry::last_uses, Node::lifetimes, Node::last_families and the accesses' part in them. At the latest, a
/// datum is released at the end of the last top-level entry or group that names its family. Earlier where subscripts
/// show it, looking at the loops that all accesses of the family there share, from the outside in:
///
/// - as long as different steps of these loops surely name different data, what a step names is released after it;
/// - of the next loop inward, data whose subscript is c * index + offset, the same c in all accesses, are released once
///   the index has passed them: in "read x[t, i - 1], x[t, i + 1], write x[t + 1, i]", x[t, ...] is when t goes on.
void mark_last_uses(Plan& plan);

}  // namespace penstock::jobs
