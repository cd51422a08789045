#include "device/cuda/cuda_device.hpp"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include <penstock/error.hpp>

#include "core/assert.hpp"
#include "core/parameters.hpp"
#include "device/cuda/cuda_error.hpp"
#include "device/cuda/kernels/bodies.hpp"
#include "executor/body.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::device {

namespace {

/// What it encloses, as tools for CUDA show it. Without such a tool: a look at a pointer.
class NamedRange {
 public:
  explicit NamedRange(const char* name) { nvtxRangePushA(name); }
  NamedRange(const NamedRange&) = delete;
  NamedRange& operator=(const NamedRange&) = delete;
  ~NamedRange() { nvtxRangePop(); }
};

}  // namespace

CudaDevice::CudaDevice(const GpuOptions& options, Completions& completions, TransferEnds& transfers)
    : index_(options.index), completions_(completions), transfers_(transfers) {
  PENSTOCK_CUDA_TRY(cudaSetDevice(index_));
  nvtxInitialize(nullptr);  // before there are launching threads, of which the first would, while others look
  gpu_.emplace();
  for (std::size_t i = 0; i < work_queues; ++i) {
    gpu_->cublas[i].emplace(gpu_->queues[i].stream());
    gpu_->scratch[i].emplace(scratch_bytes);
  }
  gpu_->clock.keep(gpu_->clock_stream);
  reserve_memory(options);
  reach(options.peers);
  try {
    launcher_ = std::thread([this] { launch_until_stopped(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::environment, std::string("the launching thread cannot be started: ") + error.what());
  }
}

/// Once and in one piece: what is freed by the owner is at hand for the next without a word to CUDA, which would wait
/// for the whole GPU. Others may take memory meanwhile, so less will do.
void CudaDevice::reserve_memory(const GpuOptions& options) {
  std::size_t free = 0;
  std::size_t total = 0;
  PENSTOCK_CUDA_TRY(cudaMemGetInfo(&free, &total));
  auto bytes = static_cast<std::size_t>(static_cast<double>(free) * options.memory_share);
  if (options.memory_most > 0) bytes = std::min(bytes, options.memory_most);
  for (int tries = 4;; --tries) {
    try {
      gpu_->memory.emplace(bytes);
      return;
    } catch (const Error&) {
      if (tries == 0) throw;
      bytes = bytes / 4 * 3;
    }
  }
}

/// So that their bytes come here directly. Where that cannot be, CUDA takes the copy through host memory by itself.
void CudaDevice::reach(const std::vector<int>& peers) {
  for (const int peer : peers) {
    int can = 0;
    if (peer == index_ || cudaDeviceCanAccessPeer(&can, index_, peer) != cudaSuccess || can == 0) continue;
    static_cast<void>(cudaDeviceEnablePeerAccess(peer, 0));
  }
  static_cast<void>(cudaGetLastError());  // it may be so already
}

CudaDevice::~CudaDevice() {
  {
    const std::lock_guard lock(items_mutex_);
    stopping_ = true;
  }
  items_filled_.notify_one();
  launcher_.join();
  log_cuda(cudaSetDevice(index_), "a device");
  while (busy_polling()) {
    for (const CudaQueue& queue : gpu_->queues) {
      if (cudaStreamSynchronize(queue.stream().get()) != cudaSuccess) note_if_broken();
    }
    static_cast<void>(cudaGetLastError());
    progress();
  }
  gpu_->clock.end();
  gpu_.reset();
}

bool CudaDevice::can_run(const KernelDescription& kernel) const {
  return !is_broken() && (kernel.cuda || find_cuda_body(kernel.name) != nullptr);
}

// --- any thread ---

Token CudaDevice::start(std::span<Work* const> work, std::span<const Token> after) {
  Token token;
  for (Work* const one : work) {
    token = add({.work = one, .queue = choose_queue(after), .after = {after.begin(), after.end()}});
  }
  return token;
}

Token CudaDevice::transfer(Transfer& transfer, std::span<const Token> after) {
  const std::size_t queue = transfer.direction == Transfer::Direction::in ? queue_in : queue_out;
  return add({.transfer = &transfer, .queue = queue, .after = {after.begin(), after.end()}});
}

/// That of the latest work it follows, whose order then costs nothing; else that with the least to do.
std::size_t CudaDevice::choose_queue(std::span<const Token> after) const {
  const Token* latest = nullptr;
  for (const Token& token : after) {
    const bool is_work = token.queue > 0 && token.queue <= work_queues;
    if (is_work && held_[token.queue - 1].load(std::memory_order_relaxed) > 0) latest = &token;
  }
  if (latest != nullptr) return latest->queue - 1;
  const auto end = held_.begin() + work_queues;
  return static_cast<std::size_t>(std::min_element(held_.begin(), end,
                                                   [](const auto& left, const auto& right) {
                                                     return left.load(std::memory_order_relaxed) <
                                                            right.load(std::memory_order_relaxed);
                                                   }) -
                                  held_.begin());
}

Token CudaDevice::add(Item item) {
  Token token{.queue = static_cast<std::uint32_t>(item.queue + 1)};
  held_[item.queue].fetch_add(1, std::memory_order_relaxed);
  outstanding_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(items_mutex_);
    for (const Token& earlier : item.after) {
      PENSTOCK_ASSERT(earlier.queue == 0 || earlier.point <= points_[earlier.queue - 1]);
    }
    token.point = ++points_[item.queue];
    items_.push_back(std::move(item));
  }
  items_filled_.notify_one();
  return token;
}

// --- the launching thread ---

void CudaDevice::launch_until_stopped() {
  note_broken(cudaSetDevice(index_));
  while (const std::optional<Item> item = next_item()) launch(*item);
}

/// None when the device ends and nothing is left.
std::optional<CudaDevice::Item> CudaDevice::next_item() {
  std::unique_lock lock(items_mutex_);
  if (items_.empty() && !stopping_) {
    lock.unlock();
    completions_.idle(0);
    lock.lock();
  }
  items_filled_.wait(lock, [this] { return stopping_ || !items_.empty(); });
  if (items_.empty()) return std::nullopt;
  std::optional<Item> item(std::move(items_.front()));
  items_.pop_front();
  return item;
}

void CudaDevice::launch(const Item& item) {
  Flight flight{.work = item.work,
                .transfer = item.transfer,
                .queue = item.queue,
                .number = ++launched_,
                .message = {},
                .begin_ns = executor::steady_now().ns};
  flight.failed = executor::fails([&] { try_launch(item, flight); }, flight.message);
  if (flight.failed) note_if_broken();
  try {
    if (!is_broken()) record(item, flight.end);
  } catch (const std::exception& error) {
    note_broken(cudaErrorUnknown);
    if (!std::exchange(flight.failed, true)) flight.message = error.what();
  }
  const std::lock_guard lock(flights_mutex_);
  gpu_->queues[item.queue].put(std::move(flight));
}

void CudaDevice::try_launch(const Item& item, Flight& flight) {
  if (is_broken()) {
    throw Error(ErrorCode::lost, "the GPU has failed before: " + describe(broken_by_.load(std::memory_order_relaxed)));
  }
  {
    const std::lock_guard lock(flights_mutex_);
    gpu_->clock.keep(gpu_->clock_stream);
  }
  wait_for(item);
  record(item, flight.begin);
  if (item.work != nullptr)
    run_body(item, flight);
  else
    move(item);
}

void CudaDevice::wait_for(const Item& item) {
  const std::lock_guard lock(flights_mutex_);  // so that no event is used again before it is waited for
  for (const Token& token : item.after) {
    if (token.queue == 0 || token.queue == item.queue + 1) continue;
    cudaEvent_t const event = gpu_->queues[token.queue - 1].event_at(token.point);
    if (event != nullptr) PENSTOCK_CUDA_TRY(cudaStreamWaitEvent(gpu_->queues[item.queue].stream().get(), event, 0));
  }
}

void CudaDevice::record(const Item& item, cudaEvent_t& event) {
  {
    const std::lock_guard lock(flights_mutex_);
    event = gpu_->events.take();
  }
  const cudaError_t error = cudaEventRecord(event, gpu_->queues[item.queue].stream().get());
  if (error == cudaSuccess) return;
  const std::lock_guard lock(flights_mutex_);
  gpu_->events.give_back(std::exchange(event, nullptr));
  PENSTOCK_CUDA_TRY(error);
}

void CudaDevice::run_body(const Item& item, Flight& flight) {
  Work& work = *item.work;
  if (!completions_.prepare(work)) return;
  if (!core::decode_parameters(work.parameters, parameters_)) {
    throw Error(ErrorCode::invalid_argument, "the parameters of kernel " + work.kernel->name + " are damaged");
  }
  cudaStream_t const stream = gpu_->queues[item.queue].stream().get();
  for (const Duplicate& duplicate : work.duplicates) {
    if (duplicate.bytes == 0) continue;
    PENSTOCK_CUDA_TRY(cudaMemcpyAsync(duplicate.to, duplicate.from, duplicate.bytes, cudaMemcpyDeviceToDevice, stream));
  }
  const CudaContext context{.arrays = work.arrays,
                            .parameters = parameters_,
                            .stream = stream,
                            .cublas = gpu_->cublas[item.queue]->get(),
                            .scratch = gpu_->scratch[item.queue]->bytes().data(),
                            .scratch_bytes = scratch_bytes};
  call_body(work, context);
  if (CudaVerdict const verdict = find_cuda_verdict(work.kernel->name)) read_finding(context, verdict, flight);
}

void CudaDevice::call_body(const Work& work, const CudaContext& context) {
  const KernelDescription& kernel = *work.kernel;
  const NamedRange range(work.name != nullptr ? work.name : kernel.name.c_str());
  if (!kernel.cuda) return find_cuda_body(kernel.name)(context);
  kernel.cuda(context);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    throw Error(ErrorCode::environment, describe(error) + " after the GPU body of kernel " + kernel.name);
  }
}

