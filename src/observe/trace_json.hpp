/// The trace of a run as JSON for Perfetto (https://ui.perfetto.dev) and Chrome's viewer: the "JSON Object Format" of
/// the "Trace Event Format". A process is a rank; its threads are rows: cores, queues of GPUs and copies to and
/// from them, what the network brings and takes. Tasks and transfers are complete events ("X"), arrows from what made a
/// version to what uses it are flows
/// ("s", "f"), amounts are counters ("C").
///
/// Times are microseconds from the earliest event of the run. In one row "X" events are in order of time; flows stand
/// behind the event that they lead to, and counters behind those, each in an order of their own: viewers sort.
///
///     otherData        job, version
///                      complete_from_us: before this time events are missing, see TraceNumbers
///                      dropped: how many events were lost, by the number of the rank
///                      not_ended: ranks that were killed, or still ran
///     args of a task   task, kernel, attempt, panel (of panels, from 0), outcome; with panel 0: reads and writes, each
///                      [{data (its name), id, version, bytes}, ...]
///     args of a transfer  from (or to) which rank, its own where only the memory is another; versions, likewise
#pragma once

#include "observe/trace_run.hpp"
#include "observe/trace_text.hpp"

namespace penstock::observe {

/// Reads each rank's trace again. Throws Error (environment) where that fails, and what `sink` throws.
void write_trace_json(const TraceRun& run, TextSink sink);

}  // namespace penstock::observe
