#include "kernels/checked.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <penstock/error.hpp>

#include "kernels/describe.hpp"

namespace penstock::kernels {

namespace {

// --- patterns ---

/// What is filled in before the first run of a body, and before the second.
enum Round : std::size_t { first_round = 0, second_round = 1 };

/// In the lower bytes, as many as an element has: of reals quiet NaNs that no arithmetic makes, of integers odd ones.
std::uint64_t pattern_of(DType dtype, Round round) {
  constexpr std::array<std::uint64_t, 2> f32{0x7fe5'a5a5, 0x7fda'5a5b};
  constexpr std::array<std::uint64_t, 2> f64{0x7ffd'a5a5'5a5a'a5a5, 0x7ffa'5a5a'a5a5'5a5b};
  constexpr std::array<std::uint64_t, 2> integer{0x5bad'c0de'2bad'f00d, 0xa452'3f21'd452'0ff3};
  if (!is_real(dtype)) return integer[round];
  return (dtype == DType::f32 ? f32 : f64)[round];
}

/// Elements that have something in common: how many, and the first one's place in row-major order.
struct Found {
  std::int64_t count = 0;
  std::int64_t first = 0;

  void add(std::int64_t element) {
    if (count++ == 0) first = element;
  }
};

/// Calls `visit` with the patterns of both rounds, as words of an element's size.
template <class Visit>
auto with_patterns(DType dtype, const Visit& visit) {
  const std::uint64_t first = pattern_of(dtype, first_round);
  const std::uint64_t second = pattern_of(dtype, second_round);
  if (size_of(dtype) == sizeof(std::uint64_t)) return visit(first, second);
  return visit(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second));
}

/// Gives the elements that hold `old` the value `next`, and says which these were.
template <class Word>
Found exchange(const ArrayView& view, Word old, Word next) {
  Found found;
  std::byte* element = view.data;
  const std::int64_t count = view.type.shape.count();
  for (std::int64_t i = 0; i < count; ++i, element += sizeof(Word)) {
    if (std::memcmp(element, &old, sizeof(Word)) != 0) continue;
    found.add(i);
    std::memcpy(element, &next, sizeof(Word));
  }
  return found;
}

void fill(const ArrayView& view) {
  with_patterns(view.type.dtype, [&]<class Word>(Word first, Word /*second*/) {
    std::byte* element = view.data;
    for (std::int64_t left = view.type.shape.count(); left > 0; --left, element += sizeof(Word)) {
      std::memcpy(element, &first, sizeof(Word));
    }
  });
}

/// Those that still hold the first pattern are given the second.
bool any_unwritten(const ArrayView& view) {
  const Found found =
      with_patterns(view.type.dtype, [&](auto first, auto second) { return exchange(view, first, second); });
  return found.count > 0;
}

Found find_unwritten(const ArrayView& view) {
  return with_patterns(view.type.dtype, [&](auto /*first*/, auto second) { return exchange(view, second, second); });
}

// --- copies ---

/// The content of an array, in memory of its own.
class Copy {
 public:
  explicit Copy(const ArrayView& view) : size_(static_cast<std::size_t>(view.type.bytes())), bytes_(allocate(size_)) {
    if (size_ > 0) std::memcpy(bytes_.get(), view.data, size_);
  }
  [[nodiscard]] std::byte* data() const { return bytes_.get(); }
  void restore(const ArrayView& view) const {
    if (size_ > 0) std::memcpy(view.data, bytes_.get(), size_);
  }
  /// The elements in which it is not as `view`.
  [[nodiscard]] Found difference(const ArrayView& view) const {
    Found found;
    if (size_ == 0 || std::memcmp(view.data, bytes_.get(), size_) == 0) return found;
    const std::size_t bytes = size_of(view.type.dtype);
    for (std::size_t at = 0; at < size_; at += bytes) {
      if (std::memcmp(view.data + at, bytes_.get() + at, bytes) != 0) found.add(static_cast<std::int64_t>(at / bytes));
    }
    return found;
  }

