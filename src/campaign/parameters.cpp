// SPDX-License-Identifier: Apache-2.0
#include "campaign/parameters.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/escaping.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "study/checks.h"

namespace prengdl {
namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view name_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

bool is_name(std::string_view text) {
  return !text.empty() && letters.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of(name_characters) == std::string_view::npos;
}

/// The name in braces in front of a text, "batch" of "{batch} ..."; empty if there is none.
std::string_view name_in_front(std::string_view text) {
  if (!text.starts_with('{')) return {};
  const auto end = text.find('}');
  if (end == std::string_view::npos) return {};
  const auto name = text.substr(1, end - 1);
  return is_name(name) ? name : std::string_view{};
}

/// Walks over a word and hands out its plain text and the names in braces.
void walk(std::string_view word, const std::function<void(std::string_view)>& plain,
          const std::function<void(std::string_view)>& name) {
  while (!word.empty()) {
    if (word.starts_with("{{")) {
      const auto escaped = name_in_front(word.substr(1));
      if (!escaped.empty() && word.substr(escaped.size() + 3).starts_with('}')) {
        plain(word.substr(1, escaped.size() + 2));
        word.remove_prefix(escaped.size() + 4);
        continue;
      }
    }
    if (const auto found = name_in_front(word); !found.empty()) {
      name(found);
      word.remove_prefix(found.size() + 2);
      continue;
    }
    // A shell's ${NAME} is not ours.
    const std::size_t step = word.starts_with("${") ? 2 : 1;
    plain(word.substr(0, step));
    word.remove_prefix(step);
  }
}

bool is_parameter(std::string_view name, const std::vector<Factor>& parameters) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const Factor& one) { return one.name == name; });
}

[[noreturn]] void refuse_unknown(std::string_view name, const std::vector<Factor>& parameters) {
  std::vector<std::string> known;
  known.reserve(parameters.size());
  for (const auto& one : parameters) known.push_back(one.name);
  const auto meant = nearest(std::string(name), known);
  throw UsageError(
      fmt::format("the command has {{{}}}, but no list is called '{}'", name, name),
      meant ? fmt::format("did you mean {{{}}}?", *meant)
            : fmt::format("add -L {} VALUE,VALUE, or write {{{{{}}}}} for braces that stay", name,
                          name));
}

}  // namespace

Factor parameter_list(const std::string& name, const std::string& values) {
  if (!is_name(name))
    throw UsageError(fmt::format("-L {}: this is not a name for a list", printable(name)),
                     "use letters, digits and _, as in -L batch 16,64");
  if (name == "command" || name == "environment" || is_taken_name(name))
    throw UsageError(fmt::format("-L {}: this name is reserved", name),
                     "choose another name, in the command too");
  Factor factor{name, {}};
  std::string value;
  const auto add = [&] {
    if (value.empty())
      throw UsageError(fmt::format("-L {} {}: a value is empty", name, printable(values)),
                       "separate values by single commas, as in -L batch 16,64");
    if (std::find(factor.levels.begin(), factor.levels.end(), value) != factor.levels.end())
      throw UsageError(fmt::format("-L {}: the value {} appears twice", name, printable(value)),
                       "give each value once");
    factor.levels.push_back(std::exchange(value, {}));
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == '\\' && i + 1 < values.size() && values[i + 1] == ',')
      value += values[++i];
    else if (values[i] == ',')
      add();
    else
      value += values[i];
  }
  add();
  return factor;
}

void check_placeholders(const std::vector<std::vector<std::string>>& commands,
                        const std::vector<Factor>& parameters) {
  std::set<std::string, std::less<>> names;
  for (const auto& one : parameters)
    if (!names.insert(one.name).second)
      throw UsageError(fmt::format("-L {} is given twice", one.name),
                       "put all values into one list");
  if (parameters.empty()) return;
  std::set<std::string, std::less<>> used;
  for (const auto& words : commands)
    for (const auto& word : words)
      walk(
          word, [](std::string_view) {},
          [&](std::string_view name) {
            if (!is_parameter(name, parameters)) refuse_unknown(name, parameters);
            used.emplace(name);
          });
  for (const auto& one : parameters)
    if (!used.contains(one.name))
      throw UsageError(fmt::format("no command uses the list -L {}", one.name),
                       fmt::format("write {{{}}} where its values belong", one.name));
}

std::string template_word(const std::string& word, const std::vector<Factor>& parameters) {
  std::string text;
  const auto plain = [&](std::string_view part) {
    for (const char c : part) text.append(c == '{' || c == '}' ? 2 : 1, c);
  };
  if (parameters.empty()) {
    plain(word);
    return text;
  }
  walk(word, plain, [&](std::string_view name) {
    const std::string braced = fmt::format("{{{}}}", name);
    if (is_parameter(name, parameters))
      text += braced;
    else
      plain(braced);
  });
  return text;
}

}  // namespace prengdl
