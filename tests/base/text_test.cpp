// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/parse.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "base/suggestions.h"

namespace prengdl {
namespace {

using Words = std::vector<std::string>;

TEST(Text, TrimsWhiteSpaceOfAllKinds) {
  EXPECT_EQ(trimmed(" \t a b\r\n\v\f"), "a b");
  EXPECT_EQ(trimmed(" \n "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Text, SplitsAtEverySeparator) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,,b,", ','), (Parts{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(words("  cpu  1\t2\n"), (Parts{"cpu", "1", "2"}));
  EXPECT_TRUE(words(" \n").empty());
}

TEST(Text, ReadsWholeIntegersOnly) {
  EXPECT_EQ(parse_integer(" 42\n"), 42);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const auto* text : {"", " ", "1.5", "12x", "0x10", "9223372036854775808", "- 7", "1 2"})
    EXPECT_EQ(parse_integer(text), std::nullopt) << "'" << text << "'";
}

TEST(Text, ReadsWholeFiniteNumbersOnly) {
  EXPECT_EQ(parse_number("2.5"), 2.5);
  EXPECT_EQ(parse_number(" +1e-3 "), 1e-3);
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  EXPECT_EQ(parse_number("2.3283064365386962890625e-10"), 0x1p-32);
  for (const auto* text :
       {"", "+", "+-5", "++5", "1e", "1,5", "nan", "inf", "-inf", "1e400", "5 W"})
    EXPECT_EQ(parse_number(text), std::nullopt) << "'" << text << "'";
}

TEST(Text, ReadsDurationsWithTheirUnits) {
  const std::pair<const char*, double> cases[] = {
      {"250ms", 0.25}, {"5s", 5},      {"1.5min", 90}, {"2h", 7200},   {"10m", 600}, {"3", 3},
      {"100us", 1e-4}, {"5 ns", 5e-9}, {"1d", 86400},  {" 1e3ms ", 1}, {"0", 0}};
  for (const auto& [text, seconds] : cases) {
    const auto duration = parse_duration(text);
    ASSERT_TRUE(duration) << text;
    EXPECT_DOUBLE_EQ(duration->count(), seconds) << text;
  }
}

TEST(Text, RefusesWhatIsNoDuration) {
  for (const auto* text :
       {"", "s", "-5s", "5 parsecs", "5S", "1e308h", "20000d", "inf", "nan", "5s 3", "5,5s"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << "'" << text << "'";
    EXPECT_NE(std::string(duration.error().what()).find("'" + std::string(text) + "'"),
              std::string::npos);
    EXPECT_NE(duration.error().hint.find("10min"), std::string::npos);
  }
}

TEST(Text, ReadsRatesInHertz) {
  EXPECT_DOUBLE_EQ(parse_rate("100Hz").value(), 100);
  EXPECT_DOUBLE_EQ(parse_rate("1kHz").value(), 1000);
  EXPECT_DOUBLE_EQ(parse_rate("0.5 hz").value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_rate("1000").value(), 1000);
  for (const auto* text : {"", "0", "-1Hz", "1MHz", "10ms", "Hz"}) {
    const auto rate = parse_rate(text);
    ASSERT_FALSE(rate) << "'" << text << "'";
    EXPECT_FALSE(rate.error().hint.empty());
  }
}

TEST(Text, ReadsCpuListsAsTheKernelWritesThem) {
  using Numbers = std::vector<int>;
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (Numbers{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("0,36"), (Numbers{0, 36}));
  EXPECT_EQ(parse_cpu_list("5"), Numbers{5});
  EXPECT_EQ(parse_cpu_list("7-7"), Numbers{7});
}

TEST(Text, LeavesOutThePartsOfACpuListThatMakeNoSense) {
  using Numbers = std::vector<int>;
  EXPECT_EQ(parse_cpu_list(""), Numbers{});
  EXPECT_EQ(parse_cpu_list("a,2,3-,-4,5-x,9-8,6"), (Numbers{2, 6}));
  EXPECT_EQ(parse_cpu_list("0-9999999999,1"), Numbers{1});
  EXPECT_EQ(parse_cpu_list("5--9223372036854775808,1"), Numbers{1});
  EXPECT_EQ(parse_cpu_list("99999999999,1"), Numbers{1});
}

TEST(Text, SplitsWordsAsAShellDoes) {
  const std::pair<const char*, Words> cases[] = {
      {"a  b\tc\n", {"a", "b", "c"}},
      {"'a b' \"c d\"", {"a b", "c d"}},
      {"a'b c'd", {"ab cd"}},
      {"'' \"\"", {"", ""}},
      {"a\\ b \\\\ \\'", {"a b", "\\", "'"}},
      {"'it\\s'", {"it\\s"}},
      {"\"a\\\"b\\\\c\\$d\\`e\\f\"", {"a\"b\\c$d`e\\f"}},
      {"'a\"b' \"c'd\"", {"a\"b", "c'd"}},
      {"$HOME *.c | x", {"$HOME", "*.c", "|", "x"}},  // no variables, no globs, no pipes
      {"", {}},
      {" \n ", {}}};
  for (const auto& [line, expected] : cases) {
    const auto found = shell_words(line);
    ASSERT_TRUE(found) << line;
    EXPECT_EQ(*found, expected) << line;
  }
}

TEST(Text, SaysWhichQuoteIsOpen) {
  const auto single = shell_words("echo 'a b");
  ASSERT_FALSE(single);
  EXPECT_STREQ(single.error().what(), "a ' is not closed in: echo 'a b");
  EXPECT_EQ(single.error().hint, "close the quote");
  EXPECT_FALSE(shell_words("\""));
  EXPECT_FALSE(shell_words("\"a\\\""));
  const auto backslash = shell_words("echo \\");
  ASSERT_FALSE(backslash);
  EXPECT_STREQ(backslash.error().what(), "a backslash ends: echo \\");
}

TEST(Text, QuotesOnlyWhatAShellWouldChange) {
  EXPECT_EQ(shell_line({"ls", "-l", "--x=1", "a/b.c"}), "ls -l --x=1 a/b.c");
  EXPECT_EQ(shell_line({"a b", "", "it's", "$x", "a\nb"}), "'a b' '' 'it'\\''s' '$x' 'a\nb'");
  EXPECT_EQ(shell_line({"~", "#", "!", "*"}), "'~' '#' '!' '*'");
}

TEST(Text, WordsSurviveTheRoadThroughAShellLine) {
  std::mt19937_64 random(1);
  const std::string letters = "ab \t\n'\"\\$`*?~#;&|<>(){}[]!=%\x01\x7f\xc3\xa9";
  for (int round = 0; round < 2000; ++round) {
    Words original(1 + random() % 4);
    for (auto& word : original)
      for (auto n = random() % 8; n > 0; --n) word += letters[random() % letters.size()];
    const auto line = shell_line(original);
    const auto again = shell_words(line);
    ASSERT_TRUE(again) << line;
    ASSERT_EQ(*again, original) << line;
  }
}

TEST(Text, SortsNumbersInNamesByValue) {
  Words names{"zone10", "zone2", "zone1:10", "zone1:9", "zone", "a", "zone02x"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_EQ(names, (Words{"a", "zone", "zone1:9", "zone1:10", "zone2", "zone02x", "zone10"}));
  EXPECT_FALSE(natural_less("zone2", "zone2"));
  EXPECT_TRUE(natural_less("a99999999999999999999998", "a99999999999999999999999"));
  EXPECT_TRUE(natural_less("0", "1"));
  EXPECT_FALSE(natural_less("00", "0"));
}

TEST(Text, NaturalOrderIsAnOrder) {
  std::mt19937_64 random(2);
  const std::string letters = "0129ab:";
  Words names(60);
  for (auto& name : names)
    for (auto n = random() % 5; n > 0; --n) name += letters[random() % letters.size()];
  for (const auto& a : names)
    for (const auto& b : names) {
      ASSERT_FALSE(natural_less(a, b) && natural_less(b, a)) << a << " " << b;
      for (const auto& c : names)
        if (natural_less(a, b) && natural_less(b, c)) {
          ASSERT_TRUE(natural_less(a, c)) << a << " < " << b << " < " << c;
        }
    }
}

TEST(Text, GivesFourDigitsAndAPrefix) {
  const std::pair<double, const char*> cases[] = {
      {0, "0 J"},           {1, "1.000 J"},       {12.345e-3, "12.35 mJ"}, {-1234, "-1.234 kJ"},
      {0.5e-9, "0.500 nJ"}, {123456, "123.5 kJ"}, {2e9, "2.000 GJ"},       {3e12, "3000.0 GJ"},
      {1e-6, "1.000 uJ"},   {99.994, "99.99 J"},  {100, "100.0 J"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(with_prefix(value, "J"), text);
}

TEST(Text, RoundsUpToTheNextPrefixAndNeverShowsFiveDigits) {
  EXPECT_EQ(with_prefix(999.94, "J"), "999.9 J");
  EXPECT_EQ(with_prefix(999.96, "J"), "1.000 kJ");
  EXPECT_EQ(with_prefix(-999.96, "J"), "-1.000 kJ");
  EXPECT_EQ(with_prefix(0.99996, "J"), "1.000 J");
  EXPECT_EQ(with_prefix(0.99994, "J"), "999.9 mJ");
  EXPECT_EQ(with_prefix(9.9996, "J"), "10.00 J");
  EXPECT_EQ(with_prefix(99.996, "J"), "100.0 J");
  std::mt19937_64 random(3);
  for (int round = 0; round < 20000; ++round) {
    const double exponent = std::uniform_real_distribution<double>(-8.9, 11.9)(random);
    const auto text = with_prefix(std::pow(10.0, exponent), "J");
    const auto digits =
        std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    ASSERT_EQ(digits, 4) << text;
  }
}

TEST(Text, TellsDurationsAsPeopleDo) {
  EXPECT_EQ(for_people(Seconds{812e-6}), "812.0 us");
  EXPECT_EQ(for_people(Seconds{4.21}), "4.210 s");
  EXPECT_EQ(for_people(Seconds{200}), "3 min 20 s");
  EXPECT_EQ(for_people(Seconds{3599.6}), "1 h 0 min");
  EXPECT_EQ(for_people(Seconds{3900}), "1 h 5 min");
  EXPECT_EQ(for_people(Seconds{90000}), "1 d 1 h");
  EXPECT_EQ(for_people(Seconds{-200}), "-3 min 20 s");
  EXPECT_EQ(for_people(Seconds{0}), "0 s");
}

TEST(Text, MakesControlCharactersHarmless) {
  EXPECT_EQ(printable("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x8b"),
            "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x8b");
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable(std::string_view("a\0b\n\r\x7f", 6)), "a\\x00b\\x0a\\x0d\\x7f");
}

TEST(Text, MakesC1ControlCharactersHarmless) {
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI in UTF-8
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");  // CSI in Latin-1
  EXPECT_EQ(printable("\xc2\x85"), "\\xc2\\x85");
  EXPECT_EQ(printable("\xc2\xa0\xc2\xb5"), "\xc2\xa0\xc2\xb5");  // no-break space, micro
}

TEST(Text, MakesBytesThatAreNotUtf8Visible) {
  EXPECT_EQ(printable("\xc3"), "\\xc3");  // cut in half
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc3("), "\\xc3(");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a UTF-16 pair
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // CSI, longer than it may be
  EXPECT_EQ(printable("\xe2\x1b["), "\\xe2\\x1b[");         // a lead byte must not hide an ESC
}

TEST(Text, ShortensByCharactersNotByBytes) {
  EXPECT_EQ(shortened("abcde", 5), "abcde");
  EXPECT_EQ(shortened("abcdef", 5), "abcd\xe2\x80\xa6");
  EXPECT_EQ(shortened("\xc3\xa9\xc3\xa9\xc3\xa9", 3), "\xc3\xa9\xc3\xa9\xc3\xa9");
  EXPECT_EQ(shortened("\xc3\xa9\xc3\xa9\xc3\xa9", 2), "\xc3\xa9\xe2\x80\xa6");
  EXPECT_EQ(shortened("", 3), "");
}

TEST(Text, FindsTheFirstCharacter) {
  const auto first = [](std::string_view text) {
    const auto found = first_character(text);
    return found ? std::pair<unsigned, std::size_t>{found->code, found->length}
                 : std::pair<unsigned, std::size_t>{0, 0};
  };
  EXPECT_EQ(first("ab"), (std::pair<unsigned, std::size_t>{'a', 1}));
  EXPECT_EQ(first("\xe2\x82\xac\xff"), (std::pair<unsigned, std::size_t>{0x20AC, 3}));
  EXPECT_EQ(first("\xf0\x9f\x94\x8b"), (std::pair<unsigned, std::size_t>{0x1F50B, 4}));
  EXPECT_FALSE(first_character(""));
  EXPECT_FALSE(first_character("\xff"));
  EXPECT_FALSE(first_character("\xe2\x82"));
}

TEST(Text, JoinsWithASeparator) {
  EXPECT_EQ(joined(Words{}, ", "), "");
  EXPECT_EQ(joined(Words{"a"}, ", "), "a");
  EXPECT_EQ(joined(Words{"", "b"}, ", "), ", b");
  EXPECT_EQ(joined(Words{"a", "b"}, ", ", toml_quoted), "\"a\", \"b\"");
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(Text, PercentEncodingIsReadBack) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  EXPECT_EQ(percent_encoded("a/b c%\xc3\xa9", is_letter), "a%2Fb%20c%25%C3%A9");
  EXPECT_EQ(percent_decoded("a%2Fb%20c%25%C3%a9"), "a/b c%\xc3\xa9");
  for (const auto* text : {"a%", "%4", "%G1", "%-1", "% 1"})
    EXPECT_FALSE(percent_decoded(text)) << text;
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(percent_decoded(percent_encoded(all, is_letter)), all);
}

TEST(Text, NumbersHaveTheirUnitBehindThem) {
  constexpr std::array<NamedUnit, 3> units{{{"", 1}, {"W", 1}, {"kW", 1e3}}};
  EXPECT_EQ(number_with_unit(" 1.5 kW ", units), 1500);
  EXPECT_EQ(number_with_unit("+2e2W", units), 200);
  EXPECT_EQ(number_with_unit("-7", units), -7);
  for (const auto* text : {"", "W", "5 J", "5 W W", "1e308kW", "nan", "inf W", "+-1", "0x10"})
    EXPECT_FALSE(number_with_unit(text, units)) << text;
}

TEST(Text, GuessesWhatWasMeant) {
  const Words commands{"measure", "meters", "doctor"};
  EXPECT_EQ(nearest("mesure", commands), "measure");
  EXPECT_EQ(nearest("meter", commands), "meters");
  EXPECT_EQ(nearest("docotr", commands), "doctor");
  EXPECT_EQ(nearest("report", commands), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

}  // namespace
}  // namespace prengdl
