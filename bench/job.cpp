// SPDX-License-Identifier: Apache-2.0
// job SECONDS OUT [BUSY]: the command that the tools measure.
//
// Sleeps to an absolute deadline and writes its own start and end (CLOCK_MONOTONIC) to OUT as JSON:
// the truth is the waveform's integral between the two. With BUSY it keeps that many processes
// computing meanwhile and writes how many turns of a fixed loop they made, which tells how much the
// tool slows down what it measures. A job of a second or more also writes how much CPU time the
// tool used meanwhile, and over how many seconds it looked.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

void sleep_until(std::int64_t at_ns) {
  const timespec at{at_ns / 1'000'000'000, at_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

bool belongs_to_the_bench(const std::string& name) {
  constexpr std::array ours{"job", "timed", "fake_rapl", "with_fake_rapl"};
  for (const char* known : ours)
    if (name == known) return true;
  return false;
}

/// CPU time that the processes of this mount namespace have used so far, the bench's own left out.
/// Each run has a namespace of its own, so what is left is the tool with all of its helpers. The
/// processes' CPU clocks count nanoseconds, where /proc/PID/stat counts hundredths of a second.
double tool_cpu_seconds() {
  std::error_code gone;  // a process may end while we look at it
  const fs::path here = fs::read_symlink("/proc/self/ns/mnt", gone);
  std::int64_t total = 0;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || fs::read_symlink(entry.path() / "ns/mnt", gone) != here) continue;
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    clockid_t clock{};
    if (!belongs_to_the_bench(name) && clock_getcpuclockid(pid, &clock) == 0)
      total += nanoseconds(clock);
  }
  return static_cast<double>(total) * 1e-9;
}

/// Processes that do nothing but turn a loop and count the turns where we can see them.
class BusyProcesses {
 public:
  explicit BusyProcesses(int count) {
    if (count <= 0) return;
    void* memory = mmap(nullptr, sizeof(Turns) * static_cast<std::size_t>(count),
                        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::exit(2);
    turns_ = static_cast<Turns*>(memory);
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) work(turns_[i]);
      children_.push_back(child);
    }
  }
  void stop() {
    for (const pid_t child : children_) kill(child, SIGKILL);
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
  }

  long turns() const {
    long sum = 0;
    for (std::size_t i = 0; i < children_.size(); ++i) sum += turns_[i].count;
    return sum;
  }

 private:
  struct alignas(64) Turns {  // a cache line each, lest the counting itself slow them down
    volatile long count;
  };
  [[noreturn]] static void work(Turns& mine) {
    for (;;) {
      volatile double value = 1;
      for (int i = 0; i < 20'000; ++i) value = value * 1.0000001 + 1e-9;
      mine.count = mine.count + 1;
    }
  }
  Turns* turns_ = nullptr;
  std::vector<pid_t> children_;
};

}  // namespace

int main(int argc, char** argv) {
  // All that takes time happens between `start` and `end`: what lies before and after them is
  // energy that a tool must count and the truth does not have.
  const std::int64_t start = nanoseconds(CLOCK_MONOTONIC);
  if (argc < 3) {
    std::fputs("usage: job SECONDS OUT [BUSY]\n", stderr);
    return 2;
  }
  const double seconds = std::atof(argv[1]);
  const std::int64_t deadline = start + static_cast<std::int64_t>(seconds * 1e9);
  std::FILE* out = std::fopen(argv[2], "w");
  if (!out) {
    std::perror(argv[2]);
    return 2;
  }
  BusyProcesses busy(argc > 3 ? std::atoi(argv[3]) : 0);
  const std::int64_t busy_since = nanoseconds(CLOCK_MONOTONIC);
  const long turns_before = busy.turns();
  if (seconds >= 1) {
    const std::int64_t first_look = nanoseconds(CLOCK_MONOTONIC);
    const double before = tool_cpu_seconds();
    sleep_until(deadline - 50'000'000);  // a look takes milliseconds
    const auto looked_for = static_cast<double>(nanoseconds(CLOCK_MONOTONIC) - first_look) * 1e-9;
    std::fprintf(out, R"({"tool_cpu_seconds":%.6f,"cpu_window_seconds":%.6f,)",
                 tool_cpu_seconds() - before, looked_for);
  } else {
    std::fputs("{", out);
  }
  sleep_until(deadline);
  const long turns = busy.turns() - turns_before;
  const std::int64_t busy_for = nanoseconds(CLOCK_MONOTONIC) - busy_since;
  busy.stop();
  if (argc > 3)
    std::fprintf(out, R"("turns":%ld,"busy_seconds":%.6f,)", turns,
                 static_cast<double>(busy_for) * 1e-9);
  const std::int64_t end = nanoseconds(CLOCK_MONOTONIC);
  std::fprintf(out, "\"start_ns\":%lld,\"end_ns\":%lld}\n", static_cast<long long>(start),
               static_cast<long long>(end));
  std::fclose(out);
  return 0;
}
