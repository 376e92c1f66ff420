// SPDX-License-Identifier: Apache-2.0
//
// What the control groups above this process allow it: a container's or a batch job's share.
#include <algorithm>

#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"
#include "machine/machine.h"

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
std::vector<Directory> chain(const Directory& mount, std::string_view group) {
  std::vector<Directory> directories;
  const bool leaves = group.find("..") != std::string_view::npos;  // a namespace below its group
  while (!leaves && group.size() > 1) {
    Directory directory = mount / std::string(group.substr(1));
    if (!directory) break;
    directories.push_back(std::move(directory));
    group = group.substr(0, group.rfind('/'));
  }
  directories.push_back(mount / ".");
  return directories;
}

void read_v2(const Directory& mount, std::string_view group, CgroupLimits& limits) {
  for (const auto& directory : chain(mount, group)) {
    const auto cpu = directory.attribute("cpu.max").value_or("");
    if (const auto fields = words(cpu); fields.size() == 2) {
      const auto quota = parse_number(fields[0]);
      const auto period = parse_number(fields[1]);
      if (quota && period && *period > 0) keep_smaller(limits.cpus, *quota / *period);
    }
    if (const auto memory = directory.integer("memory.max"); memory && *memory >= 0)
      keep_smaller(limits.memory_bytes, static_cast<std::uint64_t>(*memory));
    if (!limits.cpuset) limits.cpuset = directory.attribute("cpuset.cpus.effective");
  }
}

void read_v1(const Directory& mount, std::string_view controller, std::string_view group,
             CgroupLimits& limits) {
  for (const auto& directory : chain(mount, group)) {
    if (controller == "cpu") {
      const auto quota = directory.integer("cpu.cfs_quota_us");
      const auto period = directory.integer("cpu.cfs_period_us");
      if (quota && period && *quota > 0 && *period > 0)
        keep_smaller(limits.cpus, static_cast<double>(*quota) / static_cast<double>(*period));
    } else if (controller == "cpuset" && !limits.cpuset) {
      limits.cpuset = directory.attribute("cpuset.effective_cpus");
      if (!limits.cpuset) limits.cpuset = directory.attribute("cpuset.cpus");
    } else if (controller == "memory") {
      const auto memory = directory.integer("memory.limit_in_bytes");
      if (memory && *memory >= 0 && *memory < no_memory_limit)
        keep_smaller(limits.memory_bytes, static_cast<std::uint64_t>(*memory));
    }
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  const Directory mounts(root / "sys/fs/cgroup");
  const auto first_of = [&](std::string_view one, std::string_view other) {
    Directory directory = mounts / std::string(one);
    return directory ? std::move(directory) : mounts / std::string(other);
  };
  const auto groups = read_optional(root / "proc/self/cgroup").value_or("");
  for (const auto line : split(groups, '\n')) {
    // "0::/user.slice" is v2, "4:cpu,cpuacct:/docker/1f" is v1; the path may hold colons.
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto group = line.substr(second + 1);
    if (controllers.empty()) {
      read_v2(first_of("unified", "."), group, limits);
      continue;
    }
    for (const auto controller : split(controllers, ',')) {
      if (controller != "cpu" && controller != "cpuset" && controller != "memory") continue;
      read_v1(first_of(controllers, controller), controller, group, limits);
    }
  }
  // All CPUs is no limit.
  const auto online = read_attribute(root / "sys/devices/system/cpu/online").value_or("");
  if (limits.cpuset && parse_cpu_list(*limits.cpuset).size() >= parse_cpu_list(online).size())
    limits.cpuset.reset();
  return limits;
}

}  // namespace prengdl
