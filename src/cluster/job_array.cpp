// SPDX-License-Identifier: Apache-2.0
#include "cluster/job_array.h"

#include <fmt/core.h>

#include "base/json.h"
#include "base/parse.h"
#include "store/stored_words.h"

namespace prengdl {
namespace {

constexpr const char* schema = "prengdl.jobs/1";

Json json_of(const Tried& tried) {
  Json json{{"run", tried.run}, {"outcome", stored_name(tried.outcome)}};
  if (tried.disturbed) json["disturbed"] = true;
  if (tried.is_void) json["void"] = true;
  return json;
}

Tried tried_of(const Json& json) {
  const auto outcome = stored_value<Outcome>(json.at("outcome").get<std::string>());
  if (!outcome) throw Error("an outcome that this prengdl does not know");
  return {json.at("run"), *outcome, json.value("disturbed", false), json.value("void", false)};
}

Json json_of(const TaskBlock& block) {
  Json places = Json::array();
  for (const auto& [place, tries] : block.places) {
    Json one{{"place", place}};
    for (const auto& tried : tries) one["tries"].push_back(json_of(tried));
    places.push_back(std::move(one));
  }
  return {{"block", block.block}, {"places", std::move(places)}};
}

TaskBlock block_of(const Json& json) {
  TaskBlock block{json.at("block"), {}};
  for (const auto& one : json.at("places")) {
    auto& tries = block.places[one.at("place")];
    if (one.contains("tries"))
      for (const auto& tried : one["tries"]) tries.push_back(tried_of(tried));
  }
  return block;
}

}  // namespace

std::string text_of(const TaskId& task) { return fmt::format("{:04}-{}", task.array, task.index); }

std::optional<TaskId> task_of(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto array = parse_integer(text.substr(0, dash));
  const auto index = parse_integer(text.substr(dash + 1));
  if (!array || !index || *array < 1 || *index < 0) return std::nullopt;
  return TaskId{static_cast<std::size_t>(*array), static_cast<std::size_t>(*index)};
}

std::string array_json(const JobArray& array) {
  Json json{{"schema", schema},
            {"number", array.number},
            {"name", array.name},
            {"at", array.at},
            {"study_directory", array.study_directory}};
  if (array.time) json["time"] = array.time->count();
  json["tasks"] = Json::array();
  for (const auto& task : array.tasks) {
    Json one = Json::object();
    one["blocks"] = Json::array();
    for (const auto& block : task.blocks) one["blocks"].push_back(json_of(block));
    if (task.makes_profiles) one["profiles"] = true;
    json["tasks"].push_back(std::move(one));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<JobArray> array_of_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != schema) return failure("it is no list of jobs that prengdl wrote");
    JobArray array{
        json.at("number"), json.at("name"), json.at("at"), json.at("study_directory"), {}, {}};
    if (json.contains("time")) array.time = Seconds{json["time"].get<double>()};
    for (const auto& one : json.at("tasks")) {
      ClusterTask& task = array.tasks.emplace_back();
      for (const auto& block : one.at("blocks")) task.blocks.push_back(block_of(block));
      task.makes_profiles = one.value("profiles", false);
    }
    return array;
  } catch (const Json::exception& error) {
    return failure(error.what());
  } catch (const Error& error) {
    return failure(error.what());
  }
}

}  // namespace prengdl
