#include <penstock/runtime.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <utility>

#include "core/parameters.hpp"
#include "core/place.hpp"
#include "kernels/arguments.hpp"
#include "kernels/function.hpp"
#include "runtime/group_state.hpp"
#include "runtime/interrupts.hpp"
#include "runtime/options.hpp"
#include "runtime/reductions.hpp"
#include "runtime/state.hpp"

namespace penstock {

namespace detail {

/// What one submit() needs between its steps; per thread, so that it allocates nothing after the first calls.
struct Scratch {
  std::vector<kernels::NamedValue> named;
  std::vector<Parameter> parameters;
  std::vector<TaskAccess> accesses;
  std::vector<graph::Access> stamped;
  std::vector<std::byte> encoded;
  std::vector<engine::Need> needs;
  /// Kernels found before, by where their names are.
  struct Found {
    const char* name = nullptr;
    core::KernelId kernel;
  };
  std::array<Found, 16> found;
};

}  // namespace detail

using detail::Call;
using detail::Datum;
using detail::HostView;
using detail::RuntimeState;
using detail::Scratch;

namespace {

constexpr int cores_most = 1024;

Scratch& scratch() {
  thread_local Scratch instance;
  return instance;
}

void check_cores(const KernelDescription& kernel, int cores) {
  if (cores < 1 || cores > cores_most) {
    throw Error(ErrorCode::invalid_argument, kernel.name + ": cores(k) takes 1 to 1024, not " + std::to_string(cores));
  }
  if (cores > 1 && !kernel.allows_panels && !kernel.uses_openmp) {
    throw Error(ErrorCode::invalid_argument, kernel.name + ": this kernel runs on one core, not on " +
                                                 std::to_string(cores) + ": leave cores() out");
  }
}

/// As a rule one of those found before: the table is the process's and does not change, nor does the name of a typed
/// kernel, which is older; but another name may be in the place of one that is gone.
core::KernelId find_kernel(const kernels::KernelTable& kernels, const detail::Request& request, Scratch& parts) {
  const char* const name = request.kernel;
  Scratch::Found& found = parts.found[(reinterpret_cast<std::uintptr_t>(name) >> 3U) % parts.found.size()];
  if (found.name != name || (!request.typed && kernels[found.kernel].name != name)) {
    found = {.name = nullptr, .kernel = kernels.at(name)};
    found.name = name;
  }
  return found.kernel;
}

/// Whether a runtime is left as it is, since its threads are not in this process, or the process ends.
bool is_beyond_help(const RuntimeState& state) {
  namespace process = runtime::process;
  if (!state.is_forked() && process::exits() && !process::exits_here()) process::await_end();
  return state.is_forked() || process::exits();
}

[[noreturn]] void refuse(const Datum* datum) {
  throw Error(ErrorCode::invalid_argument,
              datum == nullptr ? "an array handle is empty" : "an array belongs to another runtime");
}

/// The datum behind a handle, if it is one of this runtime.
inline const Datum& known(const Datum* datum, const std::shared_ptr<RuntimeState>& state) {
  if (datum == nullptr || datum->owner.owner_before(state) || state.owner_before(datum->owner)) refuse(datum);
  return *datum;
}

void take_parameters(const KernelDescription& kernel, const detail::Request& request, Scratch& parts) {
  parts.parameters.clear();
  parts.encoded.clear();
  if (kernel.parameters.empty() && request.positional.empty() && request.named.empty()) return;
  parts.named.clear();
  for (const NamedParameter& parameter : request.named) parts.named.emplace_back(parameter.name, parameter.value);
  kernels::resolve_parameters(kernel, parts.named, request.positional, parts.parameters);
  core::encode_parameters(parts.parameters, parts.encoded);
}

/// What the compiler has checked is not checked again.
void take_accesses(const KernelDescription& kernel, const detail::Request& request,
                   const std::shared_ptr<RuntimeState>& state, Scratch& parts) {
  const std::size_t count = request.accesses.size();
  if (!request.typed) kernels::check_access_count(kernel, count);
  parts.accesses.clear();
  parts.stamped.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [datum, mode] = request.accesses[i];
    const ArrayType& type = known(datum, state).type;
    if (!request.typed) kernels::check_access(kernel, i, mode, type);
    if (kernel.check) parts.accesses.push_back({seen_by_body(mode), type});
    parts.stamped[i] = {core::DataId(datum->id), mode};
  }
}

void check(const KernelDescription& kernel, const detail::Request& request, const std::shared_ptr<RuntimeState>& state,
           Scratch& parts) {
  take_parameters(kernel, request, parts);
  take_accesses(kernel, request, state, parts);
  if (kernel.check) kernels::check_fit(kernel, parts.accesses, parts.parameters);
  check_cores(kernel, request.cores);
}

runtime::ReductionList reductions_of(const detail::Request& request, const kernels::KernelTable& kernels) {
  runtime::ReductionList reductions(kernels);
  auto next = request.reductions.begin();
  for (const auto& [datum, mode] : request.accesses) {
    if (mode == AccessMode::reduce) reductions.add(*next++, datum->type);
  }
  return reductions;
}

/// Throws what `step` does, with the place.
template <class Step>
decltype(auto) at_place(const Place& place, const Step& step) {
  try {
    return step();
  } catch (const Error& error) {
    throw Error(error.code(), core::at(place) + error.what());
  }
}

frontend::Pinned pinned_of(std::uint32_t data, std::uint64_t version, std::byte* bytes) {
  return {.data = core::DataId(data), .version = core::Version(version), .for_view = true, .bytes = bytes};
}

}  // namespace

