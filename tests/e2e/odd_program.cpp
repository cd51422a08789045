// A program that does what it ought not to:
//
//     penstock_odd_program twice       calls run() a second time
//     penstock_odd_program unwritten   leaves an element unwritten in each of 200 tasks, which rank 0 asks to check
#include <cstdlib>
#include <string_view>
#include <vector>

#include <penstock/penstock.hpp>

namespace ps = penstock;

namespace {

const auto forget_one = ps::kernel("odd.forget_one",
                                   [](ps::Out<float> out, int forgotten) {
                                     for (std::size_t i = 0; i < out.size(); ++i) {
                                       if (i != static_cast<std::size_t>(forgotten)) out[i] = 1;
                                     }
                                   },
                                   {.arguments = {"out", {"forgotten", "the element left"}}});

/// The launcher's word for it; alone: the first.
bool is_first_rank() {
  const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr || std::string_view(rank) == "0";
}

int leave_unwritten() {
  const auto program = [](ps::Runtime& runtime) {
    std::vector<ps::Array<float>> arrays;
    for (int i = 0; i < 200; ++i) {
      const auto out = arrays.emplace_back(runtime.array<float>({40'000}));
      runtime.submit(forget_one, ps::write(out), i);
    }
    runtime.wait_all();
  };
  return ps::run(0, nullptr, program, ps::Options{.checked = is_first_rank()});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "unwritten") return leave_unwritten();
  if (what != "twice") return 77;
  const int first = ps::run(argc, argv, [](ps::Runtime& /*runtime*/) {});
  return first != 0 ? 99 : ps::run(argc, argv, [](ps::Runtime& /*runtime*/) {});
}
