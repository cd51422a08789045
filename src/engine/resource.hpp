/// What tasks hold while they run: amounts of something limited, and turns at a datum that they change in any order.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "executor/job.hpp"

namespace penstock::engine {

struct Task;

/// Something of which there is so much. The Arbiter's, but for the amount.
class Resource {
 public:
  explicit Resource(std::int64_t amount) : amount_(amount), free_(amount) {}
  [[nodiscard]] std::int64_t amount() const { return amount_; }

 private:
  friend class Arbiter;

  const std::int64_t amount_;
  std::int64_t free_;
  std::deque<Task*> waiting_;
};

/// What a task needs of one resource.
struct Need {
  Resource* resource = nullptr;
  std::int64_t amount = 1;
};

/// What is wrong with the needs of a task; empty: nothing.
[[nodiscard]] std::string fault_of(std::span<const Need> needs);

/// Gives tasks that are ready all that they need at once, so that none holds a part and waits for the rest. Who comes
/// first is served first, at each resource. Any thread; nothing is called under its mutex.
class Arbiter {
 public:
  /// False: the task waits, and a later give_back() hands it out.
  [[nodiscard]] bool take(Task& task);
  /// The task has ended. Those that have now all they need are added to `ready`.
  void give_back(Task& task, std::vector<executor::Job*>& ready);

 private:
  [[nodiscard]] static Resource* lacking(Task& task, const Resource* served);
  static void hand_out(Resource& resource, std::vector<executor::Job*>& ready);
  std::mutex mutex_;  // guards all resources
};

}  // namespace penstock::engine
