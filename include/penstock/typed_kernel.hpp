/// Typed kernels: the body's own parameter types say what it accesses, and facts beside it what a reader and a
/// scheduler want to know. Used by programs, through kernel(), and by plugins, through PENSTOCK_KERNEL.
///
///     const auto axpy = ps::kernel(
///         "my.axpy",
///         [](ps::In<float> x, ps::InOut<float> y, double alpha) {
///           for (std::size_t i = 0; i < y.size(); ++i) y[i] += static_cast<float>(alpha) * x[i];
///         },
///         {.summary = "y = y + alpha * x, by element.",
///          .arguments = {"x", "y", {"alpha", "factor of x", 1.0}},
///          .check = [](auto x, auto y, double) { return x == y ? "" : "x and y have different shapes"; },
///          .flops = [](auto, auto y, double) { return 2 * y.count(); }});
///
/// A body whose first parameter is a `const CudaContext&` is for GPUs, and the others are in the GPU's memory: a fact
/// beside a body for cores, or alone.
///
///     const auto axpy = ps::kernel(
///         "my.axpy", axpy_on_a_core,
///         {.cuda = [](const ps::CudaContext& gpu, ps::In<float> x, ps::InOut<float> y, double alpha) {
///            axpy_each<<<blocks_for(y.size()), 256, 0, gpu.stream>>>(x.data(), y.data(), y.size(), alpha);
///          }});
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <penstock/array.hpp>
#include <penstock/error.hpp>
#include <penstock/kernel.hpp>

namespace penstock {

class Runtime;

/// Parameter types of a typed body. Each is a span with a shape, valid for the call; in a body for GPUs of their
/// memory, which is not to be touched by the host.
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

/// What is said of one argument of a body: a name, and of a parameter its meaning, one phrase with the unit, and its
/// default, if it has one.
struct ArgumentText {
  std::string name;
  std::string meaning;
  std::optional<Parameter> default_value;

  ArgumentText() = default;
  ArgumentText(const char* argument_name)  // NOLINT(google-explicit-constructor): a name alone is enough
      : name(argument_name) {}
  ArgumentText(const char* argument_name, const char* argument_meaning)
      : name(argument_name), meaning(argument_meaning) {}
  template <class V>
  ArgumentText(const char* argument_name, const char* argument_meaning, V value)
      : name(argument_name), meaning(argument_meaning), default_value(Parameter(std::move(value))) {}
};

namespace detail {

/// As many texts as there are indices, or none. Its constructor takes each by itself, so that a braced list of them may
/// have braces of its own around a text, and one that is too short or too long does not compile.
template <class Indices>
class ArgumentTexts;
template <std::size_t... Is>
class ArgumentTexts<std::index_sequence<Is...>> {
  template <std::size_t>
  using Text = ArgumentText;

 public:
  ArgumentTexts() = default;
  ArgumentTexts(Text<Is>... texts)  // NOLINT(google-explicit-constructor): it is written as a list
    requires(sizeof...(Is) > 0)
      : given_(true), texts_{std::move(texts)...} {}
  [[nodiscard]] bool given() const { return given_; }
  const ArgumentText& operator[](std::size_t index) const { return texts_[index]; }

