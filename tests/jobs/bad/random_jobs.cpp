#include "jobs/bad/random_jobs.hpp"

#include <random>
#include <vector>

namespace penstock::jobs::test {

namespace {

/// A family of n by n matrices, with as many data along each of its ranges.
struct Family {
  std::string name;
  std::vector<int> counts;
};

class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  std::string job() {
    text_ = "[job]\nname = \"random\"\n[values]\nn = " + std::to_string(below(6) + 1) +
            "\nm = \"n + 1\"\nfactor = 0.25\nis_lower = " + (coin() ? "true" : "false") +
            "\nsides = [\"left\", \"right\"]\nfactors = [0.5, 2.0]\nstrides = [3, 1]\n";
    const int families = below(4) + 1;
    for (int k = 0; k < families; ++k) add_family(k);
    const int entries = below(5) + 1;
    for (int k = 0; k < entries; ++k) coin() ? add_entry("") : add_group();
    add_save("", {});
    return text_;
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint32_t>(end)); }
  bool coin() { return below(2) == 0; }
  const std::string& any(const std::vector<std::string>& of) {
    return of[static_cast<std::size_t>(below(static_cast<int>(of.size())))];
  }

  void add_family(int number) {
    Family family{.name = "D", .counts = {}};
    family.name += std::to_string(number);
    text_ += "[data." + family.name + "]\nfor = [";
    const int ranges = below(3) + 1;
    for (int k = 0; k < ranges; ++k) {
      family.counts.push_back(below(4) + 1);
      text_.append(k == 0 ? "" : ", ").append("\"i").append(std::to_string(k));
      text_.append(" in 0..").append(std::to_string(family.counts.back())).append("\"");
    }
    text_ += "]\nshape = [\"n\", \"m - 1\"]\ndtype = \"f64\"\norigin = \"";
    text_ += any({"zeros", "ones", "iota", "uniform", "normal"}) + "\"\n";
    if (text_.ends_with("\"uniform\"\n") || text_.ends_with("\"normal\"\n")) text_ += "seed = \"7 * i0\"\n";
    if (coin()) {
      text_ += "tile = [\"n\", \"n\"]\n";
      family.counts.insert(family.counts.end(), {1, 1});
    }
    families_.push_back(std::move(family));
  }

  /// A datum of the family, one subscript perhaps an index of the loop, which runs from 0 to 0.
  std::string reference(const Family& family, const std::vector<std::string>& indices) {
    std::string text = family.name + "[";
    for (std::size_t k = 0; k < family.counts.size(); ++k) {
      text += k == 0 ? "" : ", ";
      text += indices.empty() || coin() ? std::to_string(below(family.counts[k])) : "0 * " + any(indices);
    }
    return text + "]";
  }

  const Family& any_family() { return families_[static_cast<std::size_t>(below(static_cast<int>(families_.size())))]; }

  std::vector<std::string> add_loop(std::vector<std::string> indices) {
    std::string name = "k";
    name += std::to_string(loops_++);
    text_ += "for = [\"" + name + " in " + any({"0..2", "0..n", "0..9 step 4", "strides", "-2..m"}) + "\", \"" + name +
             "f in factors\", \"" + name + "s in sides\"";
    if (!indices.empty()) text_ += ", \"" + name + "d in " + indices.back() + "..n\"";
    text_ += "]\n";
    indices.push_back(name);
    if (coin()) text_ += "if = \"" + name + any({" % 2 == 0", " != 1 and n > 0", " < n or not n == 2"}) + "\"\n";
    return indices;
  }

  void add_group() {
    text_ += "[[group]]\n";
    const auto indices = add_loop({});
    const int entries = below(3) + 1;
    for (int k = 0; k < entries; ++k) add_entry("group.", indices);
    if (coin()) add_save("group.", indices);
  }

  void add_entry(const std::string& prefix, std::vector<std::string> indices = {}) {
    text_ += "[[" + prefix + "task]]\n";
    indices = add_loop(std::move(indices));
    const std::string& index = indices.back();
    text_ += "name = \"{" + index + "f} {" + index + "s} {" + index + ":03} größer\"\n";
    const std::string datum = reference(any_family(), indices);
    const std::vector<std::string> bodies = {
        "kernel = \"increment\"\nread_write = [\"" + datum + "\"]\nparameters = { by = \"" + index + "f\" }\n",
        "kernel = \"scale\"\nread_write = [\"" + datum + "\"]\nparameters = { by = \"factor\" }\ncores = 2\n",
        "kernel = \"fill\"\nwrite = [\"" + datum + "\"]\nparameters = { value = \"2 * " + index + " - n\" }\n",
        "kernel = \"add_diagonal\"\nread_write = [\"" + datum + "\"]\nparameters = { by = 1 }\n",
        "kernel = \"spin\"\nparameters = { microseconds = \"n\" }\n"};
    text_ += any(bodies);
  }

  void add_save(const std::string& prefix, const std::vector<std::string>& indices) {
    const std::string folder = "saved_" + std::to_string(saves_++);
    text_ += "[[" + prefix + "save]]\n";
    const Family& family = any_family();
    text_ += "data = \"" + reference(family, {}) + "\"\nfile = \"" + folder + "/x";
    for (const std::string& index : indices) text_ += "_{" + index + "}_{" + index + "f}_{" + index + "s}";
    text_ += ".npy\"\n";
  }

  std::mt19937 random_;
  std::string text_;
  std::vector<Family> families_;
  int loops_ = 0;
  int saves_ = 0;
};

}  // namespace

std::string random_job(std::uint32_t seed) { return Writer(seed).job(); }

}  // namespace penstock::jobs::test
