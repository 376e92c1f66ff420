// SPDX-License-Identifier: Apache-2.0
#include "study/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "base/parse.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "base/suggestions.h"

namespace prengdl {
namespace {

using NodeKind = StudyNode::Kind;

bool is_number(const StudyNode& node) {
  return node.kind == NodeKind::integer || node.kind == NodeKind::number;
}

/// What stands in front of a unit, also where it is a bare number.
bool is_amount(const StudyNode& node) { return node.kind == NodeKind::text || is_number(node); }

/// Why a text is no list of arguments, with the list that it probably is.
std::string as_list(const std::string& line) {
  const auto words = shell_words(line);
  if (!words || words->empty()) return "write a list: [\"program\", \"argument\"]";
  return fmt::format("write a list: [\"{}\"]", fmt::join(*words, "\", \""));
}

}  // namespace

Values::Values(const StudyNode* table, Problems& problems) : problems_(problems) {
  if (table && table->is_table()) table_ = table;
  if (table && !table->is_table()) must_be(*table, "a table");
}

const StudyNode* Values::find(std::string_view key) const {
  return table_ ? table_->find(key) : nullptr;
}

void Values::problem(const StudyNode& node, const std::string& what, std::string hint) const {
  problems_.add(node.place, what, std::move(hint));
}

void Values::must_be(const StudyNode& node, std::string_view wanted, std::string hint) const {
  const auto name = node.key.empty() ? std::string("this") : "'" + node.key + "'";
  problem(node, fmt::format("{} must be {}, not {}", name, wanted, kind_name(node.kind)),
          std::move(hint));
}

void Values::text(std::string_view key, std::string& target) const {
  const auto* node = find(key);
  if (!node) return;
  if (node->kind == NodeKind::text)
    target = node->text;
  else
    must_be(*node, "text", node->is_scalar() ? fmt::format("write \"{}\"", node->text) : "");
}

void Values::flag(std::string_view key, bool& target) const {
  const auto* node = find(key);
  if (!node) return;
  if (node->kind == NodeKind::boolean)
    target = node->boolean;
  else
    must_be(*node, "true or false");
}

void Values::word(std::string_view key, const std::vector<std::string>& words,
                  std::string& target) const {
  const auto* node = find(key);
  if (!node) return;
  if (node->kind != NodeKind::text)
    must_be(*node, fmt::format("one of {}", fmt::join(words, ", ")));
  else if (std::find(words.begin(), words.end(), node->text) != words.end())
    target = node->text;
  else if (const auto meant = nearest(node->text, words))
    problem(*node, fmt::format("'{}' cannot be '{}'", key, node->text),
            fmt::format("did you mean '{}'?", *meant));
  else
    problem(*node, fmt::format("'{}' cannot be '{}'", key, node->text),
            fmt::format("it can be {}", fmt::join(words, ", ")));
}

std::optional<std::int64_t> Values::count(std::string_view key, std::int64_t least,
                                          std::int64_t most) const {
  const auto* node = find(key);
  if (!node) return std::nullopt;
  const auto range = fmt::format("a whole number from {} to {}", least, most);
  if (node->kind != NodeKind::integer)
    must_be(*node, range);
  else if (node->integer < least || node->integer > most)
    problem(*node, fmt::format("'{}' must be {}, not {}", key, range, node->integer));
  else
    return node->integer;
  return std::nullopt;
}

template <class Parse>
auto Values::amount(std::string_view key, const char* what, const char* example,
                    Parse parse) const {
  std::optional<typename std::invoke_result_t<Parse, std::string_view>::value_type> amount;
  const auto* node = find(key);
  if (!node) return amount;
  if (!is_amount(*node)) {
    must_be(*node, what, example);
    return amount;
  }
  const auto value = parse(node->text);
  if (value)
    amount = *value;
  else
    problem(*node, value.error().what(), value.error().hint);
  return amount;
}

void Values::duration(std::string_view key, std::optional<Seconds>& target) const {
  const auto value = amount(key, "a duration", "write 250ms, 5s, 10min or 2h", parse_duration);
  if (!value) return;
  if (*value <= Seconds{0})
    problem(*find(key), fmt::format("'{}' must be longer than zero", key), "leave it out for none");
  else
    target = *value;
}

void Values::duration_or_off(std::string_view key, std::optional<Seconds>& target) const {
  const auto* node = find(key);
  if (node && node->kind == NodeKind::text && node->text == "off")
    target = std::nullopt;
  else
    duration(key, target);
}

void Values::rate(std::string_view key, Seconds& interval) const {
  const auto value = amount(key, "a rate", "write 100Hz or 1kHz", parse_rate);
  if (!value) return;
  if (*value < 0.1 || *value > 1000)
    problem(*find(key), fmt::format("'{}' must be from 0.1 Hz to 1 kHz", key),
            "100Hz suits most meters");
  else
    interval = Seconds{1 / *value};
}

void Values::megahertz(std::string_view key, std::optional<int>& target) const {
  if (const auto value = amount(key, "a clock rate", "write 1410MHz or 1.41GHz", parse_megahertz))
    target = value;
}

void Values::bytes(std::string_view key, std::optional<std::uint64_t>& target) const {
  if (const auto value = amount(key, "an amount of bytes", "write 500MB or 8GiB", parse_bytes))
    target = value;
}

void Values::share(std::string_view key, double least, double most, double& target) const {
  constexpr const char* example = "write 5% or 0.05";
  const auto value = amount(key, "a share", example, parse_share);
  if (!value) return;
  if (*value < least || *value > most)
    problem(*find(key), fmt::format("'{}' must be from {} to {}", key, least, most), example);
  else
    target = *value;
}

bool Values::list_of_texts(const StudyNode& node, std::vector<std::string>& target) const {
  std::vector<std::string> found;
  for (const auto& item : node.inside) {
    if (!item.is_scalar()) {
      problem(item, fmt::format("an item must be text, not {}", kind_name(item.kind)));
      return false;
    }
    found.push_back(item.text);
  }
  target = std::move(found);
  return true;
}

void Values::texts_of(const StudyNode& node, std::vector<std::string>& target) const {
  if (node.is_list())
    list_of_texts(node, target);
  else
    must_be(node, "a list of texts",
            node.is_scalar() ? fmt::format("write [\"{}\"]", node.text) : "");
}

void Values::texts(std::string_view key, std::vector<std::string>& target) const {
  if (const auto* node = find(key)) texts_of(*node, target);
}

bool Values::arguments(const StudyNode& node, std::vector<std::string>& target) const {
  if (node.kind == NodeKind::text) {
    problem(node, "a command is a list of arguments, not a line for a shell", as_list(node.text));
    return false;
  }
  if (!node.is_list()) {
    must_be(node, "a command, which is a list of arguments", "write [\"program\", \"argument\"]");
    return false;
  }
  std::vector<std::string> found;
  if (!list_of_texts(node, found)) return false;
  if (found.empty() || found[0].empty()) {
    problem(node, "a command must name a program", "write [\"program\", \"argument\"]");
    return false;
  }
  target = std::move(found);
  return true;
}

void Values::command(std::string_view key, std::vector<std::string>& target) const {
  if (const auto* node = find(key)) arguments(*node, target);
}

void Values::commands(std::string_view key, std::vector<std::vector<std::string>>& target) const {
  const auto* node = find(key);
  if (!node) return;
  const bool several = node->is_list() && (node->inside.empty() || node->inside[0].is_list());
  std::vector<std::vector<std::string>> found;
  if (several) {
    for (const auto& item : node->inside)
      if (!arguments(item, found.emplace_back())) return;
  } else if (!arguments(*node, found.emplace_back())) {
    return;
  }
  target = std::move(found);
}

void Values::cpus(std::string_view key, std::vector<int>& target) const {
  const auto* node = find(key);
  if (!node) return;
  std::vector<int> found;
  if (node->kind == NodeKind::text) {
    for (const auto part : split(node->text, ',')) {
      // parse_cpu_list skips what it does not understand; here that is a mistake.
      const auto some = parse_cpu_list(part);
      if (some.empty() || some[0] < 0)
        return problem(*node, fmt::format("'{}' is not a list of CPUs", node->text),
                       "write [0, 1] or \"0-3,8\"");
      found.insert(found.end(), some.begin(), some.end());
    }
  } else if (node->is_list()) {
    for (const auto& item : node->inside) {
      if (item.kind != NodeKind::integer || item.integer < 0 || item.integer > 65535)
        return problem(item, "a CPU is a whole number from 0 to 65535");
      found.push_back(static_cast<int>(item.integer));
    }
  } else {
    return must_be(*node, "a list of CPUs", "write [0, 1] or \"0-3,8\"");
  }
  if (found.empty())
    return problem(*node, fmt::format("'{}' names no CPU", key), "write [0, 1] or \"0-3,8\"");
  target = std::move(found);
}

}  // namespace prengdl