void CudaDevice::read_finding(const CudaContext& context, CudaVerdict verdict, Flight& flight) {
  {
    const std::lock_guard lock(flights_mutex_);
    flight.finding = gpu_->findings.take();
  }
  PENSTOCK_CUDA_TRY(cudaMemcpyAsync(flight.finding, context.scratch, sizeof(*flight.finding), cudaMemcpyDeviceToHost,
                                    context.stream));
  flight.verdict = verdict;
}

void CudaDevice::move(const Item& item) {
  Transfer& transfer = *item.transfer;
  if (transfer.peer < 0) transfers_.prepare(transfer);
  if (transfer.bytes == 0) return;
  cudaStream_t const stream = gpu_->queues[item.queue].stream().get();
  const bool in = transfer.direction == Transfer::Direction::in;
  if (transfer.peer >= 0) {
    PENSTOCK_ASSERT(in);
    PENSTOCK_CUDA_TRY(cudaMemcpyPeerAsync(transfer.own, index_, transfer.other, transfer.peer, transfer.bytes, stream));
  } else if (in) {
    PENSTOCK_CUDA_TRY(cudaMemcpyAsync(transfer.own, transfer.other, transfer.bytes, cudaMemcpyHostToDevice, stream));
  } else {
    PENSTOCK_CUDA_TRY(cudaMemcpyAsync(transfer.other, transfer.own, transfer.bytes, cudaMemcpyDeviceToHost, stream));
  }
}