 private:
  static constexpr std::align_val_t alignment{64};  // as bodies may expect
  struct Free {
    void operator()(std::byte* bytes) const { operator delete[](bytes, alignment); }
  };
  static std::byte* allocate(std::size_t size) { return static_cast<std::byte*>(operator new[](size, alignment)); }

  std::size_t size_;
  std::unique_ptr<std::byte[], Free> bytes_;
};

// --- a run ---

std::string indices_text(const Shape& shape, std::int64_t element) {
  std::string text = "]";
  for (std::size_t axis = shape.dimensions(); axis-- > 0;) {
    text.insert(0, (axis > 0 ? ", " : "") + std::to_string(element % shape[axis]));
    element /= shape[axis];
  }
  return '[' + text;
}

/// One call of a body, under watch.
class Watch {
 public:
  Watch(const KernelDescription& kernel, const TaskContext& task) : kernel_(kernel), task_(task) {
    for (std::size_t i = 0; i < task.arrays.size(); ++i) {
      if (is_filled(i)) filled_.push_back(i);
    }
  }

  void run() {
    if (filled_.empty()) return run_body();
    std::vector<std::pair<std::size_t, Copy>> before;
    for (std::size_t i = 0; i < task_.arrays.size(); ++i) {
      if (!is_filled(i) && mode(i) != AccessMode::read) before.emplace_back(i, Copy(task_.arrays[i]));
    }
    for (const std::size_t i : filled_) fill(task_.arrays[i]);
    run_body();
    if (!leaves_any()) return;
    for (const auto& [i, copy] : before) copy.restore(task_.arrays[i]);
    run_again();
    for (const std::size_t i : filled_) demand_none(i, find_unwritten(task_.arrays[i]), "were never written");
  }

 private:
  [[nodiscard]] AccessMode mode(std::size_t index) const { return kernel_.accesses[index].mode; }
  [[nodiscard]] bool is_filled(std::size_t index) const {
    return task_.panel_count == 1 && mode(index) == AccessMode::write && !kernel_.accesses[index].allows_read_write;
  }

  /// Of each, so that each is ready for the second run.
  [[nodiscard]] bool leaves_any() const {
    bool any = false;
    for (const std::size_t i : filled_) any = any_unwritten(task_.arrays[i]) || any;
    return any;
  }

  void run_body() const {
    std::vector<ArrayView> arrays(task_.arrays.begin(), task_.arrays.end());
    std::vector<std::pair<std::size_t, Copy>> read;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (mode(i) == AccessMode::read) arrays[i].data = read.emplace_back(i, Copy(arrays[i])).second.data();
    }
    TaskContext watched = task_;
    watched.arrays = arrays;
    kernel_.cpu(watched);
    for (const auto& [i, copy] : read) demand_none(i, copy.difference(task_.arrays[i]), "were changed");
  }

  /// What it then throws says less than what the first run has shown.
  void run_again() const {
    try {
      run_body();
    } catch (const std::exception&) {
      return;
    }
  }

  void demand_none(std::size_t index, const Found& found, const char* fault) const {
    if (found.count == 0) return;
    const Shape& shape = task_.arrays[index].type.shape;
    throw Error(ErrorCode::invalid_argument, "the access of " + kernel_.accesses[index].name + " is declared as " +
                                                 (mode(index) == AccessMode::read ? "read" : "write") + ", but " +
                                                 std::to_string(found.count) + " of its " +
                                                 std::to_string(shape.count()) + " elements " + fault +
                                                 ", the first at " + indices_text(shape, found.first));
  }

  const KernelDescription& kernel_;
  const TaskContext& task_;
  std::vector<std::size_t> filled_;
};

}  // namespace

std::vector<KernelDescription> checked(std::span<const KernelDescription* const> kernels) {
  std::vector<KernelDescription> watched;
  watched.reserve(kernels.size());
  for (const KernelDescription* const kernel : kernels) {
    watched.push_back(*kernel);
    if (kernel->cpu) watched.back().cpu = [kernel](const TaskContext& task) { Watch(*kernel, task).run(); };
  }
  return watched;
}

}  // namespace penstock::kernels
