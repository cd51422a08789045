#include "e2e/random_kernels.hpp"

#include <string>

namespace penstock::tests {

namespace {

void fail_if(bool fails) {
  if (fails) throw std::string("not even an exception");
}

}  // namespace

const Kernel<Out<I64>, I64, bool> fresh = kernel("random.fresh", [](Out<I64> a, I64 salt, bool fails) {
  body::fresh(a, salt);
  fail_if(fails);
});
const Kernel<Out<I64>, In<I64>, I64, bool> map = kernel("random.map", [](Out<I64> a, In<I64> b, I64 salt, bool fails) {
  body::map(a, b, salt);
  fail_if(fails);
});
const Kernel<InOut<I64>, In<I64>, In<I64>, I64, bool> mix =
    kernel("random.mix", [](InOut<I64> a, In<I64> b, In<I64> c, I64 salt, bool fails) {
      body::mix(a, b, c, salt);
      fail_if(fails);
    });
const Kernel<InOut<I64>, InOut<I64>, I64, bool> cross =
    kernel("random.cross", [](InOut<I64> a, InOut<I64> b, I64 salt, bool fails) {
      body::cross(a, b, salt);
      fail_if(fails);
    });
const Kernel<Out<float>, In<I64>, I64, bool> narrow =
    kernel("random.narrow", [](Out<float> x, In<I64> b, I64 salt, bool fails) {
      body::narrow(x, b, salt);
      fail_if(fails);
    });
const Kernel<InOut<I64>, In<float>, I64, bool> widen =
    kernel("random.widen", [](InOut<I64> a, In<float> x, I64 salt, bool fails) {
      body::widen(a, x, salt);
      fail_if(fails);
    });
const Kernel<InOut<float>, I64, bool> scale = kernel("random.scale", [](InOut<float> x, I64 salt, bool fails) {
  body::scale(x, salt);
  fail_if(fails);
});

const Kernel<InOut<I64>, In<I64>, I64, bool> gather =
    kernel("random.gather", [](InOut<I64> a, In<I64> b, I64 salt, bool fails) {
      body::gather(a, b, salt);
      fail_if(fails);
    });
const Kernel<InOut<float>, In<I64>, I64, bool> extend =
    kernel("random.extend", [](InOut<float> x, In<I64> b, I64 salt, bool fails) {
      body::extend(x, b, salt);
      fail_if(fails);
    });

const char* kernel_name(TaskKind kind) {
  constexpr const char* names[task_kinds] = {"random.fresh",  "random.map",   "random.mix",   "random.cross",
                                             "random.narrow", "random.widen", "random.scale", "random.gather",
                                             "random.extend", "random.gather"};
  return names[static_cast<int>(kind)];
}

}  // namespace penstock::tests
