// SPDX-License-Identifier: Apache-2.0
#include "run/watchers.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <ctime>

#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Anyone who may write to the directory can fill it.
constexpr std::size_t most_notes = 64;

std::string host() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// When a process began, in the kernel's ticks since boot: distinguishes it from a later one of its
/// number.
std::string start_of(pid_t process) {
  const auto text = read_optional(fmt::format("/proc/{}/stat", process)).value_or("");
  const auto fields =
      words(std::string_view(text).substr(std::min(text.rfind(')') + 1, text.size())));
  return fields.size() > 19 ? std::string(fields[19]) : "";
}

struct Note {
  std::string host;
  std::string start;
  std::optional<Seconds> cpu;  // of a watcher that has ended
};

/// Whatever else lies there under a number (a pipe, a link, a large file) is not followed.
std::optional<Note> read_note(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::array<char, 512> bytes{};
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  if (got <= 0) return std::nullopt;
  const auto parts = words(std::string_view(bytes.data(), static_cast<std::size_t>(got)));
  if (parts.size() < 2) return std::nullopt;
  Note note{std::string(parts[0]), std::string(parts[1]), std::nullopt};
  if (parts.size() > 2)
    if (const auto cpu = parse_number(parts[2])) note.cpu = Seconds{*cpu};
  return note;
}

struct Watcher {
  bool is_alive = false;
  std::optional<Seconds> cpu;
};

/// The watchers of this machine, by the names of their files.
std::map<std::string, Watcher> watchers_in(const fs::path& directory) {
  std::map<std::string, Watcher> found;
  std::error_code none;
  if (!fs::is_directory(directory, none)) return found;  // the common case: one call
  const std::string here = host();
  for (const auto& name : list_directory(directory)) {
    const auto process = parse_integer(name);
    if (!process || *process <= 1 || *process > INT_MAX) continue;
    const auto note = read_note(directory / name);
    if (!note || note->host != here) continue;
    const auto pid = static_cast<pid_t>(*process);
    const bool is_alive = !note->cpu && start_of(pid) == note->start;
    found[name] = {is_alive, is_alive ? cpu_time_of(pid) : note->cpu};
    if (found.size() == most_notes) break;
  }
  return found;
}

bool write_note(const fs::path& path, const std::string& text) {
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

WatcherNote::WatcherNote(const fs::path& result)
    : result_(result), file_(result / "watchers" / std::to_string(getpid())) {
  const fs::path directory = file_.parent_path();
  if (::mkdir(directory.c_str(), 0755) == 0 || errno == EEXIST)
    if (write_note(file_, fmt::format("{} {}\n", host(), start_of(getpid())))) return;
  throw Error(fmt::format("cannot write {}: {}", file_.string(), error_text(errno)),
              "runs made meanwhile will not record that they were watched");
}

WatcherNote::~WatcherNote() {
  std::error_code none;
  // The run that is being made asks for it at its end, and then removes the file.
  if (fs::exists(live_file(result_), none)) {
    const Seconds cpu = cpu_time_of(getpid()).value_or(Seconds{0});
    write_note(file_, fmt::format("{} {} {:.6f}\n", host(), start_of(getpid()), cpu.count()));
    return;
  }
  fs::remove(file_, none);
  fs::remove(file_.parent_path(), none);  // unless others are there
}

Watchers::Watchers(const fs::path& result) : directory_(result / "watchers") {
  for (const auto& [name, watcher] : watchers_in(directory_)) {
    if (watcher.is_alive)
      before_[name] = watcher.cpu.value_or(Seconds{0});
    else
      ::unlink((directory_ / name).c_str());  // ended before this run
  }
}

std::optional<Seconds> Watchers::cpu_time() const {
  std::optional<Seconds> sum;
  if (!before_.empty()) sum = Seconds{0};
  for (const auto& [name, watcher] : watchers_in(directory_)) {
    if (!sum) sum = Seconds{0};
    const auto before = before_.find(name);
    const Seconds from = before == before_.end() ? Seconds{0} : before->second;
    if (watcher.cpu) *sum += std::max(Seconds{0}, *watcher.cpu - from);
    if (!watcher.is_alive) ::unlink((directory_ / name).c_str());
  }
  return sum;
}

std::optional<Seconds> cpu_time_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return Seconds{static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9};
}

fs::path live_file(const fs::path& result) { return result / "live.json"; }

}  // namespace prengdl
