// SPDX-License-Identifier: Apache-2.0
//
// Whole runs of real processes with scripted meters.
#include "run/attempt.h"

#include <gtest/gtest.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/files.h"
#include "fake_host.h"
#include "scripted_meter.h"

namespace prengdl {
namespace {

AttemptSettings settings_for(std::vector<std::string> argv) {
  AttemptSettings settings;
  settings.launch.argv = std::move(argv);
  settings.output.to = OutputChoice::To::hidden;
  return settings;
}

Meters one_counter(Watts power) {
  Meters meters;
  meters.push_back(std::make_unique<SteppingCounter>(power));
  return meters;
}

TEST(Attempt, MeasuresTheEnergyOfTheWindow) {
  const Meters meters = one_counter(Watts{100});
  const auto run = attempt(settings_for({"sleep", "0.1"}), meters);
  EXPECT_TRUE(succeeded(run));
  ASSERT_TRUE(run.energy.metered);
  const double truth = 100 * run.window.count();
  EXPECT_NEAR(run.energy.metered->value.value, truth, 0.3);  // two blunt ends would be 0.2 J
  EXPECT_GE(run.wall, run.window);
  EXPECT_GT(run.max_rss_bytes, 0u);
  EXPECT_GT(run.samples, 5u);
  EXPECT_GT(run.cpu.own.count(), 0);
}

TEST(Attempt, AMeterOfTheOtherLaneCoversTheRunEvenIfItsEndIsSeenLate) {
  Meters meters;
  auto slow = std::make_unique<SteppingCounter>(Watts{1});
  slow->change().counted = Counted::inside;
  slow->fails = [] {  // keeps its lane from looking at the process
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return false;
  };
  meters.push_back(std::move(slow));
  auto patient = std::make_unique<SteppingCounter>(Watts{100});
  patient->change().domain = "gpu";
  patient->change().may_block = true;
  meters.push_back(std::move(patient));
  const auto run = attempt(settings_for({"sleep", "0.1"}), meters);
  ASSERT_TRUE(run.energy.metered) << run.warnings.front();
  EXPECT_NEAR(run.energy.metered->value.value, 100 * run.window.count(), 0.3);
}

TEST(Attempt, ACommandThatFailsIsARunWithTheEndOfItsOutput) {
  const auto run = attempt(settings_for({"sh", "-c", "echo the reason >&2; exit 3"}), {});
  EXPECT_FALSE(succeeded(run));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.output_tail, "the reason\n");
  EXPECT_FALSE(run.energy.metered) << "no meter, no figure";
}

TEST(Attempt, EndsARunThatTakesTooLongEvenIfItDoesNotListen) {
  auto settings = settings_for({"sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"});
  settings.timeout = Seconds{0.2};
  const auto run = attempt(settings, {});
  EXPECT_TRUE(run.timed_out);
  EXPECT_EQ(run.signal, SIGKILL);
  EXPECT_TRUE(run.flags.contains(Flag::timeout));
}

TEST(Attempt, EndsAndReportsWhatOutlivesTheCommand) {
  const auto run = attempt(settings_for({"sh", "-c", "setsid sleep 300 & exit 0"}), {});
  EXPECT_EQ(run.exit_code, 0);
  ASSERT_EQ(run.left_behind.size(), 1u);
  // The process may be caught before setsid has become sleep.
  EXPECT_TRUE(run.left_behind[0] == "sleep" || run.left_behind[0] == "setsid" ||
              run.left_behind[0] == "sh")
      << run.left_behind[0];
  EXPECT_TRUE(run.flags.contains(Flag::left_behind));
}

TEST(Attempt, ASignalEndsTheRunInOrderAndKeepsWhatWasMeasured) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const FileDescriptor signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  auto settings = settings_for({"sleep", "300"});
  settings.signals = signals.get();
  std::thread interrupter([] {
    SystemClock().sleep_until(monotonic_ns() + 100'000'000);
    kill(getpid(), SIGUSR1);
  });
  const Meters meters = one_counter(Watts{50});
  const auto run = attempt(settings, meters);
  interrupter.join();
  EXPECT_TRUE(run.interrupted);
  EXPECT_EQ(run.signal, SIGUSR1) << "the workload got the signal that we got";
  EXPECT_TRUE(run.energy.metered);
}

