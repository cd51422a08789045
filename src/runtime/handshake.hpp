/// The first words between the ranks: rank 0 says which plugins the run has, each rank loads them and says what it is,
/// rank 0 compares and answers with each rank's share of its host. Runs on the main thread of every rank, before any
/// other thread exists.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/messages.hpp"
#include "mover/mover.hpp"

namespace penstock::runtime {

/// On rank 0, before anything else: has the other ranks load these plugins.
void order_plugins(mover::Mover& mover, const cluster::PluginOrder& order);
/// On the other ranks, before anything else: waits for that. Absent: rank 0 ended this rank.
[[nodiscard]] std::optional<cluster::PluginOrder> await_plugins(mover::Mover& mover);

/// On rank 0: waits for the others and returns what all ranks said, in rank order. Throws Error (lost) when one does
/// not answer within two minutes.
[[nodiscard]] std::vector<cluster::Hello> gather(mover::Mover& mover, cluster::Hello own);

/// What differs between ranks that must not: protocol, build, plugins or kernels, naming the rank; empty when all
/// agree. Pure.
[[nodiscard]] std::string difference(std::span<const cluster::Hello> hellos);

/// Each rank's share: cores of one host are shared out between its ranks, then cut to the rank's own limit, then GPUs
/// are. Pure.
[[nodiscard]] std::vector<cluster::Welcome> shares(std::span<const cluster::Hello> hellos);

/// On rank 0: sends the answers away.
void welcome(mover::Mover& mover, std::span<const cluster::Welcome> welcomes);
/// On rank 0: ends the other ranks with this exit code.
void dismiss(mover::Mover& mover);

/// On the other ranks: says hello and waits for the answer.
struct Answer {
  bool welcome = false;
  cluster::Welcome share;
  std::vector<std::vector<std::byte>> early;  ///< commands that came right behind the welcome, for the back-end
};
[[nodiscard]] Answer introduce(mover::Mover& mover, const cluster::Hello& own);

}  // namespace penstock::runtime