/// After an error that may be of one call: what fails even without a call of its own is the context.
void CudaDevice::note_if_broken() {
  const cudaError_t state = cudaStreamQuery(gpu_->clock_stream.get());
  static_cast<void>(cudaGetLastError());
  if (state != cudaErrorNotReady) note_broken(state);
}

void CudaDevice::note_broken(cudaError_t by) {
  cudaError_t none = cudaSuccess;
  broken_by_.compare_exchange_strong(none, by, std::memory_order_relaxed);
}

// --- what has ended ---

void CudaDevice::progress() {
  if (!busy_polling() || reporting_.test_and_set(std::memory_order_acquire)) return;
  note_broken(cudaSetDevice(index_));
  std::vector<Flight> ended = take_ended();
  if (!ended.empty()) {
    report(ended);
    outstanding_.fetch_sub(ended.size(), std::memory_order_release);
  }
  reporting_.clear(std::memory_order_release);
}

/// In the order of launches, so that whoever hears of an end has heard of all that it follows. What has ended on one
/// queue may follow what ended on another that was looked at just before: so until nothing more is found.
std::vector<Flight> CudaDevice::take_ended() {
  std::vector<Flight> ended;
  const std::lock_guard lock(flights_mutex_);
  std::size_t known = 0;
  do {
    known = ended.size();
    for (CudaQueue& queue : gpu_->queues) {
      note_broken(queue.take_ended(gpu_->clock, gpu_->events, gpu_->findings, ended));
    }
  } while (ended.size() > known);
  std::ranges::sort(ended, {}, &Flight::number);
  return ended;
}

void CudaDevice::report(std::vector<Flight>& ended) {
  std::vector<Completion> completions;
  std::vector<TransferEnd> transfers;
  for (Flight& flight : ended) {
    held_[flight.queue].fetch_sub(1, std::memory_order_relaxed);
    if (flight.transfer != nullptr) {
      transfers.push_back({flight.transfer, flight.failed, std::move(flight.message), flight.begin_ns, flight.end_ns});
      continue;
    }
    completions.push_back({.work = flight.work,
                           .failed = flight.failed,
                           .message = std::move(flight.message),
                           .begin_ns = flight.begin_ns,
                           .end_ns = flight.end_ns,
                           .lane = static_cast<int>(flight.queue)});
  }
  if (!transfers.empty()) transfers_.transferred(transfers);
  if (!completions.empty()) completions_.completed(completions);
}

}  // namespace penstock::device
