// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_directory.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/json.h"
#include "base/own_files.h"
#include "base/strings.h"
#include "store/run_json.h"
#include "store/stored_words.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::array end_words{
    std::pair{TaskEnd::Why::done, "done"}, std::pair{TaskEnd::Why::left_off, "left-off"},
    std::pair{TaskEnd::Why::interrupted, "interrupted"}, std::pair{TaskEnd::Why::failed, "failed"}};

/// What `read` makes of a file that may be missing. A file of something else counts as missing:
/// each of them is whole or not there.
template <class Read>
auto parsed(const fs::path& file, Read read) -> std::optional<decltype(read(Json{}))> {
  const auto text = read_optional(file);
  if (!text) return std::nullopt;
  try {
    return read(Json::parse(*text));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

ClusterDirectory::ClusterDirectory(const fs::path& result) : path_(result / "cluster") {}

fs::path ClusterDirectory::array_file(std::size_t number) const {
  return path_ / fmt::format("{:04}.json", number);
}

fs::path ClusterDirectory::script_file(std::size_t number) const {
  return path_ / fmt::format("{:04}.sh", number);
}

std::string ClusterDirectory::last_words(const TaskId& task) const {
  constexpr std::size_t longest = 300;
  const auto text = read_optional(logs() / (text_of(task) + ".log"));
  if (!text) return "";
  const auto trimmed_text = trimmed(*text);
  const auto end = trimmed_text.rfind('\n');
  return shortened(std::string(trimmed_text.substr(end == std::string_view::npos ? 0 : end + 1)),
                   longest);
}

void ClusterDirectory::make() const {
  for (const auto* below : {"cluster/tasks", "cluster/logs"})
    make_own_directory(path_.parent_path(), below);
}

void ClusterDirectory::write_array(const JobArray& array, const std::string& script) const {
  replace_file(script_file(array.number), script);
  replace_file(array_file(array.number), array_json(array));
}

std::vector<JobArray> ClusterDirectory::arrays() const {
  std::vector<JobArray> found;
  for (const auto& name : list_directory(path_)) {
    const fs::path file = path_ / name;
    if (file.extension() == ".json" && task_of(file.stem().string() + "-0"))
      found.push_back(array(file));
  }
  return found;
}

JobArray ClusterDirectory::array(const fs::path& file) const {
  const auto text = read_bytes(file);
  if (!text) throw Error(text.error());
  auto array = array_of_json(*text);
  if (!array)
    throw Error(fmt::format("cannot read {}: {}", file.string(), array.error().what()),
                "Move it away. Its jobs will be submitted again.");
  return std::move(*array);
}

void ClusterDirectory::write_job(std::size_t array, const std::string& job) const {
  replace_file(path_ / fmt::format("{:04}.job", array), job + "\n");
}

std::optional<std::string> ClusterDirectory::job(std::size_t array) const {
  return read_optional(path_ / fmt::format("{:04}.job", array));
}

void ClusterDirectory::write_control(const ClusterControl& control) const {
  Json json{{"schema", "prengdl.control/1"},
            {"stops", control.stops},
            {"closed", Json::array()},
            {"cells", control.cells}};
  for (const auto& task : control.closed) json["closed"].push_back(text_of(task));
  replace_file(path_ / "control.json", dump(json));
}

ClusterControl ClusterDirectory::control() const {
  return parsed(path_ / "control.json",
                [](const Json& json) {
                  ClusterControl control;
                  control.stops = json.at("stops");
                  control.cells = json.at("cells").get<std::set<Cell>>();
                  for (const auto& text : json.at("closed"))
                    if (const auto task = task_of(text.get<std::string>()))
                      control.closed.insert(*task);
                  return control;
                })
      .value_or(ClusterControl{});
}

void ClusterDirectory::write_cancelled() const { replace_file(path_ / "cancelled", ""); }

void ClusterDirectory::remove_cancelled() const { ::unlink((path_ / "cancelled").c_str()); }

bool ClusterDirectory::is_cancelled() const { return is_there(path_ / "cancelled"); }

bool ClusterDirectory::claim(const TaskId& id) const {
  if (::mkdir(task(id).c_str(), 0777) != 0) {
    if (errno == EEXIST) return false;
    throw write_error(task(id), errno);
  }
  sync_directory(path_ / "tasks");
  return true;
}

bool ClusterDirectory::is_claimed(const TaskId& id) const { return is_there(task(id)); }

void ClusterDirectory::write_node(const TaskId& id, const NodeReport& report) const {
  const Json json{{"schema", "prengdl.node/1"},
                  {"node", report.node},
                  {"job", report.job},
                  {"at", report.at},
                  {"fingerprint", report.machine.fingerprint},
                  {"facts", machine_json_text(report.machine.facts)}};
  replace_file(task(id) / "node.json", dump(json));
}

std::optional<NodeReport> ClusterDirectory::node(const TaskId& id) const {
  return parsed(task(id) / "node.json", [](const Json& json) {
    NodeReport report{json.at("node"), json.at("job"), json.at("at"), {}};
    report.machine.fingerprint = json.at("fingerprint");
    if (auto facts = machine_of_json(json.at("facts").get<std::string>()))
      report.machine.facts = std::move(*facts);
    return report;
  });
}

void ClusterDirectory::write_end(const TaskId& id, const TaskEnd& end) const {
  Json json{{"schema", "prengdl.end/1"}, {"detail", end.detail}};
  for (const auto& [why, word] : end_words)
    if (why == end.why) json["why"] = word;
  for (const auto& [cell, why] : end.refused)
    json["refused"].push_back({{"cell", cell}, {"why", why}});
  for (const auto& note : end.notes)
    json["notes"].push_back({{"at", note.at},
                             {"kind", stored_name(note.kind)},
                             {"detail", note.detail},
                             {"cell", note.cell}});
  replace_file(task(id) / "end.json", dump(json));
}

std::optional<TaskEnd> ClusterDirectory::end(const TaskId& id) const {
  return parsed(task(id) / "end.json", [](const Json& json) {
    TaskEnd end;
    for (const auto& [why, word] : end_words)
      if (json.at("why") == word) end.why = why;
    end.detail = json.at("detail");
    for (const auto& one : json.value("refused", Json::array()))
      end.refused.emplace_back(one.at("cell").get<Cell>(), one.at("why").get<std::string>());
    for (const auto& note : json.value("notes", Json::array()))
      if (const auto kind = stored_value<StudyEventKind>(note.at("kind").get<std::string>()))
        end.notes.push_back({note.at("at"), *kind, note.at("detail"), note.at("cell")});
    return end;
  });
}

}  // namespace prengdl
