// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace prengdl {

/// The options of one subcommand. A thin door to the library that parses them, whose header takes
/// longer to compile than everything that includes this one.
class Arguments {
 public:
  Arguments(const std::string& command, const std::string& description);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void flag(const std::string& names, bool& value, const std::string& help);
  void text(const std::string& names, std::string& value, const std::string& help,
            const std::string& placeholder);
  void texts(const std::string& names, std::vector<std::string>& values, const std::string& help,
             const std::string& placeholder);
  void count(const std::string& names, std::size_t& value, const std::string& help);

  /// Words without a dash, in the order of these calls: one that must be there, one that
  /// may be, or all that are left.
  void word(const std::string& name, std::string& value, const std::string& help);
  void optional_word(const std::string& name, std::string& value, const std::string& help);
  void words(const std::string& name, std::vector<std::string>& values, const std::string& help);

  /// Everything after `--`.
  void command_line(std::vector<std::string>& words, const std::string& help);
  void footer(const std::string& text);

  /// False when help was asked for and printed. Throws a UsageError for a wrong call.
  bool parse(const std::vector<std::string>& arguments);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace prengdl
