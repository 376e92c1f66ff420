// SPDX-License-Identifier: Apache-2.0
//
// Is there energy to read, may we read it, and is it true?
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/amounts.h"
#include "base/files.h"
#include "machine/doctor.h"
#include "model/accuracy.h"
#include "model/totals.h"
#include "privilege/helper.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// MISC_PACKAGE_CTLS of Intel processors; its lowest bit blurs RAPL (INTEL-SA-00389).
constexpr off_t energy_filter_register = 0xBC;

std::vector<const MeterInfo*> counted_meters(const FoundMeters& found) {
  std::vector<const MeterInfo*> meters;
  for (const auto& meter : found.meters) {
    const auto& info = meter->info();
    const bool is_counted = info.counted == Counted::yes || info.counted == Counted::alone ||
                            info.counted == Counted::platform;
    if (is_energy(info) && is_counted) meters.push_back(&info);
  }
  return meters;
}

bool has_package(const FoundMeters& found) {
  const auto meters = counted_meters(found);
  return std::any_of(meters.begin(), meters.end(),
                     [](const MeterInfo* meter) { return meter->domain == "package"; });
}

bool is_denied(const LeftOut& source) {
  return source.reason.find(error_text(EACCES)) != std::string::npos ||
         source.reason.find(error_text(EPERM)) != std::string::npos;
}

bool is_rapl_denied(const FoundMeters& found) {
  return std::any_of(found.left_out.begin(), found.left_out.end(), [](const LeftOut& source) {
    return source.source.starts_with("powercap") && is_denied(source);
  });
}

/// Labels of the power rails that no total has: which of them cover what, only the user knows.
std::vector<std::string> uncounted_rails(const FoundMeters& found) {
  constexpr std::string_view prefix = "rail:";
  std::vector<std::string> labels;
  for (const auto& meter : found.meters) {
    const auto& info = meter->info();
    if (is_energy(info) && info.id.starts_with("hwmon/") && info.domain.starts_with(prefix))
      labels.push_back(info.domain.substr(prefix.size()));
  }
  return labels;
}

/// The rail that most likely feeds the whole board.
std::string likely_input(const std::vector<std::string>& labels) {
  for (const char* known : {"VDD_IN", "POM_5V_IN", "VIN_SYS_5V0"})
    if (std::find(labels.begin(), labels.end(), known) != labels.end()) return known;
  return labels.front();
}

std::optional<Check> check_rails(const DoctorInput& input) {
  const auto labels = uncounted_rails(input.found);
  if (labels.empty()) return std::nullopt;
  return Check{
      "rails", Severity::note,
      fmt::format("power rails that are read but not counted: {}", fmt::join(labels, ", ")),
      fmt::format("to count a rail, state what it covers: --rail '{}=machine'",
                  likely_input(labels)),
      ""};
}

std::string other_sources(const FoundMeters& found) {
  const auto labels = uncounted_rails(found);
  if (labels.empty())
    return "measure on real hardware with RAPL or a GPU, or name a wall meter with --meter";
  return fmt::format("count a power rail of this board, such as --rail '{}=machine' (see rails)",
                     likely_input(labels));
}

Check check_energy(const DoctorInput& input) {
  Check check{"energy-meters", Severity::ok, "", "", ""};
  const auto meters = counted_meters(input.found);
  if (meters.empty()) {
    check.severity = Severity::fail;
    check.finding = "no meter measures energy: runs would have times but no joules";
    check.remedy = is_rapl_denied(input.found) ? "let your user read RAPL: see rapl-permission"
                                               : other_sources(input.found);
    return check;
  }
  const auto domains = metered_domains(meters);
  const auto rank = [](const MeterInfo* a, const MeterInfo* b) { return a->quality < b->quality; };
  const Quality best = (*std::min_element(meters.begin(), meters.end(), rank))->quality;
  const Quality worst_quality = (*std::max_element(meters.begin(), meters.end(), rank))->quality;
  const auto count = counted(meters.size(), "meter");
  if (best == Quality::model) {
    check.severity = Severity::warning;
    check.finding =
        "only modelled energy: a function of CPU time and run time, so it can show no difference "
        "that they do not show";
    check.remedy = is_rapl_denied(input.found) ? "let your user read RAPL: see rapl-permission"
                                               : other_sources(input.found);
    return check;
  }
  check.finding =
      fmt::format("{} cover{} {}", count, meters.size() == 1 ? "s" : "", fmt::join(domains, ", "));
  if (worst_quality == Quality::virtual_machine) {
    check.severity = Severity::note;
    check.finding += "; reported by the hypervisor, not by the chip";
    check.remedy = "compare it once with a meter on the host";
  }
  return check;
}

