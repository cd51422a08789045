/// A job: what a job file says, checked. Loaded by the front-end or the command line on rank 0, then constant; copies
/// are cheap and share everything.
///
/// A job file is TOML. It names data, and tasks, saves and groups of them, which are submitted in the order of the
/// file; whatever can be known to be wrong is found before the first task runs.
///
///     include = ["common.toml"]       # relative to this file: what it holds comes first. At most 16 inside each other
///
///     [job]                           # only in the file that is run
///     name = "cholesky"               # of the run folder; else the file's name
///     plugins = ["my.so"]             # more kernels; relative to this file
///
///     [values]                        # names for constants, in any order; `penstock run --set n=1000` replaces one
///     n = 4000
///     tile = 500
///     tiles = "ceil(n / tile)"        # a string is an expression of other values
///     scale = 0.5                     # real numbers and booleans can be parameters
///     side = { text = "left" }        # a text, for the braces of others; `--set side=right` takes what is given
///     factors = [0.5, 1.0, 2.0]       # a list, of integers, real numbers or texts, is to be run over
///
///     [defaults.data]                 # for the tables of this file that do not say: all keys but `for` and `file`
///     dtype = "f64"
///     [defaults.task]
///     cores = 1
///
///     [data.A]                        # a family of data, or without `for` a single datum
///     for = "l in 0..3"               # or a list of ranges; from a constant to a constant
///     shape = ["n", "n"]              # integers or expressions of values
///     tile = ["tile", "tile"]         # of 1 or 2 extents: the data are the tiles A[l, i, j] of the arrays, i and j
///                                     # from 0, those at the end of an axis smaller where the shape is no multiple
///     dtype = "f64"                   # f32, f64, i32, i64
///     origin = "uniform"              # what is in it: file, zeros, ones, iota, uniform (seed, low, high), normal
///     seed = "7 + l"                  # (seed, mean, deviation); absent: what the first task writes. Each element of
///                                     # a tile is what it would be in the whole array
///     [data.B]
///     shape = [192, 160]
///     dtype = "f32"
///     origin = "file"
///     file = "data/b.npy"             # relative to this file; may have {l} in it
///
///     [[task]]
///     for = ["i in 1..tiles", "j in i+1..tiles step 2", "f in factors"]
///     if = "i != j and (i + j) % 2 == 0"
///     kernel = "gemm"
///     read = ["A[0, i, j]", "B"]      # in the order of the kernel's accesses; write and read_write likewise
///     write = ["C[i, j]"]
///     parameters = { alpha = "f", seed = "i + 10*j", path = "x_{i}.npy", transpose_b = true }
///     name = "update {i}, {j}"        # for reports and errors
///     cores = 1
///
///     [[group]]                       # what is in it is done for each step of its loop; groups may be in groups, to
///     for = "k in 0..tiles"           # a depth of 16
///     if = "k != 3"
///     [[group.task]]
///     [[group.save]]
///     [[group.group]]
///
///     [[save]]
///     for = "l in 0..3"
///     data = "A[l]"                   # a datum, a tile, or without a tile's subscripts the whole array, tile by tile
///     file = "a_{l:02}.npy"           # relative to the results of the run; no two saves write the same
///
/// Ranges are half-open, the last one is fastest, and steps are positive constants. Bounds may depend on indices
/// further out, or at values: such a range may be empty, one that is whatever these are is a mistake.
///
/// Expressions are made of integers, indices, values, + - * / and parentheses; of two indices none is multiplied. A
/// quotient is one of constants, and exact: else say ceil(n / tile) or floor(n / tile). Conditions compare them by ==
/// != < <= > >= and join these by and, or, not; there indices may be multiplied, and / (rounded down) and % (never
/// negative) take them too, by what is positive in every step.
///
/// In texts (file, name, parameters that are texts) {expression} is a number, {expression:03} one with leading zeros,
/// {f} an item of a list, {side} a value; {{ and }} are braces. A parameter that is no text may be a string as well: an
/// expression, or for a real number or a boolean the name of a value or of an index over a list.
///
/// A job may have as many steps as it likes (2^40 in one loop); it is never held in memory. Up to 2^22 steps, all of
/// them are checked when the job is loaded, beyond that what needs a look at each is checked while it runs. Data are
/// released when no later step names them, as last_uses.hpp says.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

#include "jobs/family.hpp"
#include "jobs/job_text.hpp"
#include "jobs/stream.hpp"
#include "jobs/totals.hpp"
#include "jobs/values.hpp"

namespace penstock::jobs {

class Job {
 public:
  /// Checks everything that can be known before a task runs, and looks at the headers of the job's input files.
  /// `kernels` must stay as long as the job and its streams. Throws Error (bad_job) with one line
  /// `file:line:column: what is wrong, what would be right`.
  static Job load(const JobText& text, std::span<const KernelDescription* const> kernels,
                  std::span<const Override> overrides = {});

  /// Of the table [job], or the file's stem.
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const Totals& totals() const;
  /// All steps from the first on. Any number of streams at once.
  [[nodiscard]] Stream stream() const { return Stream(plan_); }
  /// "A[3]", "A[1, 2]" or "B"
  [[nodiscard]] std::string datum_name(Datum datum) const;
  /// In the order of Datum::family.
  [[nodiscard]] const std::vector<Family>& families() const;

 private:
  explicit Job(std::shared_ptr<const Plan> plan);

  std::shared_ptr<const Plan> plan_;
};

}  // namespace penstock::jobs
