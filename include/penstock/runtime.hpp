/// The runtime: takes tasks in program order, returns at once, and runs what is independent in parallel over the cores
/// and GPUs of every rank. The program waits only where it looks at a value, or when the window is full.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <penstock/array.hpp>
#include <penstock/deadline.hpp>
#include <penstock/error.hpp>
#include <penstock/request.hpp>
#include <penstock/typed_kernel.hpp>

namespace penstock {

/// How a runtime is set up. The defaults suit; the environment variables of the command line are not read here. A value
/// out of range is an Error (invalid_argument).
struct Options {
  int workers = 0;                                    ///< per rank, up to 4096; 0: all cores this process may use
  std::uint64_t window_tasks = 4'096;                 ///< submitted and not ended; then submit() waits
  std::int64_t window_bytes = std::int64_t{4} << 30;  ///< bytes that submitted and not ended tasks write; likewise
  /// A folder for the trace of the run, on a file system that all ranks share; made when missing. Empty: no trace.
  std::string run_dir = {};
  bool fresh = false;  ///< replace the run that run_dir holds; else that is an Error (run_folder)
  /// The latest events of each rank that run_dir keeps; 1 MiB or more.
  std::int64_t trace_bytes = std::int64_t{64} << 20;
  /// For finding mistakes: a task fails, naming the access, when its body changes an array declared as read or leaves
  /// an element of one declared as write unwritten, the latter on one core only. On cores only, and slower: arrays that
  /// are read are copied for each body. A body that seems to have left an element is run once more to be sure.
  bool checked = false;
  /// Every task runs inside its submit(), in program order, on the thread that calls it: for debuggers, and to compare
  /// with. One rank, cores only.
  bool serial = false;
  /// Ready tasks begin in a random order that depends on this number, to find tasks that do not say what they read. On
  /// one worker two runs have the same order where the worker cannot begin before all tasks have been submitted. One
  /// rank, cores only.
  std::optional<std::uint64_t> schedule_seed = {};
  /// Cores and GPUs are used, as far as there are any. Without the cores every rank needs a GPU, and its cores run only
  /// what no GPU can.
  bool use_cpu = true;
  bool use_cuda = true;
  /// The most of each GPU's memory that a rank uses; 0: 90 % of what is free there.
  std::int64_t gpu_bytes = 0;
  /// Host memory that a rank pins for what goes to its GPUs and comes from them, at most: transfers to and from other
  /// memory are slower and hold up those behind them. 0: none. Nothing: the rank's share of a quarter of the host's.
  std::optional<std::int64_t> pinned_bytes = {};
  /// By what a rank with GPUs chooses among its cores and them for each task: "eager": who is free first; "locality":
  /// who has most of the data; "heft": who is predicted to end the task first.
  std::string placement = "heft";
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
  std::span<const Parameter> positional;            ///< typed kernels: all parameters
  std::span<const NamedParameter> named;            ///< kernels by name
  std::span<const ReductionParts> reductions = {};  ///< of the accesses that reduce, in their order
  bool typed = false;                               ///< the compiler has checked the accesses
  std::span<const Use> uses = {};
  int cores = 1;
  std::int32_t priority = 0;
  std::string_view name = {};
  bool only_on_front = false;
  Place place;
};

template <class A>
inline constexpr bool is_option =
    std::is_same_v<A, Cores> || std::is_same_v<A, Priority> || std::is_same_v<A, Name> || std::is_same_v<A, Use>;

template <class A>
concept IsAccess = requires {
  typename A::Element;
  A::mode;
};

template <class A>
concept IsReducing = IsAccess<A> && A::mode == AccessMode::reduce;

/// Takes the pieces of one submit() call, `As`, apart without allocating.
template <class... As>
struct Pieces {
  static constexpr std::size_t access_most = (std::size_t{IsAccess<As>} + ... + 0U);
  static constexpr std::size_t named_most = (std::size_t{std::is_same_v<As, NamedParameter>} + ... + 0U);
  static constexpr std::size_t reductions_most = (std::size_t{IsReducing<As>} + ... + 0U);
  static constexpr std::size_t use_most = (std::size_t{std::is_same_v<As, Use>} + ... + 0U);
  static constexpr std::size_t option_most = (std::size_t{is_option<As>} + ... + 0U);
  std::array<std::pair<const Datum*, AccessMode>, access_most> accesses;
  std::array<Parameter, sizeof...(As) - access_most - named_most - option_most> positional;
  std::array<NamedParameter, named_most> named{};
  std::array<ReductionParts, reductions_most> reductions;
  std::array<Use, use_most> uses;
  std::uint8_t access_count = 0;
  std::uint8_t positional_count = 0;
  std::uint8_t named_count = 0;
  std::uint8_t reduction_count = 0;
  std::uint8_t use_count = 0;
  Request request;

