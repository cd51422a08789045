#include "support/virtual_cluster.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace penstock::support {

using cluster::OperandKind;
using cluster::Tag;
using coherence::VersionState;
using core::DataId;
using core::Outcome;
using core::RankId;
using core::TaskId;
using core::Version;

namespace {

constexpr std::size_t network = 3;
constexpr std::size_t pace = 4;
constexpr std::uint64_t events_most = 2'000'000;

/// Of cores, and of GPUs where there are any.
std::vector<cluster::RankSize> random_sizes(const ClusterOptions& options) {
  Random random(options.seed ^ 0xc0de5);
  std::vector<cluster::RankSize> sizes(static_cast<std::size_t>(options.ranks));
  for (cluster::RankSize& size : sizes) size.cores = static_cast<int>(random.between(1, 4));
  for (cluster::RankSize& size : sizes) size.gpu_bytes = static_cast<std::int64_t>(random.below(3));
  return sizes;
}

}  // namespace

VirtualCluster::VirtualCluster(const Program& program, const SerialRun& oracle, const ClusterOptions& options)
    : program_(program),
      oracle_(oracle),
      options_(options),
      random_(options.seed),
      sizes_(random_sizes(options)),
      front_(sizes_, *this),
      released_(program.data, false),
      ends_(program.tasks.size()) {
  constexpr std::array<std::uint64_t, 4> choices{1, 8, 64, 512};
  for (std::uint64_t& most : delays_most_) most = choices[random_.below(choices.size())];
  cancel_at_ = options.cancels ? random_.below(program.steps.size()) : program.steps.size();
  World& world = *this;
  for (int i = 0; i < options.ranks; ++i) {
    ranks_.emplace_back(RankId(i), world);
    accounts_.push_back({.cores = sizes_[static_cast<std::size_t>(i)].cores});
  }
}

void VirtualCluster::run() {
  events_.at(0, [this] { next_step(); });
  std::uint64_t count = 0;
  while (events_.run_one()) require(++count < events_most, "the program comes to an end");
  check_end();
}

// --- the program ---------------------------------------------------------------------------------

std::int64_t VirtualCluster::gpu_bytes_of(std::uint32_t task) const {
  const auto most = std::ranges::max(sizes_, {}, &cluster::RankSize::gpu_bytes).gpu_bytes;
  const std::uint64_t chance = mix(options_.seed ^ mix(task));
  return most == 0 || chance % 4 != 0 ? 0 : 1 + static_cast<std::int64_t>(chance / 4) % most;
}

void VirtualCluster::next_step() {
  const std::size_t step = step_;
  if (step == cancel_at_ && !cancelled_) {
    cancelled_ = true;
    front_.cancel();
    look_at_pins();
  }
  if (step < program_.steps.size()) {
    const Step& todo = program_.steps[step];
    if (todo.kind != Step::Kind::release || !is_awaited(todo.index)) {
      carry_out(todo);
      ++step_;
    }
  } else {
    const auto left = std::ranges::find(released_, false);
    if (left == released_.end()) return;
    const auto datum = static_cast<std::uint32_t>(left - released_.begin());
    if (!is_awaited(datum)) release(datum);
  }
  if (random_.chance(30))
    flush();
  else
    post(core::front_rank, core::front_rank, [this] { flush(); });
  events_.at(events_.now() + random_.between(1, delays_most_[pace]), [this] { next_step(); });  // time goes on
}

void VirtualCluster::carry_out(const Step& step) {
  switch (step.kind) {
    case Step::Kind::add:
      ids_.push_back(domain_.add());
      front_.add_data(ids_.back(), {DType::i64, Shape{static_cast<std::int64_t>(random_.between(1, 1000))}});
      return;
    case Step::Kind::submit:
      return submit(step.index);
    case Step::Kind::release:
      return release(step.index);
    case Step::Kind::pin:
      return add_pin(step.index);
  }
}

void VirtualCluster::submit(std::uint32_t index) {
  const ProgramTask& task = program_.tasks[index];
  accesses_.clear();
  for (const ProgramAccess& access : task.accesses) accesses_.push_back({ids_[access.datum], access.mode});
  require(domain_.check(accesses_).mistake == graph::Domain::Mistake::none, "a good program is taken");
  const TaskId id(next_task_++);
  tasks_.emplace(id, index);
  domain_.stamp(id, accesses_, stamped_);
  encode_salt(task, parameters_);
  front_.submit({.task = id,
                 .kernel = task.kernel,
                 .cores = task.cores,
                 .only_on = core::no_rank,
                 .gpu_bytes = gpu_bytes_of(index),
                 .place = Place("program", index + 1),
                 .accesses = stamped_,
                 .parameters = parameters_});
}

void VirtualCluster::release(std::uint32_t datum) {
  released_[datum] = true;
  front_.release_data(ids_[datum]);
}

void VirtualCluster::flush() {
  front_.flush();
  look_at_pins();
}

// --- pins: what reading a value does -------------------------------------------------------------

void VirtualCluster::add_pin(std::uint32_t datum) {
  Pin& pin = pins_.emplace_back();
  pin.datum = datum;
  pin.data = ids_[datum];
  pin.version = domain_.current(pin.data);
  pin.expected = &oracle_.pins[pins_made_++];
  front_.pin(pin.data, pin.version);
}

void VirtualCluster::look_at_pins() {
  for (std::size_t i = 0; i < pins_.size(); ++i) {
    Pin& pin = pins_[i];
    if (pin.state != Pin::State::waiting) continue;
    const VersionState state = front_.directory().state(pin.data, pin.version);
    if (state == VersionState::pending) continue;
    require(cancelled_ || (state == VersionState::failed) == pin.expected->failed,
            "a version fails as in the serial run");
    if (state == VersionState::failed) {
      pin.state = Pin::State::gone;
      front_.unpin(pin.data, pin.version);
    } else if (front_.directory().source(pin.data, pin.version) == core::front_rank) {
      hold(i);
    } else {
      bring(pin);
    }
  }
}

