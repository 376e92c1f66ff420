// SPDX-License-Identifier: Apache-2.0
//
// Power sensors as the kernel's hwmon class shows them: rails of a board (INA3221 on Jetson), ACPI
// power meters (NVIDIA Grace), GPUs (amdgpu, i915, xe, nouveau), PMBus supplies.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/escaping.h"
#include "base/limits.h"
#include "base/parse.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "meters/sources.h"
#include "meters/value_file.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// amd_energy has a counter per core; past this many the rest of a chip is left out.
constexpr std::size_t most_rails_per_chip = 16;

struct Chip {
  std::string name;    // "ina3221", "amdgpu"
  std::string device;  // "0000:03:00.0", "1-0040", "ACPI000D:00"; empty if it has none
  fs::path directory;  // where its files are
  bool slow = false;   // behind a bus or firmware: a read takes milliseconds
};

/// One thing that a chip measures.
struct Rail {
  std::string stem;     // "power1", "energy2", "in1"
  std::string file;     // "power1_average"
  std::string current;  // "curr1_input" where the power is a product, else empty
  std::string label;
};

struct Role {
  std::string domain;
  Counted counted = Counted::inside;
  std::string note;
};

/// What the user said of a rail.
struct Said {
  std::string label;
  std::string domain;
  bool is_used = false;
};

/// "power1" of "power1_average", if the file is `kind`N_`what`.
std::optional<std::string> stem_of(const std::string& file, std::string_view kind,
                                   std::string_view what) {
  const auto underscore = file.find('_');
  if (underscore == std::string::npos || !file.starts_with(kind)) return std::nullopt;
  if (file.substr(underscore + 1) != what) return std::nullopt;
  if (!parse_integer(std::string_view(file).substr(kind.size(), underscore - kind.size())))
    return std::nullopt;
  return file.substr(0, underscore);
}

bool is_gpu(const Chip& chip) {
  return chip.name == "amdgpu" || chip.name == "i915" || chip.name == "xe" ||
         chip.name == "nouveau";
}

std::string label_of(const Chip& chip, const std::string& stem) {
  // An ACPI power meter has no label; its maker's free text says what it measures.
  for (const char* suffix : {"_label", "_oem_info", "_model_number"})
    if (const auto text = read_optional(chip.directory / (stem + suffix));
        text && !trimmed(*text).empty())
      return std::string(trimmed(*text));
  return chip.name + "-" + stem;
}

/// Rails for which the chip gives voltage and current but not their product.
std::vector<Rail> rails_by_product(const Chip& chip, const std::vector<std::string>& files) {
  const bool is_ina3221 = chip.name.starts_with("ina3221");
  std::vector<Rail> rails;
  for (const auto& file : files) {
    const auto stem = stem_of(file, "in", "input");
    if (!stem) continue;
    const std::string number = stem->substr(2);
    const std::string current = "curr" + number + "_input";
    if (std::find(files.begin(), files.end(), current) == files.end()) continue;
    // Channels 4 to 7 of an INA3221 are shunt voltages and sums. On other chips equal numbers mean
    // nothing by themselves, equal labels do.
    const auto label = read_optional(chip.directory / (*stem + "_label"));
    const bool is_pair =
        is_ina3221 ? number == "1" || number == "2" || number == "3"
                   : label && label == read_optional(chip.directory / ("curr" + number + "_label"));
    if (is_pair) rails.push_back({*stem, file, current, label_of(chip, *stem)});
  }
  return rails;
}

std::vector<Rail> rails_of(const Chip& chip) {
  const auto files = list_directory(chip.directory);
  std::vector<Rail> rails;
  for (const auto& file : files)
    if (const auto stem = stem_of(file, "energy", "input"))
      rails.push_back({*stem, file, "", label_of(chip, *stem)});
  if (is_gpu(chip) && !rails.empty()) return rails;  // the counter needs no help from a gauge

  // A mean loses nothing between two reads, so it comes before the value of the moment.
  std::set<std::string> averaged;
  for (const auto& file : files)
    if (const auto stem = stem_of(file, "power", "average")) {
      rails.push_back({*stem, file, "", label_of(chip, *stem)});
      averaged.insert(*stem);
    }
  for (const auto& file : files)
    if (const auto stem = stem_of(file, "power", "input"); stem && !averaged.contains(*stem))
      rails.push_back({*stem, file, "", label_of(chip, *stem)});
  if (rails.empty()) rails = rails_by_product(chip, files);
  return rails;
}

/// The device behind a hwmon entry and the bus that it sits on.
void find_device(const fs::path& entry, Chip& chip) {
  std::error_code none;
  chip.device = fs::read_symlink(entry / "device", none).filename().string();
  const auto bus = fs::read_symlink(entry / "device/subsystem", none).filename().string();
  const auto dash = chip.device.find('-');
  const bool has_i2c_address = dash != std::string::npos && chip.device.size() - dash == 5 &&
                               parse_integer(chip.device.substr(0, dash));
  chip.slow = bus == "i2c" || bus == "hid" || bus == "usb" || bus == "acpi" || has_i2c_address ||
              chip.name == "power_meter" || chip.name == "pmbus" || chip.name.starts_with("ina");
}

