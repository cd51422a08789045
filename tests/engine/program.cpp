#include "engine/program.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "core/parameters.hpp"

namespace penstock::engine {

namespace {

constexpr core::KernelId call_kernel{0};
constexpr core::KernelId bodiless_kernel{1};
constexpr core::KernelId openmp_kernel{2};

void call_body(const TaskContext& context) {
  const auto address = static_cast<std::uintptr_t>(std::get<I64>(context.parameters[0]));
  (*reinterpret_cast<const Body*>(address))(Arrays(context));
}

KernelDescription kernel(std::string name, std::function<void(const TaskContext&)> body) {
  KernelDescription description;
  description.name = std::move(name);
  description.cpu = std::move(body);
  return description;
}

}  // namespace

Program::Program(const Configuration& configuration)
    : call_(kernel("call", call_body)),
      bodiless_(kernel("bodiless", {})),
      openmp_(kernel("openmp", call_body)),
      kernels_{&call_, &bodiless_, &openmp_},
      workers_({.lanes_most = configuration.workers, .idle = [](int /*lane*/) {}, .seed = configuration.seed}) {
  openmp_.uses_openmp = true;
  workers_.open(configuration.workers, configuration.workers);
  engine_.emplace(kernels_, workers_, buffers_, configuration.all_short ? INT64_MAX : KernelTimes::short_ns);
  if (configuration.all_short) prove_short();
  domain_ = make_domain(configuration);
  for (int lane = 0; lane < configuration.workers; ++lane) threads_.emplace_back([this, lane] { workers_.work(lane); });
}

Program::~Program() {
  domain_->drain();
  domain_.reset();
  workers_.close();
}

void Program::prove_short() {
  for (std::uint32_t i = 0; i < KernelTimes::proof; ++i) engine_->times().observe(call_kernel, 0);
}

void Program::replace_domain(const Configuration& configuration) {
  domain_.reset();
  domain_ = make_domain(configuration);
}

std::unique_ptr<Domain> Program::make_domain(const Configuration& configuration) {
  Domain::Options options;
  options.window_tasks = configuration.window_tasks;
  options.window_bytes = configuration.window_bytes;
  options.renames = configuration.renames;
  options.renaming_bytes = configuration.renaming_bytes;
  options.serial = configuration.serial;
  options.not_done = [this](const NotDone& task) { note(task); };
  options.while_waiting = configuration.while_waiting;
  return std::make_unique<Domain>(*engine_, std::move(options));
}

void Program::note(const NotDone& task) {
  const std::lock_guard lock(log_mutex_);
  not_done_.push_back({.task = task.ending.task,
                       .outcome = task.ending.outcome,
                       .cause = task.ending.cause,
                       .message = task.ending.message,
                       .name = std::string(task.name),
                       .line = task.place.line});
}

const Ended* Program::ended(core::TaskId task) const {
  const auto found = std::ranges::find(not_done_, task, &Ended::task);
  return found != not_done_.end() ? &*found : nullptr;
}

core::DataId Program::add_filled(I64 value, I64 elements) {
  const core::DataId data = add(elements);
  write(data, value);
  return data;
}

core::TaskId Program::submit(std::span<const graph::Access> accesses, Body body, const Extras& extras) {
  const Body* kept = nullptr;
  {
    const std::lock_guard lock(bodies_mutex_);
    kept = &bodies_.emplace_back(std::move(body));
  }
  std::vector<Parameter> parameters{static_cast<I64>(reinterpret_cast<std::uintptr_t>(kept))};
  parameters.insert(parameters.end(), extras.parameters.begin(), extras.parameters.end());
  std::vector<std::byte> encoded;
  core::encode_parameters(parameters, encoded);
  return domain_->submit({.kernel = extras.uses_openmp ? openmp_kernel : call_kernel,
                          .cores = extras.cores,
                          .priority = extras.priority,
                          .accesses = accesses,
                          .parameters = encoded,
                          .place = extras.place,
                          .name = extras.name});
}

core::TaskId Program::write(core::DataId data, I64 value) {
  return submit({writes(data)}, [value](const Arrays& arrays) { std::ranges::fill(arrays[0], value); });
}

core::TaskId Program::increment(core::DataId data) {
  return submit({updates(data)}, [](const Arrays& arrays) {
    for (I64& value : arrays[0]) ++value;
  });
}

core::TaskId Program::fail(core::DataId data, const std::string& message) {
  return submit({writes(data)}, [message](const Arrays& /*arrays*/) { throw std::runtime_error(message); });
}

core::TaskId Program::submit_bodiless(core::DataId data) {
  const graph::Access access = writes(data);
  return domain_->submit({.kernel = bodiless_kernel, .accesses = {&access, 1}, .parameters = {}, .place = {}});
}

std::vector<I64> Program::read_all(core::DataId data) {
  Version& version = domain_->pin(data, true);
  EXPECT_TRUE(domain_->wait_for(version));
  EXPECT_EQ(version.cause, core::TaskId());
  const auto* const first = reinterpret_cast<const I64*>(version.data);
  std::vector<I64> values(first, first + version.bytes / sizeof(I64));
  domain_->unpin(version, true);
  return values;
}

core::TaskId Program::wait(core::DataId data) {
  Version& version = domain_->pin(data, false);
  EXPECT_TRUE(domain_->wait_for(version));
  const core::TaskId cause = version.cause;
  domain_->unpin(version, false);
  return cause;
}

}  // namespace penstock::engine
