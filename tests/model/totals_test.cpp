// SPDX-License-Identifier: Apache-2.0
#include "model/totals.h"

#include <gtest/gtest.h>

#include <deque>

namespace prengdl {
namespace {

using Domains = std::vector<std::string>;

/// The meters of a window, with their figures.
class Window {
 public:
  Window& with(const std::string& domain, Counted counted, std::optional<double> joules,
               Quality quality = Quality::chip) {
    MeterInfo& info = meters_.emplace_back();
    info.domain = domain;
    info.counted = counted;
    info.quality = quality;
    std::optional<Energy> energy;
    if (joules) energy = Energy{Joules{*joules}, Joules{*joules / 100}, quality};
    energies_.push_back({&info, energy});
    return *this;
  }
  MeterInfo& last() { return meters_.back(); }
  Totals total() const { return prengdl::total(energies_); }

 private:
  std::deque<MeterInfo> meters_;
  std::vector<MeterEnergy> energies_;
};

TEST(Totals, OfNothingAreNothing) {
  const auto totals = Window().total();
  EXPECT_TRUE(totals.domains.empty());
  EXPECT_TRUE(totals.covers.empty());
  EXPECT_FALSE(totals.metered);
}

TEST(Totals, AddTheSocketsOfADomain) {
  const auto totals =
      Window().with("package", Counted::yes, 30).with("package", Counted::yes, 12).total();
  ASSERT_EQ(totals.domains.size(), 1u);
  EXPECT_DOUBLE_EQ(totals.domains.at("package").value.value, 42);
  EXPECT_DOUBLE_EQ(totals.domains.at("package").uncertainty.value, 0.42);
  ASSERT_TRUE(totals.metered);
  EXPECT_DOUBLE_EQ(totals.metered->value.value, 42);
}

TEST(Totals, MeterPackageMemoryAndGpus) {
  const auto totals = Window()
                          .with("package", Counted::yes, 100)
                          .with("dram", Counted::yes, 20)
                          .with("gpu", Counted::yes, 300, Quality::sensor)
                          .with("gpu", Counted::yes, 5, Quality::sensor)
                          .total();
  EXPECT_EQ(totals.covers, (Domains{"dram", "gpu", "package"}));
  ASSERT_TRUE(totals.metered);
  EXPECT_DOUBLE_EQ(totals.metered->value.value, 425);
  EXPECT_DOUBLE_EQ(totals.metered->uncertainty.value, 4.25);
}

TEST(Totals, ShowButDoNotAddWhatLiesInsideAnotherDomain) {
  const auto totals = Window()
                          .with("package", Counted::yes, 100)
                          .with("cores", Counted::inside, 60)
                          .with("igpu", Counted::inside, 10)
                          .with("rail:5V", Counted::inside, 7)
                          .total();
  EXPECT_EQ(totals.covers, Domains{"package"});
  EXPECT_DOUBLE_EQ(totals.metered.value().value.value, 100);
  EXPECT_DOUBLE_EQ(totals.domains.at("cores").value.value, 60);
  EXPECT_EQ(totals.domains.size(), 4u);
}

TEST(Totals, OfPartsOfNothingMeteredHaveNoSum) {
  const auto totals = Window().with("cores", Counted::inside, 60).total();
  EXPECT_TRUE(totals.covers.empty());
  EXPECT_FALSE(totals.metered);
  EXPECT_TRUE(totals.domains.contains("cores"));
}

TEST(Totals, TakeThePlatformOnlyWhereNoPackageIs) {
  const auto with_package =
      Window().with("platform", Counted::platform, 150).with("package", Counted::yes, 100).total();
  EXPECT_EQ(with_package.covers, Domains{"package"});
  EXPECT_DOUBLE_EQ(with_package.metered.value().value.value, 100);
  EXPECT_DOUBLE_EQ(with_package.domains.at("platform").value.value, 150);

  const auto without = Window()
                           .with("platform", Counted::platform, 150)
                           .with("gpu", Counted::yes, 50, Quality::sensor)
                           .total();
  EXPECT_EQ(without.covers, (Domains{"gpu", "platform"}));
  EXPECT_DOUBLE_EQ(without.metered.value().value.value, 200);
}

TEST(Totals, TakeTheMachineOnlyWhereNoPartIs) {
  const auto alone = Window().with("machine", Counted::alone, 500, Quality::wall).total();
  EXPECT_EQ(alone.covers, Domains{"machine"});
  EXPECT_DOUBLE_EQ(alone.metered.value().value.value, 500);

  const auto beside = Window()
                          .with("machine", Counted::alone, 500, Quality::wall)
                          .with("package", Counted::yes, 100)
                          .total();
  EXPECT_EQ(beside.covers, Domains{"package"});
  EXPECT_DOUBLE_EQ(beside.metered.value().value.value, 100);
  EXPECT_DOUBLE_EQ(beside.domains.at("machine").value.value, 500);
}

TEST(Totals, DoNotAddTwoMetersOfTheWholeMachine) {
  for (const bool wall_first : {true, false}) {
    Window window;
    if (wall_first) window.with("machine", Counted::alone, 500, Quality::wall);
    window.with("machine", Counted::alone, 470, Quality::sensor);
    if (!wall_first) window.with("machine", Counted::alone, 500, Quality::wall);
    const auto totals = window.total();
    EXPECT_DOUBLE_EQ(totals.metered.value().value.value, 500) << "the better one speaks";
    EXPECT_EQ(totals.metered->quality, Quality::wall);
  }
}

TEST(Totals, WithAHoleAreNoTotals) {
  const auto totals = Window()
                          .with("package", Counted::yes, 100)
                          .with("package", Counted::yes, std::nullopt)
                          .with("dram", Counted::yes, 20)
                          .total();
  EXPECT_FALSE(totals.domains.contains("package")) << "half a machine is no machine";
  EXPECT_TRUE(totals.domains.contains("dram"));
  EXPECT_FALSE(totals.metered) << "a sum with a hole looks like a saving";
  EXPECT_EQ(totals.covers, (Domains{"dram", "package"}));
}

TEST(Totals, AHoleOutsideOfMeteredCostsOnlyItsDomain) {
  const auto totals = Window()
                          .with("package", Counted::yes, 100)
                          .with("cores", Counted::inside, std::nullopt)
                          .total();
  EXPECT_FALSE(totals.domains.contains("cores"));
  EXPECT_DOUBLE_EQ(totals.metered.value().value.value, 100);
}

TEST(Totals, AMissingPackageIsNotReplacedByThePlatform) {
  const auto totals = Window()
                          .with("package", Counted::yes, std::nullopt)
                          .with("platform", Counted::platform, 150)
                          .total();
  EXPECT_FALSE(totals.metered) << "runs would be compared by different domains";
  EXPECT_TRUE(totals.domains.contains("platform"));
}

TEST(Totals, LeaveOutWhatIsNotTheRuns) {
  const auto totals = Window()
                          .with("gpu", Counted::yes, 100, Quality::sensor)
                          .with("gpu", Counted::duplicate, 100, Quality::sensor)
                          .with("gpu", Counted::not_allocated, 40, Quality::sensor)
                          .with("gpu_power", Counted::channel, 7)
                          .with("gpu", Counted::not_allocated, std::nullopt)
                          .total();
  ASSERT_EQ(totals.domains.size(), 1u);
  EXPECT_DOUBLE_EQ(totals.domains.at("gpu").value.value, 100);
  EXPECT_DOUBLE_EQ(totals.metered.value().value.value, 100);
}

TEST(Totals, LeaveOutWhatIsNoEnergy) {
  Window window;
  window.with("package", Counted::yes, 100).with("temperature", Counted::yes, 60);
  window.last().unit = Unit::celsius;
  const auto totals = window.total();
  EXPECT_EQ(totals.covers, Domains{"package"});
  EXPECT_FALSE(totals.domains.contains("temperature"));
}

TEST(Totals, AreAsGoodAsTheirWorstPart) {
  const auto totals = Window()
                          .with("package", Counted::yes, 100, Quality::virtual_machine)
                          .with("package", Counted::yes, 100, Quality::chip)
                          .with("gpu", Counted::yes, 10, Quality::sensor)
                          .total();
  EXPECT_EQ(totals.domains.at("package").quality, Quality::virtual_machine);
  EXPECT_EQ(totals.domains.at("gpu").quality, Quality::sensor);
  EXPECT_EQ(totals.metered.value().quality, Quality::virtual_machine);
}

}  // namespace
}  // namespace prengdl
