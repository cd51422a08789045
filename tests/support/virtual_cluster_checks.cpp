// What is checked of the commands on their way and of the end, and the second account of the credit.
#include <algorithm>
#include <utility>

#include "schedule/placement.hpp"
#include "support/virtual_cluster.hpp"

namespace penstock::support {

using cluster::Tag;
using core::Outcome;
using core::RankId;

std::vector<std::byte> VirtualCluster::inspect(RankId to, std::span<const std::byte> commands) {
  std::vector<std::byte> passed;
  core::ByteWriter writer(passed);
  core::ByteReader reader(commands);
  cluster::TaskCommand command;
  core::DataId data;
  core::Version version;
  while (reader.left() > 0) {
    switch (cluster::read_tag(reader)) {
      case Tag::task:
        require(read(reader, command), "a task is well formed");
        inspect_task(to, command);
        if (options_.tamper) options_.tamper(command);
        write(writer, command);
        break;
      case Tag::drop:
        require(cluster::read_drop(reader, data, version), "a drop is well formed");
        cluster::write_drop(writer, data, version);
        break;
      default:
        cluster::write_tag(writer, Tag::cancel);
    }
    require(!reader.bad(), "commands are well formed");
  }
  return passed;
}

void VirtualCluster::inspect_task(RankId to, const cluster::TaskCommand& command) {
  note(command.task.value());
  if (const auto named = tasks_.find(command.task); named != tasks_.end()) {
    const std::int64_t has = sizes_[static_cast<std::size_t>(to.value())].gpu_bytes;
    require(gpu_bytes_of(named->second) <= has, "a task is given to a rank that can run it");
  }
  for (const cluster::Operand& operand : command.operands) {
    consumed_ += static_cast<std::uint64_t>(operand.kind == cluster::OperandKind::consume);
    if (operand.source == core::no_rank) continue;
    require(operand.source != to, "a rank is not its own source");
    require(rank(operand.source).holds(operand.data, operand.reads), "a source holds the settled version");
  }
  take_credit(to, command);
}

void VirtualCluster::take_credit(RankId to, const cluster::TaskCommand& command) {
  Account& account = accounts_[static_cast<std::size_t>(to.value())];
  const bool is_touch = command.kernel == cluster::touch_kernel;
  require(is_touch || schedule::has_credit(account.cores, account.in_hand, account.in_hand_ns),
          "a rank is given no more than its credit");
  const double predicted = is_touch ? 0.0 : predict(command.kernel);
  account.in_hand += command.cores;
  account.in_hand_ns += predicted;
  const bool is_new = bound_.emplace(command.task, Bound{to, command.cores, predicted}).second;
  require(is_new, "a task is bound once");
}

void VirtualCluster::give_credit(std::span<const std::byte> item) {
  core::ByteReader reader(item);
  require(cluster::read_tag(reader) == Tag::endings, "ranks report endings");
  cluster::EndingReport report;
  for (auto left = reader.get<std::uint32_t>(); left > 0; --left) {
    require(read(reader, report), "an ending is well formed");
    const auto task = bound_.find(report.ending.task);
    require(task != bound_.end(), "a task ends after it was bound, once");
    const auto named = tasks_.find(report.ending.task);
    if (report.ending.outcome == Outcome::done && named != tasks_.end()) {
      double& mean = mean_ns_[program_.tasks[named->second].kernel.value()];
      mean = schedule::updated_mean(mean, static_cast<double>(report.busy_ns));
    }
    Account& account = accounts_[static_cast<std::size_t>(task->second.rank.value())];
    account.in_hand -= task->second.cores;
    account.in_hand_ns = account.in_hand == 0 ? 0.0 : account.in_hand_ns - task->second.predicted_ns;
    bound_.erase(task);
  }
}

double VirtualCluster::predict(core::KernelId kernel) const {
  const double mean = mean_ns_[kernel.value()];
  return mean > 0.0 ? mean : schedule::unknown_task_ns;
}

void VirtualCluster::check_end() const {
  require(std::ranges::all_of(ends_, [](const TaskEnd& end) { return end.outcome.has_value(); }), "every task ends");
  require(front_.unended() == 0 && front_.bound() == 0 && bound_.empty(), "no task is left at the front-end");
  require(std::ranges::all_of(pins_, [](const Pin& pin) { return pin.state == Pin::State::gone; }), "every pin ends");
  require(forgotten_ == program_.data, "every datum is forgotten, once");
  for (const VirtualRank& each : ranks_) {
    require(each.machine().unsettled() == 0, "no task is left on a rank");
    require(each.machine().replicas() == 0, "no replica is left on a rank");
    require(each.live_storages() == 0, "no storage is left on a rank");
  }
}

}  // namespace penstock::support
