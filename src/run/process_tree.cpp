// SPDX-License-Identifier: Apache-2.0
#include "run/process_tree.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/files.h"
#include "base/limits.h"

namespace prengdl {
namespace {

/// The kernel counts CPU time in ticks of 10 ms, and each look costs as much as a sample of energy:
/// at ten per second they were a tenth of what all sampling takes.
constexpr Seconds tree_period{0.2};

/// A file of /proc into a fixed buffer: no allocation on the sampling path.
std::string_view slurp(const char* path, std::span<char> buffer) noexcept {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  return got <= 0 ? std::string_view{}
                  : std::string_view(buffer.data(), static_cast<std::size_t>(got));
}

/// The n-th number (from 0) of a line of words.
std::uint64_t nth_number(std::string_view text, int n) noexcept {
  std::size_t at = 0;
  for (; n >= 0; --n) {
    at = text.find_first_not_of(' ', at);
    if (at == std::string_view::npos) return 0;
    if (n > 0) at = text.find(' ', at);
    if (at == std::string_view::npos) return 0;
  }
  std::uint64_t value{};
  std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

/// The state that the three channels share; the first one that is read at a tick refreshes it.
class Tree {
 public:
  Tree(pid_t workload, FileDescriptor stat) : stat_(std::move(stat)) {
    pids_[0] = workload;
    count_ = 1;
  }

  void refresh() noexcept {
    at_ns_ = monotonic_ns();
    read_machine();
    if (is_first_) {
      // The workload waits at its gate: it has used nothing and has no children yet.
      is_first_ = false;
      forks_at_walk_ = forks_;
      return;
    }
    if (forks_ != forks_at_walk_) walk();
    std::uint64_t ticks = 0;
    std::uint64_t pages = 0;
    char path[64];
    char text[1024];
    for (std::size_t i = 0; i < count_;) {
      format(path, pids_[i], "/stat");
      const std::string_view line = slurp(path, text);
      const auto name_end = line.rfind(')');
      if (name_end == std::string_view::npos) {
        // Gone: what it used is in its parent's account of waited-for children.
        pids_[i] = pids_[--count_];
        continue;
      }
      const auto fields = line.substr(name_end + 2);
      // utime, stime, cutime, cstime and resident pages, counted from the state after the name.
      ticks += nth_number(fields, 11) + nth_number(fields, 12) + nth_number(fields, 13) +
               nth_number(fields, 14);
      pages += nth_number(fields, 21);
      ++i;
    }
    if (count_ > 0) {
      workload_ticks_ = std::max(workload_ticks_, ticks);
      resident_bytes_ = pages * page_size_;
    }
  }

  std::int64_t at_ns() const { return at_ns_; }
  std::uint64_t workload_ticks() const { return workload_ticks_; }
  std::uint64_t machine_ticks() const { return machine_ticks_; }
  std::uint64_t resident_bytes() const { return resident_bytes_; }
  /// Whether there is a process of which resident_bytes() knows the size.
  bool knows_memory() const { return resident_bytes_ > 0 && count_ > 0; }

 private:
  static void format(std::span<char> to, pid_t pid, const char* tail) noexcept {
    std::memcpy(to.data(), "/proc/", 6);
    char* end = std::to_chars(to.data() + 6, to.data() + to.size() - 24, pid).ptr;
    std::memcpy(end, tail, std::strlen(tail) + 1);
  }

  void read_machine() noexcept {
    const ssize_t got = ::pread(stat_.get(), machine_text_.data(), machine_text_.size(), 0);
    if (got <= 0) return;
    const std::string_view text(machine_text_.data(), static_cast<std::size_t>(got));
    std::uint64_t busy = 0;
    const auto cpu = text.substr(0, text.find('\n'));
    for (const int field : {1, 2, 3, 6, 7}) busy += nth_number(cpu, field);
    machine_ticks_ = busy;
    // How many processes were ever forked: unchanged means that the tree has not grown.
    const auto forks = text.find("\nprocesses ");
    if (forks != std::string_view::npos)
      forks_ = nth_number(text.substr(forks + 1, 40), 1);
    else
      ++forks_;
  }

  void walk() noexcept {
    forks_at_walk_ = forks_;
    // Breadth first: children that are found are searched for children of their own. A process
    // with so many threads that their list does not fit is followed by the threads that do.
    for (std::size_t i = 0; i < count_; ++i) add_children(pids_[i]);
  }

  void add_children(pid_t parent) noexcept {
    char path[96];
    format(path, parent, "/task");
    const int directory = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    alignas(8) char entries[2048];
    // getdents64 by hand: opendir would allocate.
    const long got = syscall(SYS_getdents64, directory, entries, sizeof entries);
    ::close(directory);
    for (long at = 0; at < got;) {
      unsigned short length{};
      std::memcpy(&length, entries + at + 16, sizeof length);
      const char* name = entries + at + 19;
      if (name[0] != '.') read_children(parent, name);
      at += length;
    }
  }

  void read_children(pid_t parent, const char* thread) noexcept {
    char path[96];
    format(path, parent, "/task/");
    std::strncat(path, thread, 16);
    std::strncat(path, "/children", 10);
    char text[4096];
    std::string_view list = slurp(path, text);
    while (!list.empty() && count_ < pids_.size()) {
      pid_t child{};
      const auto parsed = std::from_chars(list.data(), list.data() + list.size(), child);
      if (parsed.ec != std::errc{}) return;
      list.remove_prefix(static_cast<std::size_t>(parsed.ptr - list.data()));
      if (!list.empty()) list.remove_prefix(1);
      bool known = false;
      for (std::size_t i = 0; i < count_; ++i) known = known || pids_[i] == child;
      if (!known) pids_[count_++] = child;
    }
  }

  FileDescriptor stat_;
  bool is_first_ = true;
  std::array<pid_t, 1024> pids_{};
  std::size_t count_ = 0;
  std::array<char, 16384> machine_text_{};
  std::uint64_t forks_ = 0;
  std::uint64_t forks_at_walk_ = 0;
  std::int64_t at_ns_ = 0;
  std::uint64_t workload_ticks_ = 0;
  std::uint64_t machine_ticks_ = 0;
  std::uint64_t resident_bytes_ = 0;
  std::uint64_t page_size_ = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
};

enum class Part { workload_cpu, machine_cpu, workload_memory };

class TreeChannel final : public Meter {
 public:
  TreeChannel(std::shared_ptr<Tree> tree, Part part) : tree_(std::move(tree)), part_(part) {
    info_.quality = Quality::sensor;
    info_.counted = Counted::channel;
    info_.period = tree_period;
    info_.update = Seconds{0.01};
    info_.source = "/proc";
    const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    if (part == Part::workload_memory) {
      info_.domain = "workload_memory";
      info_.kind = Kind::gauge;
      info_.unit = Unit::byte;
    } else {
      info_.domain = part == Part::workload_cpu ? "workload_cpu" : "machine_cpu";
      info_.kind = Kind::counter;
      info_.unit = Unit::second;
      info_.step = tick;
      info_.quantum = tick;
    }
    info_.id = "channel/" + info_.domain;
    info_.name = info_.domain;
  }
  const MeterInfo& info() const override { return info_; }

  Reading read() noexcept override {
    if (part_ == Part::workload_cpu) tree_->refresh();
    Reading reading;
    reading.at_ns = tree_->at_ns();
    reading.raw = part_ == Part::workload_cpu  ? tree_->workload_ticks()
                  : part_ == Part::machine_cpu ? tree_->machine_ticks()
                                               : tree_->resident_bytes();
    if (part_ == Part::workload_memory && !tree_->knows_memory()) reading.status = ReadStatus::gone;
    return reading;
  }

 private:
  std::shared_ptr<Tree> tree_;
  Part part_;
  MeterInfo info_;
};

}  // namespace

Meters tree_channels(pid_t workload, const std::filesystem::path& root) {
  Meters meters;
  auto stat = open_for_reading(root / "proc/stat");
  if (!stat && is_exhaustion(errno)) throw Error(stat.error());
  if (!stat) return meters;
  const auto tree = std::make_shared<Tree>(workload, std::move(*stat));
  // workload_cpu comes first: it refreshes what the others show.
  for (const Part part : {Part::workload_cpu, Part::machine_cpu, Part::workload_memory})
    meters.push_back(std::make_unique<TreeChannel>(tree, part));
  return meters;
}

}  // namespace prengdl
