// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace prengdl {

/// A text on stdout that is shown again and again. On a terminal each takes the place of the one
/// before, elsewhere it follows.
class RepeatedText {
 public:
  RepeatedText();

  bool is_on_terminal() const { return is_on_terminal_; }

  /// On a terminal only as many lines as it can write over: what has scrolled away would stay.
  void show(const std::string& text);

  /// All lines: nothing will be written over them.
  void show_last(const std::string& text);

 private:
  void write(const std::string& text);

  bool is_on_terminal_;
  std::size_t lines_ = 0;
};

}  // namespace prengdl
