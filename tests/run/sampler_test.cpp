// SPDX-License-Identifier: Apache-2.0
#include "run/sampler.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "base/error.h"
#include "model/energy.h"
#include "scripted_meter.h"

namespace prengdl {
namespace {

Launch launch_of(std::vector<std::string> argv) {
  Launch launch;
  launch.argv = std::move(argv);
  return launch;
}

std::vector<Sample> samples_of(SampleRing& ring) {
  std::vector<Sample> all;
  ring.drain(
      [&](std::span<const Sample> chunk) { all.insert(all.end(), chunk.begin(), chunk.end()); });
  return all;
}

TEST(QuickLane, ReadsAroundTheRunAndStampsIt) {
  SteppingCounter counter(Watts{60});
  WaitingChild child(launch_of({"sleep", "0.05"}));
  QuickLane lane({{&counter, 0}}, Seconds{0.01}, child);
  std::thread thread([&] { lane.run(); });
  thread.join();
  child.reap();

  const RunTimes& times = lane.times();
  EXPECT_LE(times.gate_ns, times.exec_ns);
  EXPECT_LT(times.exec_ns, times.exit_ns);
  EXPECT_LE(times.exit_ns, times.seen_ns);
  // From the gate, not from the exec: a busy machine may tell us of the exec late.
  EXPECT_GE(times.exit_ns - times.gate_ns, 50'000'000) << "sleep takes at least what it was told";
  const auto samples = samples_of(lane.ring());
  ASSERT_GE(samples.size(), 4u);
  EXPECT_LE(samples.front().reading.at_ns, times.gate_ns) << "one read before the gate opens";
  EXPECT_GE(samples.back().reading.at_ns, times.exit_ns) << "and one after the exit";
}

TEST(QuickLane, EndsLieOnStepsOfTheCounterSoTheEnergyIsExact) {
  // 1 ms steps at 60 W are 60 mJ; blunt ends would be off by up to twice that.
  for (int attempt = 0; attempt < 5; ++attempt) {
    SteppingCounter counter(Watts{60});
    WaitingChild child(launch_of({"sleep", "0.02"}));
    QuickLane lane({{&counter, 0}}, Seconds{0.01}, child);
    std::thread thread([&] { lane.run(); });
    thread.join();
    child.reap();
    if (!lane.edges_resolved()) continue;  // the machine was too busy to see a step
    const auto& times = lane.times();
    EnergyCurve curve(counter.info(), {times.exec_ns, times.exit_ns});
    for (const auto& sample : samples_of(lane.ring())) curve.add(sample.reading);
    curve.finish();
    const auto energy = curve.window(0, 1);
    ASSERT_TRUE(energy);
    const double truth = 60 * seconds_between(times.exec_ns, times.exit_ns).count();
    EXPECT_NEAR(energy->value.value, truth, energy->uncertainty.value + 1e-6);
    return;
  }
  GTEST_SKIP() << "no step was seen in five attempts: the machine is overloaded";
}

TEST(QuickLane, NoticesThatAReadHungOverTheExit) {
  SteppingCounter counter(Watts{60});
  WaitingChild child(launch_of({"sleep", "0.1"}));
  const std::int64_t begin = monotonic_ns();
  bool has_hung = false;
  counter.fails = [&] {
    if (has_hung || monotonic_ns() - begin < 50'000'000) return false;
    pollfd exit{child.pidfd(), POLLIN, 0};
    if (poll(&exit, 1, 0) != 0) return false;
    has_hung = true;
    poll(&exit, 1, 10'000);  // until it has exited, and then some
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return false;
  };
  QuickLane lane({{&counter, 0}}, Seconds{0.01}, child);
  lane.run();
  child.reap();
  if (!has_hung) GTEST_SKIP() << "the machine was too busy to read anything in time";
  const RunTimes& times = lane.times();
  EXPECT_GE(times.stall_ns, 200'000'000);
  EXPECT_TRUE(is_in_doubt(times));
  EXPECT_LE(times.alive_ns, times.seen_ns - 200'000'000);
  EXPECT_GE(times.read_ns, times.seen_ns);
  EXPECT_GE(times.exit_ns, times.alive_ns);
  // With the kernel's stamp the end is known all the same.
  if (times.exit_ns != times.seen_ns) {
    EXPECT_LE(times.exit_ns, times.seen_ns - 200'000'000);
  }
}

TEST(QuickLane, ReadsSoonAfterTheStartHoweverSlowTheRate) {
  SteppingCounter counter(Watts{60});
  WaitingChild child(launch_of({"sleep", "0.05"}));
  QuickLane lane({{&counter, 0}}, Seconds{10}, child);
  lane.run();
  child.reap();
  EXPECT_EQ(lane.record().ticks, 0u);
  const auto samples = samples_of(lane.ring());
  const auto inside = std::count_if(samples.begin(), samples.end(), [&](const Sample& sample) {
    return sample.reading.mark == Mark::tick && sample.reading.at_ns > lane.times().gate_ns &&
           sample.reading.at_ns < lane.times().exit_ns;
  });
  EXPECT_EQ(inside, 1);
}

TEST(QuickLane, APartInsideAnotherDomainIsReadAtTheEndsButNotWaitedFor) {
  SteppingCounter whole(Watts{60});
  SteppingCounter part(Watts{0});  // never steps
  part.change().counted = Counted::inside;
  WaitingChild child(launch_of({"sleep", "0.02"}));
  QuickLane lane({{&whole, 0}, {&part, 1}}, Seconds{10}, child);
  lane.run();
  child.reap();
  std::vector<Reading> of_part;
  std::int64_t last_of_whole_before = 0;
  for (const auto& sample : samples_of(lane.ring())) {
    if (sample.meter == 1)
      of_part.push_back(sample.reading);
    else if (sample.reading.at_ns <= lane.times().gate_ns)
      last_of_whole_before = std::max(last_of_whole_before, sample.reading.at_ns);
  }
  ASSERT_EQ(of_part.size(), 2u) << "one at each end";
  EXPECT_LE(of_part[0].at_ns, lane.times().gate_ns);
  EXPECT_GE(of_part[0].at_ns, last_of_whole_before) << "as near to the gate as can be";
  EXPECT_GE(of_part[1].at_ns, lane.times().seen_ns);
  for (const auto& reading : of_part) EXPECT_EQ(reading.mark, Mark::tick);
}

TEST(QuickLane, StopsTickingAtTheTimeItIsGivenAndGoesOnLater) {
  SteppingCounter counter(Watts{60});
  WaitingChild child(launch_of({"sleep", "0.1"}));
  QuickLane lane({{&counter, 0}}, Seconds{0.01}, child);
  lane.begin();
  EXPECT_FALSE(lane.tick_until(lane.times().gate_ns + 20'000'000));
  EXPECT_EQ(lane.times().seen_ns, 0) << "it still sleeps";
  std::thread thread([&] {
    EXPECT_TRUE(lane.tick_until(INT64_MAX));
    lane.finish();
  });
  thread.join();
  child.reap();
  EXPECT_GE(lane.times().seen_ns - lane.times().gate_ns, 100'000'000);
  EXPECT_GE(lane.record().ticks + lane.record().missed, 9u) << "no tick is lost at the handover";
}

TEST(QuickLane, DoesChoresWhileItWaitsForAStep) {
  SteppingCounter counter(Watts{60});
  WaitingChild child(launch_of({"true"}));
  Chores chores;
  int done = 0;
  bool before_gate = false;
  QuickLane lane({{&counter, 0}}, Seconds{0.01}, child, &chores);
  chores.add([&] { before_gate = lane.times().gate_ns == 0; });
  chores.add([&] { throw std::runtime_error("a fact that cannot be read"); });
  for (int i = 0; i < 3; ++i) chores.add([&] { ++done; });
  lane.run();
  child.reap();
  EXPECT_TRUE(before_gate);
  chores.do_all();  // what there was no time for
  EXPECT_EQ(done, 3) << "one that fails does not stop the others";
  EXPECT_FALSE(chores.do_one());
}

TEST(QuickLane, ReadsASlowMeterAtItsOwnPace) {
  SteppingCounter quick(Watts{10});
  SteppingCounter slow(Watts{10});
  slow.change().period = Seconds{0.05};
  slow.change().update = Seconds{0.01};
  WaitingChild child(launch_of({"sleep", "0.3"}));
  QuickLane lane({{&quick, 0}, {&slow, 1}}, Seconds{0.005}, child);
  std::thread thread([&] { lane.run(); });
  thread.join();
  child.reap();
  std::size_t counts[2] = {0, 0};
  for (const auto& sample : samples_of(lane.ring())) ++counts[sample.meter];
  EXPECT_GT(counts[0], 2 * counts[1]);
  EXPECT_GE(counts[1], 2u);
}

TEST(QuickLane, AMeterThatFailsDoesNotStopTheRun) {
  SteppingCounter counter(Watts{60});
  counter.fails = [] { return true; };
  WaitingChild child(launch_of({"true"}));
  QuickLane lane({{&counter, 0}}, Seconds{0.01}, child);
  std::thread thread([&] { lane.run(); });
  thread.join();
  EXPECT_EQ(child.reap().status, 0);
  EXPECT_FALSE(lane.edges_resolved());
  for (const auto& sample : samples_of(lane.ring()))
    EXPECT_EQ(sample.reading.status, ReadStatus::failed);
}

TEST(QuickLane, WorksWithoutAnyMeter) {
  WaitingChild child(launch_of({"true"}));
  QuickLane lane({}, Seconds{0.01}, child);
  std::thread thread([&] { lane.run(); });
  thread.join();
  EXPECT_EQ(child.reap().status, 0);
  EXPECT_GT(lane.times().exit_ns, lane.times().exec_ns);
}

TEST(PatientLane, GoesOnAfterTheExitForAsLongAsAGaugeAverages) {
  SteppingCounter gauge(Watts{10});
  gauge.change().kind = Kind::gauge;
  gauge.change().unit = Unit::watt;
  gauge.change().window = Seconds{0.05};
  gauge.change().lag = Seconds{0.02};
  WaitingChild child(launch_of({"true"}));
  QuickLane quick({}, Seconds{0.01}, child);
  PatientLane patient({{&gauge, 0}}, Seconds{0.01}, child.pidfd());
  std::thread patient_thread([&] { patient.run(); });
  std::thread quick_thread([&] { quick.run(); });
  quick_thread.join();
  patient_thread.join();
  child.reap();
  const auto samples = samples_of(patient.ring());
  ASSERT_FALSE(samples.empty());
  EXPECT_GE(samples.back().reading.at_ns, quick.times().seen_ns + 60'000'000);
}

TEST(PatientLane, WaitsASecondAtMostForWhatIsNotInTheTotal) {
  SteppingCounter gauge(Watts{10});
  gauge.change().kind = Kind::gauge;
  gauge.change().unit = Unit::watt;
  gauge.change().window = Seconds{3600};
  WaitingChild child(launch_of({"true"}));
  QuickLane quick({}, Seconds{0.01}, child);
  PatientLane patient({{&gauge, 0, false}}, Seconds{0.01}, child.pidfd());
  std::thread patient_thread([&] { patient.run(); });
  quick.run();
  patient_thread.join();  // would take an hour
  child.reap();
  EXPECT_FALSE(samples_of(patient.ring()).empty());
}

TEST(PatientLane, CanBeHurried) {
  SteppingCounter gauge(Watts{10});
  gauge.change().kind = Kind::gauge;
  gauge.change().unit = Unit::watt;
  gauge.change().window = Seconds{3600};
  WaitingChild child(launch_of({"true"}));
  QuickLane quick({}, Seconds{0.01}, child);
  PatientLane patient({{&gauge, 0}}, Seconds{0.01}, child.pidfd());
  std::thread patient_thread([&] { patient.run(); });
  quick.run();
  patient.hurry();
  patient_thread.join();  // would take an hour
  child.reap();
  SUCCEED();
}

TEST(Sampler, RefusesAnIntervalInWhichAWrapCouldHide) {
  SteppingCounter counter(Watts{60});
  counter.change().range = 1'000'000;  // 1 J
  EXPECT_THROW(check_interval({{&counter, 0}}, Seconds{0.01}), Error);
  counter.change().range = 262'143'328'850;
  EXPECT_NO_THROW(check_interval({{&counter, 0}}, Seconds{0.01}));
}

}  // namespace
}  // namespace prengdl
