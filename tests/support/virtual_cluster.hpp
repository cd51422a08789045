/// A whole cluster in one thread and in virtual time: the real FrontMachine and RankMachines, random delays that keep
/// the order between each two ranks, and a program whose every value is known. One seed is one course of events. run()
/// throws Violation at the first promise that is broken.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "cluster/front_machine.hpp"
#include "graph/domain.hpp"
#include "support/event_queue.hpp"
#include "support/program.hpp"
#include "support/random.hpp"
#include "support/virtual_rank.hpp"

namespace penstock::support {

struct ClusterOptions {
  int ranks = 1;
  std::uint64_t seed = 0;
  bool cancels = false;  ///< at a random step of the program
  /// Changes commands on their way: to show that a mistake is found.
  std::function<void(cluster::TaskCommand&)> tamper;
};

/// What became of one task of the program.
struct TaskEnd {
  std::optional<core::Outcome> outcome;
  std::optional<std::uint32_t> cause;  ///< skipped: the task of the program that failed
};

class VirtualCluster final : private cluster::FrontOutput, private World {
 public:
  /// `program` and `oracle` must outlive the cluster.
  VirtualCluster(const Program& program, const SerialRun& oracle, const ClusterOptions& options);

  /// Runs the program, releases all data, and waits until nothing moves any more.
  void run();

  [[nodiscard]] const std::vector<TaskEnd>& ends() const { return ends_; }
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  /// Versions that a pin kept and whose value was compared; fetches served.
  [[nodiscard]] std::uint64_t values_compared() const { return values_compared_; }
  [[nodiscard]] std::uint64_t fetches() const { return fetches_; }
  [[nodiscard]] std::uint64_t consumed() const { return consumed_; }
  /// A number that depends on every event, its time and its order.
  [[nodiscard]] std::uint64_t trace() const { return trace_; }

 private:
  /// The front-end's account of one rank, kept a second time from the commands and endings that pass.
  struct Account {
    int cores = 1;
    int in_hand = 0;
    double in_hand_ns = 0.0;
  };
  struct Bound {
    core::RankId rank;
    std::uint16_t cores = 1;
    double predicted_ns = 0.0;
  };
  struct Pin {
    enum class State : std::uint8_t { waiting, touching, held, gone };
    State state = State::waiting;
    std::uint32_t datum = 0;
    core::DataId data;
    core::Version version;
    core::TaskId touch;
    const SerialVersion* expected = nullptr;
  };

  // FrontOutput
  void send(core::RankId to, std::span<const std::byte> commands) override;
  void ended(const cluster::EndedTask& task) override;
  void forgotten(core::DataId data) override;
  // World
  void later(Delay delay, std::function<void()> action) override;
  void fetch(core::RankId to, const cluster::Admission::Fetch& order) override;
  void report(core::RankId from, std::vector<std::byte> item) override;
  void computed(core::TaskId task, std::span<const std::uint64_t> reads) override;
  std::int64_t busy_ns() override;

  // the program's side
  void next_step();
  void carry_out(const Step& step);
  void submit(std::uint32_t index);
  /// What the task of the program needs of a GPU; of some, and no more than a rank has.
  [[nodiscard]] std::int64_t gpu_bytes_of(std::uint32_t task) const;
  void release(std::uint32_t datum);
  void add_pin(std::uint32_t datum);
  void look_at_pins();
  void bring(Pin& pin);
  void hold(std::size_t pin);
  [[nodiscard]] bool is_awaited(std::uint32_t datum) const;
  void flush();

  // the network
  void post(core::RankId from, core::RankId to, std::function<void()> arrive);
  void serve(core::RankId to, const cluster::Admission::Fetch& order);

  // checks
  [[nodiscard]] std::vector<std::byte> inspect(core::RankId to, std::span<const std::byte> commands);
  void inspect_task(core::RankId to, const cluster::TaskCommand& command);
  void take_credit(core::RankId to, const cluster::TaskCommand& command);
  void give_credit(std::span<const std::byte> item);
  void check_end() const;
  [[nodiscard]] double predict(core::KernelId kernel) const;
  [[nodiscard]] VirtualRank& rank(core::RankId id) { return ranks_.at(static_cast<std::size_t>(id.value())); }
  void note(std::uint64_t what) { trace_ = mix(trace_ ^ mix(what + events_.now())); }

  const Program& program_;
  const SerialRun& oracle_;
  const ClusterOptions options_;
  Random random_;
  EventQueue events_;
  std::array<std::uint64_t, 5> delays_most_{};  // start, run, settle; network; pace of the program
  std::vector<cluster::RankSize> sizes_;
  graph::Domain domain_;
  cluster::FrontMachine front_;
  std::deque<VirtualRank> ranks_;
  std::map<std::pair<core::RankId, core::RankId>, std::uint64_t> last_arrival_;

  std::size_t step_ = 0;
  std::size_t cancel_at_ = 0;
  std::uint64_t next_task_ = 1;
  std::vector<core::DataId> ids_;  // of the program's data
  std::vector<bool> released_;
  std::map<core::TaskId, std::uint32_t> tasks_;  // the program's number of a task; touches are not in it
  std::deque<Pin> pins_;
  std::size_t pins_made_ = 0;
  std::vector<TaskEnd> ends_;
  std::vector<graph::Access> accesses_;
  std::vector<graph::StampedAccess> stamped_;
  std::vector<std::byte> parameters_;

  std::vector<Account> accounts_;
  std::map<core::TaskId, Bound> bound_;
  std::array<double, 4> mean_ns_{};
  std::size_t forgotten_ = 0;
  bool cancelled_ = false;
  std::uint64_t values_compared_ = 0;
  std::uint64_t fetches_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint64_t trace_ = 0;
};

}  // namespace penstock::support
