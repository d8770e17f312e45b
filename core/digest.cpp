#include "core/digest.hpp"

#include "core/error.hpp"
#include "core/files.hpp"

#include <algorithm>
#include <array>
#include <new>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace retrystorm {
namespace {

// It fails only for want of memory: SHA-256 is in every build of the library.
void check(int ok) {
  if (ok != 1) throw std::bad_alloc();
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  ::EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(::EVP_MD_CTX_new()) {
  check(context_ ? ::EVP_DigestInit_ex(context_.get(), ::EVP_sha256(), nullptr) : 0);
}

void Sha256::add(const void* bytes, std::size_t size) {
  check(::EVP_DigestUpdate(context_.get(), bytes, size));
}

std::string Sha256::hex() const {
  const Sha256 copy;
  check(::EVP_MD_CTX_copy_ex(copy.context_.get(), context_.get()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  check(::EVP_DigestFinal_ex(copy.context_.get(), digest.data(), &size));
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of(std::string_view bytes) {
  Sha256 sha;
  sha.add(bytes.data(), bytes.size());
  return sha.hex();
}

std::string sha256_of_file(const std::string& path) {
  Sha256 sha;
  read_pieces(path, [&](std::string_view piece) { sha.add(piece.data(), piece.size()); });
  return sha.hex();
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace retrystorm
