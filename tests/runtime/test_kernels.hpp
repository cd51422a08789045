/// Kernels for the tests of the library. A gate holds the tasks that enter it until the test opens it, so that tests
/// decide what has run and what has not, without sleeping.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <penstock/penstock.hpp>

namespace penstock::tests {

using I64 = std::int64_t;

/// out = value
extern const Kernel<Out<I64>, I64> set_to;
/// out = in
extern const Kernel<Out<I64>, In<I64>> copy;
/// x += by
extern const Kernel<InOut<I64>, I64> add_to;
/// sum += in
extern const Kernel<InOut<I64>, In<I64>> add_in;
/// Throws std::runtime_error(message) after it has spoilt `out`.
extern const Kernel<Out<I64>, std::string> fail_writing;
/// Throws std::runtime_error(message).
extern const Kernel<InOut<I64>, std::string> fail_updating;
/// Throws something else: 0 an int, 1 a C string, 2 an exception with an empty message, 3 a penstock::Error.
extern const Kernel<Out<I64>, int> throw_odd;
/// Waits in gate `number`, then x = 1.
extern const Kernel<Out<I64>, int> through_gate;

/// A gate is closed when made. Every task that names it must be done before it goes.
class Gate {
 public:
  Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();
  [[nodiscard]] int number() const { return number_; }
  void open();
  /// Returns once a task waits in the gate.
  void await_visitor() const;

 private:
  int number_;
};

/// The elements, for matchers.
template <class T>
std::vector<T> values(const View<T>& view) {
  return {view.begin(), view.end()};
}

/// What a call throws as an E; the test fails when it throws nothing.
template <class E, class Call>
E thrown_by(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  if constexpr (std::is_same_v<E, TaskError>)
    return TaskError("", 0);
  else
    return Error(ErrorCode::environment, "");
}

}  // namespace penstock::tests
