// SPDX-License-Identifier: Apache-2.0
#include "print/compare.h"

namespace prengdl {
namespace {

Json ratio_json(const Ratio& ratio) {
  Json json{{"ratio", ratio.value}};
  if (ratio.ci95) json["ci95"] = *ratio.ci95;
  if (ratio.p) json["p"] = *ratio.p;
  if (ratio.p_corrected) json["p_corrected"] = *ratio.p_corrected;
  return json;
}

Json level_json(const LevelFigures& level) {
  Json json{{"n", level.n}};
  if (level.n == 0) return json;
  json["mean"] = level.mean;
  json["median"] = level.median;
  if (level.sd) json["sd"] = *level.sd;
  if (level.geomean) json["geomean"] = *level.geomean;
  return json;
}

Json pattern_json(const CellPattern& cell) {
  Json json = Json::object();
  for (const auto& [factor, level] : cell) json[factor] = level;
  return json;
}

Json comparison_json(const Comparison& one) {
  Json json;
  json["cell"] = pattern_json(one.cell);
  json["measure"] = one.measure;
  if (one.per) json["per"] = *one.per;
  json["family"] = one.is_primary ? "primary" : "secondary";
  json["pair"] = one.pair;
  for (const auto& level : one.levels) json["levels"][level.level] = level_json(level);
  json["paired"] = one.paired;
  json["n"] = one.n;
  if (one.n > 0) json["estimate"] = ratio_json(one.estimate);
  if (one.looks) json["estimate"]["planned_blocks"] = *one.looks;
  if (one.rank)
    json["rank"] = {
        {"test", one.rank->test}, {"p", one.rank->p}, {"p_corrected", one.rank->p_corrected}};
  if (one.a12) json["a12"] = *one.a12;
  const auto part = [&](const std::string& name, const std::optional<Ratio>& ratio) {
    if (!ratio) return;
    json[name] = ratio->value;
    if (ratio->ci95) json[name + "_ci95"] = *ratio->ci95;
  };
  part("time_ratio", one.time);
  part("power_ratio", one.power);
  if (one.quality) json["quality"] = name_of(*one.quality);
  json["winner"] = one.winner ? Json(*one.winner) : Json(nullptr);
  json["verdict"] = name_of(one.verdict);
  if (one.verdict == Verdict::less) json["below_margin"] = one.below_margin;
  if (!one.reason.empty()) json["reason"] = one.reason;
  return json;
}

Json group_json(const GroupComparison& group) {
  Json json{{"group", group.group}, {"measure", group.measure}, {"pair", group.pair},
            {"cases", group.cases}, {"ratio", group.ratio},     {"wins", group.wins}};
  if (group.ci95) json["ci95"] = *group.ci95;
  return json;
}

}  // namespace

Json findings_json(const Findings& findings) {
  Json list = Json::array();
  for (const auto& one : findings.comparisons) list.push_back(comparison_json(one));
  return list;
}

std::string compare_json(const CompareReport& report) {
  const Findings& findings = report.findings;
  Json json;
  json["schema"] = "prengdl.compare/2";
  json["study"] = report.study;
  json["compare"] = findings.compare;
  json["levels"] = findings.levels;
  json["test"] = findings.test;
  json["window"] = findings.window;
  json["alpha"] = findings.alpha;
  json["margin"] = findings.margin;
  json["paired"] = findings.paired;
  json["families"] = Json::array();
  for (const auto& family : findings.families)
    json["families"].push_back({{"measure", family.measure},
                                {"family", family.is_primary ? "primary" : "secondary"},
                                {"tests", family.tests}});
  json["findings"] = findings_json(findings);
  json["groups"] = Json::array();
  for (const auto& group : findings.groups) json["groups"].push_back(group_json(group));
  json["failures"] = Json::array();
  for (const auto& cell : findings.failures) {
    Json one{{"cell", cell.cell}, {"runs", cell.runs}, {"failed", cell.failed}};
    if (cell.burnt_joules) one["joules"] = *cell.burnt_joules;
    json["failures"].push_back(std::move(one));
  }
  json["notes"] = findings.notes;
  for (const auto& part : report.parts) json[part.key] = part.json;
  return dump(json);
}

}  // namespace prengdl
