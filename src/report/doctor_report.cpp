// SPDX-License-Identifier: Apache-2.0
#include "report/doctor_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "report/json.h"
#include "report/terminal.h"
#include "store/aa_file.h"

namespace prengdl {
namespace {

std::string coloured(const Style& style, Severity severity) {
  std::string word = fmt::format("{:<7}", name_of(severity));
  switch (severity) {
    case Severity::ok:
      return style.good(word);
    case Severity::note:
      return style.dim(word);
    case Severity::warning:
      return style.warn(word);
    case Severity::fail:
      return style.bad(word);
  }
  return word;
}

}  // namespace

std::string doctor_json(const std::vector<Check>& checks, const FoundMeters& found,
                        const std::optional<AaRecord>& aa) {
  Json json;
  json["schema"] = "prengdl.doctor/1";
  json["worst"] = name_of(worst(checks));
  json["checks"] = Json::array();
  for (const auto& check : checks) {
    Json one{
        {"check", check.name}, {"severity", name_of(check.severity)}, {"finding", check.finding}};
    if (!check.remedy.empty()) one["remedy"] = check.remedy;
    if (!check.fix.empty()) one["fix"] = check.fix;
    json["checks"].push_back(std::move(one));
  }
  json["meters"] = Json::array();
  for (const auto& meter : found.meters)
    if (meter->info().counted != Counted::channel)
      json["meters"].push_back(meter_json(meter->info()));
  json["left_out"] = left_out_json(found.left_out);
  if (aa) json["aa"] = Json::parse(aa_json_text(*aa));
  return dump(json) + "\n";
}

std::string doctor_text(const std::vector<Check>& checks, const Style& style) {
  std::string out;
  for (const auto& check : checks) {
    out += fmt::format("{} {}  {}\n", coloured(style, check.severity),
                       style.bold(fmt::format("{:<15}", check.name)), printable(check.finding));
    if (!check.remedy.empty())
      out += style.dim(fmt::format("{:25}-> {}{}", "", printable(check.remedy),
                                   check.fix.empty() ? "" : " (doctor --fix does it)")) +
             "\n";
  }
  const auto count = [&](Severity severity) {
    return static_cast<std::size_t>(
        std::count_if(checks.begin(), checks.end(),
                      [&](const Check& check) { return check.severity == severity; }));
  };
  out += fmt::format("\n{}: {} ok, {}, {}, {} failed\n", counted(checks.size(), "check"),
                     count(Severity::ok), counted(count(Severity::note), "note"),
                     counted(count(Severity::warning), "warning"), count(Severity::fail));
  return out;
}

}  // namespace prengdl
