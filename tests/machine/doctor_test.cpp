// SPDX-License-Identifier: Apache-2.0
#include "machine/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "fake_host.h"
#include "machine/fixes.h"

namespace prengdl {
namespace {

/// A meter that only has a description.
class DescribedMeter final : public Meter {
 public:
  explicit DescribedMeter(MeterInfo info) : info_(std::move(info)) {}
  const MeterInfo& info() const override { return info_; }
  Reading read() noexcept override { return {}; }

 private:
  MeterInfo info_;
};

void add_meter(FoundMeters& found, const std::string& id, const std::string& domain,
               Counted counted, Quality quality) {
  MeterInfo info;
  info.id = id;
  info.domain = domain;
  info.counted = counted;
  info.quality = quality;
  found.meters.push_back(std::make_unique<DescribedMeter>(std::move(info)));
}

void add_package(FoundMeters& found, Quality quality = Quality::chip) {
  add_meter(found, "powercap/intel-rapl:0", "package", Counted::yes, quality);
}

std::optional<Check> named(const std::vector<Check>& checks, const std::string& name) {
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const Check& check) { return check.name == name; });
  if (found == checks.end()) return std::nullopt;
  return *found;
}

Severity severity(const DoctorInput& input, const std::string& name) {
  const auto check = named(diagnose(input), name);
  EXPECT_TRUE(check.has_value()) << name;
  return check ? check->severity : Severity::ok;
}

/// What most tests start from: an empty machine with a readable package.
class Doctor : public testing::Test {
 protected:
  DoctorInput input() const { return DoctorInput{host.root(), found, machine}; }

  FakeHost host;
  FoundMeters found;
  Machine machine;
};

TEST_F(Doctor, IsContentWithAQuietServer) {
  add_package(found);
  machine.frequency.governors = {"performance"};
  machine.frequency.turbo = false;
  machine.cpu.vendor = "GenuineIntel";
  machine.cpu.smt = false;
  machine.system.clock_source = "tsc";
  auto healthy = input();
  healthy.earlier.cpu_busy = Seconds{10};
  healthy.later.cpu_busy = Seconds{10.01};
  healthy.later.throttles = 0;
  healthy.apart = Seconds{1};
  healthy.free_bytes = std::uint64_t{50} << 30;
  const auto checks = diagnose(healthy);
  for (const auto& check : checks)
    EXPECT_EQ(check.severity, Severity::ok) << check.name << ": " << check.finding;
  EXPECT_GE(checks.size(), 9u);
  EXPECT_EQ(worst(checks), Severity::ok);
}

TEST_F(Doctor, FailsWithoutAnyMeter) {
  const auto check = named(diagnose(input()), "energy-meters");
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->severity, Severity::fail);
  EXPECT_FALSE(check->remedy.empty());
  EXPECT_EQ(worst(diagnose(input())), Severity::fail);
}

TEST_F(Doctor, DoesNotTakeARailForAMeterOfTheMachine) {
  add_meter(found, "hwmon/ina3221/in1", "rail:VDD_IN", Counted::inside, Quality::sensor);
  EXPECT_EQ(severity(input(), "energy-meters"), Severity::fail);
}

TEST_F(Doctor, WarnsThatModelledEnergyIsNotMeasured) {
  add_meter(found, "estimate", "machine", Counted::alone, Quality::model);
  const auto check = named(diagnose(input()), "energy-meters");
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->severity, Severity::warning);
  EXPECT_NE(check->finding.find("only modelled energy"), std::string::npos);
}

TEST_F(Doctor, NotesThatAHypervisorGivesTheEnergy) {
  add_package(found, Quality::virtual_machine);
  machine.system.is_virtual = true;
  machine.system.hypervisor = "KVM";
  EXPECT_EQ(severity(input(), "energy-meters"), Severity::note);
  const auto check = named(diagnose(input()), "virtual-machine");
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->severity, Severity::warning);
  EXPECT_NE(check->finding.find("(KVM)"), std::string::npos);
  EXPECT_FALSE(named(diagnose(input()), "governor").has_value()) << "the host's affair";
}

