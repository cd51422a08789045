/// How long the tasks of one kernel took on one kind of device, and what that says of the next one. A history-based
/// performance model as StarPU has them: a mean for each footprint, and between the known ones a power law in the
/// amount of work. Pure; used under the lock of its owner, which is a CostModel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace penstock::schedule {

/// How much work a task is.
struct Workload {
  /// A hash of all that decides how long it takes; tasks with the same one are expected to take the same time.
  std::uint64_t footprint = 0;
  double amount = 0.0;  ///< flops where the kernel says them, otherwise bytes; not finite or negative counts as 0
};

class CostHistory {
 public:
  /// Footprints that are remembered; of more, those go that have not been asked for or learned for longest.
  static constexpr std::size_t footprints_most = 64;
  /// Tasks that are worth a try before there is a choice: the first is not learned, and of two that differ much it
  /// takes a third to say which was odd.
  static constexpr int trials = 4;
  /// A time that is so many times the mean or so small a part of it is odd, and not learned...
  static constexpr double odd_factor = 5.0;
  /// ... unless so many come in a row that are like each other, which is more than a machine's pause makes.
  static constexpr std::uint32_t odd_in_a_row = 8;
  /// With fewer samples than that, a time that is oddly short replaces the mean: what is new to a device lengthens
  /// times and never shortens them.
  static constexpr std::uint32_t few_samples = 3;
  /// Of so many samples the mean is plain; later ones weigh as one of so many.
  static constexpr std::uint32_t mean_of = 8;

  struct Known {
    Workload work;
    double mean_ns = 0.0;
    std::uint32_t samples = 0;
    std::uint32_t odd = 0;  ///< odd times in a row, up to now
    double odd_mean_ns = 0.0;
    std::uint64_t used = 0;  ///< when it was last asked for or learned
  };

  /// A task took so long, a positive time.
  void learn(Workload work, double ns);
  /// Nothing while no task is known. Never allocates. Counts as a use of the footprint.
  [[nodiscard]] std::optional<double> predict_ns(Workload work);

  /// A task with so much work was given to the device.
  void placed(const Workload& work);
  /// How many tasks of this order of magnitude (a factor of 8) are still worth a try: a prediction far from what was
  /// measured may be so wrong that the device would never be chosen, and so never be known better.
  [[nodiscard]] int trials_left(const Workload& work) const { return trials - placed_[magnitude_of(work)]; }

  /// What an earlier run knew, unless this one knows it already or there is no room. It is trusted as a few samples
  /// are, and nothing of its magnitude is worth a try.
  void recall(Workload work, double mean_ns, std::uint32_t samples);
  /// By amount, then footprint.
  [[nodiscard]] std::span<const Known> known() const { return known_; }

 private:
  using Position = std::vector<Known>::iterator;
  static constexpr std::size_t magnitudes = 22;  // factors of 8, up to 7e19

  [[nodiscard]] static std::size_t magnitude_of(const Workload& work);
  static void add(Known& known, double ns);
  static void add_odd(Known& known, double ns);
  [[nodiscard]] Position find(const Workload& work);
  [[nodiscard]] bool is_at(Position position, const Workload& work) const;
  void forget_oldest();
  [[nodiscard]] double estimate_ns(double amount, Position above) const;
  [[nodiscard]] double median_ns(double amount) const;

  std::vector<Known> known_;  // sorted, so that a footprint's place is between its neighbours
  std::array<std::uint8_t, magnitudes> placed_{};
  std::uint64_t uses_ = 0;
};

}  // namespace penstock::schedule
