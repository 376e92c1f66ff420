// SPDX-License-Identifier: Apache-2.0
#include "print/provenance.h"

#include <fmt/core.h>

#include <utility>

#include "base/amounts.h"
#include "store/aa_file.h"

namespace prengdl {
namespace {

std::string day_of(const std::string& at) { return at.substr(0, at.find('T')); }

std::string value_words(const std::string& json) { return json.empty() ? "none" : json; }

Json registration_json(const Registration& registration, const std::vector<PlanChange>& changed) {
  Json json{{"sha256", registration.sha256}, {"at", registration.at}};
  json["changed"] = Json::array();
  for (const auto& change : changed) {
    Json one{{"key", change.key}};
    if (!change.registered.empty()) one["registered"] = Json::parse(change.registered);
    if (!change.now.empty()) one["now"] = Json::parse(change.now);
    json["changed"].push_back(std::move(one));
  }
  return json;
}

Json looks_json(const std::vector<Look>& looks) {
  Json json = Json::array();
  for (const auto& look : looks)
    json.push_back({{"at", look.at},
                    {"by", look.by},
                    {"runs", look.runs},
                    {"blocks", look.blocks},
                    {"planned_blocks", look.planned_blocks}});
  return json;
}

Json aa_json(const std::vector<AaRecord>& records) {
  Json json = Json::array();
  for (const auto& record : records) json.push_back(Json::parse(aa_json_text(record)));
  return json;
}

/// The lines as a part of their own on a terminal; "" if there are none.
std::string lines_text(std::string title, const std::vector<std::string>& lines,
                       const Style& style) {
  if (lines.empty()) return "";
  Part part{"", std::move(title)};
  for (const auto& line : lines) part.say(line);
  return part_text(part, style);
}

}  // namespace

std::vector<std::string> registration_lines(const Analysis& analysis, const Study& study) {
  if (!study.imported.empty())
    return {"Not registered: the runs were imported, so the analysis was chosen after the data."};
  if (!analysis.registration) return {};
  const std::string which =
      fmt::format("registered on {} (sha256 {}…)", day_of(analysis.registration->at),
                  analysis.registration->sha256.substr(0, 8));
  if (analysis.changed.empty()) return {"Analysed as " + which + "."};
  std::vector<std::string> lines{"This is not the analysis that was " + which + "."};
  for (const auto& change : analysis.changed)
    lines.push_back(fmt::format("Changed: {}, registered {}, now {}.", change.key,
                                value_words(change.registered), value_words(change.now)));
  return lines;
}

std::vector<std::string> look_lines(const Analysis& analysis) {
  const auto& looks = analysis.looks;
  if (looks.empty()) return {};
  const Look& first = looks.front();
  const Look& last = looks.back();
  const std::string where =
      looks.size() == 1
          ? fmt::format("after {} of {} blocks ({}, {})", first.blocks, first.planned_blocks,
                        first.by, day_of(first.at))
          : fmt::format("the first after {} of {} blocks, the last after {} of {}", first.blocks,
                        first.planned_blocks, last.blocks, last.planned_blocks);
  return {fmt::format("{} before all planned runs were made: {}.", counted(looks.size(), "look"),
                      where)};
}

std::vector<ComparePart> provenance_parts(const Analysis& analysis, const Study& study,
                                          const Style& style) {
  std::vector<ComparePart> parts;
  if (analysis.registration)
    parts.push_back(
        {"registration", registration_json(*analysis.registration, analysis.changed), ""});
  auto lines = registration_lines(analysis, study);
  for (auto& line : look_lines(analysis)) lines.push_back(std::move(line));
  parts.push_back(
      {"looks", looks_json(analysis.looks), lines_text("registration and looks", lines, style)});
  parts.push_back({"aa", aa_json(analysis.aa), ""});
  return parts;
}

}  // namespace prengdl