/// The accuracy of each domain that counts, with its source.
std::optional<Check> check_accuracy(const DoctorInput& input) {
  std::set<std::string> domains;
  for (const auto* meter : counted_meters(input.found)) {
    if (meter->quality == Quality::model) continue;
    const Accuracy accuracy = accuracy_of(*meter, &input.machine.cpu);
    domains.insert(meter->domain + " " +
                   (accuracy.gain ? text_of(accuracy) : "not known (see `meters`)"));
  }
  if (domains.empty()) return std::nullopt;
  return Check{"accuracy", Severity::ok, fmt::format("{}", fmt::join(domains, ", ")), "", ""};
}

std::optional<Check> check_rapl_permission(const DoctorInput& input) {
  const auto& meters = input.found.meters;
  const bool has_rapl = std::any_of(meters.begin(), meters.end(), [](const auto& meter) {
    return meter->info().id.starts_with("powercap");
  });
  if (!is_rapl_denied(input.found)) {
    if (!has_rapl) return std::nullopt;
    return Check{"rapl-permission", Severity::ok, "RAPL is readable", "", ""};
  }
  const bool has_other_road = has_package(input.found);
  return Check{"rapl-permission", has_other_road ? Severity::note : Severity::warning,
               fmt::format("RAPL counters exist, but only root may read them since Linux 5.10 "
                           "(the PLATYPUS side channel){}",
                           has_other_road ? "; perf_event gives the package instead" : ""),
               "run with sudo, or let one group read them: sudo prengdl doctor --fix", "rapl-udev"};
}

std::optional<Check> check_perf_event(const DoctorInput& input) {
  std::error_code none;
  if (!fs::exists(input.root / "sys/bus/event_source/devices/power", none)) return std::nullopt;
  const auto level = read_integer(input.root / "proc/sys/kernel/perf_event_paranoid");
  if (!level) return std::nullopt;
  Check check{"perf-event", Severity::ok, fmt::format("perf_event_paranoid is {}", *level), "", ""};
  // RAPL events count a whole CPU, which needs level 0 or the capability.
  if (*level <= 0 || input.is_root || has_package(input.found)) return check;
  check.severity = Severity::note;
  check.finding += ": users cannot read RAPL through perf_event, the alternative";
  check.remedy =
      "sudo sysctl kernel.perf_event_paranoid=0, or sudo setcap cap_perfmon=ep on the program";
  return check;
}

/// Whether the filter is on, as far as this process may ask the processor.
std::optional<bool> energy_filter(const fs::path& root) {
  const auto file = open_for_reading(root / "dev/cpu/0/msr");
  if (!file && root == "/" && root_helper()) return root_helper()->energy_filter();
  if (!file) return std::nullopt;
  std::uint64_t value{};
  if (::pread(file->get(), &value, sizeof value, energy_filter_register) != sizeof value)
    return std::nullopt;
  return (value & 1) != 0;
}

std::optional<Check> check_energy_filter(const DoctorInput& input) {
  if (input.machine.cpu.vendor != "GenuineIntel" || input.machine.system.is_virtual)
    return std::nullopt;
  const auto is_on = energy_filter(input.root);
  const std::string remedy = "switch off SGX and the energy filter in the firmware settings";
  if (is_on == true)
    return Check{"energy-filter", Severity::warning,
                 "the processor adds noise to RAPL (INTEL-SA-00389): windows of milliseconds are "
                 "wrong, long runs average it out",
                 remedy, ""};
  if (is_on == false)
    return Check{"energy-filter", Severity::ok, "RAPL is not blurred (MSR 0xBC)", "", ""};
  if (!input.machine.cpu.has_sgx)
    return Check{"energy-filter", Severity::ok, "SGX is off, so RAPL is most likely not blurred",
                 "", ""};
  return Check{"energy-filter", Severity::note,
               "SGX is on, so RAPL may be blurred (INTEL-SA-00389): short windows suffer most",
               remedy + "; to be certain, run sudo modprobe msr, then sudo prengdl doctor", ""};
}

}  // namespace

std::vector<Check> check_meters(const DoctorInput& input) {
  std::vector<Check> checks{check_energy(input)};
  for (const auto& check :
       {check_accuracy(input), check_rapl_permission(input), check_perf_event(input),
        check_energy_filter(input), check_rails(input)})
    if (check) checks.push_back(*check);
  return checks;
}

}  // namespace prengdl
