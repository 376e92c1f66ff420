// SPDX-License-Identifier: Apache-2.0
#include "meters/exec.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "fake_host.h"
#include "meters/sources.h"

namespace prengdl {
namespace {

/// A shell script below the host; gives the line that runs it.
std::string script(FakeHost& host, const std::string& name, const std::string& text) {
  host.write(name, text);
  return "sh " + (host.root() / name).string();
}

FoundMeters find(std::vector<std::string> commands) {
  MeterSearch search;
  search.exec = std::move(commands);
  return find_exec(search);
}

/// Waits until something becomes true, for at most ten seconds; most often it already is.
bool eventually(const std::function<bool()>& holds) {
  const std::int64_t until = monotonic_ns() + 10'000'000'000;
  while (!holds()) {
    if (monotonic_ns() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool is_alive(pid_t pid) { return kill(pid, 0) == 0 || errno != ESRCH; }

TEST(ExecMeter, UnderstandsJoulesAndWattsWithPrefixes) {
  struct Case {
    const char* line;
    bool is_energy;
    double value;
  };
  for (const auto& [line, is_energy, value] : {Case{"123.4 W", false, 123.4},
                                               {"5 J", true, 5},
                                               {"789J", true, 789},
                                               {"  60 W\r", false, 60},
                                               {"5.6 kWh", true, 5.6 * 3.6e6},
                                               {"2 Wh", true, 7200},
                                               {"1500 mW", false, 1.5},
                                               {"0.2 kW", false, 200},
                                               {"250 uW", false, 250e-6},
                                               {"3 kJ", true, 3000},
                                               {"4 mJ", true, 4e-3},
                                               {"7 uJ", true, 7e-6},
                                               {"-12 W", false, -12},
                                               {"1e3 W", false, 1000},
                                               {"+5 W", false, 5},
                                               {"60 Watts", false, 60},
                                               {"0 W", false, 0}}) {
    const auto found = parse_meter_line(line);
    ASSERT_TRUE(found) << line;
    EXPECT_EQ(found->is_energy, is_energy) << line;
    EXPECT_DOUBLE_EQ(found->value, value) << line;
  }
}

TEST(ExecMeter, TakesTheAccuracyThatItsOwnerStates) {
  FakeHost host;
  const auto command = script(host, "meter.sh", "echo '60 W'; sleep 60\n");
  const auto found = find({"machine@1.5%=" + command, "gpu=" + command});
  ASSERT_EQ(found.meters.size(), 2u);
  EXPECT_EQ(found.meters[0]->info().domain, "machine");
  EXPECT_DOUBLE_EQ(found.meters[0]->info().model_low, 0.985);
  EXPECT_DOUBLE_EQ(found.meters[0]->info().model_high, 1.015);
  EXPECT_EQ(found.meters[1]->info().model_high, 1);
  for (const char* wrong : {"machine@1=", "machine@%=", "machine@-1%=", "machine@90%="}) {
    const auto refused = find({wrong + command});
    EXPECT_TRUE(refused.meters.empty()) << wrong;
    ASSERT_EQ(refused.left_out.size(), 1u) << wrong;
    EXPECT_EQ(refused.left_out[0].asked, Asked::wrongly);
    EXPECT_NE(refused.left_out[0].advice.find("machine@1%="), std::string::npos);
  }
}

TEST(ExecMeter, UnderstandsNothingElse) {
  for (const auto* line : {"", " ", "W", "60", "60 V", "sixty W", "60 W 5", "W 60", "60 W now",
                           "1,5 W", "60 w", "nan W", "inf W", "1e999 W", "0x10 W", "60 W\x1b[0m"})
    EXPECT_FALSE(parse_meter_line(line)) << "'" << line << "'";
}

TEST(ExecMeter, WattsMakeAGaugeOfTheWholeMachine) {
  FakeHost host;
  const auto line = script(host, "watts.sh", "echo '60.5 W'\nexec sleep 100");
  const auto found = find({line});
  ASSERT_EQ(found.meters.size(), 1u);
  const auto& info = found.meters[0]->info();
  EXPECT_EQ(info.id, "exec/machine");
  EXPECT_EQ(info.domain, "machine");
  EXPECT_EQ(info.source, line);
  EXPECT_EQ(info.kind, Kind::gauge);
  EXPECT_EQ(info.unit, Unit::watt);
  EXPECT_EQ(info.quality, Quality::wall);
  EXPECT_EQ(info.counted, Counted::alone);
  EXPECT_TRUE(info.may_block);
  const Reading reading = found.meters[0]->read();
  EXPECT_EQ(reading.status, ReadStatus::ok);
  EXPECT_NEAR(static_cast<double>(reading.raw) * info.step, 60.5, 1e-9);
  EXPECT_GT(reading.at_ns, 0);
}

TEST(ExecMeter, JoulesMakeACounter) {
  FakeHost host;
  const auto found = find({script(host, "joules.sh", "echo 5 J\nexec sleep 100")});
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().kind, Kind::counter);
  EXPECT_EQ(found.meters[0]->info().unit, Unit::joule);
  EXPECT_EQ(found.meters[0]->read().raw, 5'000'000u);
}

TEST(ExecMeter, ShowsTheLatestLine) {
  FakeHost host;
  const auto go = host.root() / "go";
  const auto found = find({script(host, "steps.sh",
                                  "echo 1 W\nwhile [ ! -e '" + go.string() +
                                      "' ]; do sleep 0.01; done\necho 2 W\nexec sleep 100")});
  ASSERT_EQ(found.meters.size(), 1u);
  auto& meter = *found.meters[0];
  const Reading first = meter.read();
  EXPECT_EQ(first.raw, 1'000'000u);
  const Reading again = meter.read();
  EXPECT_EQ(again.at_ns, first.at_ns) << "the same line told again has the same time";
  host.write("go", "");
  ASSERT_TRUE(eventually([&] { return meter.read().raw == 2'000'000u; }));
  EXPECT_GT(meter.read().at_ns, first.at_ns);
}

TEST(ExecMeter, SkipsLinesThatAreNoReadings) {
  FakeHost host;
  const auto found = find({script(
      host, "mixed.sh", "echo 10 W\necho '# hello'\necho\necho 5 J\necho 20 W\nexec sleep 100")});
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_TRUE(eventually([&] { return found.meters[0]->read().raw == 20'000'000u; }));
}

TEST(ExecMeter, CoversTheDomainThatIsNamed) {
  FakeHost host;
  const auto line = script(host, "gpu.sh", "echo 60 W\nexec sleep 100");
  const auto found = find({"gpu=" + line});
  ASSERT_EQ(found.meters.size(), 1u);
  const auto& info = found.meters[0]->info();
  EXPECT_EQ(info.id, "exec/gpu");
  EXPECT_EQ(info.domain, "gpu");
  EXPECT_EQ(info.source, line);
  EXPECT_EQ(info.counted, Counted::yes);
}

TEST(ExecMeter, AnEqualsSignInsideTheCommandIsNoDomain) {
  FakeHost host;
  const auto found = find({script(host, "w.sh", "echo 60 W\nexec sleep 100") + " --outlet=3"});
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().domain, "machine");
}

TEST(ExecMeter, LeavesOutACommandThatPrintsSomethingElse) {
  const auto found = find({"printf 'hello \\033[31m\\n'"});
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_EQ(found.left_out[0].source, "exec/machine");
  EXPECT_NE(found.left_out[0].reason.find("printed 'hello \\x1b[31m'"), std::string::npos)
      << found.left_out[0].reason;
  EXPECT_NE(found.left_out[0].advice.find("'123.4 W'"), std::string::npos);
  EXPECT_EQ(found.left_out[0].asked, Asked::yes);
}

TEST(ExecMeter, SkipsAHeading) {
  FakeHost host;
  const auto found =
      find({script(host, "heading.sh", "echo time,power\necho 20 W\nexec sleep 100")});
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->read().raw, 20'000'000u);
}

TEST(ExecMeter, ALineMayBeAsOldAsTheOneBeforeIt) {
  FakeHost host;
  const auto go = host.root() / "go";
  const auto found = find({script(host, "steps.sh",
                                  "echo 1 J\nwhile [ ! -e '" + go.string() +
                                      "' ]; do sleep 0.01; done\necho 2 J\nexec sleep 100")});
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.meters[0]->info().update, Seconds{0}) << "nobody says how often it changes";
  const Reading first = found.meters[0]->read();
  host.write("go", "");
  ASSERT_TRUE(eventually([&] { return found.meters[0]->read().raw == 2'000'000u; }));
  const Reading second = found.meters[0]->read();
  EXPECT_NEAR(second.slack_ns, static_cast<double>(second.at_ns - first.at_ns) / 2, 1'000'000);
}

TEST(ExecMeter, LeavesOutACommandThatPrintsNothing) {
  const std::int64_t begin = monotonic_ns();
  const auto found = find({"true"});
  EXPECT_LT(monotonic_ns() - begin, 4'000'000'000) << "its end was not noticed";
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].reason.find("ended and printed nothing"), std::string::npos);
  EXPECT_FALSE(found.left_out[0].advice.empty());
}

