// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "base/own_files.h"
#include "import/foreign.h"
#include "import/imported.h"
#include "store/bulk_insert.h"
#include "store/profiles.h"
#include "store/result.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_profile = 64u << 20;

/// A directory next to the one that is to be made; gone at the end unless it became that one.
class DirectoryAside {
 public:
  explicit DirectoryAside(const fs::path& target)
      : target_(target),
        path_(target.parent_path() /
              fmt::format(".{}.import-{}", target.filename().string(), ::getpid())) {
    fs::remove_all(path_);
    if (::mkdir(path_.c_str(), 0755) != 0) throw write_error(path_, errno);
  }
  DirectoryAside(const DirectoryAside&) = delete;
  DirectoryAside& operator=(const DirectoryAside&) = delete;
  ~DirectoryAside() {
    std::error_code ignored;
    if (!is_done_) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

  /// Nobody else has seen it yet, so that all of it is synced at once: each file, then the
  /// directories that name them.
  void put_in_place() {
    std::vector<fs::path> directories{path_};
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_directory()) {
        directories.push_back(entry.path());
      } else {
        const FileDescriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
        if (!file) throw write_error(entry.path(), errno);
        sync_file(file, entry.path());
      }
    for (const auto& directory : directories) sync_directory(directory);
    prengdl::put_in_place(path_, target_);
    is_done_ = true;
  }

 private:
  fs::path target_;
  fs::path path_;
  bool is_done_ = false;
};

void keep_profiles(const Imported& imported, const fs::path& result) {
  for (const auto& profile : imported.profiles) {
    Cell cell;
    for (const auto& factor : imported.factors) cell.push_back(profile.levels.at(factor));
    const auto to = profile_of(result, cell);
    make_directory(to.parent_path());
    std::error_code error;
    const auto size = fs::file_size(profile.file, error);
    if (!error && size > largest_profile)
      throw Error(fmt::format("{} is larger than {} bytes", profile.file.string(), largest_profile),
                  "is it a profile of cProfile?");
    if (!error) fs::copy_file(profile.file, to, error);
    if (error)
      throw Error(fmt::format("cannot copy {} to {}: {}", profile.file.string(), to.string(),
                              error.message()));
  }
}

}  // namespace

void keep_imported(const Imported& imported, const StudyRecord& study, const fs::path& result) {
  const auto target = fs::absolute(result).lexically_normal();
  const auto clean = target.has_filename() ? target : target.parent_path();  // "result/"
  if (fs::exists(fs::symlink_status(clean)))
    throw UsageError(fmt::format("{} already exists", result.string()),
                     "Choose another directory. Results are never overwritten.");
  make_directory(clean.parent_path());
  DirectoryAside aside(clean);
  {
    ResultStore store = ResultStore::create(aside.path(), study, Durability::quick);
    for (const auto& machine : imported.machines) store.add_machine(machine);
    RunsAtOnce runs(store);
    for (const auto& run : imported.runs)
      runs.add(run.stored, [&](SampleWriter& writer) {
        for (const auto& [meter, reading] : run.samples) writer.add(meter, reading);
      });
    runs.commit();
    store.add_event({utc_now(), StudyEventKind::import_runs,
                     fmt::format("{} runs from {}", imported.runs.size(), study.name)});
    keep_profiles(imported, aside.path());
  }
  aside.put_in_place();
}

}  // namespace prengdl
