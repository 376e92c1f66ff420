// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_state.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "base/amounts.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/own_files.h"
#include "base/strings.h"
#include "base/this_process.h"
#include "campaign/live_file.h"

namespace prengdl {
namespace {

constexpr std::int64_t write_every_ns = 2'000'000'000;
constexpr const char* file_name = "state.json";

ShownCluster shown(const TaskTable& table, bool is_away) {
  ShownCluster cluster;
  cluster.at = utc_now();
  cluster.host = host_name();
  cluster.pid = getpid();
  cluster.is_away = is_away;
  cluster.running = table.running();
  cluster.waiting = table.waiting();
  for (const auto& [id, task] : table.tasks) {
    const std::string state = task.is_claimed           ? "running"
                              : task.state.empty()      ? "submitted"
                              : task.state == "PENDING" ? "waiting"
                                                        : task.state;
    cluster.jobs.push_back({task.job.empty() ? text_of(id) : task.job, state,
                            task.is_claimed ? "" : task.reason, task.node, task.blocks, task.made,
                            task.planned});
  }
  return cluster;
}

std::string text_of(const ShownCluster& cluster) {
  Json json = json_of(cluster);
  json["schema"] = "prengdl.cluster/1";
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string summary_of(const ShownCluster& cluster) {
  const std::size_t waiting = waiting_jobs(cluster);
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : cluster.waiting)
    if (!reason.empty() && reason != "None") reasons.push_back(reason);
  std::string text = fmt::format("{} running", counted(cluster.running, "job"));
  if (waiting > 0) text += fmt::format(", {} waiting", waiting);
  if (!reasons.empty()) text += fmt::format(" ({})", joined(reasons, ", "));
  if (cluster.is_away) text += ", the scheduler does not answer";
  return text;
}

std::size_t waiting_jobs(const ShownCluster& cluster) {
  std::size_t waiting = 0;
  for (const auto& [reason, count] : cluster.waiting) waiting += count;
  return waiting;
}

bool has_controller_ended(const ShownCluster& cluster) {
  return has_ended(cluster.host, static_cast<double>(cluster.pid));
}

std::vector<ShownJob> first_jobs(const ShownCluster& cluster, std::size_t most) {
  const auto rank = [](const ShownJob& job) {
    return job.state == "running" ? 0 : job.state == "waiting" || job.state == "submitted" ? 2 : 1;
  };
  std::vector<ShownJob> jobs = cluster.jobs;
  std::stable_sort(jobs.begin(), jobs.end(),
                   [&](const ShownJob& a, const ShownJob& b) { return rank(a) < rank(b); });
  if (jobs.size() > most) jobs.resize(most);
  return jobs;
}

Json json_of(const ShownCluster& cluster) {
  Json json{{"at", cluster.at},           {"host", cluster.host},
            {"pid", cluster.pid},         {"scheduler_answers", !cluster.is_away},
            {"running", cluster.running}, {"waiting", cluster.waiting},
            {"jobs", Json::array()}};
  for (const auto& job : cluster.jobs) {
    Json one{{"job", job.job}, {"state", job.state}, {"runs", job.made}, {"planned", job.planned}};
    if (!job.reason.empty()) one["reason"] = job.reason;
    if (!job.node.empty()) one["node"] = job.node;
    for (const auto block : job.blocks) one["blocks"].push_back(block + 1);
    json["jobs"].push_back(std::move(one));
  }
  return json;
}

std::string ClusterState::tell(const TaskTable& table, bool is_away, std::int64_t now_ns) {
  ShownCluster cluster = shown(table, is_away);
  if (written_ns_ == 0 || now_ns - written_ns_ >= write_every_ns || table.tasks.empty()) {
    written_ns_ = now_ns;
    try {
      replace_file(directory_.path() / file_name, text_of(cluster), Durability::quick);
    } catch (const Error&) {  // what was shown before stays; the study continues
    }
  }
  return summary_of(cluster);
}

std::optional<ShownCluster> read_cluster_state(const std::filesystem::path& result) {
  const auto text = read_bytes(ClusterDirectory(result).path() / file_name);
  if (!text) return std::nullopt;
  try {
    const Json json = Json::parse(*text);
    ShownCluster cluster;
    cluster.at = json.at("at");
    cluster.host = json.at("host");
    cluster.pid = json.at("pid");
    cluster.is_away = !json.at("scheduler_answers").get<bool>();
    cluster.running = json.at("running");
    cluster.waiting = json.at("waiting").get<std::map<std::string, std::size_t>>();
    for (const auto& one : json.at("jobs")) {
      ShownJob job;
      job.job = one.at("job");
      job.state = one.at("state");
      job.reason = one.value("reason", "");
      job.node = one.value("node", "");
      job.made = one.at("runs");
      job.planned = one.at("planned");
      for (const auto& block : one.value("blocks", Json::array()))
        job.blocks.push_back(block.get<std::size_t>() - 1);
      cluster.jobs.push_back(std::move(job));
    }
    return cluster;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace prengdl
