// SPDX-License-Identifier: Apache-2.0
#include "analysis/emissions.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/costs_study.h"
#include "analysis/embedded.h"
#include "base/files.h"
#include "fake_host.h"
#include "print/costs.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

std::string words(const Result<KwhFactor>& factor) {
  return factor ? "" : std::string(factor.error().what()) + " | " + factor.error().hint;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two runs of each framework: 3.6 MJ is a kWh.
std::vector<StoredRun> kilowatt_hours(Quality quality = Quality::chip) {
  std::vector<StoredRun> runs;
  add_runs(runs, {"train", "ncf", "pytorch"}, {3.6e6, 7.2e6}, quality);
  add_runs(runs, {"train", "ncf", "tensorflow"}, {3.6e6, 3.6e6}, quality);
  for (auto& run : runs) run.run.wall = Seconds{3600};
  return runs;
}

Emissions emissions_of(const std::vector<StoredRun>& runs, const EmissionSettings& settings,
                       const std::string& per = {}) {
  Study study = costs_study();
  study.analysis.per = per;
  return emissions(study, runs_by_case(study, runs, true), settings);
}

TEST(PlaceTable, TheTablesOfTheProgramAreWhole) {
  for (const auto& [table, unit] :
       {std::pair(embedded::grid_intensity(), std::string("gCO2e/kWh")),
        std::pair(embedded::electricity_price(), std::string("/kWh"))}) {
    const auto rows = parse_region_table(table, "table");
    ASSERT_TRUE(rows) << rows.error().what();
    EXPECT_GT(rows->size(), 50u);
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto& row : *rows) {
      EXPECT_TRUE(seen.insert({row.place, row.date}).second) << row.place << " " << row.date;
      EXPECT_TRUE(row.unit.ends_with(unit)) << row.place;
      EXPECT_GT(row.value, 0) << row.place;
      EXPECT_LT(row.value, 1000) << row.place;
      EXPECT_FALSE(row.basis.empty()) << row.place;
      EXPECT_FALSE(row.name.empty()) << row.place;
    }
  }
}

TEST(PlaceTable, APlaceGivesItsLatestYearUnlessOneIsAsked) {
  const auto latest = carbon_factor("DE").value();
  EXPECT_EQ(latest.date, "2024");
  EXPECT_DOUBLE_EQ(latest.value, 344.14);
  EXPECT_EQ(latest.place, "DE");
  EXPECT_EQ(latest.basis, "life-cycle");
  EXPECT_TRUE(contains(latest.source, "Ember"));
  EXPECT_DOUBLE_EQ(carbon_factor("de@2023").value().value, 381);
  EXPECT_EQ(carbon_factor("Germany").value().place, "DE");
  EXPECT_EQ(carbon_factor("US-CA").value().source, "EPA eGRID2023");
  EXPECT_TRUE(contains(words(carbon_factor("DE@1990")), "no figure of 1990 for DE | it has 2023"));
  EXPECT_TRUE(contains(words(carbon_factor("Germny")), "no place 'Germny'"));
  EXPECT_TRUE(contains(words(carbon_factor("US-CO")), "did you mean US-"));
  EXPECT_EQ(price_factor("DE").value().unit, "EUR/kWh");
  EXPECT_EQ(price_factor("us-va").value().date, "2023");
}

TEST(PlaceTable, ANumberIsTheUsersOwn) {
  for (const char* option : {"350", "350g", "350 g/kWh", "350 gCO2e/kWh"}) {
    const auto factor = carbon_factor(option);
    ASSERT_TRUE(factor) << option;
    EXPECT_DOUBLE_EQ(factor->value, 350);
    EXPECT_EQ(factor->place, "");
    EXPECT_EQ(factor->source, "given with --carbon");
  }
  EXPECT_TRUE(contains(words(carbon_factor("-5")), "less than nothing"));
  for (const char* option : {"0.30EUR", "0.30 EUR", "0.30EUR/kWh"}) {
    const auto price = price_factor(option);
    ASSERT_TRUE(price) << option;
    EXPECT_DOUBLE_EQ(price->value, 0.3);
    EXPECT_EQ(price->unit, "EUR/kWh");
  }
  for (const char* option : {"0.30", "-1EUR", "0.30euro"})
    EXPECT_TRUE(contains(words(price_factor(option)), "is not a price | write what a kWh costs"));
}

