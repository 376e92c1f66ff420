// SPDX-License-Identifier: Apache-2.0
// timed OUT CMD...: runs CMD and writes its wall time and largest resident set to OUT as JSON.
//
// A process inherits the memory mark of the one that starts it, up to exec. A Python parent would
// therefore hide the size of a small tool; this one is smaller than any tool.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <ctime>

namespace {

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: timed OUT CMD...\n", stderr);
    return 2;
  }
  const std::int64_t start = now_ns();
  const pid_t child = vfork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const double wall = static_cast<double>(now_ns() - start) * 1e-9;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::FILE* out = std::fopen(argv[1], "w");
  if (!out) {
    std::perror(argv[1]);
    return 2;
  }
  std::fprintf(out, R"({"wall_seconds":%.6f,"max_rss_kb":%ld,"exit_code":%d})", wall,
               usage.ru_maxrss, code);
  std::fclose(out);
  return code;
}