/// Batteries and chargers show up as hwmon too; find_battery knows them better.
bool is_power_supply(const fs::path& root, const fs::path& entry, const std::string& name) {
  std::error_code none;
  return fs::exists(root / "sys/class/power_supply" / name, none) ||
         fs::read_symlink(entry / "device/subsystem", none).filename() == "power_supply";
}

/// What NVIDIA's tuning guide says of the four meters of a Grace socket (docs/reference/doctor.md).
std::optional<Role> role_on_grace(const std::string& label) {
  if (label.starts_with("Grace Power Socket"))
    return Role{"package", Counted::yes, "the Grace socket with its memory and regulators"};
  if (label.starts_with("CPU Power Socket")) return Role{"cores", Counted::inside, "CPU rail"};
  if (label.starts_with("SysIO Power Socket")) return Role{"uncore", Counted::inside, "SoC rail"};
  if (label.starts_with("Module Power Socket"))
    return Role{"module", Counted::alone,
                "Grace socket and GPU of one module together: overlaps package and gpu"};
  return std::nullopt;
}

Role role_of(const Chip& chip, const Rail& rail, const std::vector<Rail>& siblings) {
  if (chip.name == "power_meter")
    if (auto role = role_on_grace(rail.label)) return *role;
  const bool has_card = std::any_of(siblings.begin(), siblings.end(),
                                    [](const Rail& other) { return other.label == "card"; });
  const bool is_main = has_card ? rail.label == "card" : rail.stem == siblings.front().stem;
  if (is_gpu(chip) && is_main) {
    // Only APUs have a north bridge voltage; their power includes the CPU cores.
    if (read_optional(chip.directory / "in1_label") == "vddnb")
      return {"igpu", Counted::inside, "an APU: GPU and CPU cores together, inside the package"};
    return {"gpu", Counted::yes,
            rail.label == "pkg" ? "the GPU's package, without the rest of the card" : ""};
  }
  Role role{"rail:" + rail.label, Counted::inside, ""};
  if (rail.label == "VDD_IN" || rail.label == "POM_5V_IN" || rail.label == "VIN_SYS_5V0")
    role.note =
        fmt::format("an input of the whole board: say --rail {}=machine to count it", rail.label);
  return role;
}

MeterInfo describe(const Chip& chip, const Rail& rail, Role role) {
  MeterInfo info;
  info.id = "hwmon/" + chip.name + (chip.device.empty() ? "" : "@" + chip.device) + "/" + rail.stem;
  info.name = is_gpu(chip) && role.domain == "gpu" ? chip.name + " " + chip.device : rail.label;
  info.domain = std::move(role.domain);
  info.source = (chip.directory / rail.file).string();
  info.kind = rail.stem.starts_with("energy") ? Kind::counter : Kind::gauge;
  info.quality = Quality::sensor;
  info.unit = info.kind == Kind::counter ? Unit::joule : Unit::watt;
  info.counted = role.counted;
  info.step = 1e-6;
  if (chip.name == "power_meter") info.quantum = 1e-3;  // ACPI counts in milliwatts
  if (rail.file.ends_with("_average"))
    if (const auto interval = read_integer(chip.directory / (rail.stem + "_average_interval")))
      info.window = Seconds{static_cast<double>(std::max<std::int64_t>(*interval, 0)) * 1e-3};
  info.period = Seconds{chip.slow ? 0.1 : 0.01};
  // amdgpu asks its firmware and waits for the answer.
  info.may_block = chip.slow || chip.name == "amdgpu";
  info.note = std::move(role.note);
  return info;
}

/// Some drivers keep their counters for root (amd_energy).
Result<ValueFile> open_sensor(const MeterSearch& search, const Chip& chip,
                              const std::string& name) {
  auto file = ValueFile::open(chip.directory / name);
  const int reason = errno;
  const bool is_forbidden = !file && (reason == EACCES || reason == EPERM);
  if (!is_forbidden || !search.open_protected) return file;
  FileDescriptor other = search.open_protected("hwmon", chip.directory.filename().string(), name);
  if (other) return ValueFile(std::move(other));
  errno = reason;
  return file;
}

Result<std::unique_ptr<Meter>> open_meter(const MeterSearch& search, const Chip& chip,
                                          const Rail& rail, MeterInfo info) {
  auto file = open_sensor(search, chip, rail.file);
  if (!file) return tl::unexpected(file.error());
  if (rail.current.empty()) return std::make_unique<FileMeter>(std::move(info), std::move(*file));
  auto current = open_sensor(search, chip, rail.current);
  if (!current) return tl::unexpected(current.error());
  // Millivolts times milliamperes are the microwatts of the other files.
  return std::make_unique<ProductMeter>(std::move(info), std::move(*file), std::move(*current),
                                        ProductMeter::Sign::kept);
}

