// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace prengdl {

/// Opens an address in the user's browser by way of a file that only the user can read and that
/// lives as long as this: on a command line everybody could read the token.
class BrowserPage {
 public:
  /// Throws an Error when there is no way to open one.
  explicit BrowserPage(const std::string& address);
  ~BrowserPage();
  BrowserPage(const BrowserPage&) = delete;
  BrowserPage& operator=(const BrowserPage&) = delete;

 private:
  std::filesystem::path file_;
};

}  // namespace prengdl
