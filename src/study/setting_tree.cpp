// SPDX-License-Identifier: Apache-2.0
#include "study/setting_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/escaping.h"
#include "base/strings.h"

namespace prengdl {
namespace {

constexpr std::size_t longest = 300;  // of a message, in characters: it may quote anything
constexpr std::size_t most_emitted = 10;
constexpr std::size_t most_kept = 1000;  // a file full of mistakes must not take minutes

bool is_added_to(std::string_view key) { return key == "exclude" || key == "override"; }

/// An environment is of one kind: half of one and half of another is neither.
bool is_replaced_whole(std::string_view key) { return key == "environment"; }

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (byte < 0x20 || byte == 0x7F)
      result += fmt::format("\\u{:04X}", byte);
    else
      result += c;
  }
  return result + '"';
}

std::string key_text(std::string_view key) {
  constexpr std::string_view bare =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !key.empty() && key.find_first_not_of(bare) == std::string_view::npos ? std::string(key)
                                                                               : in_quotes(key);
}

std::string value_text(const StudyNode& node) {
  if (node.kind == StudyNode::Kind::text) return in_quotes(node.text);
  if (node.is_scalar() || node.kind == StudyNode::Kind::date) return node.text;
  const auto result = joined(node.inside, ", ", [&](const StudyNode& part) {
    return (node.is_table() ? key_text(part.key) + " = " : "") + value_text(part);
  });
  return node.is_list() ? "[" + result + "]" : result.empty() ? "{}" : "{ " + result + " }";
}

void add_table(const StudyNode& table, const std::string& path, std::string& result) {
  // Values first: after the first header a key would belong to that header's table.
  for (const auto& node : table.inside)
    if (!node.is_table()) result += key_text(node.key) + " = " + value_text(node) + "\n";
  for (const auto& node : table.inside) {
    if (!node.is_table()) continue;
    const auto name = path.empty() ? key_text(node.key) : path + "." + key_text(node.key);
    result += "\n[" + name + "]\n";
    add_table(node, name, result);
  }
}

}  // namespace

const StudyNode* StudyNode::find(std::string_view name) const {
  if (!is_table()) return nullptr;
  const auto found = std::find_if(inside.begin(), inside.end(),
                                  [&](const StudyNode& node) { return node.key == name; });
  return found == inside.end() ? nullptr : &*found;
}

StudyNode* StudyNode::find(std::string_view name) {
  return const_cast<StudyNode*>(std::as_const(*this).find(name));
}

void each_text(const StudyNode& node, const std::function<void(const StudyNode&)>& use) {
  if (node.kind == StudyNode::Kind::text) use(node);
  for (const auto& part : node.inside) each_text(part, use);
}

std::string_view kind_name(StudyNode::Kind kind) {
  switch (kind) {
    case StudyNode::Kind::text:
      return "text";
    case StudyNode::Kind::integer:
      return "a whole number";
    case StudyNode::Kind::number:
      return "a number";
    case StudyNode::Kind::boolean:
      return "true or false";
    case StudyNode::Kind::date:
      return "a date or time";
    case StudyNode::Kind::list:
      return "a list";
    case StudyNode::Kind::table:
      return "a table";
  }
  return "";
}

void merge(StudyNode& base, const StudyNode& over) {
  for (const auto& node : over.inside) {
    StudyNode* known = base.find(node.key);
    if (!known)
      base.inside.push_back(node);
    else if (known->is_table() && node.is_table() && !is_replaced_whole(node.key))
      merge(*known, node);
    else if (is_added_to(node.key) && known->is_list() && node.is_list())
      known->inside.insert(known->inside.end(), node.inside.begin(), node.inside.end());
    else
      *known = node;
  }
}

std::string toml_text(const StudyNode& tree) {
  std::string result;
  add_table(tree, "", result);
  return result;
}

void Problems::add(const Place& place, std::string what, std::string hint) {
  if (full()) return;
  const bool emitted = std::any_of(found_.begin(), found_.end(),
                                   [&](const Problem& known) { return known.place == place; });
  if (!emitted) found_.push_back({place, std::move(what), std::move(hint)});
}

bool Problems::full() const { return found_.size() >= most_kept; }

void Problems::refuse() const {
  if (found_.empty()) return;
  // As they stand in the files; files in the order in which something was found in them.
  std::vector<std::string> files;
  const auto file_order = [&](const Place& place) {
    const auto known = std::find(files.begin(), files.end(), *place.file);
    if (known != files.end()) return known - files.begin();
    files.push_back(*place.file);
    return static_cast<std::ptrdiff_t>(files.size()) - 1;
  };
  auto sorted = found_;
  for (const auto& problem : sorted) file_order(problem.place);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Problem& a, const Problem& b) {
    return std::tuple(file_order(a.place), a.place.line, a.place.column) <
           std::tuple(file_order(b.place), b.place.line, b.place.column);
  });
  const auto line = [](const Problem& problem) {
    return fmt::format("{}:{}:{}: {}", printable(*problem.place.file), problem.place.line,
                       problem.place.column, shortened(printable(problem.what), longest));
  };
  const auto hint = [](const Problem& problem) {
    return shortened(printable(problem.hint), longest);
  };
  if (sorted.size() == 1) throw UsageError(line(sorted[0]), hint(sorted[0]));

  std::string text;
  for (std::size_t i = 0; i < std::min(most_emitted, sorted.size()); ++i) {
    if (i > 0) text += '\n';
    text += line(sorted[i]);
    if (!sorted[i].hint.empty()) text += " (" + hint(sorted[i]) + ")";
  }
  throw UsageError(text, sorted.size() > most_emitted
                             ? fmt::format("and {} more", sorted.size() - most_emitted)
                             : "");
}

}  // namespace prengdl
