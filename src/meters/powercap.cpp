// SPDX-License-Identifier: Apache-2.0
//
// RAPL as the kernel's powercap class shows it: intel-rapl (also for AMD), intel-rapl-mmio.
#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "base/amounts.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/parse.h"
#include "meters/sources.h"
#include "meters/value_file.h"
#include "meters/virtual_machine.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view root_only_advice =
    "since Linux 5.10 only root may read it: run with sudo, or let `prengdl doctor --fix` give a "
    "group the right";

struct Zone {
  std::string entry;   // "intel-rapl:0:1"
  std::string name;    // "package-0", "package-0-die-1", "dram", ...
  std::string parent;  // name of the package that a sub-zone belongs to
  fs::path path;
  FileDescriptor counter;  // energy_uj
  int trouble = 0;         // errno, if one of its files cannot be opened
  std::string troubled;    // that file
  std::optional<std::int64_t> range;
  // Have been read and are closed with the zone: where another process serves the files it hears
  // of a close too, and would be busy with that when the next file is asked for.
  FileDescriptor name_file, range_file;
};

bool is_mmio(const Zone& zone) { return zone.entry.starts_with("intel-rapl-mmio"); }

/// DESIGN's table: the domain and how it counts, from the zone's own name, never from its number.
std::pair<std::string, Counted> domain_of(const std::string& name) {
  if (name.starts_with("package")) return {"package", Counted::yes};
  if (name == "dram") return {"dram", Counted::yes};
  if (name == "core") return {"cores", Counted::inside};
  if (name == "uncore") return {"uncore", Counted::inside};
  if (name == "psys") return {"platform", Counted::platform};
  return {"rail:" + name, Counted::inside};
}

bool is_part(std::string_view entry) { return std::count(entry.begin(), entry.end(), ':') > 1; }

FileDescriptor open_zone_file(const MeterSearch& search, const Directory& files,
                              const std::string& entry, const std::string& attribute) {
  FileDescriptor file = files.file(attribute);
  const bool is_forbidden = !file && (errno == EACCES || errno == EPERM);
  return is_forbidden && search.open_protected ? search.open_protected("powercap", entry, attribute)
                                               : std::move(file);
}

/// The zones in the order of their entries; entries without colon are control types, not zones.
/// All files first, then the thinking: what serves them stays awake. The class has a link to each
/// zone; where the kernel itself puts them is the shorter way, by six of some 40 looks at files.
std::vector<Zone> list_zones(const MeterSearch& search, FoundMeters& found) {
  const fs::path& root = search.root;
  const fs::path path = root / "sys/class/powercap";
  std::vector<Zone> zones;
  const Directory links(path);
  auto entries = links ? links.names() : std::vector<std::string>{};
  if (const int reason = errno; entries.empty() && reason != 0 && !is_absent(reason))
    found.left_out.push_back(
        {"powercap", cannot_read(path, reason), exhaustion_advice(reason), reason, ""});
  const Directory devices(root / "sys/devices/virtual/powercap");
  std::string package_entry;
  std::optional<Directory> package;
  for (auto& entry : entries) {
    if (entry.find("rapl") == std::string::npos || entry.find(':') == std::string::npos) continue;
    Directory files = is_part(entry) && package && entry.starts_with(package_entry + ":")
                          ? *package / entry
                          : devices / (entry.substr(0, entry.find(':')) + "/" + entry);
    if (!files) files = links / entry;
    int reason = files ? 0 : errno;
    FileDescriptor name_file = files.file("name");
    auto name = read_attribute(name_file);
    if (!name && reason == 0) reason = errno;
    if (!name && is_absent(reason)) continue;
    Zone& zone = zones.emplace_back();
    const auto note = [&](const char* file) {
      if (zone.trouble == 0) zone.trouble = reason == 0 ? errno : reason;
      if (zone.troubled.empty()) zone.troubled = file;
    };
    if (!name) note("name");
    zone.counter = open_zone_file(search, files, entry, "energy_uj");
    if (!zone.counter) note("energy_uj");
    zone.range_file = open_zone_file(search, files, entry, "max_energy_range_uj");
    if (const auto range = read_attribute(zone.range_file))
      zone.range = parse_integer(*range);
    else if (reason != 0 || !is_absent(errno))
      note("max_energy_range_uj");
    if (!name) name = is_part(entry) ? entry : "package " + entry;
    zone.name_file = std::move(name_file);
    zone.name = std::move(*name);
    if (!is_part(entry)) {
      package_entry = entry;
      package = std::move(files);
    }
    zone.entry = std::move(entry);
  }
  std::map<std::string, std::string> name_of_entry;
  for (auto& zone : zones) {
    name_of_entry[zone.entry] = zone.name;
    if (is_part(zone.entry))
      zone.parent = name_of_entry[zone.entry.substr(0, zone.entry.rfind(':'))];
    zone.path = path / zone.entry;
  }
  return zones;
}