TEST_F(Doctor, OffersToOpenRaplThatOnlyRootReads) {
  found.left_out.push_back(
      {"powercap/intel-rapl:0", "cannot read .../energy_uj: Permission denied", ""});
  const auto check = named(diagnose(input()), "rapl-permission");
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->severity, Severity::warning);
  EXPECT_EQ(check->fix, "rapl-udev");
  add_meter(found, "perf/energy-pkg", "package", Counted::yes, Quality::chip);
  EXPECT_EQ(severity(input(), "rapl-permission"), Severity::note) << "perf_event reads the same";
}

TEST_F(Doctor, MentionsPerfEventOnlyWhereItWouldHelp) {
  host.write("proc/sys/kernel/perf_event_paranoid", "2");
  EXPECT_FALSE(named(diagnose(input()), "perf-event").has_value()) << "no RAPL events here";
  host.write("sys/bus/event_source/devices/power/type", "24");
  EXPECT_EQ(severity(input(), "perf-event"), Severity::note);
  auto as_root = input();
  as_root.is_root = true;
  EXPECT_EQ(severity(as_root, "perf-event"), Severity::ok);
  add_package(found);
  EXPECT_EQ(severity(input(), "perf-event"), Severity::ok);
}

TEST_F(Doctor, AsksTheProcessorWhetherRaplIsBlurred) {
  machine.cpu.vendor = "GenuineIntel";
  EXPECT_EQ(severity(input(), "energy-filter"), Severity::ok);
  machine.cpu.has_sgx = true;
  EXPECT_EQ(severity(input(), "energy-filter"), Severity::note) << "SGX is only a hint";
  std::string registers(0xBC + 8, '\0');
  host.write("dev/cpu/0/msr", registers);
  EXPECT_EQ(severity(input(), "energy-filter"), Severity::ok);
  registers[0xBC] = 1;
  host.write("dev/cpu/0/msr", registers);
  EXPECT_EQ(severity(input(), "energy-filter"), Severity::warning);
  machine.cpu.vendor = "AuthenticAMD";
  EXPECT_FALSE(named(diagnose(input()), "energy-filter").has_value());
}

TEST_F(Doctor, WarnsOfGovernorsThatFollowTheLoadOrDiffer) {
  machine.frequency.governors = {"powersave"};
  EXPECT_EQ(severity(input(), "governor"), Severity::warning);
  machine.frequency.governors = {"performance", "powersave"};
  const auto check = named(diagnose(input()), "governor");
  ASSERT_TRUE(check.has_value());
  EXPECT_NE(check->finding.find("performance, powersave"), std::string::npos);
  EXPECT_EQ(check->fix, "governor-performance");
}

TEST_F(Doctor, NotesTurboPreferenceAndSmt) {
  machine.frequency.turbo = true;
  machine.frequency.driver = "intel_pstate";
  machine.frequency.preferences = {"balance_power"};
  machine.cpu.smt = true;
  const auto checks = diagnose(input());
  for (const char* name : {"turbo", "energy-preference", "smt"}) {
    const auto check = named(checks, name);
    ASSERT_TRUE(check.has_value()) << name;
    EXPECT_EQ(check->severity, Severity::note) << name;
    EXPECT_FALSE(check->remedy.empty()) << name;
  }
  EXPECT_NE(named(checks, "turbo")->remedy.find("no_turbo"), std::string::npos);
}

TEST_F(Doctor, TellsThrottlingNowFromThrottlingBefore) {
  auto sample = input();
  sample.earlier.throttles = 4;
  sample.later.throttles = 4;
  EXPECT_EQ(severity(sample, "throttling"), Severity::note);
  sample.later.throttles = 5;
  EXPECT_EQ(severity(sample, "throttling"), Severity::warning);
}

TEST_F(Doctor, WarnsOfASlowClock) {
  machine.system.clock_source = "hpet";
  EXPECT_EQ(severity(input(), "clock-source"), Severity::warning);
}

