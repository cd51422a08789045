/// An open file and the calls that move bytes through it, for the functions of this layer. Each call blocks until the
/// system has answered and carries on after signals and short counts; a failure is Error (environment) that begins with
/// the file's name. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace penstock::npy {

/// Throws Error (environment): "path: what: the system's message for `error`".
[[noreturn]] void fail(const std::string& path, const std::string& what, int error);

/// Creates the folders above `path` that are missing.
void create_folders_above(const std::string& path);

/// The destructor closes without a word; close() reports.
class Descriptor {
 public:
  /// Takes over `number`, which may be negative: nothing is open. `path` must outlive it.
  Descriptor(int number, const std::string& path) : number_(number), path_(path) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  [[nodiscard]] int number() const { return number_; }

  /// Bytes in the file; throws Error (invalid_argument) when it is not a regular file.
  [[nodiscard]] std::int64_t length() const;
  /// Fills `out` from `offset` or stops at the end of the file; returns the bytes read.
  std::size_t read_at(std::int64_t offset, std::span<std::byte> out);
  void write_at(std::int64_t offset, std::span<const std::byte> bytes);
  /// Makes the file this long, by zeros or by cutting what is beyond.
  void set_length(std::int64_t bytes);
  /// Returns when the disk has all that was written, by whatever process of this machine.
  void flush();
  /// Some file systems report a full disk only here.
  void close();

 private:
  int number_;
  const std::string& path_;
};

}  // namespace penstock::npy
