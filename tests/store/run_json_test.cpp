// SPDX-License-Identifier: Apache-2.0
#include "store/run_json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "store/fixtures.h"

namespace prengdl {
namespace {

TEST(RunJson, GivesBackEveryField) {
  const StoredRun run = full_run("r");
  const auto read = run_of_json(run_json(run));
  ASSERT_TRUE(read) << read.error().what();
  // The text holds every field (fields.h), so equal texts are equal runs.
  EXPECT_EQ(run_json(*read), run_json(run));
  EXPECT_EQ(read->seed, run.seed);
  EXPECT_EQ(read->run.wall, run.run.wall);
  EXPECT_EQ(read->run.metrics[0].value, 0.1 + 0.2);
  EXPECT_EQ(read->run.spans[0].energy.metered->value, Joules{1.25});
  EXPECT_EQ(read->run.energy.metered, std::nullopt);
  EXPECT_EQ(read->run.energy.covers, run.run.energy.covers);
  EXPECT_EQ(read->run.order, run.place);
}

TEST(RunJson, LeavesOutWhatIsMissing) {
  StoredRun run = short_run("r");
  run.run.exit_code.reset();
  const std::string text = run_json(run);
  for (const auto* key : {"exit_code", "signal", "net", "settled", "repeats", "others_cpu_seconds"})
    EXPECT_FALSE(contains(text, '"' + std::string(key) + '"')) << key;
  const auto read = run_of_json(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->run.exit_code, std::nullopt);
  EXPECT_EQ(read->run.settling, std::nullopt);
  EXPECT_EQ(read->run.cpu.others, std::nullopt);
}

TEST(RunJson, KeepsNumbersToTheLastBit) {
  std::mt19937_64 random(41);
  StoredRun run = short_run("r");
  std::vector<double> values{0.1,
                             -0.0,
                             std::numeric_limits<double>::denorm_min(),
                             std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()};
  while (values.size() < 1000) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  for (const double value : values) run.run.metrics.push_back({"m", value, 0, {}});
  run.run.metrics.push_back({"m", std::nan(""), 0, {}});
  const auto read = run_of_json(run_json(run));
  ASSERT_TRUE(read) << read.error().what();
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read->run.metrics[i].value),
              std::bit_cast<std::uint64_t>(values[i]));
  EXPECT_TRUE(std::isnan(read->run.metrics.back().value));
}

TEST(RunJson, IgnoresWhatALaterVersionAdds) {
  std::string text = run_json(full_run("r"));
  text.insert(text.find("\"id\""), "\"colour\":{\"of\":[\"the\",1]},");
  const auto read = run_of_json(text);
  ASSERT_TRUE(read) << read.error().what();
  EXPECT_EQ(run_json(*read), run_json(full_run("r")));
}

TEST(RunJson, SaysWhatIsWrong) {
  const std::string good = run_json(full_run("r"));
  const auto complaint_after = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto read = run_of_json(text);
    return read ? std::string("nothing") : read.error().what();
  };
  EXPECT_EQ(complaint_after("\"block\":2,", ""), "block is missing");
  EXPECT_EQ(complaint_after("\"block\":2", "\"block\":-2"),
            "block: not an integer of the right size");
  EXPECT_EQ(complaint_after("\"exit_code\":3", "\"exit_code\":1e300"),
            "exit_code: not an integer of the right size");
  EXPECT_EQ(complaint_after("\"exit_code\":3", "\"exit_code\":4294967296"),
            "exit_code: not an integer of the right size");
  EXPECT_EQ(complaint_after("\"outcome\":\"failed\"", "\"outcome\":\"odd\""),
            "outcome: 'odd' is not known here");
  EXPECT_EQ(complaint_after("\"flags\":[\"short\"", "\"flags\":[7"), "flags: not a string");
  EXPECT_EQ(complaint_after("prengdl.run/1", "prengdl.run/9"),
            "it is of 'prengdl.run/9', not 'prengdl.run/1'");
  EXPECT_EQ(run_of_json(good.substr(0, good.size() / 2)).error().what(),
            std::string("not JSON, or cut"));
  EXPECT_FALSE(run_of_json("[]"));
  EXPECT_FALSE(run_of_json(""));
  EXPECT_FALSE(run_of_json(std::string(100'000, '[')));
}

TEST(RunJson, MakesTextOutOfAnyBytes) {
  StoredRun run = short_run("r");
  run.log_tail = std::string("a\xFF\0b\x1B[0m", 8);
  const auto read = run_of_json(run_json(run));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->log_tail, std::string("a\xEF\xBF\xBD\0b\x1B[0m", 10));
}

TEST(MachineJson, GivesBackEveryField) {
  Machine machine;
  machine.cpu = {"Some CPU", "GenuineIntel", 6,     85,    7,   "0x5", 2, 40, 80,
                 2,          true,           2.4e9, 3.7e9, true};
  machine.frequency = {{"performance", "powersave"},
                       "intel_pstate",
                       {"balance"},
                       false,
                       {{"package-0", "long_term", Watts{150}}}};
  machine.cgroup = {1.5, "0-3", 1u << 30};
  machine.memory = {1ull << 36, 0, 0, "madvise"};
  machine.system = {"host", "6.1", "Debian", "Vendor", "Box", "tsc", true, "kvm", "docker"};
  machine.mitigations = {{"meltdown", "Mitigation: PTI"}};
  machine.environment = {{"OMP_NUM_THREADS", "4"}};
  const std::string text = machine_json_text(machine);
  const auto read = machine_of_json(text);
  ASSERT_TRUE(read) << read.error().what();
  EXPECT_EQ(machine_json_text(*read), text);
  EXPECT_EQ(read->frequency.power_limits[0].limit, Watts{150});
  EXPECT_EQ(read->environment, machine.environment);
  EXPECT_EQ(machine_json_text(machine_of_json(machine_json_text({})).value()),
            machine_json_text({}));
}

}  // namespace
}  // namespace prengdl
