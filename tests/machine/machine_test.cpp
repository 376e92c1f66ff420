// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fake_host.h"

namespace prengdl {
namespace {

const std::filesystem::path cpus = "sys/devices/system/cpu";

Variables environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

Machine read_below(const FakeHost& host, std::map<std::string, std::string> variables = {}) {
  std::vector<std::string> names;
  names.reserve(variables.size());
  for (const auto& [name, value] : variables) names.push_back(name);
  return read_machine(host.root(), environment_of(std::move(variables)), names);
}

std::optional<std::string> fact(const Machine& machine, const std::string& group,
                                const std::string& key) {
  for (const auto& row : facts(machine))
    if (row.group == group && row.key == key) return row.value;
  return std::nullopt;
}

std::string processor(const std::string& flags) {
  return "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n"
         "model name\t: Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz\nstepping\t: 6\n"
         "microcode\t: 0xd0003a5\nsiblings\t: 4\ncpu cores\t: 2\nflags\t\t: fpu msr " +
         flags + "\n";
}

/// Two sockets of two cores of two threads, Intel.
void fill_two_sockets(FakeHost& host) {
  host.write("proc/cpuinfo", processor("sgx") + "\nprocessor\t: 1\nmodel name\t: another\n");
  host.write(cpus / "online", "0-7");
  for (int i = 0; i < 8; ++i) {
    const auto topology = cpus / ("cpu" + std::to_string(i)) / "topology";
    host.write(topology / "package_cpus_list", i % 4 < 2 ? "0-1,4-5" : "2-3,6-7");
    host.write(topology / "thread_siblings_list",
               std::to_string(i % 4) + "," + std::to_string(i % 4 + 4));
    const auto policy = cpus / "cpufreq" / ("policy" + std::to_string(i));
    host.write(policy / "scaling_governor", i == 7 ? "powersave" : "performance");
    host.write(policy / "scaling_driver", "intel_pstate");
    host.write(policy / "energy_performance_preference", "balance_performance");
  }
  host.write(cpus / "cpu0/cpufreq/base_frequency", "2000000");
  host.write(cpus / "cpu0/cpufreq/cpuinfo_max_freq", "3200000");
  host.write(cpus / "smt/active", "1");
  host.write(cpus / "intel_pstate/no_turbo", "0");
  host.write(cpus / "vulnerabilities/meltdown", "Not affected");
  host.write(cpus / "vulnerabilities/spectre_v2", "Mitigation: Enhanced IBRS");
  host.write("sys/devices/system/node/online", "0-1");
  host.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  const std::filesystem::path zone = "sys/class/powercap/intel-rapl:0";
  host.write(zone / "name", "package-0");
  host.write(zone / "constraint_0_name", "long_term");
  host.write(zone / "constraint_0_power_limit_uw", "205000000");
  host.write(zone / "constraint_1_name", "short_term");
  host.write(zone / "constraint_1_power_limit_uw", "246000000");
  host.write("sys/class/powercap/intel-rapl:0:0/name", "dram");
  host.write("proc/meminfo", "MemTotal: 263856000 kB\nSwapTotal: 1000 kB\nSwapFree: 400 kB");
  host.write("proc/sys/kernel/osrelease", "6.1.0-18-amd64");
  host.write("etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"");
  host.write("sys/class/dmi/id/sys_vendor", "Dell Inc.");
}

TEST(Machine, KnowsATwoSocketServer) {
  FakeHost host;
  fill_two_sockets(host);
  const Machine machine = read_below(host);
  EXPECT_EQ(machine.cpu.model_name, "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz");
  EXPECT_EQ(machine.cpu.family, 6);
  EXPECT_EQ(machine.cpu.model, 106);
  EXPECT_EQ(machine.cpu.microcode, "0xd0003a5");
  EXPECT_EQ(machine.cpu.sockets, 2);
  EXPECT_EQ(machine.cpu.cores, 4);
  EXPECT_EQ(machine.cpu.threads, 8);
  EXPECT_EQ(machine.cpu.numa_nodes, 2);
  EXPECT_EQ(machine.cpu.smt, true);
  EXPECT_EQ(machine.cpu.base_hertz, 2e9);
  EXPECT_EQ(machine.cpu.max_hertz, 3.2e9);
  EXPECT_TRUE(machine.cpu.has_sgx);
  EXPECT_EQ(machine.frequency.governors, (std::vector<std::string>{"performance", "powersave"}));
  EXPECT_EQ(machine.frequency.driver, "intel_pstate");
  EXPECT_EQ(machine.frequency.preferences, std::vector<std::string>{"balance_performance"});
  EXPECT_EQ(machine.frequency.turbo, true);
  ASSERT_EQ(machine.frequency.power_limits.size(), 2u);
  EXPECT_EQ(machine.frequency.power_limits[1].limit, Watts{246});
  EXPECT_EQ(machine.memory.total_bytes, 263856000ull * 1024);
  EXPECT_EQ(machine.memory.swap_used_bytes, 600u * 1024);
  EXPECT_EQ(machine.memory.huge_pages, "madvise");
  EXPECT_FALSE(machine.system.is_virtual);
  EXPECT_EQ(machine.system.os, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(machine.system.kernel, "6.1.0-18-amd64");
  EXPECT_EQ(machine.mitigations.size(), 2u);
}

TEST(Machine, TellsItsFactsInFlatForm) {
  FakeHost host;
  fill_two_sockets(host);
  const Machine machine = read_below(host);
  EXPECT_EQ(fact(machine, "cpu", "sockets"), "2");
  EXPECT_EQ(fact(machine, "cpu", "smt"), "on");
  EXPECT_EQ(fact(machine, "frequency", "governor"), "performance, powersave");
  EXPECT_EQ(fact(machine, "frequency", "power_limit package-0 long_term"), "205 W");
  EXPECT_EQ(fact(machine, "mitigations", "spectre_v2"), "Mitigation: Enhanced IBRS");
  EXPECT_EQ(fact(machine, "cgroup", "cpus"), std::nullopt) << "no limit is no fact";
}

TEST(Machine, KnowsNothingOfAnEmptyRootAndSaysSo) {
  FakeHost host;
  const Machine machine = read_below(host);
  EXPECT_FALSE(machine.cpu.threads.has_value());
  EXPECT_FALSE(machine.memory.total_bytes.has_value());
  EXPECT_FALSE(machine.frequency.turbo.has_value());
  for (const auto& row : facts(machine))
    EXPECT_TRUE(row.key == "virtual_machine" || row.key == "sgx") << row.key;
}

TEST(Machine, KnowsAnAmdLaptop) {
  FakeHost host;
  host.write(
      "proc/cpuinfo",
      "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD Ryzen 7\ncpu cores\t: 2\n"
      "flags\t\t: fpu\n");
  host.write(cpus / "online", "0-3");
  for (int i = 0; i < 4; ++i)
    host.write(cpus / ("cpu" + std::to_string(i)) / "topology/core_siblings_list", "0-3");
  host.write(cpus / "cpufreq/boost", "0");
  const Machine machine = read_below(host);
  EXPECT_EQ(machine.cpu.sockets, 1);
  EXPECT_EQ(machine.cpu.cores, 2);
  EXPECT_EQ(machine.frequency.turbo, false);
  EXPECT_FALSE(machine.cpu.has_sgx);
}

TEST(Machine, KnowsAJetsonByItsDeviceTree) {
  FakeHost host;
  host.write("proc/cpuinfo",
             "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
             "CPU part\t: 0xd42\nCPU revision\t: 1\n");
  host.write("proc/device-tree/model", std::string("NVIDIA Jetson Orin Nano Developer Kit") + '\0');
  host.write(cpus / "online", "0-5");
  for (int i = 0; i < 6; ++i) {
    const auto topology = cpus / ("cpu" + std::to_string(i)) / "topology";
    host.write(topology / "package_cpus_list", "0-5");
    host.write(topology / "thread_siblings_list", std::to_string(i));
  }
  const Machine machine = read_below(host);
  EXPECT_EQ(machine.cpu.vendor, "0x41");
  EXPECT_EQ(machine.cpu.model_name, "Arm part 0xd42");
  EXPECT_EQ(machine.cpu.cores, 6);
  EXPECT_EQ(machine.system.product->substr(0, 18), "NVIDIA Jetson Orin");
  EXPECT_EQ(machine.system.product->find('\0'), std::string::npos);
  EXPECT_FALSE(machine.system.is_virtual);
}

TEST(Machine, KnowsThatItIsAGuest) {
  FakeHost host;
  host.write("proc/cpuinfo", processor("hypervisor lahf_lm"));
  host.write("sys/class/dmi/id/sys_vendor", "QEMU");
  const Machine machine = read_below(host);
  EXPECT_TRUE(machine.system.is_virtual);
  EXPECT_EQ(machine.system.hypervisor, "QEMU");
}

TEST(Machine, KnowsAnArmGuestByItsMakerAndBareMetalInTheCloud) {
  FakeHost guest;
  guest.write("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp\n");
  guest.write("sys/class/dmi/id/sys_vendor", "Amazon EC2");
  guest.write("sys/class/dmi/id/product_name", "c7g.large");
  EXPECT_TRUE(read_below(guest).system.is_virtual);
  guest.write("sys/class/dmi/id/product_name", "c7g.metal");
  EXPECT_FALSE(read_below(guest).system.is_virtual);
}

TEST(Machine, ReadsTheLimitsOfAContainerWithCgroupV2) {
  FakeHost host;
  host.write(".dockerenv", "");
  host.write(cpus / "online", "0-7");
  host.write("proc/self/cgroup", "0::/");
  host.write("sys/fs/cgroup/cpu.max", "150000 100000");
  host.write("sys/fs/cgroup/memory.max", "2147483648");
  host.write("sys/fs/cgroup/cpuset.cpus.effective", "0-3");
  const Machine machine = read_below(host);
  EXPECT_EQ(machine.system.container, "docker");
  EXPECT_EQ(machine.cgroup.cpus, 1.5);
  EXPECT_EQ(machine.cgroup.memory_bytes, 2147483648u);
  EXPECT_EQ(machine.cgroup.cpuset, "0-3");
}

TEST(Machine, TakesTheTightestLimitOnTheWayUp) {
  FakeHost host;
  host.write(cpus / "online", "0-3");
  host.write("proc/self/cgroup", "0::/user.slice/job:1.scope");
  host.write("sys/fs/cgroup/user.slice/cpu.max", "200000 100000");
  host.write("sys/fs/cgroup/user.slice/job:1.scope/cpu.max", "max 100000");
  host.write("sys/fs/cgroup/user.slice/job:1.scope/memory.max", "max");
  host.write("sys/fs/cgroup/user.slice/job:1.scope/cpuset.cpus.effective", "0-3");
  const auto limits = read_cgroup_limits(host.root());
  EXPECT_EQ(limits.cpus, 2.0);
  EXPECT_FALSE(limits.memory_bytes.has_value());
  EXPECT_FALSE(limits.cpuset.has_value()) << "all CPUs is no limit";
}

TEST(Machine, ReadsTheLimitsOfCgroupV1) {
  FakeHost host;
  host.write(cpus / "online", "0-7");
  host.write("proc/self/cgroup",
             "11:memory:/docker/1f\n4:cpu,cpuacct:/docker/1f\n3:cpuset:/docker/1f\n0::/");
  host.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000");
  host.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  host.write("sys/fs/cgroup/cpuset/docker/1f/cpuset.cpus", "2,6");
  host.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  const auto limits = read_cgroup_limits(host.root());
  EXPECT_EQ(limits.cpus, 4.0);
  EXPECT_EQ(limits.cpuset, "2,6");
  EXPECT_FALSE(limits.memory_bytes.has_value()) << "near 2^63 means no limit";
  EXPECT_EQ(read_below(host).system.container, "docker");
}

TEST(Machine, NeverLooksAboveTheCgroupMount) {
  FakeHost host;
  host.write("proc/self/cgroup", "0::/../../../../secret");
  host.write("secret/cpu.max", "100000 100000");
  EXPECT_FALSE(read_cgroup_limits(host.root()).cpus.has_value());
}

TEST(Machine, RecordsVariablesThatSteerAWorkloadAndNoSecrets) {
  FakeHost host;
  const Machine machine = read_below(host, {{"OMP_NUM_THREADS", "4"},
                                            {"OMP_SOMETHING_NEW", "1"},
                                            {"SLURM_JOB_GPUS_EXTRA", "0,1"},
                                            {"LD_PRELOAD", "libjemalloc.so"},
                                            {"HF_TOKEN", "hf_123"},
                                            {"PYTORCH_API_KEY", "abc"},
                                            {"OMP_Secret", "x"},
                                            {"HOME", "/root"}});
  std::vector<std::string> names;
  names.reserve(machine.environment.size());
  for (const auto& [name, value] : machine.environment) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"LD_PRELOAD", "OMP_NUM_THREADS", "OMP_SOMETHING_NEW",
                                             "SLURM_JOB_GPUS_EXTRA"}));
  EXPECT_EQ(fact(machine, "environment", "OMP_NUM_THREADS"), "4");
}

TEST(Machine, NoKnownVariableLooksLikeASecret) {
  for (const auto& name : known_variables()) EXPECT_TRUE(is_recorded_variable(name)) << name;
  EXPECT_FALSE(is_recorded_variable("AWS_SECRET_ACCESS_KEY"));
}

void write_stat(FakeHost& host, int user, int idle, int steal) {
  host.write("proc/stat", "cpu  " + std::to_string(user) + " 10 20 " + std::to_string(idle) +
                              " 5 1 2 " + std::to_string(steal) + " 0 0\ncpu0 1 2 3\n");
}

TEST(Conditions, ReadTheSnapshotOfAServer) {
  FakeHost host;
  write_stat(host, 1000, 5000, 30);
  host.write("proc/loadavg", "0.52 0.58 0.59 1/389 12345");
  host.write("proc/pressure/cpu",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n"
             "full avg10=0.00 avg60=0.00 avg300=0.00 total=0");
  host.write(cpus / "online", "0-1");
  host.write(cpus / "cpu0/thermal_throttle/core_throttle_count", "3");
  host.write(cpus / "cpu0/thermal_throttle/package_throttle_count", "4");
  host.write(cpus / "cpu1/thermal_throttle/core_throttle_count", "5");
  host.write(cpus / "cpu0/cpufreq/scaling_cur_freq", "3100000");
  host.write(cpus / "cpu1/cpufreq/scaling_cur_freq", "1200000");
  const Conditions now = read_conditions(host.root());
  EXPECT_NEAR(now.cpu_busy->count(), 10.3, 1e-9);
  EXPECT_NEAR(now.cpu_steal->count(), 0.3, 1e-9);
  EXPECT_NEAR(now.cpu_total->count(), 60.68, 1e-9);
  EXPECT_EQ(now.load, 0.52);
  EXPECT_EQ(now.cpu_pressure, Seconds{2.5});
  EXPECT_FALSE(now.io_pressure.has_value());
  EXPECT_EQ(now.throttles, 12u);
  EXPECT_EQ(now.lowest_hertz, 1.2e9);
}

TEST(Conditions, AreMissingWhereTheKernelTellsNothing) {
  FakeHost host;
  const Conditions now = read_conditions(host.root());
  EXPECT_FALSE(now.cpu_busy || now.load || now.throttles || now.lowest_hertz);
  EXPECT_TRUE(disturbance_flags(now, now, 0, Seconds{10}, 4).empty());
}

Conditions busy_for(double busy, double steal = 0, std::uint64_t throttles = 0) {
  Conditions conditions;
  conditions.cpu_busy = Seconds{busy};
  conditions.cpu_steal = Seconds{steal};
  conditions.throttles = throttles;
  return conditions;
}

TEST(Disturbance, IsSeenWhenOthersComputeMeanwhile) {
  EXPECT_EQ(disturbance_flags(busy_for(100), busy_for(111.5), 10, Seconds{10}, 2),
            Flags{Flag::disturbed});
  EXPECT_EQ(disturbance_flags(busy_for(100), busy_for(101.2), 0.1, Seconds{1}, 2),
            Flags{Flag::disturbed});
}

TEST(Disturbance, IsNotSeenOnAQuietMachine) {
  // A daemon at 2 % of one CPU.
  EXPECT_EQ(disturbance_flags(busy_for(100), busy_for(110.2), 10, Seconds{10}, 2), Flags{});
  EXPECT_EQ(disturbance_flags(busy_for(100), busy_for(100.2), 0, Seconds{10}, 2), Flags{});
}

TEST(Disturbance, IsNotMadeByTheStepsOfTheClock) {
  // A 5 ms run between two ticks may look like 30 ms in three fields.
  EXPECT_EQ(disturbance_flags(busy_for(100), busy_for(100.03), 0.005, Seconds{0.005}, 2), Flags{});
  EXPECT_EQ(disturbance_flags(busy_for(100, 1), busy_for(100, 1.01), 0, Seconds{0.02}, 1), Flags{});
  // 64 CPUs half busy for 10 s scatter by more than a second when ticks are charged whole.
  EXPECT_EQ(disturbance_flags(busy_for(0), busy_for(323), 320, Seconds{10}, 64), Flags{});
}

TEST(Disturbance, IgnoresACpuTimeThatSeemsNegative) {
  EXPECT_EQ(cpu_time_of_others(busy_for(100), busy_for(109.9), Seconds{10}), Seconds{0});
}

TEST(Disturbance, IsSeenWhenTheHostTakesTheCpus) {
  EXPECT_EQ(disturbance_flags(busy_for(0), busy_for(0, 0.5), 0, Seconds{10}, 2),
            Flags{Flag::disturbed});
  EXPECT_EQ(disturbance_flags(busy_for(0), busy_for(0, 0.3), 0, Seconds{10}, 2), Flags{});
}

TEST(Disturbance, SaysThrottledWhenTheCountersRose) {
  EXPECT_EQ(disturbance_flags(busy_for(0, 0, 7), busy_for(0, 0, 8), 0, Seconds{1}, 2),
            Flags{Flag::throttled});
  EXPECT_EQ(disturbance_flags(busy_for(0, 0, 7), busy_for(0, 0, 7), 0, Seconds{1}, 2), Flags{});
}

}  // namespace
}  // namespace prengdl
