// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <gtest/gtest.h>

#include "fake_host.h"

namespace prengdl {
namespace {

TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotCareHowTheBytesAreCut) {
  // Every length around the ends of a block, where padding is easily wrong.
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string text(length, 'x');
    Sha256 in_pieces;
    for (std::size_t at = 0; at < length; at += 7) in_pieces.add(text.substr(at, 7));
    EXPECT_EQ(in_pieces.hex(), sha256_of(text)) << length;
  }
}

TEST(Sha256, ReadsFilesByteForByte) {
  FakeHost host;
  host.write("lock", "a==1\n");  // and the new line that the host adds
  EXPECT_EQ(sha256_of_file(host.root() / "lock").value(), sha256_of("a==1\n\n"));
  EXPECT_FALSE(sha256_of_file(host.root() / "none"));
}

}  // namespace
}  // namespace prengdl
