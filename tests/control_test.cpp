// SPDX-License-Identifier: Apache-2.0
#include "run/control.h"

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

TEST(Control, SetsTheGovernorOfEveryPolicyAndGivesItBack) {
  FakeHost host;
  add_policies(host, "powersave");
  MachineControl control;
  control.governor = "performance";
  const auto settings = settings_for(host.root(), control);
  ASSERT_EQ(settings.size(), 2u);
  apply(settings);
  EXPECT_EQ(governor_of(host, "policy0"), "performance");
  EXPECT_EQ(governor_of(host, "policy1"), "performance");
  EXPECT_TRUE(undo(settings).empty());
  EXPECT_EQ(governor_of(host, "policy0"), "powersave");
  EXPECT_EQ(governor_of(host, "policy1"), "powersave");
}

TEST(Control, LeavesAloneWhatIsRightAlready) {
  FakeHost host;
  add_policies(host, "performance");
  MachineControl control;
  control.governor = "performance";
  EXPECT_TRUE(settings_for(host.root(), control).empty());
}

TEST(Control, RefusesAGovernorThatIsNotOffered) {
  FakeHost host;
  add_policies(host, "powersave");
  MachineControl control;
  control.governor = "ondemand";
  try {
    settings_for(host.root(), control);
    FAIL() << "it must be refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("does not offer the governor ondemand"),
              std::string::npos);
    EXPECT_NE(error.hint.find("performance powersave"), std::string::npos);
  }
}

TEST(Control, RefusesWhatTheMachineDoesNotHave) {
  FakeHost host;
  MachineControl governor;
  governor.governor = "performance";
  EXPECT_THROW(settings_for(host.root(), governor), Error);
  MachineControl turbo;
  turbo.turbo = false;
  EXPECT_THROW(settings_for(host.root(), turbo), Error);
}

TEST(Control, KnowsBothSwitchesOfTurbo) {
  MachineControl control;
  control.turbo = false;
  FakeHost intel;
  intel.write(cpus / "intel_pstate/no_turbo", "0");
  const auto by_intel = settings_for(intel.root(), control);
  ASSERT_EQ(by_intel.size(), 1u);
  EXPECT_EQ(by_intel[0].after, "1");
  FakeHost amd;
  amd.write(cpus / "cpufreq/boost", "1");
  const auto by_amd = settings_for(amd.root(), control);
  ASSERT_EQ(by_amd.size(), 1u);
  EXPECT_EQ(by_amd[0].after, "0");
}

TEST(Control, WhatFailsHalfwayIsUndone) {
  FakeHost host;
  add_policies(host, "powersave");
  MachineControl control;
  control.governor = "performance";
  auto settings = settings_for(host.root(), control);
  settings.push_back({host.root() / "no/such/file", "a", "b", {}, {}});
  EXPECT_THROW(apply(settings), Error);
  EXPECT_EQ(governor_of(host, "policy0"), "powersave");
  EXPECT_EQ(governor_of(host, "policy1"), "powersave");
}

TEST(Control, WritesTheWayBackAndReadsIt) {
  const std::vector<Setting> settings{
      {"/sys/a file", "power save", "performance", {}, {}},
      {"", "", "", {"nvidia-smi", "-lgc", "1200,1200"}, {"nvidia-smi", "-rgc"}}};
  const auto back = read_way_back(way_back(settings));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ((*back)[0].file, "/sys/a file");
  EXPECT_EQ((*back)[0].before, "power save");
  EXPECT_EQ((*back)[1].undo, (std::vector<std::string>{"nvidia-smi", "-rgc"}));
  EXPECT_FALSE(read_way_back("something else entirely\n"));
}

}  // namespace
}  // namespace prengdl
