#include "backend/lineage.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "backend/task.hpp"
#include "executor/body.hpp"

namespace penstock::backend {

using cluster::OperandKind;

namespace {

constexpr int remembered_most = 16'384;  // some hundred bytes each
constexpr int depth_most = 256;          // each needs some of a worker's stack

bool reads(OperandKind kind) { return kind != OperandKind::write; }
bool writes(OperandKind kind) { return kind != OperandKind::read; }

class Making {
 public:
  explicit Making(memory::HostPool& pool) : pool_(pool) {}
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;
  ~Making() {
    for (const auto& [content, buffer] : buffers_) pool_.free(buffer.data, buffer.bytes);
  }

  /// In memory that stays as long as this.
  const std::byte* content(const Made& made) {
    const auto found = buffers_.find({made.step.get(), made.operand});
    if (found != buffers_.end()) return found->second.data;
    run(*made.step);
    return buffers_.at({made.step.get(), made.operand}).data;
  }

 private:
  struct Buffer {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };

  void run(const Step& step) {
    std::vector<const std::byte*> inputs;
    for (const Step::Operand& operand : step.operands) {
      inputs.push_back(reads(operand.kind) ? content(operand.in) : nullptr);
    }
    std::vector<ArrayView> views;
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      const Step::Operand& operand = step.operands[i];
      // Bodies do not write what they only read.
      std::byte* const data = writes(operand.kind) ? add({&step, i}, operand) : const_cast<std::byte*>(inputs[i]);
      if (writes(operand.kind) && reads(operand.kind)) {
        std::memcpy(data, inputs[i], static_cast<std::size_t>(operand.type.bytes()));
      }
      views.push_back({.data = data, .type = operand.type});
    }
    executor::call_body(*step.kernel, views, step.parameters, {}, parameters_);
  }

  std::byte* add(std::pair<const Step*, std::size_t> content, const Step::Operand& operand) {
    const auto bytes = static_cast<std::size_t>(operand.type.bytes());
    std::byte* const data = pool_.allocate(bytes);
    buffers_[content] = {data, bytes};
    return data;
  }

  memory::HostPool& pool_;
  std::map<std::pair<const Step*, std::size_t>, Buffer> buffers_;
  std::vector<Parameter> parameters_;
};

}  // namespace

std::shared_ptr<const Step> Lineage::remember(const Task& task) {
  if (task.kernel->cpu == nullptr || remembered_->load(std::memory_order_relaxed) >= remembered_most) return nullptr;
  int depth = 1;
  for (const Task::Place& place : task.places) {
    if (place.in == nullptr) continue;
    if (place.in->made.step == nullptr) return nullptr;
    depth = std::max(depth, place.in->made.step->depth + 1);
  }
  if (depth > depth_most) return nullptr;
  remembered_->fetch_add(1, std::memory_order_relaxed);
  const auto step = std::make_shared<Step>();
  step->remembered = remembered_;
  step->kernel = task.kernel;
  step->parameters = task.parameters;
  step->depth = depth;
  for (std::size_t i = 0; i < task.places.size(); ++i) {
    const Task::Place& place = task.places[i];
    step->operands.push_back({place.kind, task.views[i].type, place.in != nullptr ? place.in->made : Made{}});
  }
  return step;
}

void make_again(const Made& made, memory::HostPool& pool, const ArrayView& into) {
  Making making(pool);
  std::memcpy(into.data, making.content(made), static_cast<std::size_t>(into.type.bytes()));
}

}  // namespace penstock::backend
