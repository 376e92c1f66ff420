// SPDX-License-Identifier: Apache-2.0
#include "model/registration.h"

#include "base/error.h"
#include "base/json.h"

namespace prengdl {
namespace {

/// The keys as the study file has them. A key that is added here later reads as its default from
/// texts that were registered before.
template <class Plan, class Visit>
void each_key(Plan& plan, Visit&& visit) {
  visit("compare", plan.compare);
  visit("within", plan.within);
  visit("primary", plan.primary);
  visit("without_meter", plan.without_meter);
  visit("secondary", plan.secondary);
  visit("test", plan.test);
  visit("window", plan.window);
  visit("margin", plan.margin);
  visit("alpha", plan.alpha);
  visit("per", plan.per);
  visit("varies", plan.varies);
  visit("over", plan.over);
  visit("score", plan.score);
  visit("score_better", plan.lower_score_is_better);
  visit("score_margin", plan.score_margin);
  visit("groups", plan.groups);
}

template <class Value>
Json json_of(const Value& value) {
  return value;
}
Json json_of(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json json_of(const std::optional<double>& number) { return number ? Json(*number) : Json(); }
Json json_of(const std::optional<bool>& is_lower) {
  return is_lower ? Json(*is_lower ? "lower" : "higher") : Json();
}

template <class Value>
void take(const Json& json, Value& value) {
  value = json.get<Value>();
}
void take(const Json& json, std::string& text) {
  text = json.is_null() ? "" : json.get<std::string>();
}
void take(const Json& json, std::optional<double>& number) {
  if (!json.is_null()) number = json.get<double>();
}
void take(const Json& json, std::optional<bool>& is_lower) {
  if (!json.is_null()) is_lower = json.get<std::string>() == "lower";
}

Json json_of_plan(const AnalysisPlan& plan) {
  Json json = Json::object();
  each_key(plan, [&](const char* key, const auto& value) { json[key] = json_of(value); });
  return json;
}

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

AnalysisPlan plan_of(const std::string& text) {
  AnalysisPlan plan;
  try {
    const Json json = Json::parse(text);
    each_key(plan, [&](const char* key, auto& value) {
      if (json.contains(key)) take(json.at(key), value);
    });
  } catch (const Json::exception& error) {
    throw Error(std::string("the registered analysis cannot be read: ") + error.what(),
                "use a copy of the result that nobody has altered");
  }
  return plan;
}

std::string value_text(const Json& json) { return json.is_null() ? "" : one_line(json); }

}  // namespace

std::string registered_text(const AnalysisPlan& plan) { return one_line(json_of_plan(plan)); }

std::vector<PlanChange> changes_since(const Registration& registration, const AnalysisPlan& in_use,
                                      bool is_without_meter) {
  AnalysisPlan registered = plan_of(registration.text);
  if (is_without_meter) go_without_meter(registered);
  const Json before = json_of_plan(registered);
  const Json now = json_of_plan(in_use);
  std::vector<PlanChange> changes;
  for (const auto& [key, value] : now.items())
    if (before.at(key) != value)
      changes.push_back({key, value_text(before.at(key)), value_text(value)});
  return changes;
}

}  // namespace prengdl
