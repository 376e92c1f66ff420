// SPDX-License-Identifier: Apache-2.0
#include "model/window.h"

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "base/parse.h"
#include "base/strings.h"
#include "model/measure.h"

namespace prengdl {
namespace {

std::optional<double> joules_of(const Totals& totals, const std::string& measure) {
  if (measure == measures::metered)
    return totals.metered ? std::optional(totals.metered->value.value) : std::nullopt;
  const auto domain = totals.domains.find(measure);
  if (domain == totals.domains.end()) return std::nullopt;
  return domain->second.value.value;
}

bool overlap(std::vector<const Span*> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span* a, const Span* b) { return a->begin_ns < b->begin_ns; });
  return std::adjacent_find(spans.begin(), spans.end(), [](const Span* a, const Span* b) {
           return b->begin_ns < a->end_ns;
         }) != spans.end();
}

}  // namespace

Result<Window> parse_window(const std::string& text) {
  Window window;
  if (trimmed(text) == "run") return window;
  struct Sign {
    std::string_view text;
    Window::Which which;
  };
  // Two characters first, or ">=" would be read as ">".
  static constexpr std::array<Sign, 5> signs{{{">=", Window::Which::greater_or_equal},
                                              {"<=", Window::Which::less_or_equal},
                                              {">", Window::Which::greater},
                                              {"<", Window::Which::less},
                                              {"=", Window::Which::equal}}};
  std::string_view rest = trimmed(text);
  const auto at = rest.find_first_of("<>=");
  for (const auto kind : split(rest.substr(0, at), '|')) window.spans.emplace_back(trimmed(kind));
  if (std::find(window.spans.begin(), window.spans.end(), "") != window.spans.end())
    return failure("the window '" + text + "' names no span",
                   "write \"run\", a span such as \"train\", or \"epoch>1\"");
  if (at == std::string_view::npos) return window;
  rest = rest.substr(at);
  for (const auto& sign : signs) {
    if (!rest.starts_with(sign.text)) continue;
    const auto number = parse_number(trimmed(rest.substr(sign.text.size())));
    if (!number) break;
    window.which = sign.which;
    window.number = *number;
    return window;
  }
  return failure("the window '" + text + "' does not end in a number",
                 "after <, <=, =, >= or > comes the number of a span: \"epoch>1\"");
}

bool is_in(const Window& window, const Span& span) {
  if (std::find(window.spans.begin(), window.spans.end(), span.span) == window.spans.end())
    return false;
  if (window.which == Window::Which::all) return true;
  const auto number = parse_number(span.name);
  if (!number) return false;
  switch (window.which) {
    case Window::Which::equal:
      return *number == window.number;
    case Window::Which::less:
      return *number < window.number;
    case Window::Which::less_or_equal:
      return *number <= window.number;
    case Window::Which::greater:
      return *number > window.number;
    case Window::Which::greater_or_equal:
      return *number >= window.number;
    case Window::Which::all:
      break;
  }
  return true;
}

std::optional<double> final_metric(const Run& run, const std::string& name) {
  const Metric* last = nullptr;
  for (const auto& metric : run.metrics)
    if (metric.name == name && (!last || metric.at_ns >= last->at_ns)) last = &metric;
  return last ? std::optional(last->value) : std::nullopt;
}

std::optional<double> value_in(const Run& run, const Window& window, const std::string& measure) {
  if (is_latency(measure)) return final_metric(run, measure);
  const bool wants_cpu_time = kind_of(measure) == MeasureKind::cpu_time;
  if (window.spans.empty())
    return measure == measures::seconds ? std::optional(run.wall.count())
           : wants_cpu_time             ? cpu_time_of_run(run, measure)
                                        : joules_of(run.energy, measure);
  if (wants_cpu_time) return std::nullopt;
  std::vector<const Span*> spans;
  double sum = 0;
  for (const auto& [span, energy, channels] : run.spans) {
    if (!is_in(window, span)) continue;
    spans.push_back(&span);
    if (measure == measures::seconds) {
      sum += seconds_between(span.begin_ns, span.end_ns).count();
      continue;
    }
    const auto joules = joules_of(energy, measure);
    if (!joules) return std::nullopt;
    sum += *joules;
  }
  if (spans.empty() || overlap(spans)) return std::nullopt;
  return sum;
}

std::optional<Quality> quality_in(const Run& run, const std::string& measure) {
  if (measure == measures::metered)
    return run.energy.metered ? std::optional(run.energy.metered->quality) : std::nullopt;
  const auto domain = run.energy.domains.find(measure);
  if (domain == run.energy.domains.end()) return std::nullopt;
  return domain->second.quality;
}

std::optional<double> value_of(const Run& run, const std::string& measure) {
  return value_in(run, Window{}, measure);
}

std::vector<double> values_of(const std::vector<Run>& runs, const std::string& measure) {
  std::vector<double> values;
  for (const auto& run : runs)
    if (const auto value = value_of(run, measure)) values.push_back(*value);
  return values;
}

}  // namespace prengdl