// --- handles ---

detail::Datum::~Datum() {
  const auto state = std::static_pointer_cast<RuntimeState>(owner.lock());
  if (state && !state->is_inert()) state->front.release_data(core::DataId(id));
}

detail::HostView::HostView(std::shared_ptr<RuntimeState> state, std::uint32_t data, std::uint64_t version,
                           ArrayView view)
    : state_(std::move(state)), data_(data), version_(version), view_(view) {}

detail::HostView::HostView(HostView&& other) noexcept
    : state_(std::move(other.state_)), data_(other.data_), version_(other.version_), view_(other.view_) {}

HostView& detail::HostView::operator=(HostView&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(data_, other.data_);
  std::swap(version_, other.version_);
  std::swap(view_, other.view_);
  return *this;
}

detail::HostView::~HostView() {
  if (!state_ || state_->is_inert()) return;
  state_->front.unpin(pinned_of(data_, version_, view_.data));
}

bool detail::HostFuture::wait(const std::optional<std::chrono::steady_clock::time_point>& deadline) {
  if (pin_.state_ == nullptr) {
    throw Error(ErrorCode::invalid_argument, "the value of this future has been taken: get() is called once");
  }
  const Call call(*pin_.state_);
  return pin_.state_->front.wait_for(pinned_of(pin_.data_, pin_.version_, nullptr), deadline);
}

HostView detail::HostFuture::get() && {
  wait(std::nullopt);
  const Call call(*pin_.state_);
  frontend::Pinned pinned = pinned_of(pin_.data_, pin_.version_, nullptr);
  pin_.state_->front.fetch(pinned);
  pin_.view_.data = pinned.bytes;
  return std::move(pin_);
}

// --- Runtime ---

Runtime::Runtime(const Options& options) {
  runtime::check(options);
  runtime::SessionOptions setup = runtime::session_options(options);
  setup.alone = true;
  auto session = std::make_unique<runtime::Session>(setup);
  state_ = std::make_shared<RuntimeState>(*session);
  state_->owned = std::move(session);
  if (!options.run_dir.empty()) state_->folder.emplace(*state_->session, options);
}

Runtime::Runtime(std::shared_ptr<RuntimeState> state) : state_(std::move(state)) {}

Runtime::~Runtime() {
  if (state_->session == nullptr) return;  // a task's: who runs the task ends it
  if (is_beyond_help(*state_)) {
    state_->stay();
    return;
  }
  if (!state_->owned) return;
  try {
    if (std::uncaught_exceptions() > state_->exceptions) state_->front.cancel();
    state_->front.drain();
    for (const frontend::Failure& failure : state_->front.first_failures()) {
      std::fprintf(stderr, "penstock: %s\n", failure.line.c_str());
    }
    state_->ended = true;
    state_->session->end();
    if (state_->folder) state_->folder->finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "penstock: %s\n", error.what());
  }
}

int Runtime::ranks() const {
  const Call call(*state_);
  return state_->session != nullptr ? state_->session->ranks() : 1;
}

std::shared_ptr<Datum> Runtime::make_datum(const ArrayType& type, const Origin& origin, const Place& place) {
  const Call call(*state_);
  const core::DataId id = state_->front.add_data(type);
  auto datum = std::make_shared<Datum>(id.value(), type, std::weak_ptr<void>(state_));
  if (origin.kernel == nullptr) return datum;
  std::vector<NamedParameter> parameters;
  for (const auto& [name, value] : origin.parameters) parameters.push_back({name, value});
  const std::pair<const Datum*, AccessMode> access{datum.get(), AccessMode::write};
  submit_request({.kernel = origin.kernel,
                  .accesses = std::span(&access, 1),
                  .positional = {},
                  .named = parameters,
                  .cores = 1,
                  .place = place});
  return datum;
}

