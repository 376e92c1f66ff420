// SPDX-License-Identifier: Apache-2.0
#include "print/compare.h"

namespace prengdl {
namespace {

Json ratio_json(const Ratio& ratio) {
  Json json{{"ratio", ratio.value}};
  if (ratio.ci95) json["ci95"] = *ratio.ci95;
  if (ratio.p) json["p"] = *ratio.p;
  if (ratio.p_corrected) json["p_corrected"] = *ratio.p_corrected;
  if (ratio.ci95) json["simultaneous"] = false;  // each interval is at 95 % by itself
  return json;
}

Json rank_json(const RankFigures& rank) {
  Json json{{"test", rank.test}, {"p", rank.p}, {"p_corrected", rank.p_corrected}};
  if (rank.ratio) json["ratio"] = *rank.ratio;
  if (rank.ci95) json["ci95"] = *rank.ci95;
  return json;
}

Json score_json(const ScoreFigures& score) {
  Json json{{"metric", score.metric}, {"difference", score.difference}};
  if (score.ci95) json["ci95"] = *score.ci95;
  json["margin"] = score.margin;
  json["equivalent"] = score.is_equivalent;
  return json;
}

Json robustness_json(const Robustness& robustness) {
  Json json{{"agree", robustness.agree}, {"of", robustness.analyses.size()}};
  json["analyses"] = Json::array();
  for (const auto& one : robustness.analyses) {
    Json analysis{{"analysis", one.analysis}, {"verdict", name_of(one.verdict)}};
    analysis["winner"] = one.winner ? Json(*one.winner) : Json(nullptr);
    if (one.ratio) analysis["ratio"] = *one.ratio;
    if (one.ci95) analysis["ci95"] = *one.ci95;
    analysis["agrees"] = one.agrees;
    json["analyses"].push_back(std::move(analysis));
  }
  return json;
}

Json caveats_json(const std::vector<CaveatText>& caveats) {
  Json json = Json::array();
  for (const auto& one : caveats) json.push_back({{"code", name_of(one.code)}, {"text", one.text}});
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

Json nodes_json(const NodeVariation& nodes) {
  return {{"count", nodes.count},
          {"share_between", nodes.share_between},
          {"ci95", nodes.ci95},
          {"interaction", nodes.interaction},
          {"interaction_ci95", nodes.interaction_ci95}};
}

Json comparison_json(const Comparison& one) {
  Json json;
  json["case"] = case_json(one.cell);
  json["measure"] = one.measure;
  if (one.per) json["per"] = *one.per;
  json["family"] = one.is_primary ? "primary" : "secondary";
  json["pair"] = one.pair;
  for (const auto& level : one.levels) json["levels"][level.level] = level_json(level);
  json["paired"] = one.paired;
  json["pairing"] = {{"proved", one.pairing.is_proved}, {"reason", one.pairing.reason}};
  json["n"] = one.n;
  if (one.n_effective) json["n_effective"] = *one.n_effective;
  if (one.estimate) json["estimate"] = ratio_json(*one.estimate);
  if (one.looks && one.estimate) json["estimate"]["planned_blocks"] = *one.looks;
  if (one.with_sensor_accuracy) json["with_sensor_accuracy"]["ci95"] = *one.with_sensor_accuracy;
  if (one.equivalence)
    json["equivalence"] = {{"p", one.equivalence->p},
                           {"p_corrected", one.equivalence->p_corrected}};
  if (one.rank) json["rank"] = rank_json(*one.rank);
  if (one.a12) json["a12"] = *one.a12;
  const auto part = [&](const std::string& name, const std::optional<Ratio>& ratio) {
    if (!ratio) return;
    json[name] = ratio->value;
    if (ratio->ci95) json[name + "_ci95"] = *ratio->ci95;
  };
  part("time_ratio", one.time);
  part("power_ratio", one.power);
  for (const auto& machine : one.by_machine) json["machines"][machine.machine] = machine.ratio;
  if (one.nodes) json["nodes"] = nodes_json(*one.nodes);
  if (one.quality) json["quality"] = name_of(*one.quality);
  if (one.score) json["score"] = score_json(*one.score);
  if (one.robustness) json["robustness"] = robustness_json(*one.robustness);
  json["winner"] = one.winner ? Json(*one.winner) : Json(nullptr);
  json["verdict"] = name_of(one.verdict);
  if (one.verdict == Verdict::less) json["below_margin"] = one.below_margin;
  if (!one.reason.empty()) json["reason"] = one.reason;
  json["caveats"] = caveats_json(one.caveats);
  return json;
}

Json group_json(const GroupComparison& group) {
  Json json{{"group", group.group},
            {"measure", group.measure},
            {"pair", group.pair},
            {"cases", group.cases},
            {"wins", group.wins}};
  json["these_cases"]["ratio"] = group.these_cases.value;
  if (group.these_cases.ci95) json["these_cases"]["ci95"] = *group.these_cases.ci95;
  if (const auto& like = group.cases_like_these) {
    Json all{{"ratio", like->ratio}, {"ci95", like->ci95}};
    if (like->prediction95) all["prediction95"] = *like->prediction95;
    all["tau"] = like->tau;
    all["clusters"] = like->clusters;
    json["cases_like_these"] = std::move(all);
  } else if (!group.why_no_generalisation.empty()) {
    json["why_no_generalisation"] = group.why_no_generalisation;
  }
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
