#include "plugins/sha256.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <system_error>

#include <openssl/evp.h>

#include <penstock/error.hpp>

namespace penstock::plugins {

namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::environment, what); }

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += digits[byte / 16];
    text += digits[byte % 16];
  }
  return text;
}

void check(int result) {
  if (result != 1) fail("this OpenSSL computes no SHA-256");
}

/// Up to a buffer full from `offset`; 0 at the end of the file.
std::size_t read_some(int file, std::span<unsigned char> buffer, off_t offset) {
  while (true) {
    const ssize_t count = pread(file, buffer.data(), buffer.size(), offset);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail("it cannot be read: " + std::generic_category().message(errno));
  }
}

}  // namespace

std::string sha256_of(int file) {
  const Context context(EVP_MD_CTX_new());
  if (context == nullptr) throw std::bad_alloc();
  check(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr));
  std::array<unsigned char, 1 << 16> buffer;
  off_t offset = 0;
  while (const std::size_t count = read_some(file, buffer, offset)) {
    check(EVP_DigestUpdate(context.get(), buffer.data(), count));
    offset += static_cast<off_t>(count);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(context.get(), digest.data(), &size));
  return hexadecimal(std::span(digest).first(size));
}

}  // namespace penstock::plugins
