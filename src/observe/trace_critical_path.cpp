#include "observe/trace_critical_path.hpp"

#include <algorithm>
#include <tuple>

namespace penstock::observe {

void CriticalPathSearch::reserve(std::uint64_t tasks, std::uint64_t accesses) {
  tasks_.reserve(tasks);
  accesses_.reserve(accesses);
}

void CriticalPathSearch::add(const core::TaskEvent& task, std::span<const core::Event> accesses) {
  tasks_.push_back({.id = task.task,
                    .begin_ns = task.begin_ns,
                    .end_ns = task.end_ns,
                    .first_access = accesses_.size(),
                    .access_count = static_cast<std::uint32_t>(accesses.size()),
                    .kernel = task.kernel});
  for (const core::Event& event : accesses) {
    const core::AccessEvent access = core::access_of(event);
    accesses_.push_back({.data = access.data, .reads = access.reads, .writes = access.writes});
  }
}

void CriticalPathSearch::join_panels() {
  if (!std::ranges::is_sorted(tasks_, {}, &Task::id)) std::ranges::stable_sort(tasks_, {}, &Task::id);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < tasks_.size(); ++i) {
    Task& task = tasks_[kept];
    const Task& next = tasks_[i];
    if (next.id != task.id) {
      tasks_[++kept] = next;
      continue;
    }
    task.begin_ns = std::min(task.begin_ns, next.begin_ns);
    task.end_ns = std::max(task.end_ns, next.end_ns);
    if (task.access_count == 0)
      std::tie(task.first_access, task.access_count) = std::tie(next.first_access, next.access_count);
  }
  if (!tasks_.empty()) tasks_.resize(kept + 1);
}

void CriticalPathSearch::find_chain(std::size_t index, Makers& makers, std::vector<Chain>& chains) const {
  const Task& task = tasks_[index];
  const std::span accesses = std::span(accesses_).subspan(task.first_access, task.access_count);
  Chain& chain = chains[index];
  for (const Access& access : accesses) {
    if (access.reads == core::Version()) continue;
    const auto maker = makers.find(access.data.value());
    if (maker == makers.end() || maker->second.version != access.reads) continue;
    const std::size_t before = maker->second.task;
    const auto rank = [&](std::size_t place) {
      return std::tuple(chains[place].ns, chains[place].tasks, none - place);
    };
    if (chain.before == none || rank(before) > rank(chain.before)) chain.before = before;
  }
  if (chain.before != none) chain = {chains[chain.before].ns, chains[chain.before].tasks, chain.before};
  chain.ns += static_cast<std::uint64_t>(task.end_ns - task.begin_ns);
  ++chain.tasks;
  for (const Access& access : accesses) {
    if (access.writes != core::Version()) makers[access.data.value()] = {.version = access.writes, .task = index};
  }
}

std::vector<CriticalPathSearch::Link> CriticalPathSearch::longest() {
  join_panels();
  std::vector<Chain> chains(tasks_.size());
  Makers makers;
  for (std::size_t i = 0; i < tasks_.size(); ++i) find_chain(i, makers, chains);
  const auto last = std::ranges::max_element(chains, [](const Chain& one, const Chain& other) {
    return std::tie(one.ns, one.tasks) < std::tie(other.ns, other.tasks);
  });

  std::vector<Link> links;
  for (auto i = static_cast<std::size_t>(last - chains.begin()); i < chains.size(); i = chains[i].before) {
    links.push_back({.task = tasks_[i].id, .kernel = tasks_[i].kernel, .ns = tasks_[i].end_ns - tasks_[i].begin_ns});
  }
  return links;
}

}  // namespace penstock::observe
