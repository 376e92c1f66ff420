// SPDX-License-Identifier: Apache-2.0
#include "meters/patience.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace prengdl {
namespace {

constexpr Seconds short_patience{0.05};

/// Answers as long as nobody holds the gate.
class GatedMeter final : public Meter {
 public:
  GatedMeter(std::mutex& gate, std::atomic<bool>& is_gone, bool may_block = true)
      : gate_(gate), is_gone_(is_gone) {
    info_.id = "gated/0";
    info_.may_block = may_block;
  }
  ~GatedMeter() override { is_gone_ = true; }
  const MeterInfo& info() const override { return info_; }
  Reading read() noexcept override {
    const std::lock_guard lock(gate_);
    Reading reading;
    reading.at_ns = monotonic_ns();
    reading.raw = 42;
    return reading;
  }

 private:
  std::mutex& gate_;
  std::atomic<bool>& is_gone_;
  MeterInfo info_;
};

struct Gated {
  std::mutex gate;
  std::atomic<bool> is_gone{false};
  Meters meters;

  explicit Gated(const std::string& source, Seconds patience, bool may_block = true) {
    meters.push_back(std::make_unique<GatedMeter>(gate, is_gone, may_block));
    meters = with_patience(std::move(meters), source, patience);
  }
};

void wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 3000 && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(condition());
}

TEST(Patience, AMeterThatAnswersIsReadAsBefore) {
  Gated gated("test-answers", patience_for_a_reading);
  EXPECT_EQ(gated.meters[0]->info().id, "gated/0");
  for (int i = 0; i < 3; ++i) {
    const Reading reading = gated.meters[0]->read();
    EXPECT_EQ(reading.status, ReadStatus::ok);
    EXPECT_EQ(reading.raw, 42u);
  }
  EXPECT_FALSE(has_hung("test-answers"));
  gated.meters.clear();
  EXPECT_TRUE(gated.is_gone);
}

TEST(Patience, OneThatDoesNotAnswerIsGivenUpAtOnceFromThenOn) {
  Gated gated("test-hangs", short_patience);
  std::unique_lock closed(gated.gate);
  EXPECT_EQ(gated.meters[0]->read().status, ReadStatus::no_answer);
  EXPECT_TRUE(has_hung("test-hangs"));
  EXPECT_TRUE(anything_has_hung());
  for (int i = 0; i < 1000; ++i)  // at a twentieth of a second each this would take a minute
    EXPECT_EQ(gated.meters[0]->read().status, ReadStatus::no_answer);

  closed.unlock();
  wait_until([] { return !has_hung("test-hangs"); });
  EXPECT_EQ(gated.meters[0]->read().raw, 42u) << "it answers again";
}

TEST(Patience, AMeterThatHangsOutlivesThoseWhoAskedIt) {
  Gated gated("test-outlives", short_patience);
  std::unique_lock closed(gated.gate);
  EXPECT_EQ(gated.meters[0]->read().status, ReadStatus::no_answer);
  gated.meters.clear();
  EXPECT_FALSE(gated.is_gone) << "its call has not returned";
  closed.unlock();
  wait_until([&] { return gated.is_gone.load(); });
  wait_until([] { return !has_hung("test-outlives"); });
}

TEST(Patience, AMeterThatCannotBlockIsLeftAlone) {
  std::mutex gate;
  std::atomic<bool> is_gone{false};
  Meters meters;
  meters.push_back(std::make_unique<GatedMeter>(gate, is_gone, false));
  const Meter* const before = meters[0].get();
  meters = with_patience(std::move(meters), "test-quick");
  EXPECT_EQ(meters[0].get(), before);
}

TEST(Patience, ACallThatReturnsGivesItsAnswer) {
  EXPECT_EQ(answer_of<int>("test-call", [] { return 7; }), 7);
  EXPECT_THROW(answer_of<int>("test-call", []() -> int { throw Error("no"); }), Error);
  EXPECT_FALSE(has_hung("test-call"));
}

TEST(Patience, ACallThatDoesNotReturnGivesNothingAndIsNotMadeAgain) {
  const auto gate = std::make_shared<std::promise<void>>();
  const auto opened = gate->get_future().share();
  EXPECT_EQ(answer_of<int>(
                "test-never", [opened] { return opened.wait(), 1; }, short_patience),
            std::nullopt);
  bool is_called = false;
  EXPECT_EQ(answer_of<int>("test-never",
                           [&] {
                             is_called = true;
                             return 2;
                           }),
            std::nullopt);
  EXPECT_FALSE(is_called);
  gate->set_value();
  wait_until([] { return !has_hung("test-never"); });
  EXPECT_EQ(answer_of<int>("test-never", [] { return 3; }), 3);
}

}  // namespace
}  // namespace prengdl
