// SPDX-License-Identifier: Apache-2.0
#include "store/export.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/strings.h"
#include "store/fixtures.h"

namespace prengdl {
namespace {

std::string exported(const ResultStore& store, ExportTable table, ExportFormat format,
                     const ExportOptions& options = {}) {
  std::ostringstream out;
  export_table(store, table, format, options, out);
  return out.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto line : split(text, '\n')) lines.emplace_back(line);
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// A run, an excluded one and a warm-up, with samples, spans and metrics.
class Export : public testing::Test {
 protected:
  Export() : store_(ResultStore::create(host_.root() / "r", small_study())) {
    StoredRun run = short_run("a", 5, {"pytorch", "say \"ncf\", twice"});
    run.seed = 18446744073709551615u;
    run.run.user = Seconds{0.5};
    run.run.flags = {Flag::disturbed, Flag::short_run};
    run.run.net = Totals{{{"package", {Joules{15}, Joules{1}, Quality::chip}}}, {}, {"package"}};
    run.run.work = {{"samples", 50000}};
    run.run.channels = {{"workload_cpu", Unit::share, 1.5, 0, 2}};
    Totals energy = run.run.energy;
    run.run.spans = {
        {{"epoch", "1", 1'000'000'000, 1'500'000'000}, energy, {{"gpu_temperature", 61.5}}},
        {{"step", "", 1'600'000'000, 1'600'000'000}, {}, {}}};
    run.run.metrics = {{"accuracy", 0.5, 1'100'000'000, 1},
                       {"accuracy", 0.75, 1'400'000'000, 2},
                       {"accuracy", 0.9, 1'550'000'000, {}}};
    StoredRun excluded = short_run("b", 6);
    excluded.run.exit_code.reset();
    excluded.run.signal = 9;
    excluded.outcome = Outcome::failed;
    StoredRun warmup = short_run("w", 7);
    warmup.is_warmup = true;
    const auto record = store_.record("a");
    record->add(0, {.at_ns = 1'000'000'000, .raw = 2'500'000});
    record->add(1, {.at_ns = 1'250'000'000, .raw = static_cast<std::uint64_t>(-3'000'000)});
    record->add(0, {.at_ns = 1'500'000'000, .status = ReadStatus::gone});
    run.meters.push_back(battery_meter());
    record->finish(run);
    record_run(store_, excluded, 1);
    record_run(store_, warmup, 1);
    store_.take_in();
    store_.exclude("b", "=cmd|' /C calc'!A0");
  }
  FakeHost host_;
  ResultStore store_;
};

TEST_F(Export, OfRunsHasAColumnForEachFactorAndDomain) {
  const auto lines = lines_of(exported(store_, ExportTable::runs, ExportFormat::csv));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(
      lines[0],
      "run,block,order,framework,model,exit_code,seconds,joules_package,joules_metered,"
      "quality,flags,outcome,attempt,seed,machine,excluded,started_at,user_seconds,"
      "system_seconds,max_rss_bytes,warmup,signal,window_seconds,joules_uncertainty,cpu_seconds,"
      "counted,net_joules_package,net_joules_metered,work_samples,workload_cpu");
  EXPECT_EQ(
      lines[1],
      "a,1,5,pytorch,\"say \"\"ncf\"\", twice\",0,1.5,20,20,chip,short disturbed,ok,0,"
      "18446744073709551615,m-1,,2025-11-16T10:20:31Z,0.5,0,0,false,,0,0.5,0.5,true,15,,50000,1.5");
}

TEST_F(Export, LeavesOutWarmupsAndExcludedRunsUnlessAskedFor) {
  const auto lines = lines_of(exported(store_, ExportTable::runs, ExportFormat::csv,
                                       {.with_excluded = true, .with_warmups = true}));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[2].starts_with("b,1,6,pytorch,ncf,,1.5,")) << lines[2];
  EXPECT_TRUE(contains(lines[2], ",failed,0,0,m-1,'=cmd|' /C calc'!A0,")) << lines[2];
  EXPECT_TRUE(contains(lines[3], ",true,")) << lines[3];
  EXPECT_EQ(lines_of(exported(store_, ExportTable::samples, ExportFormat::csv)).size(), 4u);
}

TEST(ExportOfRuns, SaysWhichOfThemCount) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  record_run(store, short_run("disturbed", 5), 1);
  StoredRun repeat = short_run("repeat", 5);
  repeat.attempt = 1;
  repeat.repeats = "disturbed";
  record_run(store, repeat, 1);
  StoredRun elsewhere = short_run("elsewhere", 5);
  elsewhere.machine = "m-2";
  record_run(store, elsewhere, 1);
  store.take_in();
  const auto text = exported(store, ExportTable::runs, ExportFormat::json);
  std::vector<bool> counted;
  for (const auto& line : lines_of(text))
    if (contains(line, "\"run\"")) counted.push_back(contains(line, "\"counted\":true"));
  EXPECT_EQ(counted, (std::vector<bool>{false, true, true})) << text;
}

TEST_F(Export, OfRunsAsJsonHasNoKeyForWhatIsMissing) {
  EXPECT_EQ(
      exported(store_, ExportTable::runs, ExportFormat::json),
      "{\"schema\":\"prengdl.export/2\",\"table\":\"runs\",\"rows\":[\n"
      "{\"run\":\"a\",\"block\":1,\"order\":5,\"framework\":\"pytorch\","
      "\"model\":\"say \\\"ncf\\\", twice\",\"exit_code\":0,\"seconds\":1.5,\"joules_package\":20,"
      "\"joules_metered\":20,\"quality\":\"chip\",\"flags\":\"short disturbed\",\"outcome\":\"ok\","
      "\"attempt\":0,\"seed\":18446744073709551615,\"machine\":\"m-1\","
      "\"started_at\":\"2025-11-16T10:20:31Z\",\"user_seconds\":0.5,\"system_seconds\":0,"
      "\"max_rss_bytes\":0,\"warmup\":false,\"window_seconds\":0,\"joules_uncertainty\":0.5,\"cpu_"
      "seconds\":0.5,\"counted\":true,"
      "\"net_joules_package\":15,\"work_samples\":50000,\"workload_cpu\":1.5}\n]}\n");
}

TEST_F(Export, OfSpansHasJoulesWattsChannelsAndMetrics) {
  const auto lines = lines_of(exported(store_, ExportTable::spans, ExportFormat::csv));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0],
            "run,framework,model,span,name,start_seconds,seconds,joules_package,joules_metered,"
            "watts_package,watts_metered,gpu_temperature,accuracy");
  EXPECT_EQ(lines[1], "a,pytorch,\"say \"\"ncf\"\", twice\",epoch,1,0,0.5,20,20,40,40,61.5,0.75");
  EXPECT_EQ(lines[2], "a,pytorch,\"say \"\"ncf\"\", twice\",step,,0.6,0,,,,,,");
}

TEST_F(Export, OfMetricsHasOneRowForEachValue) {
  const auto lines = lines_of(exported(store_, ExportTable::metrics, ExportFormat::csv));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "run,framework,model,name,step,seconds,value");
  EXPECT_EQ(lines[1], "a,pytorch,\"say \"\"ncf\"\", twice\",accuracy,1,0.1,0.5");
  EXPECT_EQ(lines[3], "a,pytorch,\"say \"\"ncf\"\", twice\",accuracy,,0.55,0.9");
}

TEST_F(Export, OfSamplesHasValuesInUnits) {
  EXPECT_EQ(exported(store_, ExportTable::samples, ExportFormat::csv),
            "run,meter,domain,seconds,value,unit,status\n"
            "a,powercap/intel-rapl:0,package,0,2.5,J,ok\n"
            "a,battery/BAT0,machine,0.25,-3,W,ok\n"
            "a,powercap/intel-rapl:0,package,0.5,,J,vanished\n");
  EXPECT_TRUE(contains(exported(store_, ExportTable::samples, ExportFormat::json),
                       "{\"run\":\"a\",\"meter\":\"powercap/intel-rapl:0\",\"domain\":\"package\","
                       "\"seconds\":0.5,\"unit\":\"J\",\"status\":\"vanished\"}"));
}

TEST_F(Export, SaysWhenItsOutputTakesNoMore) {
  std::ofstream full("/dev/full");
  if (!full) GTEST_SKIP() << "there is no /dev/full";
  EXPECT_TRUE(contains(
      error_of([&] { export_table(store_, ExportTable::runs, ExportFormat::csv, {}, full); }),
      "cannot write the table"));
}

TEST(ExportTable, OfNothingIsALineOfNamesOrAnEmptyList) {
  FakeHost host;
  const auto store = ResultStore::create(host.root() / "r", small_study());
  EXPECT_EQ(exported(store, ExportTable::metrics, ExportFormat::csv),
            "run,framework,model,name,step,seconds,value\n");
  EXPECT_EQ(exported(store, ExportTable::metrics, ExportFormat::json),
            "{\"schema\":\"prengdl.export/2\",\"table\":\"metrics\",\"rows\":[\n]}\n");
  EXPECT_EQ(export_table_of("spans"), ExportTable::spans);
  EXPECT_EQ(export_table_of("songs"), std::nullopt);
}

TEST(ExportTable, KeepsColumnsApartWhoseNamesAreTheSame) {
  FakeHost host;
  StudyRecord study = small_study();
  study.factors = {{"seconds", {"1"}}};
  auto store = ResultStore::create(host.root() / "r", study);
  StoredRun run = short_run("a", 0, {"1"});
  run.run.spans = {{{"epoch", "1", 0, 10}, {}, {{"seconds", 3}, {"loss", 4}}}};
  run.run.metrics = {{"loss", 2, 5, {}}};
  record_run(store, run);
  store.take_in();
  EXPECT_EQ(lines_of(exported(store, ExportTable::spans, ExportFormat::csv)).at(0),
            "run,factor_seconds,span,name,start_seconds,seconds,joules_metered,watts_metered,loss,"
            "channel_seconds,metric_loss");
}

TEST(TableWriter, QuotesWhatNeedsIt) {
  std::ostringstream out;
  TableWriter writer(out, ExportFormat::csv, "t", {"a", "b,c"});
  for (const auto* text :
       {"two\nlines", "-O2", "-1", "=1+1", "@SUM(A1)", "+f(\"x\")", "", "\xC3\xA4"})
    writer.add(text);
  writer.add(0.1 + 0.2);
  writer.add(std::numeric_limits<double>::quiet_NaN());
  writer.finish();
  EXPECT_EQ(out.str(),
            "a,\"b,c\"\n\"two\nlines\",-O2\n-1,=1+1\n'@SUM(A1),\"'+f(\"\"x\"\")\"\n,\xC3\xA4\n"
            "0.30000000000000004,\n");
}

TEST(TableWriter, EscapesJson) {
  std::ostringstream out;
  TableWriter writer(out, ExportFormat::json, "t", {"a\"b", "c"});
  writer.add("x\n\\\x01");
  writer.add("\xFF");
  writer.add_nothing();
  writer.add_nothing();
  writer.finish();
  EXPECT_EQ(out.str(),
            "{\"schema\":\"prengdl.export/2\",\"table\":\"t\",\"rows\":[\n"
            "{\"a\\\"b\":\"x\\n\\\\\\u0001\",\"c\":\"\xEF\xBF\xBD\"},\n{}\n]}\n");
}

}  // namespace
}  // namespace prengdl