TEST_F(Doctor, WarnsOfAQuotaAndNotesACpuset) {
  machine.cgroup.cpus = 1.5;
  machine.cgroup.cpuset = "0-3";
  const auto check = named(diagnose(input()), "cpu-quota");
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->severity, Severity::warning);
  EXPECT_NE(check->finding.find("1.5 CPUs"), std::string::npos);
  EXPECT_EQ(severity(input(), "cpuset"), Severity::note);
}

TEST_F(Doctor, SeesOthersAtWork) {
  auto sample = input();
  sample.earlier.cpu_busy = Seconds{100};
  sample.later.cpu_busy = Seconds{100.6};
  sample.later.load = 0.8;
  sample.apart = Seconds{1};
  sample.own_cpu_seconds = 0.1;
  const auto check = named(diagnose(sample), "load");
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->severity, Severity::warning);
  EXPECT_NE(check->finding.find("50 % of one CPU (load average 0.80)"), std::string::npos);
  sample.own_cpu_seconds = 0.58;
  EXPECT_EQ(severity(sample, "load"), Severity::ok);
}

TEST_F(Doctor, SeesAHostThatTakesTheCpus) {
  machine.system.is_virtual = true;
  machine.cpu.threads = 2;
  auto sample = input();
  sample.earlier.cpu_steal = Seconds{1};
  sample.later.cpu_steal = Seconds{1.2};
  sample.apart = Seconds{2};
  EXPECT_EQ(severity(sample, "steal"), Severity::warning);
}

TEST_F(Doctor, TellsAContainerHowToSeeTheHost) {
  machine.system.container = "docker";
  const auto check = named(diagnose(input()), "container");
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->severity, Severity::warning);
  EXPECT_NE(check->remedy.find("--root /host"), std::string::npos);
  host.write("sys/class/powercap/intel-rapl:0/name", "package-0");
  EXPECT_EQ(severity(input(), "container"), Severity::note);
}

TEST_F(Doctor, KnowsBatteryFromMains) {
  EXPECT_FALSE(named(diagnose(input()), "battery").has_value());
  found.left_out.push_back({"battery/BAT0", "BAT0 is not discharging (status: Full)", ""});
  EXPECT_EQ(severity(input(), "battery"), Severity::ok);
  found.left_out.back().reason = "BAT0 is not discharging (status: Charging)";
  EXPECT_EQ(severity(input(), "battery"), Severity::note);
  add_meter(found, "battery/BAT0", "machine", Counted::alone, Quality::sensor);
  EXPECT_EQ(severity(input(), "battery"), Severity::warning);
}

TEST_F(Doctor, LooksAtSwapAndDisk) {
  machine.memory.swap_used_bytes = std::uint64_t{2} << 30;
  auto full = input();
  full.free_bytes = std::uint64_t{500} << 20;
  EXPECT_EQ(severity(full, "swap"), Severity::note);
  EXPECT_EQ(severity(full, "disk"), Severity::warning);
  full.free_bytes = std::uint64_t{10} << 20;
  EXPECT_EQ(severity(full, "disk"), Severity::fail);
}

TEST_F(Doctor, NamesWhoUsesTheGpu) {
  auto with_gpu = input();
  with_gpu.gpus.push_back({"NVIDIA A100", false, false, {4242}});
  const auto checks = diagnose(with_gpu);
  const auto users = named(checks, "gpu-users");
  ASSERT_TRUE(users.has_value());
  EXPECT_EQ(users->severity, Severity::warning);
  EXPECT_NE(users->finding.find("4242"), std::string::npos);
  EXPECT_TRUE(named(checks, "gpu-persistence").has_value());
  EXPECT_TRUE(named(checks, "gpu-exclusive").has_value());
  with_gpu.gpus = {{"NVIDIA A100", true, std::nullopt, {}}};
  EXPECT_EQ(severity(with_gpu, "gpu"), Severity::ok);
}

