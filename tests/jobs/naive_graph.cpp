#include "jobs/naive_graph.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "support/random.hpp"

namespace penstock::jobs::test {

namespace {

using Accesses = std::span<const TaskAccess>;
using Parameters = std::span<const Parameter>;

double flops_of_gemm(Accesses accesses, Parameters parameters) {
  const Shape& a = accesses[0].type.shape;
  const Shape& c = accesses[2].type.shape;
  const auto inner = static_cast<double>(a[std::get<bool>(parameters[0]) ? 0 : 1]);
  return 2.0 * inner * static_cast<double>(c[0]) * static_cast<double>(c[1]);
}

double one_an_element(Accesses accesses, Parameters /*parameters*/) {
  return static_cast<double>(accesses[0].type.shape.count());
}

/// The values at the ends of the longest paths, by repeating the definition until nothing changes.
template <class Value, class Own>
std::vector<Value> longest(const std::vector<NaiveGraph::Task>& tasks, Own own) {
  std::vector<Value> values(tasks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = tasks.size(); i-- > 0;) {
      Value before{};
      for (const std::size_t other : tasks[i].after) before = std::max(before, values[other]);
      if (values[i] == before + own(tasks[i])) continue;
      values[i] = before + own(tasks[i]);
      changed = true;
    }
  }
  return values;
}

struct RandomFamily {
  std::string name;
  std::uint64_t elements = 1;
};

/// An element of the family for i in 0..steps: constant, i, or counted from behind.
std::string random_datum(support::Random& random, const RandomFamily& family, std::uint64_t steps) {
  if (steps > family.elements || random.chance(40)) {
    return family.name + '[' + std::to_string(random.below(family.elements)) + ']';
  }
  const std::uint64_t offset = random.below(family.elements - steps + 1);
  if (random.chance(50)) return family.name + "[i + " + std::to_string(offset) + ']';
  return family.name + '[' + std::to_string(offset + steps - 1) + " - i]";
}

std::string random_task(support::Random& random, std::span<const RandomFamily> families, bool reduces) {
  const std::uint64_t steps = random.between(1, 8);
  const auto datum = [&] { return '"' + random_datum(random, families[random.below(families.size())], steps) + '"'; };
  const std::string rounds = std::to_string(random.between(1, 4));
  std::string text = "[[task]]\nfor = ['round in 0.." + rounds + "', 'i in 0.." + std::to_string(steps) + "']\n";
  if (random.chance(45)) {
    const char* const mode = !reduces || random.chance(30) ? ""
                             : random.chance(70)           ? "reduce.x = 'sum'\n"
                                                           : "commute = ['x']\n";
    return text + "kernel = 'increment'\nread_write = [" + datum() + "]\n" + mode;
  }
  if (random.chance(5)) return text + "kernel = 'spin'\nparameters = { microseconds = 1 }\n";
  const std::string read = datum() + ", " + datum();
  return text + "kernel = 'add'\nread = [" + read + "]\nwrite = [" + datum() + "]\n";
}

}  // namespace

std::span<const KernelDescription* const> counting_kernels() {
  static const std::vector<KernelDescription> all = [] {
    std::vector<KernelDescription> copies;
    for (const KernelDescription* const kernel : kernels()) {
      copies.push_back(*kernel);
      if (kernel->name == "gemm") copies.back().flops = flops_of_gemm;
      if (kernel->name == "add" || kernel->name == "increment") copies.back().flops = one_an_element;
    }
    return copies;
  }();
  static const std::vector<const KernelDescription*> pointers = [] {
    std::vector<const KernelDescription*> result;
    for (const KernelDescription& each : all) result.push_back(&each);
    return result;
  }();
  return pointers;
}

NaiveGraph::NaiveGraph(const Job& job) {
  std::map<std::string, ArrayType> types;
  std::map<std::string, std::vector<std::size_t>> writers;
  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    if (step.kind == Step::Kind::make) types[job.datum_name(step.datum)] = step.type;
    if (step.kind != Step::Kind::task && step.kind != Step::Kind::save) continue;
    const std::size_t number = tasks.size();
    Task& task = tasks.emplace_back(text_of(job, step), step.place.line);
    std::vector<TaskAccess> typed;
    std::set<std::string> read;
    for (const DatumAccess& access : step.accesses) {
      typed.push_back({seen_by_body(access.mode), types.at(job.datum_name(access.datum))});
      if (reads(access.mode)) read.insert(job.datum_name(access.datum));
    }
    for (const std::string& datum : read) {
      for (const std::size_t writer : writers.at(datum)) {
        task.after.push_back(writer);
        edges.emplace_back(writer, number, datum);
      }
    }
    for (const DatumAccess& access : step.accesses) {
      if (access.mode == AccessMode::read) continue;
      std::vector<std::size_t>& own = writers[job.datum_name(access.datum)];
      if (access.mode != AccessMode::reduce) own.clear();
      own.push_back(number);
    }
    if (step.kernel->flops) task.flops = step.kernel->flops(typed, step.parameters);
  }
}

std::vector<std::int64_t> NaiveGraph::levels() const {
  return longest<std::int64_t>(tasks, [](const Task& /*task*/) { return 1; });
}

std::int64_t NaiveGraph::depth() const {
  const std::vector<std::int64_t> all = levels();
  return all.empty() ? 0 : *std::ranges::max_element(all);
}

std::int64_t NaiveGraph::width() const {
  std::map<std::int64_t, std::int64_t> tasks_by_level;
  std::int64_t width = 0;
  for (const std::int64_t level : levels()) width = std::max(width, ++tasks_by_level[level]);
  return width;
}

double NaiveGraph::flops() const {
  double sum = 0.0;
  for (const Task& task : tasks) sum += task.flops;
  return sum;
}

double NaiveGraph::path_flops() const {
  const std::vector<double> all = longest<double>(tasks, [](const Task& task) { return task.flops; });
  return all.empty() ? 0.0 : *std::ranges::max_element(all);
}

std::string random_job(std::uint64_t seed, bool reduces) {
  support::Random random(seed);
  std::vector<RandomFamily> families;
  std::string text;
  const std::uint64_t count = random.between(1, 4);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t elements = random.between(1, 70);
    families.push_back({.name = std::string("d").append(std::to_string(k)), .elements = elements});
    text.append("[data.").append(families.back().name).append("]\n");
    text.append("for = 'i in 0..").append(std::to_string(elements)).append("'\n");
    text += "shape = [3]\ndtype = 'f32'\n";
    if (random.chance(85)) text += "origin = 'iota'\n";
  }
  const std::uint64_t entries = random.between(1, 8);
  for (std::uint64_t k = 0; k < entries; ++k) text += random_task(random, families, reduces);
  if (random.chance(50))
    text += "[[save]]\ndata = '" + random_datum(random, families.front(), 1000) + "'\nfile = 'a.npy'\n";
  return text;
}

}  // namespace penstock::jobs::test
