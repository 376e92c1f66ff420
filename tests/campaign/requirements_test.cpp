// SPDX-License-Identifier: Apache-2.0
#include "campaign/requirements.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "campaign/doctor_study.h"

namespace prengdl {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
using Lacks = std::vector<std::string>;

Machine small_machine() {
  Machine machine;
  machine.cpu.threads = 4;
  machine.memory.total_bytes = 16 * gibibyte;
  return machine;
}

Lacks lacks(const Requirements& wanted, const Machine& machine,
            const std::vector<std::uint64_t>& gpus = {}) {
  Study study;
  study.name = "s";
  study.requirements = wanted;
  return unmet_requirements(study, cells_of(study), machine, gpus, ".");
}

TEST(Requirements, AreMetOrNamed) {
  Requirements wanted;
  EXPECT_EQ(lacks(wanted, small_machine()), Lacks{});
  wanted.cpus = 4;
  wanted.memory_bytes = 16 * gibibyte;
  EXPECT_EQ(lacks(wanted, small_machine()), Lacks{});
  wanted.cpus = 8;
  wanted.memory_bytes = 32 * gibibyte;
  wanted.gpus = 2;
  wanted.gpu_memory_bytes = 8 * gibibyte;
  wanted.disk_bytes = std::uint64_t{1} << 60;
  const auto found = lacks(wanted, small_machine(), {12 * gibibyte, 4 * gibibyte});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0], "the study s requires 8 CPUs, this machine has 4");
  EXPECT_EQ(found[1], "the study s requires 32.0 GiB of memory, this machine has 16.0 GiB");
  EXPECT_EQ(found[2], "the study s requires 2 GPUs with 8.0 GiB of memory, this process may use 1");
  EXPECT_NE(found[3].find("of free disk"), std::string::npos);
}

TEST(Requirements, LimitsOfTheControlGroupCount) {
  auto machine = small_machine();
  machine.cgroup.cpus = 1.5;
  machine.cgroup.memory_bytes = 2 * gibibyte;
  Requirements wanted;
  wanted.cpus = 2;
  wanted.memory_bytes = 4 * gibibyte;
  EXPECT_EQ(lacks(wanted, machine),
            (Lacks{"the study s requires 2 CPUs, the control group gives this process 1.5",
                   "the study s requires 4.0 GiB of memory, the control group gives this process "
                   "2.0 GiB"}));
}

TEST(Requirements, ALackIsToldOnceForTheFirstCell) {
  Study study;
  study.factors = {{"size", {"1", "2"}}};
  study.workload.requirements.gpus = 1;
  EXPECT_EQ(unmet_requirements(study, cells_of(study), small_machine(), {}, "."),
            Lacks{"size=1 requires 1 GPU, this process may use 0"});
  EXPECT_THROW(check_requirements(study, cells_of(study), small_machine(), {}, "."), Error);
  EXPECT_TRUE(unmet_requirements(study, {}, small_machine(), {}, ".").empty())
      << "what does not run needs nothing";
}

TEST(StudyNeeds, AreChecksOfDoctor) {
  EnvironmentSite own;
  own.kind = EnvironmentSite::Kind::conda;
  own.label = "/none";
  own.directory = "/no/such/prefix";
  EnvironmentSite made = own;
  made.kind = EnvironmentSite::Kind::locked;
  made.name = {"torch", "2"};
  made.variant = "cpu";
  const auto checks = check_study_needs({own, made}, {"it requires more"}, "prengdl setup s.toml");
  ASSERT_EQ(checks.size(), 3u);
  EXPECT_EQ(checks[0].remedy, "it is the study's own: make it, or name another one");
  EXPECT_EQ(checks[1].remedy, "make it: prengdl setup s.toml");
  EXPECT_EQ(checks[1].finding, "torch 2 cpu is not ready: there is no /no/such/prefix");
  EXPECT_EQ(checks[2].name, "requires");
  EXPECT_EQ(worst(checks), Severity::fail);
  EXPECT_EQ(worst(check_study_needs({}, {}, "")), Severity::ok);
}

}  // namespace
}  // namespace prengdl
