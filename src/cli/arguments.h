// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prengdl {

/// The options of one subcommand: a thin layer over the library that parses them, so that only one
/// file compiles its header. Texts are not copied: pass literals.
class Arguments {
 public:
  Arguments(std::string_view command, std::string_view description);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void flag(std::string_view names, bool& value, std::string_view help);
  void text(std::string_view names, std::string& value, std::string_view help,
            std::string_view placeholder);
  void texts(std::string_view names, std::vector<std::string>& values, std::string_view help,
             std::string_view placeholder);
  void count(std::string_view names, std::size_t& value, std::string_view help);
  /// Two words each time: `-L NAME VALUES`.
  void pairs(std::string_view names, std::vector<std::pair<std::string, std::string>>& values,
             std::string_view help, std::string_view placeholder);

  /// Words without a dash, in the order of these calls: one that must be there, one that
  /// may be, or all that are left.
  void word(std::string_view name, std::string& value, std::string_view help);
  void optional_word(std::string_view name, std::string& value, std::string_view help);
  void words(std::string_view name, std::vector<std::string>& values, std::string_view help);

  /// Everything after `--`.
  void command_line(std::vector<std::string>& words, std::string_view help);
  void footer(std::string_view text);

  /// False when help was asked for and printed. Throws a UsageError for a wrong call.
  bool parse(const std::vector<std::string>& arguments);

 private:
  class Parser;
  struct Option;
  const Option* option_called(const std::string& word) const;
  void refuse_swallowed_options(std::span<const std::string> given) const;

  std::string_view command_;
  std::string_view description_;
  std::string_view footer_;
  std::string rest_;  // of the usage line, after the options
  std::vector<Option> options_;
  std::vector<std::string>* command_line_ = nullptr;
};

}  // namespace prengdl
