// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <map>

#include "report/formats.h"

namespace prengdl {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_of_path(char c) {
  return is_word(c) || std::string_view("/.-+~@%").find(c) != std::string_view::npos;
}

class Anonymiser {
 public:
  explicit Anonymiser(std::vector<std::string> names) : names_(std::move(names)) {}

  void clean(std::string& text) {
    if (text.size() < 3) return;
    without_paths(text);
    without_devices(text);
    for (const auto& name : names_) without_name(text, name);
  }

 private:
  /// "/home/someone/train.py" becomes "train.py"; what was different stays so: "train.py (2)".
  std::string last_part(const std::string& path) {
    const auto known = paths_.find(path);
    if (known != paths_.end()) return known->second;
    const auto end = path.find_last_not_of('/');
    const auto begin = path.find_last_of('/', end);
    std::string last = end == std::string::npos ? "" : path.substr(begin + 1, end - begin);
    const std::size_t before = taken_[last]++;
    if (before > 0) last += " (" + std::to_string(before + 1) + ")";
    return paths_[path] = last;
  }

  void without_paths(std::string& text) {
    for (std::size_t at = text.find('/'); at != std::string::npos; at = text.find('/', at)) {
      const bool is_home = at > 0 && text[at - 1] == '~';
      const std::size_t begin = is_home ? at - 1 : at;
      // A slash inside of a word is a ratio, a unit or a relative path, which names no one.
      const bool begins_word = begin == 0 || !is_of_path(text[begin - 1]);
      std::size_t end = at;
      while (end < text.size() && is_of_path(text[end])) ++end;
      while (end > at && (text[end - 1] == '.' || text[end - 1] == ',')) --end;
      const std::string path = text.substr(begin, end - begin);
      const bool is_path =
          begins_word && (is_home || (path.size() > 1 && path.find('/', 1) != std::string::npos));
      if (!is_path) {
        at = std::max(end, at + 1);
        continue;
      }
      const std::string last = last_part(path);
      text.replace(begin, path.size(), last);
      at = begin + last.size();
    }
  }

  /// Unique identifiers: GPU-8f2e... and bare UUIDs.
  static void without_devices(std::string& text) {
    static constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    for (std::size_t at = 0; at + shape.size() <= text.size(); ++at) {
      bool fits = true;
      for (std::size_t i = 0; i < shape.size() && fits; ++i)
        fits = shape[i] == '-' ? text[at + i] == '-'
                               : std::isxdigit(static_cast<unsigned char>(text[at + i])) != 0;
      if (fits) text.replace(at, shape.size(), "(left out)");
    }
  }

  static void without_name(std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      const bool begins = at == 0 || !is_word(text[at - 1]);
      const bool ends = at + name.size() == text.size() || !is_word(text[at + name.size()]);
      if (!begins || !ends) {
        at += name.size();
        continue;
      }
      text.replace(at, name.size(), "(left out)");
      at += 10;
    }
  }

  std::vector<std::string> names_;
  std::map<std::string, std::string> paths_;
  std::map<std::string, std::size_t> taken_;
};

}  // namespace

void make_anonymous(Report& report, const std::vector<std::string>& names) {
  Anonymiser anonymiser(names);
  report.is_anonymous = true;
  each_text(report, [&](std::string& text) { anonymiser.clean(text); });
}

}  // namespace prengdl
