/// Ranks within one process: for a run alone (one rank) and for tests (several, each driven by a thread of its own).
/// Messages are copied into the receiver's mailbox at once; bulk is copied by the receiver's progress(), one chunk a
/// call, so that a message waits for at most one chunk.
#pragma once

#include <memory>
#include <vector>

#include "transport/transport.hpp"

namespace penstock::transport {

/// One transport a rank, in rank order. Each may be destroyed on its own: bulk that it was sending then never ends at
/// the receiver, and what is sent to it afterwards is never read.
[[nodiscard]] std::vector<std::unique_ptr<Transport>> make_loopback(int ranks);

}  // namespace penstock::transport
