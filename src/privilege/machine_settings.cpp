// SPDX-License-Identifier: Apache-2.0
#include "privilege/machine_settings.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/own_files.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

const fs::path directory_name = "run/prengdl";
constexpr const char* record_name = "settings";
constexpr const char* aside_name = "settings.part";
constexpr const char* lock_name = "lock";
constexpr std::size_t largest_record = 1 << 16;
constexpr const char* needs_root =
    "settings of the machine need root: sudo prengdl run ..., or leave governor, turbo and clocks "
    "out of the study file";

Error cannot_keep(const fs::path& path, int reason) {
  const bool is_forbidden = reason == EACCES || reason == EPERM || reason == EROFS;
  return Error(fmt::format("cannot record how the machine was set: {}: {}", path.string(),
                           error_text(reason)),
               is_forbidden ? needs_root : "");
}

bool is_ours(const FileDescriptor& file, mode_t type) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && (status.st_mode & S_IFMT) == type &&
         status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
}

/// Nothing if there is no record.
std::optional<std::string> read_record(const FileDescriptor& directory, const fs::path& path) {
  const FileDescriptor file(
      ::openat(directory.get(), record_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) throw cannot_keep(path, errno);
  if (!is_ours(file, S_IFREG))
    throw Error(path.string() + " is not a file of ours",
                "find out what created it, and remove it");
  std::string text(largest_record, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) throw cannot_keep(path, errno);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

}  // namespace

MachineSettings::MachineSettings(SettingsHost host) : host_(std::move(host)) {}

fs::path MachineSettings::record() const { return host_.root / directory_name / record_name; }

/// False where the directory is missing and is not to be made.
bool MachineSettings::enter(bool make) {
  if (directory_) return true;
  if (make)
    for (const fs::path& part : {directory_name.parent_path(), directory_name}) {
      const bool is_last = part == directory_name;
      if (::mkdir((host_.root / part).c_str(), is_last ? 0700 : 0755) != 0 && errno != EEXIST)
        throw cannot_keep(host_.root / part, errno);
    }
  directory_ = open_below(host_.root, directory_name, O_RDONLY | O_DIRECTORY);
  if (!directory_ && errno == ENOENT && !make) return false;
  if (!directory_) throw cannot_keep(host_.root / directory_name, errno);
  if (!is_ours(directory_, S_IFDIR)) {
    directory_.close();
    throw Error(fmt::format("{} belongs to another user, or others may write to it",
                            (host_.root / directory_name).string()),
                "find out what created it, and remove it");
  }
  return true;
}

/// False if another process has it: then what is recorded is what that one will give back.
bool MachineSettings::lock() {
  if (lock_) return true;
  FileDescriptor file(::openat(directory_.get(), lock_name,
                               O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!file) throw cannot_keep(host_.root / directory_name / lock_name, errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return false;
  lock_ = std::move(file);
  return true;
}

void MachineSettings::keep(const std::vector<Setting>& settings) {
  if (settings.empty()) {
    if (::unlinkat(directory_.get(), record_name, 0) != 0 && errno != ENOENT)
      throw cannot_keep(record(), errno);
    return;
  }
  // As replace_file does it, but below the directory that was checked and is locked, not by a path
  // that somebody could exchange.
  ::unlinkat(directory_.get(), aside_name, 0);
  const FileDescriptor file(::openat(directory_.get(), aside_name,
                                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const std::string text = way_back_text(settings);
  if (!file) throw cannot_keep(record(), errno);
  if (const int reason = write_fully(file, text.data(), text.size()))
    throw cannot_keep(record(), reason);
  if (::fsync(file.get()) != 0 ||
      ::renameat(directory_.get(), aside_name, directory_.get(), record_name) != 0)
    throw cannot_keep(record(), errno);
}

void MachineSettings::recover(std::vector<std::string>& recovered) {
  const auto text = read_record(directory_, record());
  if (!text) return;
  const std::string by_hand = fmt::format(
      "it records how the machine was set before a run that was killed: set it by hand, then "
      "remove {}",
      record().string());
  const auto earlier = read_way_back(*text);
  if (!earlier)
    throw Error(fmt::format("{}: {}", record().string(), earlier.error().what()), by_hand);
  const auto left = undo_settings(host_, *earlier);
  std::vector<Setting> still;
  still.reserve(left.size());
  for (const auto& one : left) still.push_back(one.setting);
  keep(still);
  if (!left.empty())
    throw Error("cannot restore what a killed run had changed: " + left.front().reason, by_hand);
  for (const auto& setting : *earlier) recovered.push_back(setting.description());
}

std::vector<std::string> MachineSettings::set(const MachineControl& control) {
  std::vector<std::string> recovered;
  const bool is_wanted = control.governor || control.turbo || control.gpu_clock_mhz;
  if (!enter(is_wanted)) return recovered;
  if (!lock()) {
    if (!is_wanted) return recovered;
    throw Error("another run of prengdl has changed the settings of this machine",
                "wait until it has ended: two studies at a time would disturb each other");
  }
  try {
    recover(recovered);
    auto settings = settings_for(host_, control);
    // First the way back, then the change: killed in between, nothing is lost.
    keep(settings);
    settings_ = std::move(settings);
  } catch (...) {
    lock_.close();
    throw;
  }
  try {
    apply_settings(host_, settings_);
  } catch (const Error& error) {
    std::string text = error.what();
    for (const auto& trouble : restore()) text += "; " + trouble;
    throw Error(text, error.hint);
  }
  if (settings_.empty()) lock_.close();
  return recovered;
}

std::vector<std::string> MachineSettings::restore() {
  std::vector<std::string> troubles;
  if (settings_.empty()) return troubles;
  const auto left = undo_settings(host_, settings_);
  settings_.clear();
  for (const auto& one : left) {
    troubles.push_back(one.reason);
    settings_.push_back(one.setting);
  }
  try {
    keep(settings_);
  } catch (const Error& error) {
    troubles.emplace_back(error.what());
  }
  settings_.clear();
  lock_.close();
  return troubles;
}

}  // namespace prengdl
