/// Kernels: what a task runs. A kernel is a name, the accesses and parameters it takes, and one body per kind of
/// device. Kernels are registered while the program's static objects are built, the same on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <penstock/types.hpp>

namespace penstock {

/// What a task does with one datum.
enum class AccessMode : std::uint8_t { read = 0, write = 1, read_write = 2 };

enum class ParameterType : std::uint8_t { boolean = 0, integer = 1, real = 2, text = 3 };

/// The value of a parameter; the alternatives are in the order of ParameterType.
using Parameter = std::variant<bool, std::int64_t, double, std::string>;

/// An array in host memory as a kernel body sees it: contiguous, row-major, valid for the call.
struct ArrayView {
  std::byte* data = nullptr;  ///< bytes() of them; aligned to 64 bytes; not to be written when accessed by read
  ArrayType type;
};

/// One call of a kernel body. A kernel that allows panels may be called `panel_count` times for one task, at once and
/// on several cores; each call makes its own part of the output.
struct TaskContext {
  std::span<const ArrayView> arrays;      ///< in the order of KernelDescription::accesses
  std::span<const Parameter> parameters;  ///< in the order of KernelDescription::parameters, defaults filled in
  int panel = 0;
  int panel_count = 1;
};

struct AccessDescription {
  std::string name;
  AccessMode mode = AccessMode::read;
  std::vector<DType> dtypes;       ///< those allowed; empty: all
  bool allows_read_write = false;  ///< a write that a task may also declare read-write (gemm's c when beta != 0)
};

struct ParameterDescription {
  std::string name;
  ParameterType type = ParameterType::real;
  std::optional<Parameter> default_value;  ///< absent: must be given
  std::string meaning;                     ///< one phrase with the unit
};

/// One access of a concrete task, as KernelDescription::check sees it.
struct TaskAccess {
  AccessMode mode = AccessMode::read;
  ArrayType type;
};

/// All that is known of a kernel. Bodies may throw anything: the task then failed, with that message.
struct KernelDescription {
  std::string name;
  std::string summary;  ///< one sentence with shapes and units
  std::vector<AccessDescription> accesses;
  std::vector<ParameterDescription> parameters;
  std::function<void(const TaskContext&)> cpu;  ///< called from any worker, several at once; must not keep the views
  bool allows_panels = false;
  /// What does not fit between shapes, dtypes, modes and parameters, in one line; empty: all fits. Pure. May be absent.
  std::function<std::string(std::span<const TaskAccess>, std::span<const Parameter>)> check;
  /// Floating-point operations of a task that passed the check. Pure. Absent: not known.
  std::function<double(std::span<const TaskAccess>, std::span<const Parameter>)> flops;
  /// Bytes of memory that a task has to move. Pure. Absent: those of its accesses, twice where it reads and writes.
  std::function<double(std::span<const TaskAccess>, std::span<const Parameter>)> bytes;
};

/// Adds a kernel to the table of this process. To be called while static objects are built, or at least before the
/// first Runtime; throws Error (invalid_argument) when the name is taken or no body is given.
void register_kernel(KernelDescription description);

// --- typed kernels: the body's own parameter types say what it accesses ---

/// Parameter types of a typed CPU body. Each is a span with a shape, valid for the call.
template <class T, AccessMode Mode>
class Argument : public std::span<std::conditional_t<Mode == AccessMode::read, const T, T>> {
 public:
  using Element = T;
  static constexpr AccessMode mode = Mode;
  explicit Argument(const ArrayView& view)
      : std::span<std::conditional_t<Mode == AccessMode::read, const T, T>>(
            reinterpret_cast<T*>(view.data), static_cast<std::size_t>(view.type.shape.count())),
        shape_(view.type.shape) {}
  [[nodiscard]] const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
};
template <class T>
using In = Argument<T, AccessMode::read>;
template <class T>
using Out = Argument<T, AccessMode::write>;
template <class T>
using InOut = Argument<T, AccessMode::read_write>;

namespace detail {

template <class P>
struct IsArgument : std::false_type {};
template <class T, AccessMode Mode>
struct IsArgument<Argument<T, Mode>> : std::true_type {};

template <class P>
constexpr ParameterType parameter_type() {
  if constexpr (std::is_same_v<P, bool>)
    return ParameterType::boolean;
  else if constexpr (std::is_integral_v<P>)
    return ParameterType::integer;
  else if constexpr (std::is_floating_point_v<P>)
    return ParameterType::real;
  else {
    static_assert(std::is_same_v<P, std::string>,
                  "a kernel takes In, Out, InOut, bool, integers, reals or std::string");
    return ParameterType::text;
  }
}

/// How many of the first `index` types are array arguments: the position of the next one among the accesses.
template <class... Ps>
constexpr std::size_t arguments_before(std::size_t index) {
  constexpr bool is_argument[] = {IsArgument<Ps>::value..., false};
  std::size_t count = 0;
  for (std::size_t i = 0; i < index; ++i) count += is_argument[i] ? 1 : 0;
  return count;
}

template <class P, std::size_t Index, class... Ps>
P argument_from(const TaskContext& context) {
  constexpr std::size_t arrays = arguments_before<Ps...>(Index);
  if constexpr (IsArgument<P>::value)
    return P(context.arrays[arrays]);
  else {
    using Stored = std::variant_alternative_t<static_cast<std::size_t>(parameter_type<P>()), Parameter>;
    return static_cast<P>(std::get<Stored>(context.parameters[Index - arrays]));
  }
}

template <class Signature>
struct SignatureOf;
template <class R, class F, class... Ps>
struct SignatureOf<R (F::*)(Ps...) const> {
  using Types = std::tuple<std::decay_t<Ps>...>;
};
template <class R, class F, class... Ps>
struct SignatureOf<R (F::*)(Ps...) const noexcept> : SignatureOf<R (F::*)(Ps...) const> {};
template <class R, class... Ps>
struct SignatureOf<R (*)(Ps...)> {
  using Types = std::tuple<std::decay_t<Ps>...>;
};
template <class R, class... Ps>
struct SignatureOf<R (*)(Ps...) noexcept> : SignatureOf<R (*)(Ps...)> {};

}  // namespace detail

/// A kernel by name; what submit() takes for the built-in kernels, whose arguments are checked when submitted.
class KernelName {
 public:
  explicit constexpr KernelName(const char* name) : name_(name) {}
  [[nodiscard]] constexpr const char* name() const { return name_; }

