// SPDX-License-Identifier: Apache-2.0
#include "profile/marshal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "profile/marshal_bytes.h"

namespace prengdl {
namespace {

using namespace std::string_literals;
using namespace marshal_bytes;

MarshalValue value_of(const std::string& bytes) {
  const auto document = read_marshal(bytes);
  EXPECT_TRUE(document) << document.error().what();
  return document ? document->root() : MarshalValue{};
}

std::string error_of(const std::string& bytes, const MarshalLimits& limits = {}) {
  const auto document = read_marshal(bytes, limits);
  return document ? "" : document.error().what();
}

TEST(Marshal, ReadsEveryKindOfNumber) {
  EXPECT_EQ(value_of(integer(-7)).integer, -7);
  EXPECT_EQ(value_of("I" + raw(std::int64_t{1} << 40)).integer, std::int64_t{1} << 40);
  EXPECT_DOUBLE_EQ(value_of(real(0.125)).real, 0.125);
  EXPECT_DOUBLE_EQ(value_of("f\x05"
                            "2.5e3")
                       .real,
                   2500);  // versions 0 and 1
  EXPECT_EQ(value_of("T").integer, 1);
  EXPECT_EQ(value_of("F").kind, MarshalKind::truth);
  EXPECT_EQ(value_of("N").kind, MarshalKind::none);
}

TEST(Marshal, ReadsLongIntegersInDigitsOfFifteenBits) {
  // 3 x 2^30 + 2 x 2^15 + 1
  const std::string digits = raw(std::int16_t{1}) + raw(std::int16_t{2}) + raw(std::int16_t{3});
  EXPECT_EQ(value_of("l" + raw(3) + digits).integer, 3221291009);
  EXPECT_EQ(value_of("l" + raw(-3) + digits).integer, -3221291009);
  EXPECT_EQ(value_of("l" + raw(0)).integer, 0);
  const std::string full(10, '\x7f');
  EXPECT_EQ(value_of("l" + raw(5) + full).kind, MarshalKind::other) << "75 bits do not fit";
  EXPECT_EQ(error_of("l" + raw(1) + "\xff\xff"), "byte 0: a digit of an integer is too large");
  EXPECT_NE(error_of("l" + raw(std::int32_t{-2147483647 - 1})), "");
}

TEST(Marshal, ReadsEveryKindOfText) {
  for (const std::string& bytes : {"s" + raw(3) + "abc", "t" + raw(3) + "abc", "u" + raw(3) + "abc",
                                   "a" + raw(3) + "abc", "A" + raw(3) + "abc",
                                   "z\x03"
                                   "abc"s,
                                   "Z\x03"
                                   "abc"s}) {
    const auto document = read_marshal(bytes);
    ASSERT_TRUE(document) << bytes[0];
    EXPECT_EQ(document->text(document->root()), "abc") << bytes[0];
  }
}

TEST(Marshal, ReadsContainersInEachOther) {
  const auto bytes = "[" + raw(2) + tuple({integer(1), text("x")}) +
                     dictionary({{text("key"), "<" + raw(1) + "N"}});
  const auto document = read_marshal(bytes);
  ASSERT_TRUE(document) << document.error().what();
  const auto& list = document->root();
  ASSERT_EQ(list.count, 2u);
  EXPECT_EQ(document->text(document->child(document->child(list, 0), 1)), "x");
  const auto& dictionary = document->child(list, 1);
  EXPECT_EQ(dictionary.kind, MarshalKind::dictionary);
  ASSERT_EQ(dictionary.count, 2u) << "a key and a value";
  EXPECT_EQ(document->child(dictionary, 1).kind, MarshalKind::set);
}

TEST(Marshal, ReadsPastWhatAProfileNeverHolds) {
  const auto bytes = tuple({"y" + std::string(16, '\1'),
                            "x\x01"
                            "1\x01"
                            "2",
                            ".", "S", ">" + raw(0), ":NNN", integer(9)});
  const auto document = read_marshal(bytes);
  ASSERT_TRUE(document) << document.error().what();
  EXPECT_EQ(document->child(document->root(), 0).kind, MarshalKind::other);
  EXPECT_EQ(document->child(document->root(), 6).integer, 9);
}

TEST(Marshal, FollowsReferencesByTheirNumbers) {
  // The tuple is number 0 although it ends after the text, which is number 1.
  const auto bytes = numbered(tuple({numbered(text("shared")), reference(1)}));
  const auto document = read_marshal(bytes);
  ASSERT_TRUE(document) << document.error().what();
  EXPECT_EQ(document->text(document->child(document->root(), 1)), "shared");
  EXPECT_EQ(document->size(), 2u) << "it is there once";
  EXPECT_EQ(error_of(tuple({numbered(text("a")), reference(1)})),
            "byte 8: it refers to value 1 of 1");
  EXPECT_EQ(error_of(numbered(tuple({reference(0)}))), "byte 2: a value refers to itself");
  EXPECT_NE(error_of(reference(-1)), "");
}

TEST(Marshal, FollowsTheInternedStringsOfPython2) {
  const auto bytes = tuple(
      {"t" + raw(2) + "ab", "s" + raw(1) + "x", "t" + raw(2) + "cd", "R" + raw(0), "R" + raw(1)});
  const auto document = read_marshal(bytes);
  ASSERT_TRUE(document) << document.error().what();
  EXPECT_EQ(document->text(document->child(document->root(), 3)), "ab");
  EXPECT_EQ(document->text(document->child(document->root(), 4)), "cd");
  EXPECT_NE(error_of("R" + raw(0)), "");
}

TEST(Marshal, NamesTheByteThatIsWrong) {
  EXPECT_EQ(error_of(""), "byte 0: 1 bytes are needed, 0 are left");
  EXPECT_EQ(error_of("i\1\2"), "byte 1: 4 bytes are needed, 2 are left");
  EXPECT_EQ(error_of("q"), "byte 0: there is no type 'q' in marshal");
  EXPECT_EQ(error_of("\x1b"), "byte 0: there is no type '\\x1b' in marshal");
  EXPECT_EQ(error_of("0"), "byte 0: a value is missing");
  EXPECT_EQ(error_of("NN"), "byte 1: 1 bytes follow the value");
  EXPECT_EQ(error_of("{" + integer(1)), "byte 6: 1 bytes are needed, 0 are left");
  EXPECT_EQ(error_of("f\x02zz"), "byte 0: 'zz' is not a number");
  EXPECT_NE(error_of("c" + std::string(40, '\0')).find(".pyc"), std::string::npos);
}

TEST(Marshal, BelievesNoLengthThatTheFileCannotHold) {
  EXPECT_EQ(error_of("u" + raw(std::int32_t{0x7fffffff})),
            "byte 1: a length of 2147483647 where 0 bytes are left");
  EXPECT_EQ(error_of("(" + raw(-5)), "byte 1: a length of -5 where 0 bytes are left");
  EXPECT_NE(error_of("[" + raw(1000) + "NNN"), "");
  EXPECT_NE(error_of("l" + raw(std::int32_t{0x7fffffff}) + "ab"), "");
}

TEST(Marshal, IsBounded) {
  const std::string deep(10000, '[');
  std::string nested;
  for (int i = 0; i < 100; ++i) nested += ")\1";
  EXPECT_NE(error_of(nested + "N").find("nested more than 64 deep"), std::string::npos);
  EXPECT_NE(error_of(deep), "");
  MarshalLimits limits;
  limits.values = 10;
  EXPECT_NE(error_of(")\x14" + std::string(20, 'N'), limits).find("more than 10 values"),
            std::string::npos);
  limits.bytes = 4;
  EXPECT_NE(error_of(integer(1), limits).find("more than 0 MiB"), std::string::npos);
}

TEST(Marshal, NoBytesBreakIt) {
  EXPECT_TRUE(rc::check("any bytes give a value or an error", [](const std::string& bytes) {
    const auto document = read_marshal(bytes);
    if (!document) RC_ASSERT(std::string(document.error().what()).starts_with("byte "));
  }));
  const auto whole = numbered(tuple({numbered(text("a")), reference(1), "l" + raw(1) + "ab",
                                     real(1), dictionary({{integer(1), tuple({"N", "T"})}}),
                                     "f\x03"
                                     "1.5",
                                     "<" + raw(1) + integer(3)}));
  ASSERT_EQ(error_of(whole), "");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_NE(error_of(whole.substr(0, i)), "") << "cut at " << i;
    for (int byte = 0; byte < 256; ++byte) {
      auto changed = whole;
      changed[i] = static_cast<char>(byte);
      static_cast<void>(read_marshal(changed));
    }
  }
}

}  // namespace
}  // namespace prengdl
