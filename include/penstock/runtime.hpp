/// The runtime: takes tasks in program order, returns at once, and runs what is independent in parallel over the cores
/// and GPUs of every rank. The program waits only where it looks at a value, or when the window is full.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <penstock/array.hpp>
#include <penstock/error.hpp>
#include <penstock/typed_kernel.hpp>

namespace penstock {

/// How a runtime is set up. The defaults suit; the environment variables of the command line are not read here.
struct Options {
  int workers = 0;                                    ///< per rank; 0: as many as the cores this process may use
  std::uint64_t window_tasks = 4'096;                 ///< submitted and not ended; then submit() waits
  std::int64_t window_bytes = std::int64_t{4} << 30;  ///< bytes that submitted and not ended tasks write; likewise
  /// A folder for the trace of the run, on a file system that all ranks share; made when missing. Empty: no trace.
  std::string run_dir = {};
  bool fresh = false;  ///< replace the run that run_dir holds; else that is an Error (run_folder)
  std::int64_t trace_bytes = std::int64_t{64} << 20;  ///< the most recent events of each rank that run_dir keeps
};

/// A named parameter of a built-in kernel: with("alpha", 2.0).
struct NamedParameter {
  const char* name;
  Parameter value;
};
template <class V>
NamedParameter with(const char* name, const V& value) {
  if constexpr (std::is_integral_v<V> && !std::is_same_v<V, bool>)
    return {name, static_cast<std::int64_t>(value)};
  else if constexpr (std::is_floating_point_v<V>)
    return {name, static_cast<double>(value)};
  else
    return {name, Parameter(value)};
}

/// The resource request of a task: this many cores of one rank, used as panels by kernels that allow them.
struct Cores {
  int count;
};
inline Cores cores(int count) { return {count}; }

namespace detail {

/// A kernel by name, and the line that submits it.
struct NamedKernel {
  // Implicit: submit() takes the name.
  NamedKernel(const KernelName& kernel,  // NOLINT(google-explicit-constructor)
              const std::source_location& where = std::source_location::current())
      : name(kernel.name()), place(where) {}

  const char* name;
  Place place;
};

struct Request {
  const char* kernel = nullptr;
  std::span<const std::pair<const Datum*, AccessMode>> accesses;
  std::span<const Parameter> positional;  ///< typed kernels: all parameters
  std::span<const NamedParameter> named;  ///< kernels by name
  int cores = 1;
  Place place;
};

template <class A>
concept IsAccess = requires {
  typename A::Element;
  A::mode;
};

/// Takes the pieces of one submit() call, `As`, apart without allocating.
template <class... As>
struct Pieces {
  static constexpr std::size_t access_most = (std::size_t{IsAccess<As>} + ... + 0U);
  static constexpr std::size_t named_most = (std::size_t{std::is_same_v<As, NamedParameter>} + ... + 0U);
  std::array<std::pair<const Datum*, AccessMode>, access_most> accesses{};
  std::array<Parameter, sizeof...(As) - access_most - named_most> positional{};
  std::array<NamedParameter, named_most> named{};
  std::size_t access_count = 0;
  std::size_t positional_count = 0;
  std::size_t named_count = 0;
  int cores = 1;
  Place place;

  template <class T, AccessMode Mode>
  void add(const Access<T, Mode>& access) {
    if (access_count == 0) place = Place(access.where);
    accesses[access_count++] = {access.datum, Mode};
  }
  void add(const NamedParameter& parameter) { named[named_count++] = parameter; }
  void add(Cores request) { cores = request.count; }
  template <class V>
    requires std::is_arithmetic_v<V>
  void add(V value) {
    if constexpr (std::is_same_v<V, bool>)
      positional[positional_count++] = value;
    else if constexpr (std::is_integral_v<V>)
      positional[positional_count++] = static_cast<std::int64_t>(value);
    else
      positional[positional_count++] = static_cast<double>(value);
  }
  void add(std::string value) { positional[positional_count++] = std::move(value); }

  [[nodiscard]] Request request(const char* kernel) const {
    return {.kernel = kernel,
            .accesses = {accesses.data(), access_count},
            .positional = {positional.data(), positional_count},
            .named = {named.data(), named_count},
            .cores = cores,
            .place = place};
  }
};

/// Whether argument type A of a submit() fits parameter type P of a kernel's body.
template <class P, class A>
constexpr bool fits() {
  if constexpr (IsArgument<P>::value) {
    if constexpr (IsAccess<A>) {
      return std::is_same_v<typename P::Element, typename A::Element> && P::mode == A::mode;
    } else {
      return false;
    }
  } else {
    const bool cuts_off = std::is_integral_v<P> && std::is_floating_point_v<A>;  // 2.7 for a whole number
    return std::is_convertible_v<A, P> && !std::is_same_v<A, Cores> && !cuts_off;
  }
}

/// Throws Error (invalid_argument) for an integer that the body's parameter cannot hold.
inline void check_range(bool fits, const std::string& argument) {
  if (!fits) throw Error(ErrorCode::invalid_argument, argument + " does not fit the integer that the kernel takes");
}

template <class P, class A>
decltype(auto) as_parameter(A&& argument) {
  if constexpr (IsArgument<P>::value) {
    return std::forward<A>(argument);
  } else {
    using Given = std::decay_t<A>;
    constexpr bool are_numbers = std::is_integral_v<P> && std::is_integral_v<Given> && !std::is_same_v<P, bool> &&
                                 !std::is_same_v<P, char> && !std::is_same_v<Given, bool>;
    if constexpr (are_numbers) check_range(std::in_range<P>(+argument), std::to_string(argument));
    return static_cast<P>(std::forward<A>(argument));
  }
}

struct RuntimeState;

/// The untyped half of a View.
class HostView {
 public:
  HostView() = default;
  HostView(std::shared_ptr<RuntimeState> state, std::uint32_t data, std::uint64_t version, ArrayView view);
  HostView(HostView&& other) noexcept;
  HostView& operator=(HostView&& other) noexcept;
  ~HostView();
  [[nodiscard]] const ArrayView& array() const { return view_; }

