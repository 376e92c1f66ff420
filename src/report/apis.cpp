// SPDX-License-Identifier: Apache-2.0
//
// "Which calls cost it?": the APIs behind the costs.
#include <fmt/core.h>

#include <algorithm>

#include "base/amounts.h"
#include "print/profile.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// The APIs above the threshold, and the workloads' own functions, which are no API.
void add_apis(const ReportInput& input, Part& part) {
  Table apis, own;
  apis.id = "apis";
  apis.title =
      fmt::format("APIs with at least {:.3g} % of the time of a profile", input.least_share * 100);
  apis.columns = {text_column("profile", "profile"),
                  text_column("api", "API"),
                  text_column("class", "class"),
                  number_column("calls", "calls"),
                  number_column("seconds", "own time", "s"),
                  number_column("share", "share"),
                  number_column("energy", "energy by time", "J")};
  apis.note =
      "Own time is without the functions that an API calls. The threshold is the same for every "
      "profile.";
  own.id = "own-code";
  own.title = "The workloads' own functions above the threshold";
  own.columns = {text_column("profile", "profile"), text_column("function", "function"),
                 number_column("calls", "calls"), number_column("seconds", "own time", "s"),
                 number_column("share", "share")};
  for (const auto& profile : input.profiles)
    for (const auto& api : apis_of(profile.cost)) {
      if (api.share.value_or(0) < input.least_share) break;  // the longest are first
      const TableCell calls{grouped(api.calls), static_cast<double>(api.calls), false};
      if (api.is_own_code)
        own.rows.push_back({text_cell(profile.label), text_cell(api.name), calls,
                            scaled_cell(api.own.count()), share_cell(api.share)});
      else
        apis.rows.push_back(
            {text_cell(profile.label), text_cell(api.name), text_cell(api.api_class.value_or("")),
             calls, scaled_cell(api.own.count()), share_cell(api.share),
             scaled_cell(profile.joules ? std::optional(*profile.joules * *api.share)
                                        : std::nullopt)});
    }
  if (!drop_if_empty(apis, "energy"))
    apis.note +=
        " Energy by time is the measured energy of the cell, divided in proportion to time. It was "
        "not measured by function.";
  part.add(std::move(apis));
  part.add(std::move(own));
}

void add_classes(const ReportInput& input, Part& part) {
  Table table;
  table.id = "classes";
  table.title = "Classes of APIs";
  table.columns = {text_column("profile", "profile"), text_column("class", "class"),
                   number_column("calls", "calls"), number_column("seconds", "own time", "s"),
                   number_column("share", "share")};
  for (const auto& profile : input.profiles)
    for (const auto& one : profile.cost.classes)
      if (one.share.value_or(0) > 0)
        table.rows.push_back({text_cell(profile.label),
                              text_cell(one.name.empty() ? "no class" : one.name),
                              {grouped(one.calls), static_cast<double>(one.calls), false},
                              scaled_cell(one.own.count()),
                              share_cell(one.share)});
  Chart chart;
  chart.id = "classes-chart";
  chart.title = "Where the time goes, by class of API";
  chart.says = "A bar for each profile, divided by the shares of the classes in its own time.";
  chart.kind = ChartKind::bars;
  chart.roles = {{"x", "share"}, {"y", "profile"}, {"colour", "class"}};
  chart.settings = {{"percent", 1}, {"stacked", 1}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

}  // namespace

Part calls_part(const ReportInput& input) {
  Part part{"apis", "Which calls cost it?", {}};
  part.tag = "RQ3";
  if (input.profiles.empty()) {
    part.absent = "The result has no profiles. Use `prengdl run --profile` to record them.";
    return part;
  }
  part.say(
      fmt::format("From {} by cProfile. A GPU works asynchronously: calls such as synchronize or "
                  "item spend most of their time waiting for it.",
                  counted(input.profiles.size(), "profile")));
  add_classes(input, part);
  add_apis(input, part);
  add_call_charts(input, part);
  return part;
}

}  // namespace prengdl
