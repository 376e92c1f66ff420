// SPDX-License-Identifier: Apache-2.0
#include "serve/metrics.h"

#include <fmt/core.h>

namespace prengdl {
namespace {

/// As the format wants it: backslash, quote and end of line.
std::string label(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n')
      escaped += "\\n";
    else
      escaped += c;
  }
  return escaped;
}

class Exposition {
 public:
  explicit Exposition(const std::string& study) : study_(label(study)) {}

  void metric(const char* name, const char* type, const char* help) {
    name_ = name;
    text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  }
  void value(double value, std::string_view what = {}, std::string_view kind = "quality") {
    text_ += fmt::format("{}{{study=\"{}\"", name_, study_);
    if (!what.empty()) text_ += fmt::format(",{}=\"{}\"", kind, label(what));
    text_ += fmt::format("}} {}\n", value);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string study_;
  std::string name_;
  std::string text_;
};

}  // namespace

std::string metrics_text(const StudyView& view, const LiveFigures& now,
                         const ServeFigures& figures) {
  const auto& [live, cluster, is_running] = now;
  const StudySums& sums = view.sums();
  // Bytes that are not UTF-8 are not allowed; JSON has the same rule and a remedy.
  const Json name = view.study().name;
  Exposition out(Json::parse(name.dump(-1, ' ', false, Json::error_handler_t::replace)));
  const auto live_number = [&](const char* field) -> std::optional<double> {
    if (!is_running || !live || !live->contains(field)) return std::nullopt;
    return live->at(field).get<double>();
  };

  out.metric("prengdl_running", "gauge", "1 while runs are being made.");
  out.value(is_running);
  out.metric("prengdl_runs_planned", "gauge", "Runs of the plan, without warm-ups.");
  out.value(static_cast<double>(sums.planned));
  out.metric("prengdl_runs_done", "gauge", "Places of the plan that have a run.");
  out.value(static_cast<double>(sums.done));
  out.metric("prengdl_runs_failed_total", "counter", "Runs that failed, also those tried again.");
  out.value(static_cast<double>(sums.failures));
  out.metric("prengdl_run_seconds_total", "counter", "Wall time of all stored runs.");
  out.value(sums.seconds.count());
  out.metric("prengdl_joules_total", "counter", "Metered energy of all stored runs.");
  for (const auto& [quality, joules] : sums.joules) out.value(joules.value, name_of(quality));
  if (const auto watts = live_number("watts")) {
    out.metric("prengdl_watts", "gauge", "What the run in progress draws.");
    out.value(*watts, live->value("watts_quality", ""));
  }
  if (const auto left = live_number("seconds_left")) {
    out.metric("prengdl_seconds_left", "gauge", "Time left, by the runs made so far.");
    out.value(*left);
  }
  if (const auto cpu = live_number("cpu_seconds")) {
    out.metric("prengdl_run_cpu_seconds_total", "counter", "CPU time of `prengdl run` itself.");
    out.value(*cpu);
  }
  if (cluster && !has_controller_ended(*cluster)) {
    out.metric("prengdl_jobs", "gauge", "Jobs of the study on a cluster.");
    out.value(static_cast<double>(cluster->running), "running", "state");
    out.value(static_cast<double>(waiting_jobs(*cluster)), "waiting", "state");
  }
  out.metric("prengdl_serve_cpu_seconds_total", "counter", "CPU time of `prengdl serve` itself.");
  out.value(figures.cpu.count());
  out.metric("prengdl_serve_watchers", "gauge", "Pages that are open.");
  out.value(static_cast<double>(figures.watchers));
  return std::move(out).text();
}

}  // namespace prengdl