 private:
  std::shared_ptr<RuntimeState> state_;
  std::uint32_t data_ = 0;
  std::uint64_t version_ = 0;
  ArrayView view_;
};

}  // namespace detail

/// A host view of one version of an array, a contiguous range of its elements. It pins that version: later writes go to
/// a new buffer until it is dropped. It must be dropped before the runtime ends.
template <class T>
class View {
 public:
  explicit View(detail::HostView view) : view_(std::move(view)) {}
  [[nodiscard]] const Shape& shape() const { return view_.array().type.shape; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(shape().count()); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(view_.array().data); }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size(); }
  const T& operator[](std::size_t index) const { return data()[index]; }
  /// Only of a view that stays: a span of a temporary one would dangle.
  [[nodiscard]] std::span<const T> span() const& { return {data(), size()}; }
  std::span<const T> span() const&& = delete;

 private:
  detail::HostView view_;
};

/// One runtime. Made by run() or, in a program of one process, directly; all calls are safe from several threads of the
/// program, whose tasks are then ordered as the calls were. No call may be made from inside a kernel: waits throw
/// there.
class Runtime {
 public:
  explicit Runtime(const Options& options = {});
  /// Waits for all tasks, then stops the workers. Never throws; failures of tasks are listed on standard error.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// A new array. Without an origin it must be written before it is read. Never waits for anything but the window.
  template <class T>
  Array<T> array(const Shape& shape, const Origin& origin = {},
                 std::source_location where = std::source_location::current()) {
    return Array<T>(make_datum({dtype_of<T>, shape}, origin, Place(where)));
  }

  /// Submits a task of a typed kernel: the arguments in the order of the body's parameters.
  /// Returns at once, except that it waits while the window is full. Throws Error (invalid_argument) with the submit
  /// place when something does not fit; nothing was submitted then.
  template <class... Ps, class... As>
  void submit(const Kernel<Ps...>& kernel, As&&... arguments) {
    static_assert(sizeof...(As) == sizeof...(Ps), "a typed kernel takes exactly the arguments of its body");
    static_assert((detail::fits<Ps, std::decay_t<As>>() && ...),
                  "an argument does not fit the body: In takes read(x), Out takes write(x), InOut takes read_write(x)");
    detail::Pieces<std::decay_t<As>...> pieces;
    (pieces.add(detail::as_parameter<Ps>(std::forward<As>(arguments))), ...);
    submit_request(pieces.request(kernel.name()));
  }

  /// Submits a task of a kernel by name: accesses in the order of its description, with("name", value), cores(k).
  template <class... As>
  void submit(const detail::NamedKernel& kernel, As&&... arguments) {
    detail::Pieces<std::decay_t<As>...> pieces;
    pieces.place = kernel.place;
    (pieces.add(std::forward<As>(arguments)), ...);
    submit_request(pieces.request(kernel.name));
  }

  /// Waits until the array's version as of now is made. Throws TaskError when it could not be.
  template <class T>
  void wait(const Array<T>& array) {
    wait_datum(array.datum().get());
  }
  /// Waits until every task submitted so far has ended. Throws TaskError when one failed since the last wait_all().
  void wait_all();
  /// Waits for the array as wait() does, brings it to this rank, and shows it.
  template <class T>
  View<T> read(const Array<T>& array) {
    return View<T>(read_datum(array.datum().get()));
  }
  /// Writes the array's version as of now to an .npy file (version 1.0, C order), as a task; to a temporary name first,
  /// then renamed. The path is used on the rank that runs the task: a file system that all ranks share is assumed.
  template <class T>
  void save(const Array<T>& array, const std::string& path,
            std::source_location where = std::source_location::current()) {
    save_datum(array.datum().get(), path, Place(where));
  }

  [[nodiscard]] int ranks() const;

 private:
  friend struct detail::RuntimeState;
  friend class RuntimeAccess;
  explicit Runtime(std::shared_ptr<detail::RuntimeState> state);
  std::shared_ptr<detail::Datum> make_datum(const ArrayType& type, const Origin& origin, const Place& place);
  void submit_request(const detail::Request& request);
  void wait_datum(const detail::Datum* datum);
  detail::HostView read_datum(const detail::Datum* datum);
  void save_datum(const detail::Datum* datum, const std::string& path, const Place& place);

  std::shared_ptr<detail::RuntimeState> state_;
};

/// Runs `program` on rank 0; other ranks serve until it returns. Alone, MPI is never initialised; under mpirun or srun
/// it is. Returns the exit code for main(): 0 all done, 1 some task failed, 2 bad use, 3 run folder, 4 a rank or device
/// was lost, 130 interrupted. Errors that escape `program` are printed to standard error.
int run(int argc, char** argv, const std::function<void(Runtime&)>& program, const Options& options = {});

}  // namespace penstock