std::shared_ptr<Datum> Runtime::lend_datum(const ArrayView& held, bool read_only) {
  const Call call(*state_);
  if (state_->lender == nullptr) {
    throw Error(ErrorCode::invalid_argument, "array(argument) is for the runtime that a task's body takes");
  }
  const core::DataId id = state_->lender->lend(held.type, held.data, read_only);
  return std::make_shared<Datum>(id.value(), held.type, std::weak_ptr<void>(state_));
}

Task Runtime::submit_request(const detail::Request& request) {
  const Call call(*state_);
  if (runtime::Interrupts::level() != runtime::Interrupts::Level::none) state_->front.close();
  Scratch& parts = scratch();
  const core::KernelId kernel = at_place(request.place, [&] {
    const core::KernelId found = find_kernel(state_->kernels, request, parts);
    check(state_->kernels[found], request, state_, parts);
    if (!request.uses.empty()) take_needs(request, parts);
    return found;
  });
  const frontend::Task task{.kernel = kernel,
                            .cores = static_cast<std::uint16_t>(request.cores),
                            .priority = request.priority,
                            .accesses = parts.stamped,
                            .parameters = parts.encoded,
                            .place = request.place,
                            .name = request.name,
                            .group = detail::GroupState::entered_for(*state_),
                            .needs = request.uses.empty() ? std::span<const engine::Need>() : parts.needs,
                            .only_on_front = request.only_on_front};
  if (request.reductions.empty()) return {state_->front.submit(std::span(&task, 1)).value()};
  const auto reductions = at_place(request.place, [&] { return reductions_of(request, state_->kernels); });
  return {state_->front.submit(task, reductions.all()).value()};
}

/// All resources of this runtime.
void Runtime::take_needs(const detail::Request& request, detail::Scratch& parts) const {
  parts.needs.clear();
  for (const Use& use : request.uses) {
    const std::weak_ptr<void>& owner = use.resource->owner_;
    if (use.resource->resource_ == nullptr || owner.owner_before(state_) || state_.owner_before(owner)) {
      throw Error(ErrorCode::invalid_argument, "use() takes a resource of this runtime");
    }
    parts.needs.push_back({static_cast<engine::Resource*>(use.resource->resource_), use.amount});
  }
}

Task Runtime::submit_function(const Datum* datum, std::function<void(const ArrayView&)> function, const Place& place) {
  namespace functions = kernels::functions;
  const std::pair<const Datum*, AccessMode> access{datum, AccessMode::read};
  state_->keeps_functions = true;
  const std::int64_t number = functions::keep(std::move(function), state_.get());
  const NamedParameter named{"number", number};
  try {
    return submit_request({.kernel = functions::kernel,
                           .accesses = std::span(&access, 1),
                           .positional = {},
                           .named = std::span(&named, 1),
                           .only_on_front = true,
                           .place = place});
  } catch (...) {
    functions::let_go(number);
    throw;
  }
}

Resource Runtime::resource(std::int64_t amount) {
  const Call call(*state_);
  if (amount < 1) throw Error(ErrorCode::invalid_argument, "resource() takes an amount of at least 1");
  return {state_, state_->front.add_resource(amount)};
}

void Runtime::cancel(Task task) {
  const Call call(*state_);
  state_->front.cancel(core::TaskId(task.id));
}

void Runtime::cancel_all() {
  const Call call(*state_);
  state_->front.cancel();
}

bool Runtime::wait_data(std::span<const Datum* const> data, const Deadline& deadline) {
  const Call call(*state_);
  std::vector<core::DataId> ids;
  for (const Datum* datum : data) ids.emplace_back(known(datum, state_).id);
  return state_->front.wait_for(ids, deadline);
}

bool Runtime::wait_tasks(const Deadline& deadline) {
  const Call call(*state_);
  return state_->front.wait_all(deadline);
}

std::vector<std::string> Runtime::failures() const {
  const Call call(*state_);
  std::vector<std::string> lines;
  for (const frontend::Failure& failure : state_->front.first_failures()) lines.push_back(failure.line);
  return lines;
}

detail::HostFuture Runtime::pin_datum(const Datum* datum, const Place& place) {
  const Call call(*state_);
  const frontend::Pinned pinned =
      at_place(place, [&] { return state_->front.pin(core::DataId(known(datum, state_).id), true); });
  return {state_, pinned.data.value(), pinned.version.value(), datum->type};
}

void Runtime::save_datum(const Datum* datum, const std::string& path, const Place& place) {
  const std::pair<const Datum*, AccessMode> access{datum, AccessMode::read};
  if (path.empty()) {
    throw Error(ErrorCode::invalid_argument, core::at(place) + "save() needs the path of a file");
  }
  const NamedParameter absolute{"path", std::filesystem::absolute(path).string()};
  submit_request({.kernel = "save",
                  .accesses = std::span(&access, 1),
                  .positional = {},
                  .named = std::span(&absolute, 1),
                  .cores = 1,
                  .place = place});
}

}  // namespace penstock
