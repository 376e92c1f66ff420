// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "model/counted_runs.h"
#include "model/measure.h"
#include "model/window.h"
#include "print/compare.h"
#include "print/measure.h"
#include "print/meters.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

Json energy_json(const Energy& energy) {
  return {{"value", energy.value.value},
          {"uncertainty", energy.uncertainty.value},
          {"quality", name_of(energy.quality)}};
}

Json totals_json(const Totals& totals) {
  Json json = Json::object();
  for (const auto& [domain, energy] : totals.domains) json[domain] = energy_json(energy);
  if (totals.metered) json["metered"] = energy_json(*totals.metered);
  return json;
}

Json spans_json(const Run& run) {
  Json list = Json::array();
  for (const auto& [span, energy, channels] : run.spans) {
    const Seconds length = seconds_between(span.begin_ns, span.end_ns);
    Json json{{"span", span.span},
              {"name", span.name},
              {"start_seconds", seconds_between(run.begin_ns, span.begin_ns).count()},
              {"seconds", length.count()},
              {"joules", totals_json(energy)}};
    if (energy.metered) json["watts"] = energy.metered->value.value / length.count();
    for (const auto& channel : channels) json["channels"][channel.name] = channel.mean;
    list.push_back(std::move(json));
  }
  return list;
}

Json metrics_json(const Run& run) {
  Json list = Json::array();
  for (const auto& metric : run.metrics) {
    Json json{{"name", metric.name},
              {"value", metric.value},
              {"start_seconds", seconds_between(run.begin_ns, metric.at_ns).count()}};
    if (metric.step) json["step"] = *metric.step;
    list.push_back(std::move(json));
  }
  return list;
}

/// Shares by CPU time: an account of the machine's joules, not a measurement of the workload's.
Json cpu_json(const Run& run) {
  Json json{{"workload_seconds", run.cpu.workload.count()},
            {"prengdl_seconds", run.cpu.own.count()}};
  if (run.cpu.others) json["others_seconds"] = run.cpu.others->count();
  if (run.cpu.stolen) json["stolen_seconds"] = run.cpu.stolen->count();
  const Seconds all = run.cpu.workload + run.cpu.own + run.cpu.others.value_or(Seconds{0});
  if (all.count() > 0) {
    json["workload_share"] = run.cpu.workload / all;
    json["prengdl_share"] = run.cpu.own / all;
  }
  return json;
}

Json pressure_json(const Pressure& pressure) {
  Json json = Json::object();
  if (pressure.cpu) json["cpu_seconds"] = pressure.cpu->count();
  if (pressure.memory) json["memory_seconds"] = pressure.memory->count();
  if (pressure.io) json["io_seconds"] = pressure.io->count();
  if (pressure.load_before) json["load_before"] = *pressure.load_before;
  return json;
}

Json run_json(const Run& run) {
  Json json;
  json["block"] = run.block;
  json["order"] = run.order;
  json["started_at"] = run.started_at;
  if (run.exit_code) json["exit_code"] = *run.exit_code;
  if (run.signal) json["signal"] = *run.signal;
  json["seconds"] = run.wall.count();
  json["window_seconds"] = run.window.count();
  json["begin_ns"] = run.begin_ns;
  json["user_seconds"] = run.user.count();
  json["system_seconds"] = run.system.count();
  json["cpu_seconds"] = (run.user + run.system).count();
  json["max_rss_bytes"] = run.max_rss_bytes;
  json["voluntary_context_switches"] = run.voluntary_switches;
  json["involuntary_context_switches"] = run.involuntary_switches;
  json["joules"] = totals_json(run.energy);
  if (run.net) json["net_joules"] = totals_json(*run.net);
  json["samples"] = run.samples;
  json["missed_samples"] = run.missed_samples;
  json["late_samples"] = run.late_samples;
  json["own_cpu_seconds"] = run.cpu.own.count();
  json["cpu"] = cpu_json(run);
  json["pressure"] = pressure_json(run.pressure);
  Json channels = Json::object();
  for (const auto& channel : run.channels)
    channels[channel.name] = {
        {"mean", channel.mean}, {"min", channel.lowest}, {"max", channel.highest}};
  json["channels"] = channels;
  if (run.settling)
    json["settling"] = {{"seconds", run.settling->took.count()},
                        {"settled", run.settling->settled}};
  json["flags"] = flags_json(run.flags);
  if (!run.warnings.empty()) json["warnings"] = run.warnings;
  if (!run.left_behind.empty()) json["left_behind"] = run.left_behind;
  if (!run.output_tail.empty()) json["output_tail"] = run.output_tail;
  json["spans"] = spans_json(run);
  json["metrics"] = metrics_json(run);
  Json work = Json::object();
  for (const auto& done : run.work) work[done.name] = done.value;
  json["work"] = work;
  Json facts = Json::object();
  for (const auto& fact : run.facts) facts[fact.name] = fact.value;
  if (!facts.empty()) json["facts"] = facts;
  return json;
}