TEST_F(Doctor, GivesARemedyWithEachWarning) {
  found.left_out.push_back({"powercap/intel-rapl:0", "energy_uj: Permission denied", ""});
  machine.frequency.governors = {"schedutil"};
  machine.system.is_virtual = true;
  machine.system.container = "podman";
  machine.system.clock_source = "acpi_pm";
  machine.cgroup.cpus = 2;
  for (const auto& check : diagnose(input())) {
    EXPECT_FALSE(check.finding.empty()) << check.name;
    EXPECT_TRUE(check.severity == Severity::ok || !check.remedy.empty()) << check.name;
  }
}

/// Collects the programs that a fix would start.
struct Programs {
  std::vector<std::string> lines;
  RunCommand run() {
    return [this](const std::vector<std::string>& arguments) {
      std::string line;
      for (const auto& word : arguments) line += (line.empty() ? "" : " ") + word;
      lines.push_back(line);
    };
  }
};

Variables sudo_by(const std::string& user) {
  return [user](const std::string& name) -> std::optional<std::string> {
    if (name == "SUDO_USER") return user;
    return std::nullopt;
  };
}

const std::vector<Check> asks_for_rapl{
    {"rapl-permission", Severity::warning, "denied", "fix it", "rapl-udev"}};
const std::vector<Check> asks_for_governor{
    {"governor", Severity::warning, "powersave", "fix it", "governor-performance"}};
const char* const rules = "etc/udev/rules.d/60-prengdl-rapl.rules";

TEST(Fixes, GiveAGroupTheRightToReadRapl) {
  FakeHost host;
  Programs programs;
  const auto fixes = available_fixes(host.root(), sudo_by("ada"), programs.run());
  const auto results = apply_fixes(asks_for_rapl, fixes, [](const Fix&) { return true; });
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].is_applied);
  EXPECT_EQ(programs.lines, (std::vector<std::string>{
                                "groupadd --system --force prengdl",
                                "usermod --append --groups prengdl ada", "udevadm control --reload",
                                "udevadm trigger --action=change --subsystem-match=powercap"}));
  const auto rule = read_optional(host.root() / rules).value_or("");
  EXPECT_NE(rule.find("SUBSYSTEM==\"powercap\""), std::string::npos);
  EXPECT_NE(rule.find("/bin/chgrp prengdl /sys%p/energy_uj"), std::string::npos);
  EXPECT_NE(rule.find("/bin/chmod g+r /sys%p/energy_uj"), std::string::npos);
  EXPECT_EQ(rule.find("o+r"), std::string::npos) << "not for everybody";
  EXPECT_NE(rule.find("PLATYPUS"), std::string::npos);
}

TEST(Fixes, ChangeNothingWithoutAYes) {
  FakeHost host;
  Programs programs;
  const auto fixes = available_fixes(host.root(), {}, programs.run());
  const auto results = apply_fixes(asks_for_rapl, fixes, [](const Fix&) { return false; });
  ASSERT_EQ(results.size(), 1u);
  EXPECT_FALSE(results[0].is_applied);
  EXPECT_TRUE(programs.lines.empty());
  EXPECT_FALSE(std::filesystem::exists(host.root() / rules));
  EXPECT_TRUE(apply_fixes(asks_for_rapl, fixes, {}).size() == 1 && programs.lines.empty());
}

TEST(Fixes, OfferOnlyWhatACheckAskedFor) {
  FakeHost host;
  Programs programs;
  int asked = 0;
  const auto confirm = [&](const Fix&) { return ++asked > 0; };
  const auto fixes = available_fixes(host.root(), {}, programs.run());
  EXPECT_TRUE(apply_fixes({}, fixes, confirm).empty());
  const std::vector<Check> fine{{"governor", Severity::ok, "", "", "governor-performance"}};
  EXPECT_TRUE(apply_fixes(fine, fixes, confirm).empty());
  EXPECT_EQ(asked, 0);
}

