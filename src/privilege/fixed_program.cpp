// SPDX-License-Identifier: Apache-2.0
#include "privilege/fixed_program.h"

#include <fmt/core.h>
#include <sys/wait.h>

#include <csignal>

#include "base/clock.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "base/strings.h"

namespace prengdl {
namespace {

constexpr Seconds longest{60};
constexpr std::int64_t look_every_ns = 2'000'000;

/// Nothing of the caller's environment reaches a program of root's.
const std::vector<std::string> fixed_environment{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"};

}  // namespace

std::optional<std::string> run_fixed_program(const std::filesystem::path& program,
                                             const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string line = shell_line(words);
  // The path is absolute, so that nothing is searched for; run_to_end would search, and wait long.
  const auto started =
      start_program({.words = words, .environment = fixed_environment, .is_silent = true});
  if (!started) return started.error().what();
  const pid_t pid = *started;
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
