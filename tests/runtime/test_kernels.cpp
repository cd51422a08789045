#include "runtime/test_kernels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>

namespace penstock::tests {

namespace {

enum class Passage : int { free, closed, visited, open };

/// Changed by notify, waited on by value: nothing spins, nothing sleeps.
std::array<std::atomic<Passage>, 16> passages{};

void enter(int number) {
  std::atomic<Passage>& passage = passages[static_cast<std::size_t>(number)];
  Passage closed = Passage::closed;
  if (passage.compare_exchange_strong(closed, Passage::visited)) passage.notify_all();
  for (Passage now = passage.load(); now != Passage::open; now = passage.load()) passage.wait(now);
}

void set_all(std::span<I64> out, I64 value) { std::ranges::fill(out, value); }

void throw_odd_thing(int which) {
  if (which == 0) throw 7;
  if (which == 1) throw "a C string";
  if (which == 2) throw std::runtime_error("");
  throw Error(ErrorCode::environment, "a disk is full");
}

}  // namespace

const Kernel<Out<I64>, I64> set_to = kernel("test.set_to", [](Out<I64> out, I64 value) { set_all(out, value); });
const Kernel<Out<I64>, In<I64>> copy =
    kernel("test.copy", [](Out<I64> out, In<I64> in) { std::ranges::copy(in, out.begin()); });
const Kernel<InOut<I64>, I64> add_to = kernel("test.add_to", [](InOut<I64> x, I64 by) {
  for (I64& value : x) value += by;
});
const Kernel<InOut<I64>, In<I64>> add_in = kernel("test.add_in", [](InOut<I64> sum, In<I64> in) {
  for (std::size_t i = 0; i < sum.size(); ++i) {  // wraps around
    sum[i] = static_cast<I64>(static_cast<std::uint64_t>(sum[i]) + static_cast<std::uint64_t>(in[i]));
  }
});
const Kernel<Out<I64>, std::string> fail_writing =
    kernel("test.fail_writing", [](Out<I64> out, const std::string& message) {
      set_all(out, -1);
      throw std::runtime_error(message);
    });
const Kernel<InOut<I64>, std::string> fail_updating = kernel(
    "test.fail_updating", [](InOut<I64> /*x*/, const std::string& message) { throw std::runtime_error(message); });
const Kernel<Out<I64>, int> throw_odd =
    kernel("test.throw_odd", [](Out<I64> /*out*/, int which) { throw_odd_thing(which); });
const Kernel<Out<I64>, int> through_gate = kernel("test.through_gate", [](Out<I64> x, int number) {
  enter(number);
  set_all(x, 1);
});

Gate::Gate() : number_(0) {
  for (Passage free = Passage::free;
       !passages[static_cast<std::size_t>(number_)].compare_exchange_strong(free, Passage::closed);
       free = Passage::free) {
    ++number_;
  }
}

Gate::~Gate() { passages[static_cast<std::size_t>(number_)].store(Passage::free); }

void Gate::open() {
  passages[static_cast<std::size_t>(number_)].store(Passage::open);
  passages[static_cast<std::size_t>(number_)].notify_all();
}

void Gate::await_visitor() const { passages[static_cast<std::size_t>(number_)].wait(Passage::closed); }

}  // namespace penstock::tests
