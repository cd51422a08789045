/// A task of a kernel that brings its own threads, on several cores: the pieces of work that it consists of are its
/// workers', its body runs once, on a guest. Made by the device when the work is started; owns itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "executor/guests.hpp"
#include "executor/workers.hpp"

namespace penstock::device {

class GuestWork final : public executor::Gang {
 public:
  /// `pieces`: all of one task, in order.
  GuestWork(executor::Workers& workers, Completions& completions, std::span<Work* const> pieces);

  /// What is to be pushed for the pieces.
  [[nodiscard]] executor::Job& job() { return pieces_.front()->job; }

 private:
  static void begin(executor::Job& job, executor::Worker& worker);

  bool prepare(executor::Worker& worker) override;
  void run() override;
  void refuse(const std::string& why) override;
  void unpark(executor::Worker& worker, int index) override;
  void finish(executor::Worker& worker) override;

  executor::Workers& workers_;
  Completions& completions_;
  std::vector<Work*> pieces_;
  Completion completion_;  ///< of each, but for `work` and `lane`
};

}  // namespace penstock::device
