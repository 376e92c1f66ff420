// SPDX-License-Identifier: Apache-2.0
//
// prengdl-serve RESULT ADDRESS PORT open|- TOKENFILE|'': what `prengdl serve` starts once it has
// read its options.
#include <fmt/core.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "base/escaping.h"
#include "base/parse.h"
#include "base/standard_streams.h"
#include "base/threads.h"
#include "run/watchers.h"
#include "serve/access.h"
#include "serve/browser.h"
#include "serve/server.h"
#include "serve/token_file.h"

namespace {

using namespace prengdl;

void warn(const Error& error) {
  remark(fmt::format("prengdl: {}\n", printable(error.what())));
  if (!error.hint.empty()) remark(fmt::format("  {}\n", printable(error.hint)));
}

/// What is measured comes first; and each watcher needs a descriptor.
void be_modest() {
  setpriority(PRIO_PROCESS, 0, 10);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 4096) {
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

int serve(const std::string& result, const std::string& listen, int port, bool open,
          const std::string& token_file) {
  be_modest();
  signal(SIGCHLD, SIG_IGN);  // nobody waits for the browser
  sigset_t ending;
  sigemptyset(&ending);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, number);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  const std::filesystem::path directory = std::filesystem::absolute(result);
  ResultFollower(directory).study();  // before anything is left there
  std::string token = token_file.empty() ? new_token() : token_in(token_file);
  std::optional<WatcherNote> note;
  try {
    note.emplace(directory);
  } catch (const Error& error) {
    warn(error);
  }
  Feed feed(directory, note.has_value());
  WatchServer server(feed, listen, port, std::move(token));
  if (!is_loopback(listen))
    remark(fmt::format(
        "prengdl: everybody who reaches {} and has the token can watch, and the connection is not "
        "encrypted\n  leave out --listen and connect with ssh -L to avoid this\n",
        printable(listen)));
  fmt::print("{}\n", server.address());
  std::fflush(stdout);
  remark(fmt::format("shows {} until Ctrl-C\n", printable(directory.string())));
  std::optional<BrowserPage> browser;
  try {
    if (open) browser.emplace(server.address());
  } catch (const Error& error) {
    warn(error);
  }
  std::thread answering = start_thread([&] { server.serve(); });
  int number = 0;
  sigwait(&ending, &number);
  feed.stop();
  server.stop();
  answering.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  secure_standard_streams();
  const auto port = argc == 6 ? parse_integer(argv[3]) : std::nullopt;
  if (!port || *port < 0 || *port > 65535) {
    remark("prengdl-serve is started by `prengdl serve RESULT`\n");
    return 2;
  }
  return serve(argv[1], argv[2], static_cast<int>(*port), std::string_view(argv[4]) == "open",
               argv[5]);
} catch (const Error& error) {
  warn(error);
  return 1;
} catch (const std::exception& error) {
  warn(Error(error.what()));
  return 1;
}
