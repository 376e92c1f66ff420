// SPDX-License-Identifier: Apache-2.0
#include "privilege/settings.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "fake_host.h"

namespace prengdl {
namespace {

const std::filesystem::path cpus = "sys/devices/system/cpu";

void add_policies(FakeHost& host, const std::string& governor) {
  for (const char* name : {"policy0", "policy1"}) {
    host.write(cpus / "cpufreq" / name / "scaling_governor", governor);
    host.write(cpus / "cpufreq" / name / "scaling_available_governors", "performance powersave");
  }
}

std::string governor_of(const FakeHost& host, const std::string& policy) {
  return read_attribute(host.root() / cpus / "cpufreq" / policy / "scaling_governor").value_or("");
}

SettingsHost machine(const FakeHost& host) {
  return {host.root(), host.root() / "usr/bin/nvidia-smi"};
}

MachineControl wants_governor(const std::string& name) {
  MachineControl control;
  control.governor = name;
  return control;
}

TEST(Settings, ChangeTheGovernorOfEveryPolicyAndGiveItBack) {
  FakeHost host;
  add_policies(host, "powersave");
  const auto settings = settings_for(machine(host), wants_governor("performance"));
  ASSERT_EQ(settings.size(), 2u);
  apply_settings(machine(host), settings);
  EXPECT_EQ(governor_of(host, "policy0"), "performance");
  EXPECT_EQ(governor_of(host, "policy1"), "performance");
  EXPECT_TRUE(undo_settings(machine(host), settings).empty());
  EXPECT_EQ(governor_of(host, "policy0"), "powersave");
  EXPECT_EQ(governor_of(host, "policy1"), "powersave");
}

TEST(Settings, LeaveAloneWhatIsRightAlready) {
  FakeHost host;
  add_policies(host, "performance");
  EXPECT_TRUE(settings_for(machine(host), wants_governor("performance")).empty());
}

TEST(Settings, RefuseAGovernorThatIsNotOffered) {
  FakeHost host;
  add_policies(host, "powersave");
  try {
    settings_for(machine(host), wants_governor("ondemand"));
    FAIL() << "it must be refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("does not offer the governor ondemand"),
              std::string::npos);
    EXPECT_NE(error.hint.find("performance powersave"), std::string::npos);
  }
}

TEST(Settings, RefuseWhatTheMachineDoesNotHave) {
  FakeHost host;
  EXPECT_THROW(settings_for(machine(host), wants_governor("performance")), Error);
  MachineControl turbo;
  turbo.turbo = false;
  EXPECT_THROW(settings_for(machine(host), turbo), Error);
  MachineControl clock;
  clock.gpu_clock_mhz = 1200;
  EXPECT_THROW(settings_for(machine(host), clock), Error);
}

TEST(Settings, KnowBothSwitchesOfTurbo) {
  MachineControl control;
  control.turbo = false;
  FakeHost intel;
  intel.write(cpus / "intel_pstate/no_turbo", "0");
  const auto by_intel = settings_for(machine(intel), control);
  ASSERT_EQ(by_intel.size(), 1u);
  EXPECT_EQ(by_intel[0].after, "1");
  FakeHost amd;
  amd.write(cpus / "cpufreq/boost", "1");
  const auto by_amd = settings_for(machine(amd), control);
  ASSERT_EQ(by_amd.size(), 1u);
  EXPECT_EQ(by_amd[0].after, "0");
}

TEST(Settings, DoNotFollowALinkToAnotherFile) {
  FakeHost host;
  host.write("victim", "powersave");
  host.write(cpus / "cpufreq/policy0/scaling_available_governors", "performance powersave");
  host.link(cpus / "cpufreq/policy0/scaling_governor", host.root() / "victim");
  EXPECT_THROW(settings_for(machine(host), wants_governor("performance")), Error);
  const Setting planted{Setting::What::governor, "policy0", "powersave", "performance"};
  EXPECT_THROW(apply_settings(machine(host), {planted}), Error);
  EXPECT_EQ(undo_settings(machine(host), {planted}).size(), 1u);
  EXPECT_EQ(read_attribute(host.root() / "victim"), "powersave");
}

TEST(Settings, LockTheClockOfTheGpuByItsTool) {
  FakeHost host;
  host.write("usr/bin/nvidia-smi", "#!/bin/sh\necho \"$@\" >> " + (host.root() / "calls").string() +
                                       "\nenv >> " + (host.root() / "environment").string());
  std::filesystem::permissions(machine(host).gpu_tool, std::filesystem::perms::owner_all);
  MachineControl control;
  control.gpu_clock_mhz = 1200;
  setenv("PRENGDL_TEST_SECRET", "1", 1);
  const auto settings = settings_for(machine(host), control);
  apply_settings(machine(host), settings);
  EXPECT_TRUE(undo_settings(machine(host), settings).empty());
  unsetenv("PRENGDL_TEST_SECRET");
  EXPECT_EQ(read_text(host.root() / "calls").value(), "-lgc 1200,1200\n-rgc");
  EXPECT_EQ(read_text(host.root() / "environment").value().find("SECRET"), std::string::npos);
  for (const int clock : {-1, 0, 10'001}) {
    control.gpu_clock_mhz = clock;
    EXPECT_THROW(settings_for(machine(host), control), Error) << clock;
  }
}

TEST(Settings, WriteTheWayBackAndReadIt) {
  const std::vector<Setting> settings{
      {Setting::What::governor, "policy12", "powersave", "performance"},
      {Setting::What::no_turbo, "", "0", "1"},
      {Setting::What::gpu_clock, "", "", "1200"}};
  const auto back = read_way_back(way_back_text(settings));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 3u);
  EXPECT_EQ((*back)[0].file(), settings[0].file());
  EXPECT_EQ((*back)[0].before, "powersave");
  EXPECT_EQ((*back)[1].before, "0");
  EXPECT_EQ((*back)[2].what, Setting::What::gpu_clock);
}

TEST(Settings, TakeNoWayBackThatIsNotTheirOwn) {
  for (const char* line :
       {"governor ../../../../etc powersave", "governor policy0/../.. powersave",
        "governor policy0 power;save", "governor policy0", "governor policy0 a b",
        "governor policy0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "no_turbo 2", "boost yes",
        "run touch /tmp/x", "write 1 /etc/passwd", "gpu_clock 1", "cpus 0"})
    EXPECT_FALSE(read_way_back(std::string("prengdl-settings/1\n") + line + "\n")) << line;
  EXPECT_FALSE(read_way_back("governor policy0 powersave\n")) << "the first line is missing";
  EXPECT_FALSE(read_way_back(""));
}

}  // namespace
}  // namespace prengdl