 private:
  bool given_ = false;
  std::array<ArgumentText, sizeof...(Is)> texts_;
};

template <class P>
struct IsArgument : std::false_type {};
template <class T, AccessMode Mode>
struct IsArgument<Argument<T, Mode>> : std::true_type {};

/// What check, flops and bytes see of a body's argument: the shape of an array, the value of a parameter.
template <class P>
using Fact = std::conditional_t<IsArgument<P>::value, Shape, P>;

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

template <class P>
P value_of(const Parameter& parameter) {
  using Stored = std::variant_alternative_t<static_cast<std::size_t>(parameter_type<P>()), Parameter>;
  return static_cast<P>(std::get<Stored>(parameter));
}

template <class P, std::size_t Index, class... Ps, class Context>
P argument_from(const Context& context) {
  constexpr std::size_t arrays = arguments_before<Ps...>(Index);
  if constexpr (IsArgument<P>::value)
    return P(context.arrays[arrays]);
  else
    return value_of<P>(context.parameters[Index - arrays]);
}

template <class P, std::size_t Index, class... Ps>
Fact<P> fact_from(std::span<const TaskAccess> accesses, std::span<const Parameter> parameters) {
  constexpr std::size_t arrays = arguments_before<Ps...>(Index);
  if constexpr (IsArgument<P>::value)
    return accesses[arrays].type.shape;
  else
    return value_of<P>(parameters[Index - arrays]);
}

}  // namespace detail

/// What is known of a typed kernel beside its body. The functions take the arguments of the body, each array as its
/// Shape; they are pure, and each may be absent.
template <class... Ps>
struct KernelFacts {
  /// Beside a body for cores, the one for GPUs: it takes the same arguments.
  std::function<void(const CudaContext&, Ps...)> cuda = {};
  std::string summary = {};  ///< one sentence with shapes and units
  /// In the order of the body, all or none. Without them arrays are "argument 1", ... and parameters "parameter 1", ...
  detail::ArgumentTexts<std::index_sequence_for<Ps...>> arguments = {};
  /// What does not fit between shapes and parameters, in one line; empty: all fits.
  std::function<std::string(detail::Fact<Ps>...)> check = {};
  std::function<double(detail::Fact<Ps>...)> flops = {};  ///< floating-point operations of a task
  std::function<double(detail::Fact<Ps>...)> bytes = {};  ///< of memory that a task moves; absent: of its arrays
  bool uses_openmp = false;                               ///< see KernelDescription; then submit() takes cores(k)
};

namespace detail {

/// `Types` are the arguments of a task; before them a body may take the task's own Runtime&, and one for GPUs takes its
/// context.
template <class Signature>
struct SignatureOf;
template <class... Ps>
struct SignatureOf<void(Ps...)> {
  static constexpr bool takes_runtime = false;
  static constexpr bool is_for_gpus = false;
  using Types = std::tuple<std::decay_t<Ps>...>;
};
template <class... Ps>
struct SignatureOf<void(Runtime&, Ps...)> {
  static constexpr bool takes_runtime = true;
  static constexpr bool is_for_gpus = false;
  using Types = std::tuple<std::decay_t<Ps>...>;
};
template <class... Ps>
struct SignatureOf<void(const CudaContext&, Ps...)> {
  static constexpr bool takes_runtime = false;
  static constexpr bool is_for_gpus = true;
  using Types = std::tuple<std::decay_t<Ps>...>;
};
template <class R, class F, class... Ps>
struct SignatureOf<R (F::*)(Ps...) const> : SignatureOf<void(Ps...)> {};
template <class R, class F, class... Ps>
struct SignatureOf<R (F::*)(Ps...) const noexcept> : SignatureOf<void(Ps...)> {};
template <class R, class... Ps>
struct SignatureOf<R (*)(Ps...)> : SignatureOf<void(Ps...)> {};
template <class R, class... Ps>
struct SignatureOf<R (*)(Ps...) noexcept> : SignatureOf<void(Ps...)> {};

template <class Body>
struct BodySignature : SignatureOf<decltype(&Body::operator())> {};
template <class R, class... Ps>
struct BodySignature<R (*)(Ps...)> : SignatureOf<R (*)(Ps...)> {};
template <class R, class... Ps>
struct BodySignature<R (*)(Ps...) noexcept> : SignatureOf<R (*)(Ps...)> {};

template <class Types>
struct FactsOfTypes;
template <class... Ps>
struct FactsOfTypes<std::tuple<Ps...>> {
  using Facts = KernelFacts<Ps...>;
};
/// The KernelFacts of a body. Not deduced, so that a braced list can be given for them.
template <class Body>
using FactsOf = typename FactsOfTypes<typename BodySignature<Body>::Types>::Facts;

template <class P>
void describe_argument(const ArgumentText& text, KernelDescription& description) {
  if constexpr (IsArgument<P>::value) {
    if (!text.meaning.empty() || text.default_value) {
      throw Error(ErrorCode::invalid_argument, "cannot describe kernel \"" + description.name + "\": " + text.name +
                                                   " is an array, which has neither meaning nor default");
    }
    description.accesses.push_back({.name = text.name, .mode = P::mode, .dtypes = {dtype_of<typename P::Element>}});
  } else {
    constexpr ParameterType type = parameter_type<P>();
    std::optional<Parameter> value = text.default_value;
    if (type == ParameterType::real && value && std::holds_alternative<std::int64_t>(*value)) {
      value = static_cast<double>(std::get<std::int64_t>(*value));
    }
    description.parameters.push_back(
        {.name = text.name, .type = type, .default_value = std::move(value), .meaning = text.meaning});
  }
}

inline void number_names(KernelDescription& description) {
  std::size_t number = 0;
  for (AccessDescription& access : description.accesses) access.name = "argument " + std::to_string(++number);
  number = 0;
  for (ParameterDescription& parameter : description.parameters)
    parameter.name = "parameter " + std::to_string(++number);
}

/// A function over Facts as KernelDescription has it; empty where `typed` is.
template <class R, class... Ps, std::size_t... Is>
std::function<R(std::span<const TaskAccess>, std::span<const Parameter>)> untyped(
    const std::function<R(Fact<Ps>...)>& typed, std::tuple<Ps...>* /*types*/, std::index_sequence<Is...>) {
  if (!typed) return {};
  return [typed]([[maybe_unused]] std::span<const TaskAccess> accesses,
                 [[maybe_unused]] std::span<const Parameter> parameters) -> R {
    return typed(fact_from<Ps, Is, Ps...>(accesses, parameters)...);
  };
}

/// The runtime of the task that the calling thread runs.
class TaskScope {
 public:
  TaskScope();
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;
  /// After an exception: its tasks that have not begun are cancelled, and the others end.
  ~TaskScope();
  [[nodiscard]] Runtime& runtime();
  /// Waits for its tasks. Throws TaskError when one failed that the body does not know of.
  void finish();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

/// The body for GPUs as KernelDescription has it; `Ps` are the arguments of a task.
template <class... Ps, class Body, std::size_t... Is>
std::function<void(const CudaContext&)> untyped_cuda(const Body& body, std::index_sequence<Is...>) {
  return [body](const CudaContext& context) { body(context, argument_from<Ps, Is, Ps...>(context)...); };
}

/// The same for cores.
template <class... Ps, class Body, std::size_t... Is>
std::function<void(const TaskContext&)> untyped_cpu(const Body& body, std::index_sequence<Is...>) {
  return [body]([[maybe_unused]] const TaskContext& context) {
    if constexpr (BodySignature<Body>::takes_runtime) {
      TaskScope scope;
      body(scope.runtime(), argument_from<Ps, Is, Ps...>(context)...);
      scope.finish();
    } else {
      body(argument_from<Ps, Is, Ps...>(context)...);
    }
  };
}

template <class Body, class... Ps, std::size_t... Is>
void take_bodies(const Body& body, const KernelFacts<Ps...>& facts, std::index_sequence<Is...> indices,
                 KernelDescription& description) {
  if constexpr (BodySignature<Body>::is_for_gpus) {
    description.cuda = untyped_cuda<Ps...>(body, indices);
    if (!facts.cuda) return;
    throw Error(ErrorCode::invalid_argument,
                "cannot describe kernel \"" + description.name + "\": it has two bodies for GPUs");
  } else {
    description.cpu = untyped_cpu<Ps...>(body, indices);
    if (facts.cuda) description.cuda = untyped_cuda<Ps...>(facts.cuda, indices);
  }
}

template <class Body, class... Ps, std::size_t... Is>
KernelDescription describe(const char* name, const Body& body, const KernelFacts<Ps...>& facts,
                           std::index_sequence<Is...> indices) {
  constexpr std::tuple<Ps...>* types = nullptr;
  KernelDescription description;
  description.name = name;
  description.summary = facts.summary;
  (describe_argument<Ps>(facts.arguments[Is], description), ...);
  if (!facts.arguments.given()) number_names(description);
  take_bodies(body, facts, indices, description);
  description.uses_openmp = facts.uses_openmp;
  description.check = untyped<std::string>(facts.check, types, indices);
  description.flops = untyped<double>(facts.flops, types, indices);
  description.bytes = untyped<double>(facts.bytes, types, indices);
  return description;
}

/// The description of a typed kernel; registers nothing.
template <class Body>
KernelDescription describe_kernel(const char* name, Body body, const FactsOf<Body>& facts = {}) {
  constexpr std::size_t count = std::tuple_size_v<typename BodySignature<Body>::Types>;
  return describe(name, body, facts, std::make_index_sequence<count>());
}

}  // namespace detail

/// A typed kernel; its arguments are checked when the program is compiled. Make it with kernel() at namespace scope.
template <class... Ps>
class Kernel : public KernelName {
 public:
  using Types = std::tuple<Ps...>;