std::vector<Chip> list_chips(const fs::path& root, FoundMeters& found) {
  std::vector<Chip> chips;
  const fs::path directory = root / "sys/class/hwmon";
  for (const auto& entry : list_directory(directory)) {
    Chip chip;
    chip.directory = directory / entry;
    // Old-style drivers, the ACPI power meter among them, keep all files with the device.
    auto name = read_attribute(chip.directory / "name");
    if (!name) name = read_attribute(chip.directory / "device/name");
    if (const int reason = errno; !name && is_exhaustion(reason))
      found.left_out.push_back({"hwmon/" + entry, cannot_read(chip.directory / "name", reason),
                                exhaustion_advice(reason), reason, ""});
    if (!name || is_power_supply(root, chip.directory, *name)) continue;
    chip.name = *name;
    find_device(directory / entry, chip);
    if (rails_of(chip).empty()) chip.directory = directory / entry / "device";
    chips.push_back(std::move(chip));
  }
  return chips;
}

std::vector<Said> parse_said(const std::vector<std::string>& rails, FoundMeters& found) {
  std::vector<Said> said;
  for (const auto& rail : rails) {
    const auto equals = rail.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == rail.size())
      found.left_out.push_back(
          {"hwmon/" + rail, fmt::format("--rail '{}' is not LABEL=DOMAIN", printable(rail)),
           "write what the rail covers: --rail VDD_IN=machine", 0, "", Asked::wrongly});
    else
      said.push_back({rail.substr(0, equals), rail.substr(equals + 1), false});
  }
  return said;
}

/// The user knows the board better than we do. Says whether the rail was named.
Asked obey(std::vector<Said>& said, const Rail& rail, Role& role) {
  Asked asked = Asked::no;
  for (auto& word : said) {
    if (word.label != rail.label) continue;
    word.is_used = true;
    asked = Asked::yes;
    role.domain = word.domain;
    role.counted = word.domain == "machine"    ? Counted::alone
                   : word.domain == "platform" ? Counted::platform
                                               : Counted::yes;
    role.note = fmt::format("{}, as stated by --rail", word.domain);
  }
  return asked;
}

void report_unknown(const std::vector<Said>& said, const std::set<std::string>& labels,
                    FoundMeters& found) {
  for (const auto& word : said) {
    if (word.is_used) continue;
    const auto meant = nearest(word.label, {labels.begin(), labels.end()});
    std::string advice = labels.empty() ? "this machine has no hwmon power sensor: leave --rail out"
                                        : fmt::format("the rails are: {}", fmt::join(labels, ", "));
    if (meant) advice += fmt::format("; did you mean {}?", *meant);
    found.left_out.push_back(
        {"hwmon/" + word.label,
         fmt::format("--rail {}={}: there is no rail '{}'", printable(word.label),
                     printable(word.domain), printable(word.label)),
         advice, 0, "", Asked::yes});
  }
}

}  // namespace

FoundMeters find_hwmon(const MeterSearch& search) {
  FoundMeters found;
  auto said = parse_said(search.rails, found);
  std::set<std::string> labels;
  std::set<std::string> ids;
  for (const auto& chip : list_chips(search.root, found)) {
    const auto rails = rails_of(chip);
    std::size_t taken = 0;
    for (const auto& rail : rails) {
      if (rail.label == "NC") continue;  // how Jetson boards call a pin that leads nowhere
      labels.insert(rail.label);
      Role role = role_of(chip, rail, rails);
      const Asked asked = obey(said, rail, role);
      MeterInfo info = describe(chip, rail, std::move(role));
      // Two chips of one kind without a device to tell them apart.
      const std::string id = info.id;
      for (int twin = 2; !ids.insert(info.id).second; ++twin)
        info.id = fmt::format("{}#{}", id, twin);
      if (++taken > most_rails_per_chip) {
        found.left_out.push_back(
            {"hwmon/" + chip.name,
             fmt::format("{} rails: only the first {} are read", rails.size(), most_rails_per_chip),
             "", 0, "", asked});
        break;
      }
      auto meter = open_meter(search, chip, rail, info);
      if (const int reason = errno; !meter) {
        found.left_out.push_back({info.id, meter.error().what(), meter.error().hint,
                                  is_exhaustion(reason) ? reason : 0, "", asked});
        continue;
      }
      // A GPU that sleeps may refuse now and answer when the workload has woken it.
      const ReadStatus status = is_gpu(chip) ? ReadStatus::ok : (*meter)->read().status;
      if (status != ReadStatus::ok) {
        found.left_out.push_back({info.id, fmt::format("{}: {}", info.source, name_of(status)),
                                  "the channel may be switched off: see its _enable file", 0, "",
                                  asked});
        continue;
      }
      found.meters.push_back(std::move(*meter));
    }
  }
  report_unknown(said, labels, found);
  return found;
}

}  // namespace prengdl