TEST(Fixes, ShowWhatTheyWouldDo) {
  FakeHost host;
  const auto fixes = available_fixes(host.root(), sudo_by("ada"), {});
  ASSERT_EQ(fixes.size(), 2u);
  EXPECT_NE(fixes[0].description.find("PLATYPUS"), std::string::npos);
  EXPECT_NE(fixes[0].description.find("ada joins"), std::string::npos);
  EXPECT_GE(fixes[0].commands.size(), 5u);
  EXPECT_EQ(fixes[0].commands[0], "sudo groupadd --system --force prengdl");
}

TEST(Fixes, LeaveNoRuleBehindWhenTheGroupCannotBeMade) {
  FakeHost host;
  const auto fixes = available_fixes(host.root(), {}, [](const std::vector<std::string>& words) {
    throw Error(words.front() + " failed");
  });
  EXPECT_THROW(apply_fixes(asks_for_rapl, fixes, [](const Fix&) { return true; }), Error);
  EXPECT_FALSE(std::filesystem::exists(host.root() / rules));
}

TEST(Fixes, SetTheGovernorOfAllCpus) {
  FakeHost host;
  const std::filesystem::path policies = "sys/devices/system/cpu/cpufreq";
  for (const char* policy : {"policy0", "policy1"}) {
    host.write(policies / policy / "scaling_governor", "powersave");
    host.write(policies / policy / "scaling_available_governors", "performance powersave");
  }
  const auto fixes = available_fixes(host.root(), {}, {});
  EXPECT_NE(fixes[1].description.find("-g powersave"), std::string::npos) << "how to undo it";
  apply_fixes(asks_for_governor, fixes, [](const Fix&) { return true; });
  for (const char* policy : {"policy0", "policy1"})
    EXPECT_EQ(read_optional(host.root() / policies / policy / "scaling_governor"), "performance");
}

TEST(Fixes, TouchNoGovernorWhereOneCannotPerform) {
  FakeHost host;
  const std::filesystem::path policies = "sys/devices/system/cpu/cpufreq";
  host.write(policies / "policy0/scaling_governor", "powersave");
  host.write(policies / "policy0/scaling_available_governors", "performance powersave");
  host.write(policies / "policy1/scaling_governor", "powersave");
  host.write(policies / "policy1/scaling_available_governors", "powersave");
  const auto fixes = available_fixes(host.root(), {}, {});
  EXPECT_THROW(apply_fixes(asks_for_governor, fixes, [](const Fix&) { return true; }), Error);
  EXPECT_EQ(read_optional(host.root() / policies / "policy0/scaling_governor"), "powersave");
}

TEST(Fixes, SayThatAGuestHasNoGovernor) {
  FakeHost host;
  const auto fixes = available_fixes(host.root(), {}, {});
  EXPECT_THROW(fixes[1].apply(), Error);
}

/// A clock that a second passes on while the machine does something.
class BusySecond final : public Clock {
 public:
  explicit BusySecond(FakeHost& host) : host_(host) {}
  std::int64_t now_ns() override { return now_ns_; }
  void sleep_until(std::int64_t at_ns) override {
    now_ns_ = at_ns;
    host_.write("proc/stat", "cpu  200 0 0 0 0 0 0 0 0 0");
  }

 private:
  FakeHost& host_;
  std::int64_t now_ns_ = 5;
};

TEST(LookAround, TakesTwoLooksASecondApart) {
  FakeHost host;
  host.write("proc/stat", "cpu  100 0 0 0 0 0 0 0 0 0");
  MeterSearch search;
  search.root = host.root();
  const FoundMeters found;
  const Machine machine;
  BusySecond clock(host);
  const DoctorInput input = look_around(search, found, machine, clock);
  EXPECT_EQ(input.apart, Seconds{1});
  EXPECT_NE(input.earlier.cpu_busy, input.later.cpu_busy);
  EXPECT_TRUE(input.gpus.empty());
  EXPECT_GT(input.free_bytes.value(), 0u);
}

}  // namespace
}  // namespace prengdl
