// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

namespace prengdl {
namespace {

constexpr std::string_view white = " \t\r\n\v\f";

struct Suffix {
  std::string_view name;
  double factor;
};

/// The number in front and the factor of the suffix behind it.
template <std::size_t N>
std::optional<double> number_with_suffix(std::string_view text,
                                         const std::array<Suffix, N>& suffixes) {
  text = trimmed(text);
  const auto letters = text.find_first_not_of("0123456789.+-eE");
  const auto number = parse_number(text.substr(0, letters));
  if (!number) return std::nullopt;
  const auto suffix =
      letters == std::string_view::npos ? std::string_view{} : trimmed(text.substr(letters));
  const auto known = std::find_if(suffixes.begin(), suffixes.end(),
                                  [&](const Suffix& s) { return s.name == suffix; });
  if (known == suffixes.end() || !std::isfinite(*number * known->factor)) return std::nullopt;
  return *number * known->factor;
}

/// The length of the UTF-8 sequence in front; 0 if it is broken or is a C1 control character, which
/// a terminal may obey.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) < 0xC2 ? 0 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (length == 0 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return byte(0) == 0xC2 && byte(1) < 0xA0 ? 0 : length;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (;;) {
    const auto first = text.find_first_not_of(white);
    if (first == std::string_view::npos) return found;
    text.remove_prefix(first);
    const auto end = text.find_first_of(white);
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end);
  }
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trimmed(text);
  std::int64_t value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

Result<Seconds> parse_duration(std::string_view text) {
  static constexpr std::array<Suffix, 9> suffixes{{{"", 1},
                                                   {"s", 1},
                                                   {"ms", 1e-3},
                                                   {"us", 1e-6},
                                                   {"ns", 1e-9},
                                                   {"min", 60},
                                                   {"m", 60},
                                                   {"h", 3600},
                                                   {"d", 86400}}};
  // Thirty years: what is added to a clock in nanoseconds must not overflow it.
  constexpr double longest = 1e9;
  const auto value = number_with_suffix(text, suffixes);
  if (value && *value >= 0 && *value <= longest) return Seconds{*value};
  return failure(fmt::format("'{}' is not a duration", text),
                 "write a number with its unit: 250ms, 5s, 10min, 2h");
}

Result<double> parse_rate(std::string_view text) {
  static constexpr std::array<Suffix, 4> suffixes{{{"", 1}, {"Hz", 1}, {"hz", 1}, {"kHz", 1000}}};
  const auto value = number_with_suffix(text, suffixes);
  if (value && *value > 0) return *value;
  return failure(fmt::format("'{}' is not a rate", text),
                 "write samples per second: 100, 100Hz or 1kHz");
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> numbers;
  for (const auto part : split(trimmed(text), ',')) {
    const auto dash = part.find('-');
    const auto first = parse_integer(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_integer(part.substr(dash + 1));
    if (!first || !last || *last > 65536) continue;
    for (auto n = *first; n <= *last; ++n) numbers.push_back(static_cast<int>(n));
  }
  return numbers;
}

Result<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> found;
  std::string word;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (white.find(c) != std::string_view::npos) {
      if (in_word) found.push_back(std::exchange(word, {}));
      in_word = false;
    } else if (c == '\'' || c == '"') {
      in_word = true;
      for (++i; i < text.size() && text[i] != c; ++i) {
        const bool escapes =
            c == '"' && text[i] == '\\' && i + 1 < text.size() &&
            std::string_view("\"\\$`\n").find(text[i + 1]) != std::string_view::npos;
        if (escapes) ++i;
        word += text[i];
      }
      if (i == text.size())
        return failure(fmt::format("a {} is not closed in: {}", c, text), "close the quote");
    } else if (c == '\\') {
      if (++i == text.size())
        return failure(fmt::format("a backslash ends: {}", text), "remove it or double it");
      in_word = true;
      word += text[i];
    } else {
      in_word = true;
      word += c;
    }
  }
  if (in_word) found.push_back(word);
  return found;
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(safe) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto number_end = [](const std::string& s, std::size_t from) {
        while (from < s.size() && is_digit(s[from])) ++from;
        return from;
      };
      const auto first = std::string_view(a).substr(i, number_end(a, i) - i);
      const auto second = std::string_view(b).substr(j, number_end(b, j) - j);
      const auto strip = [](std::string_view s) {
        return s.substr(std::min(s.find_first_not_of('0'), s.size() - 1));
      };
      const auto x = strip(first);
      const auto y = strip(second);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
      i += first.size();
      j += second.size();
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::string with_prefix(double value, std::string_view unit) {
  static constexpr std::array<Suffix, 7> prefixes{
      {{"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}}};
  const double size = std::abs(value);
  if (size == 0 || !std::isfinite(size)) return fmt::format("{} {}", value, unit);
  // The smallest prefix is for whatever is smaller still; 999.96 rounds up to the next prefix.
  auto prefix = prefixes.back();
  for (const auto& candidate : prefixes) {
    if (size >= candidate.factor * 0.99995) {
      prefix = candidate;
      break;
    }
  }
  const double scaled = value / prefix.factor;
  const double magnitude = std::abs(scaled);
  const int decimals = magnitude >= 99.995 ? 1 : magnitude >= 9.9995 ? 2 : 3;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, prefix.name, unit);
}

std::string for_people(Seconds duration) {
  const double s = duration.count();
  if (s < 0) return "-" + for_people(Seconds{-s});
  if (s < 60) return with_prefix(s, "s");
  const auto whole = static_cast<std::int64_t>(std::llround(s));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const auto length = c < 0x20 || c == 0x7F ? 0 : utf8_length(text);
    if (length == 0)
      safe += fmt::format("\\x{:02x}", c);
    else
      safe += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return safe;
}

std::string toml_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\u{:04X}", byte);
    else
      result += c;
  }
  return result + "\"";
}

std::string shortened(const std::string& text, std::size_t most) {
  const auto starts_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  std::size_t characters = 0;
  std::size_t cut = 0;  // where the last character that leaves room for the ellipsis ends
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!starts_character(text[i])) continue;
    if (characters + 1 == most) cut = i;
    if (++characters > most) return text.substr(0, cut) + "…";
  }
  return text;
}

std::string counted(std::size_t count, const std::string& one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const auto above = row[j + 1];
        row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (word[i] != candidate[j])});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace prengdl
