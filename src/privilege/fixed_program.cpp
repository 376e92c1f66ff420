// SPDX-License-Identifier: Apache-2.0
#include "privilege/fixed_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"

namespace prengdl {
namespace {

constexpr Seconds longest{60};
constexpr std::int64_t look_every_ns = 2'000'000;

int spawn(pid_t& pid, const char* program, char* const* argv) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  char locale[] = "LC_ALL=C";
  char* const environment[] = {path, locale, nullptr};
  const int trouble = posix_spawn(&pid, program, &actions, &attributes, argv, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return trouble;
}

}  // namespace

std::optional<std::string> run_fixed_program(const std::filesystem::path& program,
                                             const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string line = shell_line(words);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid{};
  if (const int trouble = spawn(pid, program.c_str(), argv.data()); trouble != 0)
    return fmt::format("cannot run {}: {}", program.string(), error_text(trouble));
  const std::int64_t until = monotonic_ns() + nanoseconds(longest);
  SystemClock clock;
  int status{};
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (monotonic_ns() > until) {
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      return fmt::format("{} did not end within {:.0f} s", line, longest.count());
    }
    clock.sleep_until(monotonic_ns() + look_every_ns);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return WIFEXITED(status) ? fmt::format("{} ended with {}", line, WEXITSTATUS(status))
                           : fmt::format("{} was ended by signal {}", line, WTERMSIG(status));
}

}  // namespace prengdl
