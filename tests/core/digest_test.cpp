#include "core/digest.hpp"

#include "core/error.hpp"
#include "tests/temporary_directory.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

// The vectors of FIPS 180-2, appendix B.
TEST(Sha256, IsThatOfThePublishedVectors) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, TakesItsBytesInPiecesAndTellsInBetween) {
  Sha256 sha;
  for (int i = 0; i < 1'000'000; i += 1000) {
    EXPECT_NE(sha.hex(), "");
    const std::string piece(1000, 'a');
    sha.add(piece.data(), piece.size());
  }
  EXPECT_EQ(sha.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const TemporaryDirectory root;
  const std::string bytes(200'000, 'x');
  EXPECT_EQ(sha256_of_file(root.write("f", bytes)), sha256_of(bytes));
  EXPECT_THROW(sha256_of_file(root.file("none")), InvalidInput);
}

TEST(Sha256, IsKnownByItsShape) {
  EXPECT_TRUE(is_sha256(sha256_of("")));
  EXPECT_FALSE(is_sha256(sha256_of("").substr(1)));
  EXPECT_FALSE(is_sha256(std::string(64, 'G')));
}

}  // namespace
}  // namespace retrystorm
