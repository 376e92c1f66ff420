// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "privilege/helper.h"

namespace prengdl {
namespace {

constexpr const char* program = "prengdl-serve";

/// Continues as the program next to this one; unless we are root, else as the one in PATH. Comes
/// back, with errno, only when there is none.
int become(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  restore_open_files();
  std::error_code none;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
  execv((self.parent_path() / program).c_str(), arguments.data());
  // Root does not run what the caller's PATH names.
  if (geteuid() != 0) execvp(program, arguments.data());
  return errno;
}

}  // namespace

int serve_command(const std::vector<std::string>& words) {
  std::string result, token_file;
  std::string listen = "127.0.0.1";
  std::size_t port = 0;
  bool open = false;
  Arguments arguments("serve", "Shows a study on a local page while it runs.");
  arguments.word("RESULT", result, "the result directory");
  arguments.count("--port", port, "listen on this port (default: a free one)");
  arguments.text("--listen", listen,
                 "listen at this address (default: 127.0.0.1, this machine only)", "ADDRESS");
  arguments.text("--token-file", token_file,
                 "use the token in this file, which is created if it does not exist", "FILE");
  arguments.flag("--open", open, "open the page in a browser");
  arguments.footer(
      "Prints the address of the page, with a token: without the token nothing is shown.\n"
      "Nothing can be changed there. For Prometheus: /metrics at the same address, and\n"
      "--token-file for a token that stays the same.\n"
      "Stop it with Ctrl-C. Exit: 0 ended, 1 failed, 2 wrong usage.\n"
      "Examples:\n  prengdl serve quick.result\n  prengdl serve quick.result --port 8421 --open\n"
      "  prengdl serve quick.result --port 8421 --token-file ~/.config/prengdl.token");
  if (!arguments.parse(words)) return 0;
  if (port > 65535)
    throw UsageError(fmt::format("--port {} is no port", port), "choose one below 65536");
  if (listen.empty()) throw UsageError("--listen needs an address", "leave it out: 127.0.0.1");
  end_root_helper();
  const int reason =
      become({program, result, listen, std::to_string(port), open ? "open" : "-", token_file});
  throw Error(fmt::format("cannot start {}: {}", program, error_text(reason)),
              "It belongs next to prengdl: install the whole package.");
}

}  // namespace prengdl