/// A summary for each of the names that have values.
Json summary_json(const std::vector<std::string>& names,
                  const std::function<std::vector<double>(const std::string&)>& values_of_name) {
  Json json = Json::object();
  for (const auto& measure : names) {
    const auto values = values_of_name(measure);
    if (values.empty()) continue;
    const Summary summary = summarise(values);
    Json one{{"n", summary.n},
             {"mean", summary.mean},
             {"median", summary.median},
             {"min", summary.min},
             {"max", summary.max}};
    if (summary.sd) one["sd"] = *summary.sd;
    if (summary.ci95) one["ci95"] = *summary.ci95;
    json[measure] = std::move(one);
  }
  return json;
}

Json model_json(const PowerModel& model) {
  const auto range = [](const Coefficient& c) {
    return Json{{"value", c.value}, {"low", c.low}, {"high", c.high}};
  };
  Json json{{"row", model.row},
            {"source", model.source},
            {"cpus", model.cpus},
            {"memory_gigabytes", model.memory_gigabytes},
            {"idle_watts_per_cpu", range(model.idle_per_cpu)},
            {"full_watts_per_cpu", range(model.full_per_cpu)},
            {"memory_watts_per_gigabyte", range(model.memory_per_gigabyte)}};
  if (!model.note.empty()) json["note"] = model.note;
  return json;
}

Json gpu_json(const GpuFacts& gpu) {
  Json json{{"index", gpu.index},
            {"name", gpu.name},
            {"uuid", gpu.uuid},
            {"driver", gpu.driver},
            {"allocated", gpu.allocated}};
  if (!gpu.compute_capability.empty()) json["compute_capability"] = gpu.compute_capability;
  if (gpu.memory_bytes) json["memory_bytes"] = *gpu.memory_bytes;
  if (gpu.is_persistent) json["persistence_mode"] = *gpu.is_persistent;
  if (gpu.power_limit) json["power_limit_watts"] = gpu.power_limit->value;
  return json;
}

}  // namespace

std::vector<std::string> measures_of(const std::vector<std::vector<Run>>& all) {
  std::vector<std::string> measures{"seconds"};
  const auto add = [&](const std::string& name) {
    if (std::find(measures.begin(), measures.end(), name) == measures.end())
      measures.push_back(name);
  };
  for (const auto& runs : all)
    for (const auto& run : runs) {
      if (cpu_time_of_run(run, "cpu_seconds"))
        for (const char* name : {"cpu_seconds", "user_seconds", "system_seconds"}) add(name);
      if (run.energy.metered) add("metered");
      for (const auto& [domain, energy] : run.energy.domains) add(domain);
    }
  return measures;
}

std::string measure_json(const MeasureReport& report) {
  Json json;
  json["schema"] = "prengdl.measure/2";
  json["meters"] = Json::array();
  const CpuFacts* cpu = report.machine ? &report.machine->cpu : nullptr;
  for (const auto& meter : report.meters) json["meters"].push_back(meter_json(meter->info(), cpu));
  json["left_out"] = left_out_json(report.left_out);
  std::vector<const MeterInfo*> infos;
  infos.reserve(report.meters.size());
  for (const auto& meter : report.meters) infos.push_back(&meter->info());
  json["metered"] = metered_domains(infos);
  json["rate_hertz"] = 1 / report.plan.interval.count();
  json["seed"] = report.plan.seed;
  if (report.plan.window != "run") json["window"] = report.plan.window;
  const auto measures = measures_of(report.runs);
  json["commands"] = Json::array();
  const Study study = study_of(report.plan);
  const auto cells = cells_of(study);
  for (std::size_t i = 0; i < report.commands.size(); ++i) {
    const auto& command = report.commands[i];
    Json one{{"label", command.label}, {"argv", command.argv}, {"runs", Json::array()}};
    for (std::size_t k = 0; k < study.factors.size() && !report.plan.parameters.empty(); ++k)
      one["levels"][study.factors[k].name] = cells[i][k];
    for (const auto& run : report.runs[i]) one["runs"].push_back(run_json(run));
    const auto averaged = runs_to_average(report.runs[i], report.ignore_failure);
    one["summary"] = summary_json(
        measures, [&](const std::string& measure) { return values_of(averaged, measure); });
    one["metrics"] = summary_json(metrics_of(averaged), [&](const std::string& name) {
      return final_metrics(averaged, name);
    });
    if (report.plan.window != "run")
      one["window_summary"] = summary_json(measures, [&](const std::string& measure) {
        return values_in(averaged, report.plan.window, measure);
      });
    json["commands"].push_back(std::move(one));
  }
  json["findings"] = report.findings ? findings_json(*report.findings) : Json::array();
  if (report.power_model) json["power_model"] = model_json(*report.power_model);
  if (report.machine) json["machine"] = machine_json(*report.machine);
  if (!report.gpus.empty()) {
    json["gpus"] = Json::array();
    for (const auto& gpu : report.gpus) json["gpus"].push_back(gpu_json(gpu));
  }
  if (report.interrupted) json["interrupted"] = true;
  return dump(json) + "\n";
}

}  // namespace prengdl
