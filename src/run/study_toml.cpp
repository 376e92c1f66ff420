// SPDX-License-Identifier: Apache-2.0
//
// The one file that includes toml++: it takes longer to compile than all of the study file's other
// parts together.
#include "run/study_toml.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"

namespace prengdl::study_toml {

/// Some mistakes, "[[[x]]]" is one, break what toml++ 3.3 takes for granted.
struct LostItsWay {};

[[noreturn]] inline void lose_the_way() { throw LostItsWay{}; }

}  // namespace prengdl::study_toml

// Checked in every build, and an error like any other: asserting would end the program, and not to
// check would leave it undefined.
#undef NDEBUG
#define TOML_ASSERT(expression)                               \
  do {                                                        \
    if (!(expression)) ::prengdl::study_toml::lose_the_way(); \
  } while (false)
// toml++ and what is done with its trees recurse: a document must not be able to use up the stack.
#define TOML_MAX_NESTED_VALUES 16
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace prengdl {
namespace {

using study_toml::LostItsWay;

constexpr std::size_t most_dots = 16;

/// Dots in one key or header beyond `most_dots`, which toml++ 3.3 would follow to any depth.
/// Strings and comments are skipped. Where the text is no TOML this may lose its way; the parser
/// then stops at the same place.
class DotCounter {
 public:
  explicit DotCounter(std::string_view text) : text_(text) {}

  /// The place of the first dot too many; nothing if there is none.
  std::optional<std::pair<std::size_t, std::size_t>> excess() {
    std::size_t dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '.' && ++dots > most_dots) return place();
      if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '[') dots = 0;
      ++at_;
    }
    return std::nullopt;
  }

 private:
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool lines = text_.substr(at_, 3) == three;
    at_ += lines ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && quote == '"') {
        at_ += 2;
      } else if (lines && text_.substr(at_, 3) == three) {
        at_ += 3;
        while (at_ < text_.size() && text_[at_] == quote) ++at_;  // """a""""" ends with two quotes
        return;
      } else if (!lines && (text_[at_] == quote || text_[at_] == '\n')) {
        ++at_;
        return;
      } else {
        ++at_;
      }
    }
  }

  std::pair<std::size_t, std::size_t> place() const {
    const auto before = text_.substr(0, at_);
    const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    const auto start = before.rfind('\n');
    return {line, at_ - (start == std::string_view::npos ? 0 : start + 1) + 1};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// As Python prints it, so that a level of 0.10 and one of 0.1 are the same, and a whole one shows
/// that it is no integer.
std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

class Converter {
 public:
  Converter(std::shared_ptr<const std::string> file, Problems& problems)
      : file_(std::move(file)), problems_(problems) {}

  StudyNode convert(const toml::node& node) const {
    StudyNode result;
    result.place = place(node.source());
    result.key_place = result.place;
    if (const auto* table = node.as_table()) {
      convert_table(*table, result);
    } else if (const auto* list = node.as_array()) {
      result.kind = StudyNode::Kind::list;
      for (const auto& item : *list) result.inside.push_back(convert(item));
    } else if (const auto* text = node.as_string()) {
      result.kind = StudyNode::Kind::text;
      result.text = usable(text->get(), result.place);
    } else if (const auto* integer = node.as_integer()) {
      result.kind = StudyNode::Kind::integer;
      result.integer = integer->get();
      result.number = static_cast<double>(result.integer);
      result.text = std::to_string(result.integer);
    } else if (const auto* number = node.as_floating_point()) {
      result.kind = StudyNode::Kind::number;
      result.number = number->get();
      result.text = number_text(result.number);
    } else if (const auto* boolean = node.as_boolean()) {
      result.kind = StudyNode::Kind::boolean;
      result.boolean = boolean->get();
      result.text = result.boolean ? "true" : "false";
    } else {
      // No key takes a date: it is named in the message of whoever wanted something else.
      result.kind = StudyNode::Kind::date;
    }
    return result;
  }

 private:
  Place place(const toml::source_region& source) const {
    return {file_, std::max<std::size_t>(source.begin.line, 1),
            std::max<std::size_t>(source.begin.column, 1)};
  }

  std::string usable(const std::string& text, const Place& where) const {
    if (text.find('\0') != std::string::npos)
      problems_.add(where, "a text holds a NUL character",
                    "no program, file or variable can be handed one; remove \\u0000");
    return text;
  }

  void convert_table(const toml::table& table, StudyNode& result) const {
    for (auto&& [key, value] : table) {
      auto node = convert(value);
      node.key_place = place(key.source());
      node.key = usable(std::string(key.str()), node.key_place);
      result.inside.push_back(std::move(node));
    }
    // toml++ sorts by name, but factors and levels count in the order in which they are written.
    std::stable_sort(result.inside.begin(), result.inside.end(),
                     [](const StudyNode& a, const StudyNode& b) {
                       return std::pair(a.key_place.line, a.key_place.column) <
                              std::pair(b.key_place.line, b.key_place.column);
                     });
  }

  std::shared_ptr<const std::string> file_;
  Problems& problems_;
};

/// The line at which the parser lost its way: the fewest lines with which it still does.
std::size_t line_of_loss(std::string_view text) {
  const auto lines = split(text, '\n');
  std::size_t fine = 0;
  std::size_t lost = lines.size();
  while (lost - fine > 1) {
    const auto middle = fine + (lost - fine) / 2;
    const auto& last = lines[middle - 1];
    const auto length = static_cast<std::size_t>(last.data() + last.size() - text.data());
    try {
      const auto read = toml::parse(text.substr(0, length));
      fine = middle;
    } catch (const toml::parse_error&) {
      fine = middle;  // a value that is cut off here
    } catch (const LostItsWay&) {
      lost = middle;
    }
  }
  return lost;
}

}  // namespace

StudyNode parse_toml(std::string_view text, const std::string& file, Problems& problems) {
  const auto name = std::make_shared<const std::string>(file);
  StudyNode nothing;
  nothing.place = nothing.key_place = Place{name, 1, 1};
  if (const auto deep = DotCounter(text).excess()) {
    problems.add({name, deep->first, deep->second}, "a key nests too deep",
                 fmt::format("no key of a study has more than {} dots", most_dots));
    return nothing;
  }
  try {
    return Converter(name, problems).convert(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    problems.add(
        {name, std::max<std::size_t>(begin.line, 1), std::max<std::size_t>(begin.column, 1)},
        fmt::format("this is not TOML: {}", error.description()),
        "docs/study-file.md shows how a study file looks");
    return nothing;
  } catch (const LostItsWay&) {
    problems.add({name, line_of_loss(text), 1},
                 "this is not TOML: a key or a bracket is wrong here",
                 "docs/study-file.md shows how a study file looks");
    return nothing;
  }
}

}  // namespace prengdl
