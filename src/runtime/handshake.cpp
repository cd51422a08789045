#include "runtime/handshake.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include <penstock/error.hpp>

#include "core/cores.hpp"
#include "core/gpu_sharing.hpp"

namespace penstock::runtime {

using cluster::Hello;
using cluster::Tag;
using cluster::Welcome;
using core::RankId;

namespace {

constexpr std::chrono::minutes answer_limit{2};
constexpr std::chrono::milliseconds look_up{10};

/// Events of the mover before there is a back-end: messages only.
class Listener final : public mover::MoverEvents {
 public:
  using Hear = std::function<void(RankId, std::span<const std::byte>)>;
  explicit Listener(Hear hear) : hear_(std::move(hear)) {}
  void message(RankId from, std::span<const std::byte> message) override { hear_(from, message); }
  mover::Serving serve(core::DataId /*data*/, core::Version /*version*/) override { return {}; }
  void served(coherence::ReplicaIndex /*replica*/) override {}
  void fetched(coherence::SlotIndex /*slot*/) override {}

 private:
  Hear hear_;
};

/// Drives the mover until `done`; false when that takes too long.
bool drive(mover::Mover& mover, Listener& listener, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + answer_limit;
  while (!done()) {
    if (mover.progress(listener)) continue;
    if (std::chrono::steady_clock::now() > end) return false;
    mover.wait(look_up);
  }
  return true;
}

void drive_until_quiet(mover::Mover& mover) {
  Listener listener([](RankId, std::span<const std::byte>) {});
  drive(mover, listener, [&] { return mover.quiet(); });
}

/// The next message of rank 0; what comes right behind it goes to `early`.
std::vector<std::byte> await_front(mover::Mover& mover, std::vector<std::vector<std::byte>>& early) {
  std::optional<std::vector<std::byte>> heard;
  Listener listener([&](RankId /*from*/, std::span<const std::byte> message) {
    if (heard)
      early.emplace_back(message.begin(), message.end());
    else
      heard.emplace(message.begin(), message.end());
  });
  if (!drive(mover, listener, [&] { return heard.has_value(); })) {
    throw Error(ErrorCode::lost, "rank 0 does not answer");
  }
  return std::move(*heard);
}

[[noreturn]] void refuse_front() { throw Error(ErrorCode::environment, "rank 0 runs another version of penstock"); }

Hello read_hello(RankId from, std::span<const std::byte> message) {
  core::ByteReader reader(message);
  Hello hello;
  if (cluster::read_tag(reader) != Tag::hello || reader.bad() || !read(reader, hello)) {
    throw Error(ErrorCode::environment, "rank " + std::to_string(from.value()) +
                                            " did not introduce itself: it runs "
                                            "another version of penstock");
  }
  return hello;
}

}  // namespace

void order_plugins(mover::Mover& mover, const cluster::PluginOrder& order) {
  std::vector<std::byte> message;
  core::ByteWriter writer(message);
  write(writer, order);
  for (int rank = 1; rank < mover.ranks(); ++rank) mover.post(RankId(rank), message);
}

std::vector<Hello> gather(mover::Mover& mover, Hello own) {
  std::vector<std::optional<Hello>> heard(static_cast<std::size_t>(mover.ranks()));
  heard[0] = std::move(own);
  Listener listener([&](RankId from, std::span<const std::byte> message) {
    heard[static_cast<std::size_t>(from.value())] = read_hello(from, message);
  });
  const bool all = drive(
      mover, listener, [&] { return std::ranges::all_of(heard, [](const auto& hello) { return hello.has_value(); }); });
  if (!all) {
    const auto silent = std::ranges::find_if(heard, [](const auto& hello) { return !hello.has_value(); });
    throw Error(ErrorCode::lost, "rank " + std::to_string(silent - heard.begin()) + " does not answer");
  }
  std::vector<Hello> hellos;
  for (auto& hello : heard) hellos.push_back(std::move(*hello));
  return hellos;
}

std::string difference(std::span<const Hello> hellos) {
  const Hello& front = hellos.front();
  for (std::size_t i = 1; i < hellos.size(); ++i) {
    const Hello& hello = hellos[i];
    const std::string rank = "rank " + std::to_string(i) + " (" + hello.cores.host + ") ";
    if (hello.protocol != front.protocol || hello.build != front.build) {
      return rank + "runs another build of the program or of penstock than rank 0 (" + front.cores.host +
             "): run the same files on all hosts";
    }
    if (!hello.plugin_failure.empty()) return rank + "cannot use a plugin of this run: " + hello.plugin_failure;
    const auto [ours, theirs] = std::ranges::mismatch(front.kernels, hello.kernels);
    if (ours == front.kernels.end() && theirs == hello.kernels.end()) continue;
    const bool lacks =
        theirs == hello.kernels.end() || std::ranges::find(front.kernels, *theirs) != front.kernels.end();
    return rank + "has other kernels than rank 0: " + (lacks ? "it lacks " + *ours : "it has " + *theirs) +
           "; kernels must be registered alike on all ranks";
  }
  return {};
}

std::vector<Welcome> shares(std::span<const Hello> hellos) {
  std::vector<core::AllowedCores> allowed;
  for (const Hello& hello : hellos) allowed.push_back(hello.cores);
  std::vector<core::CoreSet> cores = core::share_cores(allowed);
  std::vector<Welcome> welcomes(hellos.size());
  std::vector<core::GpuViewer> viewers;
  for (std::size_t i = 0; i < hellos.size(); ++i) {
    const auto most = static_cast<std::size_t>(std::max(hellos[i].workers_most, 0));
    if (most > 0 && cores[i].size() > most) cores[i].resize(most);
    welcomes[i].cores = std::move(cores[i]);
    viewers.push_back({.host = hellos[i].cores.host, .cores = welcomes[i].cores, .gpus = hellos[i].visible_gpus});
    const auto is_here = [&](const Hello& other) { return other.cores.host == hellos[i].cores.host; };
    welcomes[i].host_rank = static_cast<int>(std::ranges::count_if(hellos.first(i), is_here));
    welcomes[i].host_ranks = static_cast<int>(std::ranges::count_if(hellos, is_here));
  }
  std::vector<std::vector<core::OwnGpu>> gpus = core::share_gpus(viewers);
  for (std::size_t i = 0; i < gpus.size(); ++i) welcomes[i].gpus = std::move(gpus[i]);
  return welcomes;
}

void welcome(mover::Mover& mover, std::span<const Welcome> welcomes) {
  std::vector<std::byte> message;
  for (std::size_t rank = 1; rank < welcomes.size(); ++rank) {
    message.clear();
    core::ByteWriter writer(message);
    write(writer, welcomes[rank]);
    mover.post(RankId(static_cast<int>(rank)), message);
  }
  drive_until_quiet(mover);
}

void dismiss(mover::Mover& mover) {
  std::vector<std::byte> message;
  core::ByteWriter writer(message);
  write_tag(writer, Tag::dismiss);
  for (int rank = 1; rank < mover.ranks(); ++rank) mover.post(RankId(rank), message);
  drive_until_quiet(mover);
}

std::optional<cluster::PluginOrder> await_plugins(mover::Mover& mover) {
  std::vector<std::vector<std::byte>> early;  // none: rank 0 says nothing more before this rank's hello
  const std::vector<std::byte> message = await_front(mover, early);
  core::ByteReader reader(message);
  cluster::PluginOrder order;
  const Tag tag = cluster::read_tag(reader);
  if (tag == Tag::plugins && read(reader, order)) return order;
  if (tag != Tag::dismiss) refuse_front();
  return std::nullopt;
}

Answer introduce(mover::Mover& mover, const Hello& own) {
  std::vector<std::byte> hello;
  core::ByteWriter writer(hello);
  write(writer, own);
  mover.post(core::front_rank, hello);
  Answer answer;
  const std::vector<std::byte> message = await_front(mover, answer.early);
  core::ByteReader reader(message);
  const Tag tag = cluster::read_tag(reader);
  answer.welcome = tag == Tag::welcome && read(reader, answer.share);
  if (!answer.welcome && tag != Tag::dismiss) refuse_front();
  return answer;
}

}  // namespace penstock::runtime
