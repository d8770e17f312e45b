// SHA-256 of what is written and of what is read back: whether a file still is what it was. By
// OpenSSL's libcrypto; `sha256sum` says the same.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace retrystorm {

class Sha256 {
 public:
  Sha256();
  void add(const void* bytes, std::size_t size);
  // Of all that was added so far, as 64 hexadecimal digits; more may follow.
  std::string hex() const;

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256_of(std::string_view bytes);

// Of a file, read piece by piece; throws InvalidInput if it cannot be read.
std::string sha256_of_file(const std::string& path);

// True for 64 lower-case hexadecimal digits.
bool is_sha256(std::string_view text);

}  // namespace retrystorm