MeterInfo describe(const Zone& zone, Quality quality) {
  MeterInfo info;
  const auto [domain, counted] = domain_of(zone.name);
  info.id = "powercap/" + zone.entry;
  info.name = zone.parent.empty() ? zone.name : zone.parent + " " + zone.name;
  info.domain = domain;
  info.source = (zone.path / "energy_uj").string();
  info.kind = Kind::counter;
  info.quality = quality;
  info.unit = Unit::joule;
  info.counted = counted;
  info.period = counter_period(counted);
  info.step = 1e-6;
  // The hardware counts in units of 2^-14 J on most parts; sysfs shows them as microjoules.
  info.quantum = 1.0 / 16384;
  info.update = Seconds{0.001};
  return info;
}

/// Multi-die parts may show one and the same counter once per die: equal values at equal times.
bool mirrors(const ValueFile& a, const ValueFile& b) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Reading first = a.read();
    const Reading second = b.read();
    const Reading third = a.read();
    if (first.status != ReadStatus::ok || second.status != ReadStatus::ok || first.raw == 0)
      return false;
    // Counters that differ never bracket each other; equal ones do, except after a fresh update.
    if (first.raw == second.raw || second.raw == third.raw) return true;
    if (first.raw == third.raw) return false;
  }
  return false;
}

/// Takes the zones one by one and leaves out those that would count joules again or cannot be read.
class ZoneSieve {
 public:
  ZoneSieve(const std::vector<Zone>& zones, Quality quality, FoundMeters& found)
      : quality_(quality), found_(found) {
    for (const auto& zone : zones)
      if (!is_mmio(zone)) msr_names_.insert(zone.parent + "/" + zone.name);
  }

  void take(Zone& zone) {
    MeterInfo info = describe(zone, quality_);
    const std::string counts_in = info.counted == Counted::yes ? info.domain : "";
    if (is_mmio(zone) && msr_names_.contains(zone.parent + "/" + zone.name)) {
      leave_out({info.id,
                 fmt::format("{} by memory-mapped registers: the same joules again", info.name),
                 ""});
      return;
    }
    if (zone.trouble != 0) {
      const bool is_forbidden = zone.trouble == EACCES || zone.trouble == EPERM;
      leave_out({info.id, cannot_read(zone.path / zone.troubled, zone.trouble),
                 is_forbidden ? std::string(root_only_advice) : exhaustion_advice(zone.trouble),
                 is_absent(zone.trouble) ? 0 : zone.trouble, counts_in});
      return;
    }
    if (!zone.range || *zone.range <= 0) {
      leave_out({info.id,
                 fmt::format("cannot read {}, so a wrap of the counter could not be detected",
                             (zone.path / "max_energy_range_uj").string()),
                 std::string(root_only_advice), EINVAL, counts_in});
      return;
    }
    // The kernel gives the largest value that the counter shows; it wraps to 0 one unit later.
    info.range = static_cast<std::uint64_t>(*zone.range) + 1;
    if (is_seen_already(zone, info, counts_in)) return;
    ValueFile file(std::move(zone.counter));
    if (const Reading first = file.read(); first.status != ReadStatus::ok) {
      leave_out(
          {info.id, fmt::format("{}: {}", info.source, name_of(first.status)), "", EIO, counts_in});
      return;
    }
    found_.meters.push_back(std::make_unique<FileMeter>(std::move(info), std::move(file)));
  }

 private:
  struct Die {
    std::string part;  // "package-0/", "package-0/dram"
    std::unique_ptr<ValueFile> file;
    std::string id;
  };

  void leave_out(LeftOut why) { found_.left_out.push_back(std::move(why)); }

  /// Some dies of a package show one and the same counter.
  bool is_seen_already(const Zone& zone, const MeterInfo& info, const std::string& counts_in) {
    const std::string& package = zone.parent.empty() ? zone.name : zone.parent;
    const auto die = package.find("-die-");
    if (die == std::string::npos) return false;
    FileDescriptor same_counter(::fcntl(zone.counter.get(), F_DUPFD_CLOEXEC, 0));
    if (!same_counter) {
      const int reason = errno;
      leave_out({info.id, cannot_read(info.source, reason), exhaustion_advice(reason), reason,
                 counts_in});
      return true;
    }
    const std::string part = package.substr(0, die) + "/" + (zone.parent.empty() ? "" : zone.name);
    auto probe = std::make_unique<ValueFile>(std::move(same_counter));
    const auto twin = std::find_if(dies_.begin(), dies_.end(), [&](const Die& other) {
      return other.part == part && mirrors(*other.file, *probe);
    });
    if (twin != dies_.end()) {
      leave_out({info.id, fmt::format("{} shows the same counter as {}", info.name, twin->id), ""});
      return true;
    }
    dies_.push_back({part, std::move(probe), info.id});
    return false;
  }

  Quality quality_;
  FoundMeters& found_;
  std::set<std::string> msr_names_;
  std::vector<Die> dies_;
};

}  // namespace

FoundMeters find_powercap(const MeterSearch& search) {
  FoundMeters found;
  auto zones = list_zones(search, found);
  if (zones.empty()) return found;
  const Quality quality =
      is_virtual_machine(search.root) ? Quality::virtual_machine : Quality::chip;
  ZoneSieve sieve(zones, quality, found);
  for (auto& zone : zones) sieve.take(zone);
  return found;
}

}  // namespace prengdl
