#include "backend/local_cluster.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/parameters.hpp"
#include "device/cpu/cpu_device.hpp"
#include "frontend/cluster_frontend.hpp"
#include "frontend/local_frontend.hpp"
#include "transport/loopback/loopback.hpp"

namespace penstock::tests {

namespace {

const kernels::KernelTable& table() { return kernels::KernelTable::process(); }

device::CpuDevice::Options workers(int count, std::optional<std::uint64_t> seed) {
  core::CoreSet cores(static_cast<std::size_t>(count));
  for (int core = 0; core < count; ++core) cores[static_cast<std::size_t>(core)] = core;
  return {.cores = cores, .pin = false, .seed = seed};
}

}  // namespace

LocalCluster::Rank::Rank(std::unique_ptr<transport::Transport> transport)
    : mover(std::move(transport)), driver(mover), backend(table().all(), mover, driver) {}

LocalCluster::LocalCluster(const ClusterShape& shape) {
  for (auto& transport : transport::make_loopback(std::max(shape.ranks, 1))) {
    Rank& rank = *ranks_.emplace_back(std::make_unique<Rank>(std::move(transport)));
    device::Completions& completions = rank.backend.completions_for_next_device();
    auto cores = std::make_unique<device::CpuDevice>(workers(shape.cores, shape.seed), completions);
    rank.workers = &cores->workers();
    rank.backend.add_device({.name = "", .device = std::move(cores)});
    if (ranks_.size() > shape.ranks_without_gpus) add_gpus(rank, shape);
    engines_.push_back(std::make_unique<engine::Engine>(table().all(), *rank.workers, buffers_));
  }
  std::vector<cluster::RankSize> sizes;
  for (const auto& rank : ranks_) {
    const auto gpu_bytes = static_cast<std::int64_t>(rank->backend.gpu_memory_most());
    sizes.push_back({.cores = shape.cores, .gpu_bytes = gpu_bytes});
  }
  Rank& front = *ranks_.front();
  if (shape.ranks == 0) {
    frontend_ = std::make_unique<frontend::LocalFrontend>(
        *engines_.front(), frontend::LocalFrontend::Options{.window = shape.window, .back_end = &front.driver});
  } else {
    frontend_ = std::make_unique<frontend::ClusterFrontend>(sizes, shape.window, table().all(), front.driver);
  }
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    Rank* const rank = ranks_[number].get();
    frontend::Frontend* const frontend = number == 0 ? frontend_.get() : nullptr;
    rank->trace.emplace(rank->backend, *engines_[number], rank->mover, frontend);
    rank->driver.attach(rank->backend, frontend, *rank->trace, [](const cluster::TraceOrder&) {});
    if (!shape.trace_folder.empty()) rank->trace->begin(shape.trace_folder, shape.trace_bytes, "{}");
  }
  for (auto& rank : ranks_) {
    rank->thread = std::thread([&one = *rank] { drive(one); });
  }
}

void LocalCluster::add_gpus(Rank& rank, const ClusterShape& shape) {
  if (shape.gpus > 0 && shape.pinned_bytes > 0) {
    rank.backend.use_pinned(
        {.allocate = [&cuda = *shape.cuda](std::size_t bytes) { return cuda.allocate_pinned(0, bytes); },
         .free = [&cuda = *shape.cuda](void* memory) { cuda.free_pinned(memory); }},
        shape.pinned_bytes);
  }
  std::vector<int> all(static_cast<std::size_t>(shape.gpus));
  std::iota(all.begin(), all.end(), 0);
  for (const int index : all) {
    const backend::Backend::GpuOwner owner = rank.backend.owner_of_next_gpu();
    rank.backend.add_gpu(
        shape.cuda->gpus()[static_cast<std::size_t>(index)].name,
        shape.cuda->open({.index = index, .memory_share = 0.1, .memory_most = shape.gpu_memory, .peers = all},
                         owner.completions, owner.transfers));
  }
  if (shape.gpus_first) rank.backend.placement()->keep_cores_free();
}

LocalCluster::~LocalCluster() { end(); }

void LocalCluster::drive(Rank& rank) {
  rank.driver.run();
  cluster::Bye bye;
  rank.backend.stop(bye.devices);
  rank.trace->end();
  rank.driver.say_bye(std::move(bye));
}

void LocalCluster::submit(std::string_view kernel, std::span<const graph::Access> accesses,
                          std::span<const Parameter> parameters, Place place, const char* operation) {
  encoded_.clear();
  core::encode_parameters(parameters, encoded_);
  const frontend::Task task{
      .kernel = table().at(kernel), .cores = 1, .accesses = accesses, .parameters = encoded_, .place = place};
  if (operation == nullptr) return frontend_->submit(task);
  const Parameter text{std::string(operation)};
  std::vector<std::byte> encoded;
  core::encode_parameters({&text, 1}, encoded);
  const frontend::Reduction reduction{.combine = table().at("combine"),
                                      .combine_parameters = encoded,
                                      .neutral = table().at("neutral"),
                                      .neutral_parameters = encoded};
  frontend_->submit(task, {&reduction, 1});
}

void LocalCluster::end() {
  if (std::exchange(ended_, true)) return;
  frontend_->drain();
  frontend_->finish();
  ranks_.front()->mover.wake();
  for (auto& rank : ranks_) rank->thread.join();
}

}  // namespace penstock::tests