TEST(ExecMeter, LeavesOutACommandThatCannotBeRun) {
  const auto found = find({"/none/read-outlet 3", "gpu=", "sh -c 'open"});
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 3u);
  EXPECT_EQ(found.left_out[0].reason,
            "--meter: cannot run /none/read-outlet: No such file or directory");
  EXPECT_EQ(found.left_out[0].asked, Asked::yes);
  EXPECT_EQ(found.left_out[1].asked, Asked::wrongly);
  EXPECT_EQ(found.left_out[1].source, "exec/gpu");
  EXPECT_EQ(found.left_out[1].reason, "--meter 'gpu=': the command is empty");
  EXPECT_NE(found.left_out[2].reason.find("not closed"), std::string::npos);
}

TEST(ExecMeter, OneBadCommandDoesNotCostTheOthers) {
  FakeHost host;
  const auto found = find({"true", "gpu=" + script(host, "w.sh", "echo 60 W\nexec sleep 100")});
  EXPECT_EQ(found.meters.size(), 1u);
  EXPECT_EQ(found.left_out.size(), 1u);
}

TEST(ExecMeter, IsGoneWhenTheCommandEnds) {
  FakeHost host;
  const auto found = find({script(host, "short.sh", "echo 60 W")});
  ASSERT_EQ(found.meters.size(), 1u);
  EXPECT_TRUE(eventually([&] { return found.meters[0]->read().status == ReadStatus::gone; }));
}