  Kernel(const char* name, KernelDescription description) : KernelName(name) {
    register_kernel(std::move(description));
  }
};

namespace detail {
template <class Types>
struct KernelOfTypes;
template <class... Ps>
struct KernelOfTypes<std::tuple<Ps...>> {
  using Type = Kernel<Ps...>;
};
}  // namespace detail

/// Registers `body`, a function or lambda over In, Out, InOut, bool, integers, reals and std::string. The name is the
/// kernel's identity on every rank and must be unique in the program. Tasks whose only body is for GPUs run on no core,
/// and are refused when they are submitted where no GPU can run them.
template <class Body>
auto kernel(const char* name, Body body, const detail::FactsOf<Body>& facts = {}) {
  using Made = typename detail::KernelOfTypes<typename detail::BodySignature<Body>::Types>::Type;
  return Made(name, detail::describe_kernel(name, body, facts));
}

/// A reduction of the program's own, for reduce(): `combine` takes the second array into the first, and `neutral` fills
/// an array that changes nothing when it is combined. It is kept as long as it is used, best at namespace scope.
///
///     const auto larger = ps::kernel("my.larger", [](ps::InOut<float> into, ps::In<float> from) {
///       for (std::size_t i = 0; i < into.size(); ++i)
///         if (std::abs(from[i]) > std::abs(into[i])) into[i] = from[i];
///     });
///     const ps::Reduction largest{larger, ps::zeros()};
///     rt.submit(kernel, ps::read(x), ps::reduce(y, largest));
template <class T>
class Reduction {
 public:
  Reduction(const Kernel<InOut<T>, In<T>>& combine, Origin neutral)
      : combine_(combine.name()), neutral_(std::move(neutral)) {
    if (neutral_.kernel != nullptr) return;
    throw Error(ErrorCode::invalid_argument, std::string("a reduction by ") + combine_ +
                                                 " needs an origin for its neutral element, such as zeros()");
  }
  [[nodiscard]] detail::ReductionParts parts() const { return {.combine = combine_, .neutral = &neutral_}; }

 private:
  const char* combine_;
  Origin neutral_;
};

/// Borrows the reduction for the submit().
template <class T>
ReducingAccess<T> reduce(const Array<T>& array, const Reduction<T>& reduction,
                         std::source_location where = std::source_location::current()) {
  return {array.datum().get(), reduction.parts(), where};
}

}  // namespace penstock
