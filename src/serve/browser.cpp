// SPDX-License-Identifier: Apache-2.0
#include "serve/browser.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"

namespace prengdl {
namespace {

std::string directory_for_it() {
  for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"})
    if (const char* value = std::getenv(name); value && *value && access(value, W_OK) == 0)
      return value;
  return "/tmp";
}

}  // namespace

BrowserPage::BrowserPage(const std::string& address) {
  std::string path = directory_for_it() + "/prengdl-XXXXXX.html";
  const FileDescriptor file(mkostemps(path.data(), 5, O_CLOEXEC));  // mode 0600
  if (!file)
    throw Error(fmt::format("cannot open the page: cannot write {}: {}", path, error_text(errno)),
                "open the address yourself");
  file_ = path;
  const std::string html = fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><title>prengdl</title>"
      "<meta http-equiv=\"refresh\" content=\"0; url={0}\"><a href=\"{0}\">to the page</a>\n",
      address);
  int trouble =
      ::write(file.get(), html.data(), html.size()) == static_cast<ssize_t>(html.size()) ? 0 : EIO;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  std::string program = "xdg-open";
  char* const words[] = {program.data(), path.data(), nullptr};
  pid_t ignored{};
  if (trouble == 0)
    trouble = posix_spawnp(&ignored, program.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (trouble == 0) return;
  ::unlink(file_.c_str());
  throw Error("cannot open the page with xdg-open: " + error_text(trouble),
              "open the address yourself");
}

BrowserPage::~BrowserPage() { ::unlink(file_.c_str()); }

}  // namespace prengdl
