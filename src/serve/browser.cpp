// SPDX-License-Identifier: Apache-2.0
#include "serve/browser.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/process.h"
#include "base/strings.h"

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
  const auto give_up = [&](const std::string& why) {
    ::unlink(file_.c_str());
    throw Error("cannot open the page: " + why, "open the address yourself");
  };
  if (const int reason = write_fully(file, html.data(), html.size()))
    give_up(fmt::format("cannot write {}: {}", path, error_text(reason)));
  if (const auto started = start_program({.words = {"xdg-open", path}, .is_silent = true});
      !started)
    give_up(started.error().what());
}

BrowserPage::~BrowserPage() { ::unlink(file_.c_str()); }

}  // namespace prengdl