TEST(PlaceTable, AFileIsReadWithLineAndColumn) {
  FakeHost host;
  const auto file = (host.root() / "grid.csv").string();
  host.write("grid.csv",
             "# ours\nplace,value,unit,date,source\nLAB,20.5,gCO2e/kWh,2025,\"roof, own meter\"\n");
  EXPECT_DOUBLE_EQ(carbon_factor(file).value().value, 20.5);
  EXPECT_EQ(carbon_factor(file + ":LAB").value().source, "roof, own meter");
  EXPECT_TRUE(contains(words(carbon_factor(file + ":LOB")), "did you mean LAB?"));
  host.write("grid.csv",
             "place,value,unit,date,source\nLAB,2,gCO2e/kWh,2025,s\nOTHER,3,gCO2e/kWh,2025,s\n");
  EXPECT_TRUE(contains(words(carbon_factor(file)), "has several places | say which: "));
  host.write("grid.csv", "place,value,unit,date,source\nLAB,many,gCO2e/kWh,2025,s\n");
  EXPECT_TRUE(contains(words(carbon_factor(file)), "grid.csv:2:5: 'many' is not a number"));
  host.write("grid.csv", "place,value,unit,date,source\nLAB,1,gCO2e/kWh,2025\n");
  EXPECT_TRUE(contains(words(carbon_factor(file)), "grid.csv:2:17: 4 cells, but there are 5"));
  host.write("grid.csv", "place,value,unit,date,source\nLAB,1,gCO2e/kWh,2025,\"s\nx\n");
  EXPECT_TRUE(contains(words(carbon_factor(file)), "a quote is not closed"));
  host.write("grid.csv", "place,value,unit,date\nLAB,1,gCO2e/kWh,2025\n");
  EXPECT_TRUE(contains(words(carbon_factor(file)), "there is no column source"));
  host.write("grid.csv", "place,value,unit,date,source\nLAB,1,lb/MWh,2025,s\n");
  EXPECT_TRUE(contains(words(carbon_factor(file)), "the unit of LAB is 'lb/MWh'"));
  host.write("grid.csv", "place,value,unit,date,source\n");
  EXPECT_TRUE(contains(words(carbon_factor(file)), "has no rows"));
  EXPECT_TRUE(contains(words(carbon_factor("./nowhere.csv:DE")), "nowhere.csv"));
}

TEST(EmbodiedOption, IsEmissionsLifespanAndShare) {
  const auto whole = parse_embodied("1000kg,4y").value();
  EXPECT_DOUBLE_EQ(whole.grams, 1e6);
  EXPECT_DOUBLE_EQ(whole.lifespan.count(), 4.0 * 365 * 24 * 3600);
  EXPECT_DOUBLE_EQ(whole.share, 1);
  EXPECT_DOUBLE_EQ(parse_embodied("1.5t, 100h, 0.25").value().share, 0.25);
  for (const char* wrong : {"1000kg", "1000,4y", "1000kg,0y", "1000kg,4y,2", "x,y", "-1kg,4y"})
    EXPECT_FALSE(parse_embodied(wrong)) << wrong;
  EXPECT_DOUBLE_EQ(parse_pue("1.4").value(), 1.4);
  EXPECT_FALSE(parse_pue("0.9"));
  EXPECT_FALSE(parse_pue("much"));
}

TEST(Emissions, AreEnergyTimesIntensity) {
  EmissionSettings settings;
  settings.carbon = carbon_factor("350").value();
  settings.price = price_factor("0.30EUR").value();
  const auto result = emissions_of(kilowatt_hours(), settings);
  ASSERT_EQ(result.cases.size(), 1u);  // nothing was inferred
  const auto& unit = result.cases[0];
  EXPECT_EQ(unit.per, std::nullopt);
  EXPECT_EQ(unit.covers, std::vector<std::string>{"package"});
  const auto& level = unit.levels[0];
  EXPECT_EQ(level.n, 2u);
  EXPECT_DOUBLE_EQ(level.joules, 5.4e6);
  EXPECT_NEAR(level.grams.value().value, 1.5 * 350, 1e-9);
  EXPECT_NEAR(level.money.value().value, 1.5 * 0.30, 1e-12);
  EXPECT_FALSE(level.embodied_grams);
  const auto interval = summarise(std::vector<double>{350, 700}).ci95.value();
  EXPECT_NEAR(level.grams->ci95.value()[0], interval[0], 1e-9);
  EXPECT_NEAR(level.grams->ci95.value()[1], interval[1], 1e-9);
}

