// SPDX-License-Identifier: Apache-2.0
#include "model/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prengdl {
namespace {

MeterInfo meter(const std::string& id, const std::string& domain, Kind kind = Kind::counter,
                Quality quality = Quality::chip) {
  MeterInfo info;
  info.id = id;
  info.domain = domain;
  info.kind = kind;
  info.quality = quality;
  info.unit = kind == Kind::counter ? Unit::joule : Unit::watt;
  return info;
}

CpuFacts cpu(const std::string& vendor, int model) {
  CpuFacts facts;
  facts.vendor = vendor;
  facts.family = 6;
  facts.model = model;
  return facts;
}

TEST(Accuracy, NvidiaSensorsAreKnownAsACounterAndInALog) {
  const auto counter = accuracy_of(meter("nvml/GPU-1", "gpu"), nullptr);
  EXPECT_EQ(counter.kind, "NVIDIA energy counter");
  ASSERT_TRUE(counter.gain);
  EXPECT_DOUBLE_EQ(*counter.gain, 0.05);
  EXPECT_EQ(counter.shared, SharedError::sensor);
  EXPECT_EQ(text_of(counter), "within 5 % (Yang 2024; NVML)");
  const auto log = accuracy_of(meter("nvidia-smi/0", "gpu", Kind::gauge), nullptr);
  EXPECT_EQ(log.kind, "NVIDIA power sensor");
  EXPECT_TRUE(log.gain);
}

TEST(Accuracy, OfRaplDependsOnTheProcessor) {
  const auto package = meter("powercap/intel-rapl:0", "package");
  const auto memory = meter("powercap/intel-rapl:0:0", "dram");
  const auto haswell_server = cpu("GenuineIntel", 63);
  const auto coffee_lake = cpu("GenuineIntel", 158);
  const auto sandy_bridge = cpu("GenuineIntel", 45);
  const auto epyc = cpu("AuthenticAMD", 49);
  EXPECT_EQ(accuracy_of(package, &haswell_server).kind, "RAPL of Intel since Haswell");
  EXPECT_EQ(accuracy_of(package, &haswell_server).shared, SharedError::sensor);
  EXPECT_EQ(accuracy_of(package, &sandy_bridge).kind, "RAPL before Haswell");
  EXPECT_EQ(accuracy_of(memory, &sandy_bridge).kind, "RAPL before Haswell");
  EXPECT_EQ(accuracy_of(package, &epyc).shared, SharedError::workload);
  EXPECT_EQ(accuracy_of(package, nullptr).kind, "RAPL of an unknown processor");
  const auto server_memory = accuracy_of(memory, &haswell_server);
  EXPECT_TRUE(server_memory.gain);
  EXPECT_EQ(text_of(server_memory), "within 5 % and 0.4 W (Desrochers 2016)");
  EXPECT_FALSE(accuracy_of(memory, &coffee_lake).gain);
  EXPECT_EQ(accuracy_of(meter("perf/energy-pkg/cpu0", "package"), &epyc).kind, "RAPL of AMD");
}

TEST(Accuracy, WithoutAClaimThereIsAReasonAndNoNumber) {
  const auto haswell = cpu("GenuineIntel", 63);
  for (const auto& one :
       {meter("powercap/intel-rapl:0", "package"),
        meter("powercap/intel-rapl:0", "package", Kind::counter, Quality::virtual_machine),
        meter("rocm/GPU-1", "gpu"), meter("hwmon/ina3221/in1", "machine", Kind::gauge),
        meter("battery/BAT0", "machine", Kind::gauge), meter("exec/machine", "machine"),
        meter("csv/joules", "package"), meter("estimate", "machine", Kind::counter, Quality::model),
        meter("powercap/intel-rapl:1", "platform")}) {
    const auto accuracy = accuracy_of(one, &haswell);
    EXPECT_FALSE(accuracy.gain) << one.id;
    EXPECT_FALSE(accuracy.note.empty()) << one.id;
    EXPECT_EQ(text_of(accuracy), "not known: " + accuracy.note);
  }
}

TEST(Accuracy, OfAnInstrumentIsWhatItsOwnerStated) {
  auto wall = meter("exec/machine", "machine", Kind::gauge, Quality::wall);
  wall.model_low = 0.99;
  wall.model_high = 1.01;
  const auto accuracy = accuracy_of(wall, nullptr);
  ASSERT_TRUE(accuracy.gain);
  EXPECT_NEAR(*accuracy.gain, 0.01, 1e-12);
  EXPECT_EQ(accuracy.source, "stated by the user");
}

TEST(Accuracy, OneGpuIsOneSensorWhicheverMachineAndToolReadsIt) {
  EXPECT_EQ(sensor_of(meter("nvml/GPU-1", "gpu"), "here"),
            sensor_of(meter("nvidia-smi/GPU-1", "gpu"), "there"));
  EXPECT_NE(sensor_of(meter("nvml/GPU-1", "gpu"), "here"),
            sensor_of(meter("nvml/GPU-2", "gpu"), "here"));
  EXPECT_NE(sensor_of(meter("powercap/intel-rapl:0", "package"), "here"),
            sensor_of(meter("powercap/intel-rapl:0", "package"), "there"));
}

TEST(Accuracy, LimitsAreARectangularDistribution) {
  EXPECT_DOUBLE_EQ(standard_uncertainty(0.06), 0.06 / std::sqrt(3.0));
}

}  // namespace
}  // namespace prengdl
