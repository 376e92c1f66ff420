// SPDX-License-Identifier: Apache-2.0
#include "study/values.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "study/toml.h"

namespace prengdl {
namespace {

TEST(StudyValues, EnergyHasAUnit) {
  const std::pair<const char*, double> cases[] = {
      {"500J", 500},      {"500kJ", 500e3}, {"3 MJ", 3e6},  {"1.5GJ", 1.5e9}, {"2kWh", 7.2e6},
      {" 10 Wh ", 36000}, {"1MWh", 3.6e9},  {"1e3J", 1000}, {"0.5kWh", 1.8e6}};
  for (const auto& [text, joules] : cases)
    EXPECT_DOUBLE_EQ(parse_energy(text).value().value, joules) << text;
  for (const auto* text :
       {"", "J", "5", "-5J", "0J", "5 apples", "5kwh", "infJ", "nanJ", "1e400J", "5JJ", "0x5J"})
    EXPECT_FALSE(parse_energy(text)) << text;
}

TEST(StudyValues, BytesHaveAUnitOrAreBytes) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"8GiB", 8ull << 30}, {"500 MB", 500'000'000},    {"1.5KiB", 1536}, {"7", 7}, {"0B", 0},
      {"2TiB", 2ull << 40}, {"1TB", 1'000'000'000'000}, {"3kB", 3000}};
  for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_bytes(text).value(), bytes) << text;
  for (const auto* text : {"", "GiB", "-1", "8 gigabytes", "1e30", "5EiB", "inf", "nan"})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(StudyValues, SharesAreFractions) {
  EXPECT_DOUBLE_EQ(parse_share("5%").value(), 0.05);
  EXPECT_DOUBLE_EQ(parse_share("0.05").value(), 0.05);
  EXPECT_DOUBLE_EQ(parse_share(" 100 % ").value(), 1);
  for (const auto* text : {"", "%", "5", "101%", "-1%", "5 percent", "nan", "inf%"})
    EXPECT_FALSE(parse_share(text)) << text;
}

TEST(StudyValues, ClocksAreMegahertz) {
  EXPECT_EQ(parse_megahertz("1410MHz").value(), 1410);
  EXPECT_EQ(parse_megahertz("1.41 GHz").value(), 1410);
  EXPECT_EQ(parse_megahertz("1500").value(), 1500);
  for (const auto* text : {"", "0", "-5", "1410kHz", "1e9GHz", "fast"})
    EXPECT_FALSE(parse_megahertz(text)) << text;
}

/// Any text that TOML can carry, with a liking for what must be escaped.
rc::Gen<std::string> toml_text_value() {
  return rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("ab \"'\\{}=.#[]\n\t\r\x01\x1f\x7f,-%$")));
}

StudyNode random_value(int depth) {
  StudyNode node;
  switch (*rc::gen::inRange(0, depth > 0 ? 6 : 4)) {
    case 0:
      node.kind = StudyNode::Kind::text;
      node.text = *toml_text_value();
      break;
    case 1:
      node.kind = StudyNode::Kind::integer;
      node.integer = *rc::gen::arbitrary<std::int64_t>();
      node.text = std::to_string(node.integer);
      break;
    case 2:
      node.kind = StudyNode::Kind::boolean;
      node.boolean = *rc::gen::arbitrary<bool>();
      node.text = node.boolean ? "true" : "false";
      break;
    case 3:
      node.kind = StudyNode::Kind::number;
      node.text = *rc::gen::elementOf(
          std::vector<std::string>{"0.1", "1e-07", "3.0", "-2.5", "1e+300", "123456789.0", "inf"});
      break;
    default:
      node.kind = *rc::gen::elementOf(std::vector{StudyNode::Kind::list, StudyNode::Kind::table});
      for (const auto& key : *rc::gen::unique<std::vector<std::string>>(toml_text_value())) {
        if (node.inside.size() == 3) break;
        node.inside.push_back(random_value(depth - 1));
        if (node.is_table()) node.inside.back().key = key;
      }
  }
  return node;
}

/// The same keys and values; tables in any order, as TOML does not keep values and tables mixed.
bool same(const StudyNode& a, const StudyNode& b) {
  if (a.kind != b.kind || a.inside.size() != b.inside.size()) return false;
  if (a.is_scalar()) return a.text == b.text;
  for (std::size_t i = 0; i < a.inside.size(); ++i) {
    const auto* other = a.is_table() ? b.find(a.inside[i].key) : &b.inside[i];
    if (!other || !same(a.inside[i], *other)) return false;
  }
  return true;
}

TEST(StudyValues, ATreeWrittenAsTomlReadsBackAsTheSame) {
  EXPECT_TRUE(rc::check([] {
    StudyNode tree;
    for (const auto* key : {"a", "b c", "", "d"}) {
      tree.inside.push_back(random_value(3));
      tree.inside.back().key = key;
    }
    Problems problems;
    const auto text = toml_text(tree);
    const auto again = parse_toml(text, "x.toml", problems);
    problems.refuse();
    RC_LOG() << text;
    RC_ASSERT(same(tree, again));
  }));
}

}  // namespace
}  // namespace prengdl
