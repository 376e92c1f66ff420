// SPDX-License-Identifier: Apache-2.0
//
// The published data of two studies, where PRENGDL_SHARED says where they are: audit finds in them,
// without being told, what their critics found by hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "audit/audit.h"
#include "import/import_files.h"
#include "profile/call_profile.h"
#include "study/study_file.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// The findings of an import, or nothing where the data are not there.
std::optional<std::vector<AuditFinding>> audit_of(const std::string& kind, const fs::path& data,
                                                  const ImportOptions& options = {},
                                                  std::optional<std::uint64_t> memory = {},
                                                  std::optional<Watts> power = {}) {
  const char* shared = std::getenv("PRENGDL_SHARED");
  if (!shared || !fs::exists(shared / data)) return std::nullopt;
  Imported imported = import_files(kind, {shared / data}, options);
  const StudyRecord record = study_of(imported, kind, options);
  AuditInput input;
  input.study = read_study(record.text, "study.toml");
  input.is_paired = false;
  input.gpu_memory_bytes = memory;
  input.gpu_power_limit = power;
  input.machines = imported.machines;
  std::map<std::string, const ImportedRun*> by_id;
  for (const auto& run : imported.runs) {
    by_id[run.stored.id] = &run;
    input.runs.push_back(run.stored);
  }
  input.samples = [&](const StoredRun& run, const TakeReading& take) {
    for (const auto& [meter, reading] : by_id.at(run.id)->samples) take(meter, reading);
  };
  for (const auto& file : imported.profiles) {
    const auto profile = read_profile(file.file);
    if (!profile) throw Error(profile.error());
    CellProfile& kept = input.profiles.emplace_back();
    for (const auto& factor : imported.factors) kept.cell.push_back(file.levels.at(factor));
    for (const auto& one : profile->functions)
      kept.functions.push_back(
          {std::string(one.file), std::string(one.name), static_cast<double>(one.calls)});
  }
  return audit(input);
}

/// The cells of a check's findings of at least this severity, "" for the whole study.
std::map<std::string, AuditFinding> of_check(const std::vector<AuditFinding>& findings,
                                             const std::string& check, AuditSeverity least) {
  std::map<std::string, AuditFinding> found;
  for (const auto& finding : findings) {
    if (finding.check != check || finding.severity < least) continue;
    std::string cell;
    for (const auto& [factor, level] : finding.where) cell += (cell.empty() ? "" : " ") + level;
    found.try_emplace(cell, finding);
  }
  return found;
}

TEST(AuditPublished, Icse22) {
  const auto findings = audit_of("icse22", "data/icse22");
  if (!findings) GTEST_SKIP() << "PRENGDL_SHARED does not name a directory with data/icse22";
  const auto drifting = of_check(*findings, "drift", AuditSeverity::note);
  EXPECT_TRUE(drifting.contains("train mask_rcnn tensorflow"));
  EXPECT_TRUE(drifting.contains("train gnmt tensorflow"));
  const auto shown = of_check(*findings, "drift", AuditSeverity::warning);
  EXPECT_TRUE(shown.contains("train mask_rcnn tensorflow"));
  EXPECT_FALSE(shown.contains("train ncf tensorflow"));
  EXPECT_FALSE(of_check(*findings, "settled", AuditSeverity::warning).empty());
  EXPECT_FALSE(of_check(*findings, "sampling", AuditSeverity::warning).empty());
  EXPECT_FALSE(of_check(*findings, "back-to-back", AuditSeverity::warning).empty());
  EXPECT_FALSE(of_check(*findings, "missing-facts", AuditSeverity::warning).empty());
  EXPECT_TRUE(
      of_check(*findings, "unequal-work", AuditSeverity::warning).contains("train mask_rcnn"))
      << "both of its profiles are there";
  EXPECT_TRUE(of_check(*findings, "energy-power-time", AuditSeverity::warning).empty());
  for (const auto* check : {"stuck-meter", "constant-power", "implausible-power", "coarse-step"})
    EXPECT_TRUE(of_check(*findings, check, AuditSeverity::note).empty()) << check;
}

TEST(AuditPublished, Icse22AsPublishedHasJoulesThatAreNotPowerTimesTime) {
  ImportOptions options;
  options.as_published = true;
  const auto findings = audit_of("icse22", "data/icse22", options);
  if (!findings) GTEST_SKIP() << "PRENGDL_SHARED does not name a directory with data/icse22";
  EXPECT_FALSE(of_check(*findings, "energy-power-time", AuditSeverity::warning).empty());
}

TEST(AuditPublished, Itu23) {
  const auto findings = audit_of("itu23", "data/itu23/Project2", {}, 8ull << 30, Watts{175});
  if (!findings) GTEST_SKIP() << "PRENGDL_SHARED does not name a directory with data/itu23";
  EXPECT_FALSE(of_check(*findings, "confounded-time", AuditSeverity::severe).empty());
  EXPECT_FALSE(of_check(*findings, "time-of-day", AuditSeverity::severe).empty());
  EXPECT_TRUE(of_check(*findings, "fixed-order", AuditSeverity::warning).empty())
      << "its levels ran one wholly after the other";
  EXPECT_FALSE(of_check(*findings, "back-to-back", AuditSeverity::warning).empty());
  EXPECT_FALSE(of_check(*findings, "settled", AuditSeverity::warning).empty());
  EXPECT_FALSE(of_check(*findings, "too-few-runs", AuditSeverity::warning).empty());
  std::size_t beyond = 0;
  for (const auto& finding : *findings)
    beyond += finding.check == "hardware" && finding.severity == AuditSeverity::severe;
  EXPECT_EQ(beyond, 2u) << "memory and power";
}

}  // namespace
}  // namespace prengdl