TEST(ExecMeter, EndsItsProcessAndItsChildren) {
  FakeHost host;
  const auto child_file = host.root() / "child";
  auto found = find({script(
      host, "family.sh", "sleep 100 &\necho $! > '" + child_file.string() + "'\necho 60 W\nwait")});
  ASSERT_EQ(found.meters.size(), 1u);
  const pid_t process = found.meters[0]->process().value();
  pid_t child = 0;
  std::ifstream(child_file) >> child;
  ASSERT_GT(child, 0);
  EXPECT_TRUE(is_alive(process));
  EXPECT_TRUE(is_alive(child));
  found.meters.clear();
  EXPECT_FALSE(is_alive(process));
  // The child's new parent reaps it in its own time; until then it is a zombie.
  EXPECT_TRUE(eventually([&] {
    if (!is_alive(child)) return true;
    std::string word;
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    stat >> word >> word >> word;
    return word == "Z" || word.empty();
  }));
}

TEST(ExecMeter, EndsAProcessThatWillNotListen) {
  FakeHost host;
  auto found =
      find({script(host, "stubborn.sh", "trap '' TERM\necho 60 W\nwhile :; do sleep 0.05; done")});
  ASSERT_EQ(found.meters.size(), 1u);
  const pid_t process = found.meters[0]->process().value();
  found.meters.clear();
  EXPECT_FALSE(is_alive(process));
}

}  // namespace
}  // namespace prengdl
