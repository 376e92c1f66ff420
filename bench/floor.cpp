// SPDX-License-Identifier: Apache-2.0
// floor --rate HZ --zones package,core,dram [--root DIR] CMD...: the least that a wrapper can do.
//
// Opens the energy counters once, reads them right before the command starts, at each tick of a
// timer, and when the command has exited. It checks nothing and keeps nothing: what it costs no
// tool that reads the same counters at the same rate can go below, so tools are compared with it.
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "floor: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(2);
}

std::uint64_t read_number(int file) {
  char text[32];
  const ssize_t size = pread(file, text, sizeof text - 1, 0);
  if (size <= 0) fail("cannot read a counter");
  text[size] = '\0';
  return std::strtoull(text, nullptr, 10);
}

int open_file(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("cannot open " + path.string());
  return file;
}

struct Zone {
  std::string name;
  int counter;
  std::uint64_t max;
  std::uint64_t last = 0;
  std::uint64_t total = 0;

  void start() { last = read_number(counter); }
  void step() {
    const std::uint64_t now = read_number(counter);
    total += now >= last ? now - last : now + max + 1 - last;
    last = now;
  }
};

/// "package-1" is wanted when the list has "package"; "dram" when it has "dram".
bool wanted(const std::string& name, const std::string& list) {
  const std::string kind = name.substr(0, name.find('-'));
  return ("," + list + ",").find("," + kind + ",") != std::string::npos;
}

std::vector<Zone> open_zones(const std::filesystem::path& powercap, const std::string& list) {
  std::vector<Zone> zones;
  std::error_code no_directory;
  for (const auto& entry : std::filesystem::directory_iterator(powercap, no_directory)) {
    if (!std::filesystem::exists(entry.path() / "energy_uj")) continue;
    char name[64] = {};
    const int file = open_file(entry.path() / "name");
    const ssize_t size = read(file, name, sizeof name - 1);
    close(file);
    if (size > 0 && name[size - 1] == '\n') name[size - 1] = '\0';
    if (!wanted(name, list)) continue;
    const int max = open_file(entry.path() / "max_energy_range_uj");
    zones.push_back({name, open_file(entry.path() / "energy_uj"), read_number(max)});
    close(max);
  }
  errno = ENOENT;
  if (zones.empty()) fail("no zone of " + list + " in " + powercap.string());
  return zones;
}

int start_timer(double rate) {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  const auto period = static_cast<long>(1e9 / rate);
  const timespec interval{period / 1'000'000'000, period % 1'000'000'000};
  const itimerspec setting{interval, interval};
  if (timer < 0 || timerfd_settime(timer, 0, &setting, nullptr) != 0) fail("no timer");
  return timer;
}

/// vfork, because fork would copy our page tables while the counters are already running.
pid_t start_command(char** argv) {
  const pid_t child = vfork();
  if (child == 0) {
    execvp(argv[0], argv);
    _exit(127);
  }
  return child;
}

}  // namespace

int main(int argc, char** argv) {
  double rate = 0;
  std::string list = "package";
  std::string root = "/";
  static constexpr option known[] = {
      {"rate", 1, nullptr, 'r'}, {"zones", 1, nullptr, 'z'}, {"root", 1, nullptr, 'o'}, {}};
  for (int flag = 0; (flag = getopt_long(argc, argv, "+", known, nullptr)) != -1;) {
    if (flag == 'r') rate = std::atof(optarg);
    if (flag == 'z') list = optarg;
    if (flag == 'o') root = optarg;
    if (flag == '?') return 2;
  }
  if (optind == argc) {
    std::fputs("usage: floor [--rate HZ] [--zones NAME,...] [--root DIR] CMD...\n", stderr);
    return 2;
  }
  std::vector<Zone> zones = open_zones(std::filesystem::path(root) / "sys/class/powercap", list);
  const int timer = rate > 0 ? start_timer(rate) : -1;

  long reads = 1;
  for (Zone& zone : zones) zone.start();
  const pid_t child = start_command(argv + optind);
  const int exited = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (exited < 0) fail("cannot start the command");

  pollfd events[] = {{exited, POLLIN, 0}, {timer, POLLIN, 0}};  // poll skips a negative descriptor
  while (events[0].revents == 0) {
    poll(events, 2, -1);
    if (events[1].revents != 0) {
      std::uint64_t expirations = 0;
      if (read(timer, &expirations, sizeof expirations) < 0) fail("cannot read the timer");
    }
    for (Zone& zone : zones) zone.step();
    ++reads;
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (const Zone& zone : zones)
    std::printf("%s %.6f J\n", zone.name.c_str(), static_cast<double>(zone.total) * 1e-6);
  std::printf("reads %ld\n", reads);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
