// What a typed kernel accepts is decided by the compiler; nothing here runs.
#include <string>

#include <penstock/penstock.hpp>

namespace penstock {

namespace {

using ReadF = Access<float, AccessMode::read>;
using WriteF = Access<float, AccessMode::write>;
using UpdateF = Access<float, AccessMode::read_write>;
using ReadD = Access<double, AccessMode::read>;
using CommuteF = Access<float, AccessMode::commute>;
using ReduceF = ReducingAccess<float>;

// Each kind of argument takes its own way of access,
static_assert(detail::fits<In<float>, ReadF>());
static_assert(detail::fits<Out<float>, WriteF>());
static_assert(detail::fits<InOut<float>, UpdateF>());
static_assert(!detail::fits<In<float>, WriteF>());
static_assert(!detail::fits<In<float>, UpdateF>());
static_assert(!detail::fits<Out<float>, ReadF>());
static_assert(!detail::fits<Out<float>, UpdateF>());
static_assert(!detail::fits<InOut<float>, ReadF>());
static_assert(!detail::fits<InOut<float>, WriteF>());

static_assert(detail::fits<InOut<float>, CommuteF>());
static_assert(detail::fits<InOut<float>, ReduceF>());
static_assert(!detail::fits<In<float>, CommuteF>());
static_assert(!detail::fits<Out<float>, CommuteF>());
static_assert(!detail::fits<In<float>, ReduceF>());
static_assert(!detail::fits<Out<float>, ReduceF>());

// of its own type,
static_assert(!detail::fits<In<float>, ReadD>());
static_assert(!detail::fits<In<double>, ReadF>());
static_assert(!detail::fits<In<std::int32_t>, ReadF>());
static_assert(!detail::fits<InOut<double>, CommuteF>());
static_assert(!detail::fits<InOut<double>, ReduceF>());

// and neither an array without a way of access nor a number.
static_assert(!detail::fits<In<float>, Array<float>>());
static_assert(!detail::fits<In<float>, float>());
static_assert(!detail::fits<float, ReadF>());

// A reduction is made of a kernel that combines, for arrays of its element type.
template <class T, class By>
concept Reduces = requires(const Array<T>& array, const By& by) { reduce(array, by); };
static_assert(Reduces<float, Reduction<float>> && Reduces<float, Operation> && Reduces<float, decltype(sum)>);
static_assert(!Reduces<double, Reduction<float>> && !Reduces<float, KernelName>);
static_assert(std::is_constructible_v<Reduction<float>, const Kernel<InOut<float>, In<float>>&, Origin>);
static_assert(!std::is_constructible_v<Reduction<float>, const Kernel<Out<float>, In<float>>&, Origin>);
static_assert(!std::is_constructible_v<Reduction<float>, const Kernel<InOut<double>, In<double>>&, Origin>);

// A body for GPUs takes the arguments of the one for cores, behind its context.
template <class Body>
concept IsForGpus = requires(Body body) { KernelFacts<In<float>, InOut<float>, int>{.cuda = body}; };
static_assert(IsForGpus<void (*)(const CudaContext&, In<float>, InOut<float>, int)>);
static_assert(!IsForGpus<void (*)(In<float>, InOut<float>, int)>);
static_assert(!IsForGpus<void (*)(const CudaContext&, In<float>, InOut<float>)>);
static_assert(!IsForGpus<void (*)(const CudaContext&, In<double>, InOut<float>, int)>);
static_assert(!IsForGpus<void (*)(const CudaContext&, In<float>, Out<float>, int)>);
static_assert(!IsForGpus<void (*)(const CudaContext&, InOut<float>, InOut<float>, int)>);
static_assert(!IsForGpus<void (*)(const CudaContext&, InOut<float>, In<float>, int)>);
static_assert(!IsForGpus<void (*)(const CudaContext&, In<float>, InOut<float>, std::string)>);

// Parameters take what converts to them.
static_assert(detail::fits<double, int>());
static_assert(detail::fits<std::string, const char*>());
static_assert(detail::fits<bool, bool>());
static_assert(!detail::fits<double, const char*>());
static_assert(!detail::fits<int, double>());
static_assert(!detail::fits<std::string, std::nullptr_t*>());
static_assert(!detail::fits<int, Cores>());
static_assert(!detail::fits<int, NamedParameter>());

// Arrays are of the four element types.
template <class T>
concept HasDType = requires { DTypeOf<T>::value; };
static_assert(HasDType<float> && HasDType<double> && HasDType<std::int32_t> && HasDType<std::int64_t>);
static_assert(!HasDType<char> && !HasDType<unsigned> && !HasDType<long double> && !HasDType<const float>);

// A body reads through In without being able to write.
static_assert(!std::is_assignable_v<decltype(std::declval<In<float>>()[0]), float>);
static_assert(std::is_assignable_v<decltype(std::declval<Out<float>>()[0]), float>);
static_assert(std::is_assignable_v<decltype(std::declval<InOut<float>>()[0]), float>);

// The reader of a view cannot write either, and there is one owner of a pin.
static_assert(!std::is_assignable_v<decltype(std::declval<View<float>>()[0]), float>);
static_assert(!std::is_copy_constructible_v<View<float>> && std::is_move_constructible_v<View<float>>);
static_assert(!std::is_copy_constructible_v<Runtime> && !std::is_move_constructible_v<Runtime>);

}  // namespace

}  // namespace penstock
