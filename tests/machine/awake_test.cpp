// SPDX-License-Identifier: Apache-2.0
#include "machine/awake.h"

#include <gtest/gtest.h>

#include "fake_host.h"

namespace prengdl {
namespace {

constexpr const char* driver = "sys/devices/system/cpu/cpuidle/current_driver";
constexpr const char* latency = "dev/cpu_dma_latency";

TEST(AwakeCpus, OfAGuestAreAskedToWakeAtOnce) {
  FakeHost host;
  host.write(driver, "haltpoll\n");
  host.write(latency, "");
  const AwakeCpus awake(host.root());
  EXPECT_EQ(read_bytes(host.root() / latency).value(), std::string(4, '\0'));
}

TEST(AwakeCpus, OfARealMachineAreLeftAlone) {
  FakeHost host;
  host.write(driver, "intel_idle\n");
  host.write(latency, "");
  const AwakeCpus awake(host.root());
  EXPECT_EQ(read_bytes(host.root() / latency).value(), "\n");
}

TEST(AwakeCpus, AreNoMatterWhereTheKernelCannotBeAsked) {
  FakeHost host;
  const AwakeCpus without_anything(host.root());
  host.write(driver, "haltpoll\n");
  const AwakeCpus without_the_device(host.root());
}

}  // namespace
}  // namespace prengdl