TEST(Emissions, PueIsAppliedOnlyWhenItIsGiven) {
  EmissionSettings settings;
  settings.carbon = carbon_factor("100").value();
  const auto without = emissions_of(kilowatt_hours(), settings);
  EXPECT_TRUE(contains(emissions_text(without, {}), "no PUE is applied"));
  settings.pue = 1.4;
  const auto with = emissions_of(kilowatt_hours(), settings);
  EXPECT_NEAR(with.cases[0].levels[1].grams->value, 140, 1e-9);
  EXPECT_NEAR(without.cases[0].levels[1].grams->value, 100, 1e-9);
  EXPECT_DOUBLE_EQ(with.cases[0].levels[1].joules, 3.6e6);
  EXPECT_TRUE(contains(emissions_text(with, {}), "times a PUE of 1.4"));
}

TEST(Emissions, ChargeARunWithItsShareOfTheHardware) {
  // The example of the SCI specification: 1000 kg over four years, reserved for an hour.
  EmissionSettings settings;
  settings.carbon = carbon_factor("100").value();
  settings.embodied = parse_embodied("1000kg,4y").value();
  const auto level = emissions_of(kilowatt_hours(), settings).cases[0].levels[1];
  EXPECT_NEAR(level.embodied_grams.value(), 1e6 / (4.0 * 365 * 24), 1e-9);
  EXPECT_NEAR(level.grams->value, 100 + 28.538812785388128, 1e-9);
  settings.embodied->share = 0.5;
  EXPECT_NEAR(emissions_of(kilowatt_hours(), settings).cases[0].levels[1].grams->value,
              100 + 28.538812785388128 / 2, 1e-9);
}

TEST(Emissions, ArePerTheUnitThatTheStudyNames) {
  auto runs = kilowatt_hours();
  for (auto& run : runs) run.run.work = {{"samples", 1000}};
  EmissionSettings settings;
  settings.carbon = carbon_factor("100").value();
  settings.embodied = parse_embodied("1000kg,4y").value();
  const auto told = emissions_of(runs, settings, "samples");
  EXPECT_EQ(told.cases[0].per, "samples");
  EXPECT_NEAR(told.cases[0].levels[1].grams->value, 0.1 + 0.028538812785388128, 1e-12);
  EXPECT_EQ(emissions_json(told)["cases"][0]["functional_unit"], "sample");
  EXPECT_EQ(emissions_of(runs, settings).cases[0].per, std::nullopt);
  runs[0].run.work.clear();  // one run did not emit it
  EXPECT_EQ(emissions_of(runs, settings, "samples").cases[0].per, std::nullopt);
}

TEST(Emissions, NameTheirFactorWithPlaceDateAndSource) {
  EmissionSettings settings;
  settings.carbon = carbon_factor("SE").value();
  settings.price = price_factor("SE").value();
  const auto result = emissions_of(kilowatt_hours(), settings);
  const auto text = emissions_text(result, {});
  EXPECT_TRUE(contains(text, "I = 35.82 gCO2e/kWh, Sweden (SE) 2024, life-cycle, Ember Yearly"));
  EXPECT_TRUE(
      contains(text, "price = 0.0942 EUR/kWh, Sweden (SE) 2024-S1, non-household, Eurostat"));
  EXPECT_TRUE(contains(text, "E is the energy of package alone"));
  EXPECT_TRUE(contains(text, "derived carbon"));
  EXPECT_TRUE(contains(text, "not given and not included"));
  const auto json = emissions_json(result);
  EXPECT_EQ(json["derived"], true);
  EXPECT_EQ(json["carbon"]["place"], "SE");
  EXPECT_EQ(json["carbon"]["date"], "2024");
  EXPECT_EQ(json["price"]["basis"], "non-household");
  EXPECT_FALSE(json.contains("pue"));
  const auto& level = json["cases"][0]["levels"]["tensorflow"];
  EXPECT_NEAR(level["grams_co2e"]["mean"].get<double>(), 35.82, 1e-9);
  EXPECT_EQ(level["money"]["currency"], "EUR");
}

TEST(Emissions, OfModelledEnergyStayModelled) {
  EmissionSettings settings;
  settings.carbon = carbon_factor("100").value();
  const auto result = emissions_of(kilowatt_hours(Quality::model), settings);
  EXPECT_FALSE(result.cases[0].levels[0].grams->ci95);
  EXPECT_TRUE(contains(emissions_text(result, {}), "[modelled, not measured]"));
  EXPECT_EQ(emissions_json(result)["cases"][0]["quality"], "model");
}

}  // namespace
}  // namespace prengdl