 private:
  const char* name_;
};

/// A typed kernel; its arguments are checked when the program is compiled. Make it with kernel() at namespace scope.
template <class... Ps>
class Kernel : public KernelName {
 public:
  using Types = std::tuple<Ps...>;

  template <class Body>
  Kernel(const char* name, Body body, std::tuple<Ps...>* /*types*/) : KernelName(name) {
    KernelDescription description;
    description.name = name;
    (describe<Ps>(description), ...);
    description.cpu = [body](const TaskContext& context) { call(body, context, std::index_sequence_for<Ps...>{}); };
    register_kernel(std::move(description));
  }

 private:
  template <class P>
  static void describe(KernelDescription& description) {
    if constexpr (detail::IsArgument<P>::value) {
      description.accesses.push_back({.name = "argument " + std::to_string(description.accesses.size() + 1),
                                      .mode = P::mode,
                                      .dtypes = {dtype_of<typename P::Element>}});
    } else {
      description.parameters.push_back({.name = "parameter " + std::to_string(description.parameters.size() + 1),
                                        .type = detail::parameter_type<P>(),
                                        .default_value = std::nullopt,
                                        .meaning = ""});
    }
  }

  template <class Body, std::size_t... Is>
  static void call(const Body& body, const TaskContext& context, std::index_sequence<Is...>) {
    body(detail::argument_from<Ps, Is, Ps...>(context)...);
  }
};

namespace detail {
template <class Body, class... Ps>
Kernel<Ps...> make_kernel(const char* name, Body body, std::tuple<Ps...>* types) {
  return Kernel<Ps...>(name, std::move(body), types);
}
template <class Body>
struct BodySignature : SignatureOf<decltype(&Body::operator())> {};
template <class R, class... Ps>
struct BodySignature<R (*)(Ps...)> : SignatureOf<R (*)(Ps...)> {};
template <class R, class... Ps>
struct BodySignature<R (*)(Ps...) noexcept> : SignatureOf<R (*)(Ps...)> {};
}  // namespace detail

/// Registers `body`, a function or lambda over In, Out, InOut, bool, integers, reals and std::string:
///
///     const auto axpy = ps::kernel("axpy", [](ps::In<float> x, ps::InOut<float> y, float alpha) { ... });
///
/// The name is the kernel's identity on every rank and must be unique in the program.
template <class Body>
auto kernel(const char* name, Body body) {
  using Types = typename detail::BodySignature<Body>::Types;
  return detail::make_kernel(name, std::move(body), static_cast<Types*>(nullptr));
}

}  // namespace penstock
