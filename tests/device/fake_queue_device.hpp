/// A device with two queues, as a GPU has streams, that runs CPU bodies: work is launched by progress(), runs in a
/// later step, each queue in order, and `after` holds a queue back until the token's point is passed in the other. The
/// queue with the newer work goes first, so that a missing wait shows as a wrong order. Completions come from
/// progress() only.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "device/device.hpp"

namespace penstock::device {

class FakeQueueDevice final : public Device {
 public:
  static constexpr std::uint32_t queues = 2;

  explicit FakeQueueDevice(Completions& completions) : completions_(completions) {}
  ~FakeQueueDevice() override;

  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::cuda; }
  [[nodiscard]] int lanes() const override { return static_cast<int>(queues); }
  [[nodiscard]] bool can_run(const KernelDescription& kernel) const override { return static_cast<bool>(kernel.cpu); }
  Token start(std::span<Work* const> work, std::span<const Token> after = {}) override;
  void progress() override;
  [[nodiscard]] bool busy_polling() const override { return outstanding_.load() > 0; }
  [[nodiscard]] std::size_t waiting() const override { return outstanding_.load(); }

 private:
  struct Item {
    Work* work;
    std::vector<Token> after;
    std::uint32_t queue;
    bool runs = false;
    Completion completion = {};
  };

  void launch();
  void step(std::uint32_t queue, std::vector<Completion>& ended);
  [[nodiscard]] bool passed(const Token& token) const;

  Completions& completions_;
  std::mutex mutex_;  ///< guards started_, next_queue_ and points_
  std::vector<Item> started_;
  std::uint32_t next_queue_ = 1;
  std::array<std::uint64_t, queues + 1> points_{};
  // The rest belongs to the caller of progress().
  std::array<std::deque<Item>, queues + 1> queued_;
  std::array<std::uint64_t, queues + 1> passed_{};
  std::vector<Parameter> parameters_;
  bool reporting_ = false;
  std::atomic<std::size_t> outstanding_{0};
};

}  // namespace penstock::device
