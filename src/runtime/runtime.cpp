#include <penstock/runtime.hpp>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "core/parameters.hpp"
#include "executor/workers.hpp"
#include "kernels/arguments.hpp"
#include "runtime/interrupts.hpp"
#include "runtime/state.hpp"

namespace penstock {

using detail::Datum;
using detail::HostView;
using detail::RuntimeState;

namespace {

constexpr int cores_most = 1024;

/// What one submit() needs between its steps; per thread, so that it allocates nothing after the first calls.
struct Scratch {
  std::vector<kernels::NamedValue> named;
  std::vector<Parameter> parameters;
  std::vector<TaskAccess> accesses;
  std::vector<graph::Access> stamped;
  std::vector<std::byte> encoded;
  std::optional<core::KernelId> last_kernel;  // the table is the process's and does not change
};

Scratch& scratch() {
  thread_local Scratch instance;
  return instance;
}

void check_cores(const KernelDescription& kernel, int cores) {
  if (cores < 1 || cores > cores_most) {
    throw Error(ErrorCode::invalid_argument, kernel.name + ": cores(k) takes 1 to 1024, not " + std::to_string(cores));
  }
  if (cores > 1 && !kernel.allows_panels) {
    throw Error(ErrorCode::invalid_argument, kernel.name + ": this kernel runs on one core, not on " +
                                                 std::to_string(cores) + ": leave cores() out");
  }
}

/// As a rule the one of the submission before.
core::KernelId find_kernel(const kernels::KernelTable& kernels, const char* name, Scratch& parts) {
  if (!parts.last_kernel || kernels[*parts.last_kernel].name != name) parts.last_kernel = kernels.at(name);
  return *parts.last_kernel;
}

/// A worker that waited would hold up what it waits for.
void refuse_in_kernel(const char* call) {
  if (!executor::Workers::is_worker()) return;
  throw Error(ErrorCode::invalid_argument, std::string(call) + " was called from inside a kernel, which must not wait");
}

/// The datum behind a handle, if it is one of this runtime.
const Datum& known(const Datum* datum, const std::shared_ptr<RuntimeState>& state) {
  if (datum == nullptr) throw Error(ErrorCode::invalid_argument, "an array handle is empty");
  if (datum->owner.owner_before(state) || state.owner_before(datum->owner)) {
    throw Error(ErrorCode::invalid_argument, "an array belongs to another runtime");
  }
  return *datum;
}

void check(const KernelDescription& kernel, const detail::Request& request, const std::shared_ptr<RuntimeState>& state,
           Scratch& parts) {
  parts.named.clear();
  for (const NamedParameter& parameter : request.named) parts.named.emplace_back(parameter.name, parameter.value);
  kernels::resolve_parameters(kernel, parts.named, request.positional, parts.parameters);
  kernels::check_access_count(kernel, request.accesses.size());
  parts.accesses.clear();
  parts.stamped.clear();
  for (const auto& [datum, mode] : request.accesses) {
    const ArrayType& type = known(datum, state).type;
    kernels::check_access(kernel, parts.stamped.size(), mode, type);
    if (kernel.check) parts.accesses.push_back({mode, type});
    parts.stamped.push_back({core::DataId(datum->id), mode});
  }
  kernels::check_fit(kernel, parts.accesses, parts.parameters);
  check_cores(kernel, request.cores);
}

}  // namespace

// --- handles ---

detail::Datum::~Datum() {
  const auto state = std::static_pointer_cast<RuntimeState>(owner.lock());
  if (state && !state->ended) state->session.frontend().release_data(core::DataId(id));
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
  if (!state_ || state_->ended) return;
  state_->session.frontend().unpin({core::DataId(data_), core::Version(version_), view_.data});
}

// --- Runtime ---

Runtime::Runtime(const Options& options) {
  auto session =
      std::make_unique<runtime::Session>(runtime::SessionOptions{.workers = options.workers,
                                                                 .window = {options.window_tasks, options.window_bytes},
                                                                 .use_cpu = true,
                                                                 .use_cuda = true,
                                                                 .alone = true});
  state_ = std::make_shared<RuntimeState>(*session);
  state_->owned = std::move(session);
  if (!options.run_dir.empty()) state_->folder.emplace(state_->session, options);
}

Runtime::Runtime(std::shared_ptr<RuntimeState> state) : state_(std::move(state)) {}

Runtime::~Runtime() {
  if (!state_->owned) return;
  try {
    state_->session.frontend().drain();
    for (const frontend::Failure& failure : state_->session.frontend().first_failures()) {
      std::fprintf(stderr, "penstock: %s\n", failure.line.c_str());
    }
    state_->ended = true;
    state_->session.end();
    if (state_->folder) state_->folder->finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "penstock: %s\n", error.what());
  }
}

int Runtime::ranks() const { return state_->session.ranks(); }

std::shared_ptr<Datum> Runtime::make_datum(const ArrayType& type, const Origin& origin, const Place& place) {
  const core::DataId id = state_->session.frontend().add_data(type);
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

void Runtime::submit_request(const detail::Request& request) {
  if (runtime::Interrupts::level() != runtime::Interrupts::Level::none) state_->session.frontend().close();
  Scratch& parts = scratch();
  core::KernelId kernel;
  try {
    kernel = find_kernel(state_->kernels, request.kernel, parts);
    check(state_->kernels[kernel], request, state_, parts);
  } catch (const Error& error) {
    if (request.place.line == 0) throw;
    throw Error(error.code(),
                std::string(request.place.file) + ":" + std::to_string(request.place.line) + ": " + error.what());
  }
  parts.encoded.clear();
  core::encode_parameters(parts.parameters, parts.encoded);
  state_->session.frontend().submit({.kernel = kernel,
                                     .cores = static_cast<std::uint16_t>(request.cores),
                                     .accesses = parts.stamped,
                                     .parameters = parts.encoded,
                                     .place = request.place});
}

void Runtime::wait_datum(const Datum* datum) {
  refuse_in_kernel("wait()");
  state_->session.frontend().wait(core::DataId(known(datum, state_).id));
}

void Runtime::wait_all() {
  refuse_in_kernel("wait_all()");
  state_->session.frontend().wait_all();
}

HostView Runtime::read_datum(const Datum* datum) {
  refuse_in_kernel("read()");
  const frontend::Pinned pinned = state_->session.frontend().bring(core::DataId(known(datum, state_).id));
  return {state_, pinned.data.value(), pinned.version.value(), {pinned.bytes, datum->type}};
}

void Runtime::save_datum(const Datum* datum, const std::string& path, const Place& place) {
  const std::pair<const Datum*, AccessMode> access{datum, AccessMode::read};
  if (path.empty()) {
    throw Error(ErrorCode::invalid_argument,
                std::string(place.file) + ":" + std::to_string(place.line) + ": save() needs the path of a file");
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