  /// Borrows the kernel's name and what was added.
  explicit Pieces(const char* kernel, bool typed)
      : request{.kernel = kernel,
                .accesses = accesses,
                .positional = positional,
                .named = named,
                .reductions = reductions,
                .typed = typed,
                .uses = uses,
                .place = {}} {
    static_assert(sizeof...(As) <= UINT8_MAX, "a task takes at most 255 arguments");
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  template <class T, AccessMode Mode>
  void add(const Access<T, Mode>& access) {
    if (access_count == 0) request.place = Place(access.where);
    accesses[access_count++] = {access.datum, Mode};
  }
  template <class T>
  void add(const ReducingAccess<T>& access) {
    if (access_count == 0) request.place = Place(access.where);
    accesses[access_count++] = {access.datum, AccessMode::reduce};
    reductions[reduction_count++] = access.parts;
  }
  void add(const NamedParameter& parameter) { named[named_count++] = parameter; }
  void add(Cores asked) { request.cores = asked.count; }
  void add(Priority asked) { request.priority = asked.value; }
  void add(Name asked) { request.name = asked.text; }
  void add(const Use& asked) { uses[use_count++] = asked; }
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
};

/// Whether argument type A of a submit() fits parameter type P of a kernel's body.
template <class P, class A>
constexpr bool fits() {
  if constexpr (IsArgument<P>::value) {
    if constexpr (IsAccess<A>) {
      return std::is_same_v<typename P::Element, typename A::Element> && P::mode == seen_by_body(A::mode);
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
struct Scratch;

/// The untyped half of a View.
class HostView {
 public:
  friend class HostFuture;
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

/// The untyped half of a Future.
class HostFuture {
 public:
  HostFuture(std::shared_ptr<RuntimeState> state, std::uint32_t data, std::uint64_t version, const ArrayType& type)
      : pin_(std::move(state), data, version, {nullptr, type}) {}
  bool wait(const std::optional<std::chrono::steady_clock::time_point>& deadline);
  [[nodiscard]] HostView get() &&;

 private:
  HostView pin_;
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

/// The value that an array will have: of the version as of when it was asked for. It pins that version, as a View does.
/// It must be dropped before the runtime ends.
template <class T>
class Future {
 public:
  explicit Future(detail::HostFuture future) : future_(std::move(future)) {}
  [[nodiscard]] bool is_ready() { return future_.wait(std::chrono::steady_clock::time_point::min()); }
  /// Until it is made. Throws TaskError when it could not be, as all of these do.
  void wait() { future_.wait(std::nullopt); }
  /// The same; false: it was not after that time.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time) {
    return future_.wait(detail::deadline_after(time));
  }
  /// Waits, and shows it; once: afterwards all of these throw Error (invalid_argument).
  [[nodiscard]] View<T> get() { return View<T>(std::move(future_).get()); }

 private:
  detail::HostFuture future_;
};

/// Whether the task whose body calls this may stop, since it, its group or the run was cancelled. Of tasks on one rank;
/// elsewhere false.
[[nodiscard]] bool is_cancelled();

/// One runtime. Made by run() or, in a program of one process, directly; all calls are safe from several threads of the
/// program, whose tasks are then ordered as the calls were.
///
/// A task may run on the thread that submits, before submit() returns too, when it is shorter than handing it on would
/// be, or on one that waits: a body must not wait for what the program does next. A body may wait for arrays of the
/// program, on one rank, and have tasks of its own: its first parameter is a Runtime& then, which is the task's own and
/// is gone when the body returns. Tasks submitted there end before the task does, on its rank; their failures are the
/// task's, unless it catches them from its wait_all().
///
/// exit(), from any thread or from inside a body, and the return of main() end a process in which a runtime still
/// lives: tasks that have not begun are cancelled, bodies that run have a second to end, and other threads of the
/// program do not return from calls any more. If a body still runs then, the process ends as by _exit(), with the same
/// code.
///
/// In a process forked from another, every call on a runtime of the other throws Error (invalid_argument), and
/// destructors of runtimes, arrays and views do nothing: what they hold is not freed. A new runtime works as usual.
class Runtime {
 public:
  explicit Runtime(const Options& options = {});
  /// Waits for all tasks, then stops the workers. Where an exception has left the scope, tasks that have not begun are
  /// cancelled first. Never throws; failures of tasks are listed on standard error.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// A new array. Without an origin it must be written before it is read. Never waits for anything but the window.
  template <class T>
  Array<T> array(const Shape& shape, const Origin& origin = {},
                 std::source_location where = std::source_location::current()) {
    return Array<T>(make_datum({dtype_of<T>, shape}, origin, Place(where)));
  }
  /// In a task, of the task's own runtime: an array that is what the body was given, for tasks of the task. They change
  /// it in place; the body itself leaves it alone until it has waited for them.
  template <class T, AccessMode Mode>
  Array<T> array(const Argument<T, Mode>& held) {
    auto* const bytes = reinterpret_cast<std::byte*>(const_cast<T*>(held.data()));
    return Array<T>(lend_datum({bytes, {dtype_of<T>, held.shape()}}, Mode == AccessMode::read));
  }

  /// Submits a task of a typed kernel: the arguments in the order of the body's parameters.
  /// Returns at once, except that it waits while the window is full. Throws Error (invalid_argument) with the submit
  /// place when something does not fit; nothing was submitted then.
  template <class... Ps, class... As>
  Task submit(const Kernel<Ps...>& kernel, As&&... arguments) {
    constexpr std::size_t options = (std::size_t{detail::is_option<std::decay_t<As>>} + ... + 0U);
    static_assert(
        sizeof...(As) == sizeof...(Ps) + options,
        "a typed kernel takes exactly the arguments of its body, and then cores(), priority(), name(), use()");
    return submit_typed<Ps...>(kernel.name(), std::make_index_sequence<sizeof...(Ps)>(),
                               std::make_index_sequence<options>(),
                               std::forward_as_tuple(std::forward<As>(arguments)...));
  }

  /// Submits a task of a kernel by name: accesses in the order of its description, with("name", value), cores(k), ...
  template <class... As>
  Task submit(const detail::NamedKernel& kernel, As&&... arguments) {
    detail::Pieces<std::decay_t<As>...> pieces(kernel.name, false);
    pieces.request.place = kernel.place;
    (pieces.add(std::forward<As>(arguments)), ...);
    return submit_request(pieces.request);
  }
  /// The task, if it has not begun, ends as cancelled; who depends on it is skipped. If it has, so do its own tasks.
  void cancel(Task task);
  /// So do all tasks that have not begun. Later ones do too.
  void cancel_all();
  /// Something of which tasks use so much at once, at least 1.
  [[nodiscard]] Resource resource(std::int64_t amount);

  /// Waits until the arrays' versions as of now are made. Throws TaskError when one could not be.
  template <class... Ts>
  void wait(const Array<Ts>&... arrays) {
    const std::array<const detail::Datum*, sizeof...(Ts)> data{arrays.datum().get()...};
    wait_data(data, std::nullopt);
  }
  /// The same; false: some was not made after that time.
  template <class Rep, class Period, class... Ts>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time, const Array<Ts>&... arrays) {
    const std::array<const detail::Datum*, sizeof...(Ts)> data{arrays.datum().get()...};
    return wait_data(data, detail::deadline_after(time));
  }
  /// Waits until every task submitted so far has ended. Throws TaskError when one failed since the last wait_all().
  void wait_all() { wait_tasks(std::nullopt); }
  /// The same; false: some had not after that time.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_all_for(std::chrono::duration<Rep, Period> time) {
    return wait_tasks(detail::deadline_after(time));
  }
  /// The first tasks that failed, a line each, in the order in which they became known.
  [[nodiscard]] std::vector<std::string> failures() const;

  /// Waits for the array as wait() does, brings it to this rank, and shows it.
  template <class T>
  View<T> read(const Array<T>& array, std::source_location where = std::source_location::current()) {
    return future(array, where).get();
  }
  /// The same, if the array's version as of now is made; else nothing, at once.
  template <class T>
  [[nodiscard]] std::optional<View<T>> try_read(const Array<T>& array,
                                                std::source_location where = std::source_location::current()) {
    Future<T> now = future(array, where);
    if (!now.is_ready()) return std::nullopt;
    return now.get();
  }
  /// The array's version as of now, whatever is written later.
  template <class T>
  [[nodiscard]] Future<T> future(const Array<T>& array, std::source_location where = std::source_location::current()) {
    return Future<T>(pin_datum(array.datum().get(), Place(where)));
  }
  /// A task that calls `function` with the array's version as of now, an In<T>, once it is made, on this rank. It is
  /// not called when that could not be made. What it throws is a failure of the task.
  template <class T, class Function>
  Task then(const Array<T>& array, Function function, std::source_location where = std::source_location::current()) {
    static_assert(std::is_invocable_v<Function&, In<T>>, "then() takes a function of an In<T>");
    return submit_function(
        array.datum().get(), [function = std::move(function)](const ArrayView& view) mutable { function(In<T>(view)); },
        Place(where));
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
  friend class Group;
  friend class RuntimeAccess;
  explicit Runtime(std::shared_ptr<detail::RuntimeState> state);
  std::shared_ptr<detail::Datum> make_datum(const ArrayType& type, const Origin& origin, const Place& place);
  std::shared_ptr<detail::Datum> lend_datum(const ArrayView& held, bool read_only);
  /// The body's arguments, and what else is asked for, are told apart by their types; each keeps its order.
  template <class... Ps, std::size_t... Is, std::size_t... Os, class Arguments>
  Task submit_typed(const char* kernel, std::index_sequence<Is...> /*arguments*/,
                    std::index_sequence<Os...> /*options*/, Arguments&& arguments) {
    static_assert((detail::fits<Ps, std::decay_t<std::tuple_element_t<Is, std::decay_t<Arguments>>>>() && ...),
                  "an argument does not fit the body: In takes read(x), Out takes write(x), InOut takes read_write(x), "
                  "commute(x) or reduce(x, operation)");
    detail::Pieces<std::decay_t<std::tuple_element_t<Is, std::decay_t<Arguments>>>...,
                   std::decay_t<std::tuple_element_t<sizeof...(Is) + Os, std::decay_t<Arguments>>>...>
        pieces(kernel, true);
    (pieces.add(detail::as_parameter<Ps>(std::get<Is>(std::forward<Arguments>(arguments)))), ...);
    (pieces.add(std::get<sizeof...(Is) + Os>(std::forward<Arguments>(arguments))), ...);
    return submit_request(pieces.request);
  }
  Task submit_request(const detail::Request& request);
  void take_needs(const detail::Request& request, detail::Scratch& parts) const;
  Task submit_function(const detail::Datum* datum, std::function<void(const ArrayView&)> function, const Place& place);
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  bool wait_data(std::span<const detail::Datum* const> data, const Deadline& deadline);
  bool wait_tasks(const Deadline& deadline);
  detail::HostFuture pin_datum(const detail::Datum* datum, const Place& place);
  void save_datum(const detail::Datum* datum, const std::string& path, const Place& place);

  std::shared_ptr<detail::RuntimeState> state_;
};

/// Runs `program` on rank 0; other ranks serve until it returns. Alone, MPI is never initialised; under mpirun or srun
/// it is. Returns the exit code for main(): 0 all done, 1 some task failed, 2 bad use, 3 run folder, 4 a rank or device
/// was lost, 130 interrupted. Errors that escape `program` are printed to standard error; tasks that have not begun are
/// cancelled then. Under mpirun or srun it can be called once.
int run(int argc, char** argv, const std::function<void(Runtime&)>& program, const Options& options = {});

}  // namespace penstock
