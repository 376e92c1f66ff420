// SPDX-License-Identifier: Apache-2.0
//
// What the control groups above this process allow it: a container's or a batch job's share.
#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "run/machine.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// v1 writes "no limit" as a number near 2^63.
constexpr std::int64_t no_memory_limit = std::int64_t{1} << 60;

template <class Number>
void keep_smaller(std::optional<Number>& limit, Number candidate) {
  limit = limit ? std::min(*limit, candidate) : candidate;
}

/// The directories from the group up to its mount: a limit of any of them holds. Inside a container
/// the path is often the host's and does not exist; then the mount itself is the group.
std::vector<fs::path> chain(const fs::path& mount, std::string_view group) {
  std::vector<fs::path> directories;
  fs::path relative = fs::path(group).relative_path();
  std::error_code none;
  const bool leaves = group.find("..") != std::string_view::npos;  // a namespace below its group
  if (leaves || !fs::is_directory(mount / relative, none)) relative.clear();
  for (; !relative.empty(); relative = relative.parent_path())
    directories.push_back(mount / relative);
  directories.push_back(mount);
  return directories;
}

void read_v2(const fs::path& mount, std::string_view group, CgroupLimits& limits) {
  for (const auto& directory : chain(mount, group)) {
    const auto cpu = read_attribute(directory / "cpu.max").value_or("");
    if (const auto fields = words(cpu); fields.size() == 2) {
      const auto quota = parse_number(fields[0]);
      const auto period = parse_number(fields[1]);
      if (quota && period && *period > 0) keep_smaller(limits.cpus, *quota / *period);
    }
    if (const auto memory = read_integer(directory / "memory.max"); memory && *memory >= 0)
      keep_smaller(limits.memory_bytes, static_cast<std::uint64_t>(*memory));
    if (!limits.cpuset) limits.cpuset = read_attribute(directory / "cpuset.cpus.effective");
  }
}

void read_v1(const fs::path& mount, std::string_view controller, std::string_view group,
             CgroupLimits& limits) {
  for (const auto& directory : chain(mount, group)) {
    if (controller == "cpu") {
      const auto quota = read_integer(directory / "cpu.cfs_quota_us");
      const auto period = read_integer(directory / "cpu.cfs_period_us");
      if (quota && period && *quota > 0 && *period > 0)
        keep_smaller(limits.cpus, static_cast<double>(*quota) / static_cast<double>(*period));
    } else if (controller == "cpuset" && !limits.cpuset) {
      limits.cpuset = read_attribute(directory / "cpuset.effective_cpus");
      if (!limits.cpuset) limits.cpuset = read_attribute(directory / "cpuset.cpus");
    } else if (controller == "memory") {
      const auto memory = read_integer(directory / "memory.limit_in_bytes");
      if (memory && *memory >= 0 && *memory < no_memory_limit)
        keep_smaller(limits.memory_bytes, static_cast<std::uint64_t>(*memory));
    }
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  const fs::path mounts = root / "sys/fs/cgroup";
  std::error_code none;
  const auto groups = read_optional(root / "proc/self/cgroup").value_or("");
  for (const auto line : split(groups, '\n')) {
    // "0::/user.slice" is v2, "4:cpu,cpuacct:/docker/1f" is v1; the path may hold colons.
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto group = line.substr(second + 1);
    if (controllers.empty()) {
      const fs::path hybrid = mounts / "unified";
      read_v2(fs::is_directory(hybrid, none) ? hybrid : mounts, group, limits);
      continue;
    }
    for (const auto controller : split(controllers, ',')) {
      if (controller != "cpu" && controller != "cpuset" && controller != "memory") continue;
      const fs::path joint = mounts / controllers;
      read_v1(fs::is_directory(joint, none) ? joint : mounts / controller, controller, group,
              limits);
    }
  }
  // All CPUs is no limit.
  const auto online = read_attribute(root / "sys/devices/system/cpu/online").value_or("");
  if (limits.cpuset && parse_cpu_list(*limits.cpuset).size() >= parse_cpu_list(online).size())
    limits.cpuset.reset();
  return limits;
}

}  // namespace prengdl
