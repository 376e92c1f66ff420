// SPDX-License-Identifier: Apache-2.0
#include "serve/study_view.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/parse.h"
#include "model/counted_runs.h"

namespace prengdl {
namespace {

constexpr std::size_t most_failures = 10;
constexpr std::size_t most_events = 12;
constexpr std::size_t most_troubles = 5;
constexpr std::size_t most_warnings = 5;  // of a failed run
constexpr std::size_t most_tail = 2000;   // bytes of a failed run's output

/// Adds NAME, its mean, and NAME_sd, the standard deviation, where there are enough values.
void add_mean(Json& json, const std::string& name, const std::vector<double>& values) {
  if (values.empty()) return;
  double sum = 0;
  for (const double value : values) sum += value;
  const auto count = static_cast<double>(values.size());
  const double mean = sum / count;
  json[name] = mean;
  if (values.size() < 2) return;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  json[name + "_sd"] = std::sqrt(squares / (count - 1));
}

std::string tail_of(const std::string& text) {
  if (text.size() <= most_tail) return text;
  // From the first whole line, so that neither a line nor a character is cut.
  const auto line = text.find('\n', text.size() - most_tail);
  return line == std::string::npos ? text.substr(text.size() - most_tail) : text.substr(line + 1);
}

}  // namespace

StudyView::StudyView(StudyRecord study) : study_(std::move(study)) {
  sums_.planned = study_.planned_runs;
}

bool StudyView::take(ResultNews&& news) {
  changed_.clear();
  has_new_failures_ = false;
  has_new_events_ = news.events.has_value();
  const bool is_news = !news.runs.empty() || news.excluded || news.events || !news.troubles.empty();
  for (const auto& run : news.runs) add(run);
  if (news.excluded) {
    excluded_ = std::move(*news.excluded);
    for (std::size_t i = 0; i < cells_.size(); ++i) changed_.insert(i);
  }
  if (news.events) {
    events_ = std::move(*news.events);
    for (const auto& event : events_)
      if (event.kind == StudyEventKind::planned)
        sums_.planned = static_cast<std::size_t>(parse_integer(event.detail).value_or(0));
  }
  for (auto& trouble : news.troubles) troubles_.push_front(std::move(trouble));
  if (troubles_.size() > most_troubles) troubles_.resize(most_troubles);
  return is_news;
}

std::optional<StudyView::DueFindings> StudyView::due_findings() {
  const CurrentPlan plan = current_plan(study_, events_);
  auto look = made_.look(plan, "serve", utc_now());
  if (!look) {  // nothing is to come; what is new may still be an exclusion
    if (cells_.empty()) return std::nullopt;
    return DueFindings{{plan.blocks, plan.blocks, true}, std::nullopt};
  }
  if (look->blocks <= seen_blocks_) return std::nullopt;
  seen_blocks_ = look->blocks;
  return DueFindings{{look->blocks, look->planned_blocks, false}, std::move(look)};
}

void StudyView::show(Json findings) { findings_ = std::move(findings); }

void StudyView::add(const StoredRun& run) {
  const auto& metered = run.run.energy.metered;
  if (metered) sums_.joules[metered->quality] += metered->value;
  sums_.seconds += run.run.wall;
  if (run.is_warmup) {
    ++sums_.warmups;
    return;
  }
  places_.insert(run.place);
  sums_.machines.insert(run.machine);
  made_.add(run);
  sums_.done = places_.size();
  const auto [place, is_new] = index_.try_emplace(run.cell, cells_.size());
  if (is_new) cells_.emplace_back().cell = run.cell;
  changed_.insert(place->second);
  CellView& cell = cells_[place->second];
  const auto& flags = run.run.flags;
  cell.runs.push_back({run.id, run.machine, run.block, run.attempt, run.repeats,
                       run.outcome == Outcome::ok, flags.contains(Flag::disturbed), run.run.wall,
                       metered});
  if (run.outcome == Outcome::ok) {
    cell.scores.add(run);
    return;
  }
  ++cell.failures;
  ++sums_.failures;
  add_failure(run);
}

void StudyView::add_failure(const StoredRun& run) {
  Json failure{{"run", run.id}, {"cell", run.cell}, {"outcome", name_of(run.outcome)}};
  if (run.run.exit_code) failure["exit_code"] = *run.run.exit_code;
  if (run.run.signal) failure["signal"] = *run.run.signal;
  failure["at"] = run.run.started_at;
  failure["warnings"] = Json::array();
  for (const auto& warning : run.run.warnings)
    if (failure["warnings"].size() < most_warnings) failure["warnings"].push_back(warning);
  failure["log_tail"] = tail_of(run.log_tail);
  failures_.push_front(std::move(failure));
  if (failures_.size() > most_failures) failures_.pop_back();
  has_new_failures_ = true;
}

std::vector<const StudyView::OneRun*> StudyView::counted(const CellView& cell) const {
  const auto standing = [&](const OneRun& run) {
    return RunStanding{run.id,
                       run.machine,
                       cell.cell,
                       run.block,
                       run.attempt,
                       run.repeats,
                       run.has_succeeded && !excluded_.contains(run.id)};
  };
  CountedRuns which(study_.blocks > 0);
  for (const auto& run : cell.runs) which.add(standing(run));
  std::vector<const OneRun*> counted;
  for (const auto& run : cell.runs)
    if (which.counts(standing(run))) counted.push_back(&run);
  return counted;
}

Json StudyView::cell_json(std::size_t index) const {
  const CellView& cell = cells_[index];
  std::size_t excluded = 0;
  std::size_t disturbed = 0;
  for (const auto& run : cell.runs) {
    disturbed += run.is_disturbed;
    excluded += excluded_.contains(run.id);
  }
  const auto good = counted(cell);
  std::vector<double> seconds;
  std::vector<double> joules;
  std::optional<Quality> quality;
  for (const auto* run : good) {
    seconds.push_back(run->wall.count());
    if (!run->energy) continue;
    joules.push_back(run->energy->value.value);
    quality = std::max(quality.value_or(run->energy->quality), run->energy->quality);
  }
  Json json{{"cell", cell.cell},         {"tries", cell.runs.size()}, {"runs", good.size()},
            {"failures", cell.failures}, {"disturbed", disturbed},    {"excluded", excluded}};
  add_mean(json, "seconds", seconds);
  add_mean(json, "joules", joules);
  if (quality) json["quality"] = name_of(*quality);
  if (Json scores = cell.scores.json(); !scores.empty()) json["scores"] = std::move(scores);
  return json;
}

Json StudyView::sums_json() const {
  Json json{{"planned", sums_.planned},       {"done", sums_.done},
            {"warmups", sums_.warmups},       {"failed", sums_.failures},
            {"nodes", sums_.machines.size()}, {"seconds", sums_.seconds.count()}};
  Json joules = Json::object();
  for (const auto& [quality, sum] : sums_.joules) joules[std::string(name_of(quality))] = sum.value;
  json["joules"] = std::move(joules);
  json["troubles"] = troubles_;
  if (findings_) json["findings"] = *findings_;
  return json;
}

Json StudyView::events_json() const {
  Json json = Json::array();
  const std::size_t first = events_.size() - std::min(events_.size(), most_events);
  for (std::size_t i = first; i < events_.size(); ++i)
    if (events_[i].kind != StudyEventKind::planned)
      json.push_back({{"at", events_[i].at},
                      {"kind", name_of(events_[i].kind)},
                      {"detail", text_of(events_[i])}});
  return json;
}

Json StudyView::whole() const {
  Json json{{"schema", "prengdl.watch/3"}, {"study", study_.name}};
  if (!study_.preset.empty()) json["preset"] = study_.preset;
  json["factors"] = Json::array();
  for (const auto& factor : study_.factors) json["factors"].push_back(factor.name);
  json.update(sums_json());
  json["failures"] = failures_;
  json["events"] = events_json();
  json["cells"] = Json::array();
  for (std::size_t i = 0; i < cells_.size(); ++i) json["cells"].push_back(cell_json(i));
  return json;
}

Json StudyView::changes() const {
  Json json = sums_json();
  if (has_new_failures_) json["failures"] = failures_;
  if (has_new_events_) json["events"] = events_json();
  json["cells"] = Json::array();
  for (const std::size_t i : changed_) json["cells"].push_back(cell_json(i));
  return json;
}

}  // namespace prengdl
