#include "engine/resource.hpp"

#include <algorithm>

#include "engine/record.hpp"

namespace penstock::engine {

namespace {

template <class Visit>
void for_each_need(Task& task, const Visit& visit) {
  for (const Access& access : task.accesses()) {
    if (access.commutes()) visit(Need{access.in->datum->turn.get(), 1});
  }
  for (const Need& need : task.needs()) visit(need);
}

}  // namespace

std::string fault_of(std::span<const Need> needs) {
  if (needs.size() > Task::needs_most) return "a task uses at most 31 resources";
  for (const Need& need : needs) {
    if (std::ranges::count(needs, need.resource, &Need::resource) > 1) return "a task names a resource twice";
    if (need.amount >= 1 && need.amount <= need.resource->amount()) continue;
    return "a task uses " + std::to_string(need.amount) + " of a resource of which there is " +
           std::to_string(need.resource->amount());
  }
  return {};
}

/// The first resource of which there is not enough; at one that is being `served` those that wait do not count.
Resource* Arbiter::lacking(Task& task, const Resource* served) {
  Resource* lacking = nullptr;
  for_each_need(task, [&](const Need& need) {
    const bool others_wait = need.resource != served && !need.resource->waiting_.empty();
    if (lacking == nullptr && (others_wait || need.resource->free_ < need.amount)) lacking = need.resource;
  });
  if (lacking == nullptr) for_each_need(task, [](const Need& need) { need.resource->free_ -= need.amount; });
  return lacking;
}

bool Arbiter::take(Task& task) {
  const std::lock_guard lock(mutex_);
  Resource* const lacks = lacking(task, nullptr);
  if (lacks != nullptr) lacks->waiting_.push_back(&task);
  return lacks == nullptr;
}

void Arbiter::give_back(Task& task, std::vector<executor::Job*>& ready) {
  const std::lock_guard lock(mutex_);
  for_each_need(task, [](const Need& need) { need.resource->free_ += need.amount; });
  for_each_need(task, [&](const Need& need) { hand_out(*need.resource, ready); });
}

/// To those that wait for it, as long as there is enough; who lacks something else then waits there.
void Arbiter::hand_out(Resource& resource, std::vector<executor::Job*>& ready) {
  while (!resource.waiting_.empty()) {
    Task& task = *resource.waiting_.front();
    Resource* const lacks = lacking(task, &resource);
    if (lacks == &resource) return;
    resource.waiting_.pop_front();
    if (lacks != nullptr)
      lacks->waiting_.push_back(&task);
    else
      ready.push_back(&task.job);
  }
}

}  // namespace penstock::engine