void VirtualCluster::bring(Pin& pin) {
  const graph::StampedAccess access{
      .data = pin.data, .mode = AccessMode::read, .reads = pin.version, .writes = Version(), .producer = TaskId()};
  pin.state = Pin::State::touching;
  pin.touch = TaskId(next_task_++);
  front_.submit({.task = pin.touch,
                 .kernel = cluster::touch_kernel,
                 .cores = 1,
                 .only_on = core::front_rank,
                 .place = {},
                 .accesses = std::span(&access, 1),
                 .parameters = {}});
  front_.flush();
}

/// The value is looked at, and let go, a while later: until then nobody may take it away.
void VirtualCluster::hold(std::size_t index) {
  pins_[index].state = Pin::State::held;
  const std::uint64_t until = events_.now() + random_.between(1, 4 * delays_most_[network]);
  events_.at(until, [this, index] {
    Pin& pin = pins_[index];
    require(rank(core::front_rank).value(pin.data, pin.version) == pin.expected->value,
            "a pinned value is the serial one");
    ++values_compared_;
    pin.state = Pin::State::gone;
    front_.unpin(pin.data, pin.version);
    flush();
  });
}

bool VirtualCluster::is_awaited(std::uint32_t datum) const {
  return std::ranges::any_of(pins_, [&](const Pin& pin) {
    return pin.datum == datum && (pin.state == Pin::State::waiting || pin.state == Pin::State::touching);
  });
}

// --- what the front-end says ---------------------------------------------------------------------

void VirtualCluster::send(RankId to, std::span<const std::byte> commands) {
  post(core::front_rank, to, [this, to, bytes = inspect(to, commands)] { rank(to).receive(bytes); });
}

void VirtualCluster::ended(const cluster::EndedTask& task) {
  const core::Ending& ending = task.ending;
  note(ending.task.value() * 8 + static_cast<std::uint64_t>(ending.outcome));
  if (task.kernel == cluster::touch_kernel) {
    const auto pin = std::ranges::find(pins_, ending.task, &Pin::touch);
    require(pin != pins_.end(), "an ending is of a task that was submitted");
    require(cancelled_ || ending.outcome == Outcome::done, "a made version can be brought");
    if (ending.outcome == Outcome::done) return hold(static_cast<std::size_t>(pin - pins_.begin()));
    pin->state = Pin::State::gone;
    post(core::front_rank, core::front_rank, [this, data = pin->data, version = pin->version] {
      front_.unpin(data, version);
      flush();
    });
    return;
  }
  const std::uint32_t index = tasks_.at(ending.task);
  require(!ends_[index].outcome, "a task ends once");
  require(task.place.line == index + 1, "an ending names where the task was submitted");
  ends_[index].outcome = ending.outcome;
  if (ending.outcome != Outcome::skipped) return;
  const auto cause = tasks_.find(ending.cause);
  require(cause != tasks_.end(), "a skipped task names a task of the program");
  ends_[index].cause = cause->second;
}

void VirtualCluster::forgotten(DataId data) {
  ++forgotten_;
  domain_.forget(data);
}

// --- the world of the ranks ----------------------------------------------------------------------

void VirtualCluster::later(Delay delay, std::function<void()> action) {
  const std::uint64_t most = delays_most_[static_cast<std::size_t>(delay)];
  events_.at(events_.now() + random_.below(most), std::move(action));
}

void VirtualCluster::post(RankId from, RankId to, std::function<void()> arrive) {
  std::uint64_t& last = last_arrival_[{from, to}];
  last = std::max(last, events_.now() + random_.below(delays_most_[network]));
  note(static_cast<std::uint64_t>(to.value()));
  events_.at(last, std::move(arrive));
}

void VirtualCluster::fetch(RankId to, const cluster::Admission::Fetch& order) {
  require(order.from != to, "a rank does not fetch from itself");
  post(to, order.from, [this, to, order] { serve(to, order); });
}

/// The bytes travel at some time after the request came; the source is told still later.
void VirtualCluster::serve(RankId to, const cluster::Admission::Fetch& order) {
  const VirtualRank::Served served = rank(order.from).serve(order.data, order.version);
  const std::uint64_t arrival = events_.now() + random_.below(delays_most_[network]);
  ++fetches_;
  events_.at(arrival,
             [this, to, order, served] { rank(to).fetched(order.slot, rank(order.from).served_value(served)); });
  events_.at(arrival + random_.below(delays_most_[network]),
             [this, from = order.from, served] { rank(from).served(served); });
}

void VirtualCluster::report(RankId from, std::vector<std::byte> item) {
  post(from, core::front_rank, [this, from, bytes = std::move(item)] {
    give_credit(bytes);
    core::ByteReader reader(bytes);
    static_cast<void>(cluster::read_tag(reader));
    require(front_.on_endings(from, reader), "an ending is of a task that the rank has");
    require(reader.left() == 0, "an endings item is read to its end");
    flush();
  });
}

void VirtualCluster::computed(TaskId task, std::span<const std::uint64_t> reads) {
  const SerialTask& expected = oracle_.tasks[tasks_.at(task)];
  require(expected.outcome != Outcome::skipped, "a task that is skipped in the serial run does not run");
  require(std::ranges::equal(reads, expected.reads), "a task reads the values of the serial run");
}

std::int64_t VirtualCluster::busy_ns() {
  const std::uint64_t magnitude = random_.below(8);
  return static_cast<std::int64_t>(random_.between(1, std::uint64_t{10} << (3 * magnitude)));
}

}  // namespace penstock::support