TEST(Attempt, SpansHaveEnergyUnlessTheyAreTooShort) {
  const Meters meters = one_counter(Watts{100});
  const auto run = attempt(
      settings_for(
          {"python3", "-c",
           "import os, time\n"
           "f = open(os.environ['PRENGDL_EVENTS'], 'a')\n"
           "def say(ev, name): f.write('{\"t\":%d,\"ev\":\"%s\",\"span\":\"s\",\"name\":\"%s\"}\\n'"
           " % (time.monotonic_ns(), ev, name)); f.flush()\n"
           "say('begin', 'long'); time.sleep(0.15)\n"
           "say('begin', 'brief'); time.sleep(0.002); say('end', 'brief'); say('end', 'long')\n"
           "f.write('not json\\n')\n"}),
      meters);
  ASSERT_TRUE(succeeded(run)) << run.output_tail;
  ASSERT_EQ(run.spans.size(), 2u);
  EXPECT_EQ(run.spans[0].span.name, "long");
  ASSERT_TRUE(run.spans[0].energy.metered);
  const double truth =
      100 * seconds_between(run.spans[0].span.begin_ns, run.spans[0].span.end_ns).count();
  EXPECT_NEAR(run.spans[0].energy.metered->value.value, truth,
              run.spans[0].energy.metered->uncertainty.value);
  const bool is_brief = run.spans[1].span.end_ns - run.spans[1].span.begin_ns < 50'000'000;
  EXPECT_EQ(run.spans[1].energy.metered.has_value(), !is_brief)
      << "below five intervals there is no figure";
  ASSERT_FALSE(run.warnings.empty());
  EXPECT_NE(run.warnings[0].find("broken event lines: 1"), std::string::npos) << run.warnings[0];
}

TEST(Attempt, NetEnergyIsLessTheIdlePower) {
  const Meters meters = one_counter(Watts{100});
  Baseline idle;
  idle.meters.push_back(Baseline::MeterPower{Watts{40}, Watts{1}});
  const auto run = attempt(settings_for({"sleep", "0.05"}), meters, idle);
  ASSERT_TRUE(run.net && run.net->metered && run.energy.metered);
  EXPECT_NEAR(run.energy.metered->value.value - run.net->metered->value.value,
              40 * run.window.count(), 1e-9);
  EXPECT_GT(run.net->metered->uncertainty.value, run.energy.metered->uncertainty.value);
}

TEST(Attempt, AMeterThatVanishesLeavesNoFigureAndAWarning) {
  Meters meters;
  auto counter = std::make_unique<SteppingCounter>(Watts{60});
  auto* raw = counter.get();
  raw->fails = [raw] { return raw->reads > 3; };
  meters.push_back(std::move(counter));
  const auto run = attempt(settings_for({"sleep", "0.1"}), meters);
  EXPECT_TRUE(succeeded(run));
  EXPECT_TRUE(run.energy.domains.empty()) << "missing is missing, never 0";
  ASSERT_FALSE(run.warnings.empty());
  EXPECT_NE(run.warnings[0].find("test/package"), std::string::npos);
}

TEST(Attempt, ChannelsFollowTheTreeOfTheWorkload) {
  const auto run = attempt(
      settings_for({"sh", "-c", "(i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done); sleep 0.3"}),
      {});
  const auto memory =
      std::find_if(run.channels.begin(), run.channels.end(),
                   [](const auto& channel) { return channel.name == "workload_memory"; });
  ASSERT_NE(memory, run.channels.end());
  EXPECT_GT(memory->mean, 100'000);
  EXPECT_GT(memory->lowest, 0) << "what has exited holds none, but that is no use of memory";
}

TEST(Attempt, TheMemoryOfACommandThatWasNeverLookedAtIsMissing) {
  const auto run = attempt(settings_for({"true"}), {});
  if (run.wall > Seconds{0.05}) GTEST_SKIP() << "the machine was so busy that it may have been";
  EXPECT_TRUE(std::none_of(run.channels.begin(), run.channels.end(),
                           [](const auto& channel) { return channel.name == "workload_memory"; }));
}

TEST(Attempt, KeepsTheOutputWhereItWasTold) {
  const FakeHost scratch;
  auto settings = settings_for({"sh", "-c", "echo out; echo err >&2"});
  settings.output.to = OutputChoice::To::kept;
  settings.output.directory = scratch.root() / "kept";
  attempt(settings, {});
  EXPECT_EQ(read_optional(scratch.root() / "kept/run-1.stdout"), "out");
  EXPECT_EQ(read_optional(scratch.root() / "kept/run-1.stderr"), "err");
}

}  // namespace
}  // namespace prengdl
