// SPDX-License-Identifier: Apache-2.0
#include "campaign/missing_programs.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/amounts.h"
#include "base/caller.h"
#include "base/process.h"
#include "environments/surroundings.h"
#include "study/workload.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_cells_named = 4;

/// What only a run itself knows, or what an earlier one may have made in the result.
bool depends_on_run(const std::string& text) {
  static constexpr std::array<std::string_view, 5> names{"seed", "block", "run", "scratch",
                                                         "result"};
  const auto found = placeholders_in(text);
  return !found || std::any_of(found->begin(), found->end(), [](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

/// "./train: there is no such file in /home/user/study"; nothing if the program is there.
std::optional<std::string> trouble_with(const Launch& launch) {
  const ActingAsRoot root;  // with --as-root the workload may run what its user may not see
  const std::string& name = launch.argv.front();
  const std::string where = launch.directory.lexically_normal().string();
  if (!fs::is_directory(launch.directory))
    return fmt::format("{}: the directory {}, in which it starts, does not exist", name, where);
  const std::string path = search_path_of(launch);
  if (find_program(name, path, launch.directory)) {
    const fs::path file = launch.directory / name;
    const bool is_path = name.find('/') != std::string::npos;
    if (!is_path || (eaccess(file.c_str(), X_OK) == 0 && !fs::is_directory(file)))
      return std::nullopt;
    return fmt::format("{}: {} is not executable", name, file.lexically_normal().string());
  }
  if (name.starts_with('/')) return fmt::format("{}: there is no such file", name);
  if (name.find('/') != std::string::npos)
    return fmt::format("{}: there is no such file in {}", name, where);
  return fmt::format("{}: there is no such program in {}", name, path);
}

/// What is missing, and the names of the cells that need it, in the order in which they came.
class Missing {
 public:
  void add(const std::string& what, const std::string& cell) {
    const auto [at, is_new] = places_.try_emplace(what, found_.size());
    if (is_new) found_.push_back({what, {}});
    auto& cells = found_[at->second].second;
    if (cells.empty() || cells.back() != cell) cells.push_back(cell);
  }

  void refuse() const {
    if (found_.empty()) return;
    std::string text = "nothing was run, because programs or files are missing";
    for (const auto& [what, cells] : found_) {
      text += "\n  " + what + "; needed by ";
      for (std::size_t i = 0; i < std::min(cells.size(), most_cells_named); ++i)
        text += (i ? ", " : "") + cells[i];
      if (cells.size() > most_cells_named)
        text += fmt::format(" and {} more", counted(cells.size() - most_cells_named, "cell"));
    }
    throw Error(text,
                "Install what is missing, correct the study file, or leave these cells out with "
                "--only.");
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> found_;
  std::map<std::string, std::size_t> places_;
};

/// The commands of one cell.
class CellPrograms {
 public:
  CellPrograms(const Study& study, const Cell& cell, const ProgramSearch& search)
      : written_(workload_for(study, cell)), study_directory_(study.directory) {
    RunPlace place;
    place.result = search.result.string();
    place.data = search.data.string();
    Placeholders values = placeholders_of(study, cell, place);
    for (const auto& name : environments_named_in(written_)) {
      EnvironmentChoice choice;
      choice.name = name;
      values[std::string(environment_mark) + name] = search.environment(choice).directory;
    }
    workload_ = expanded(written_, values);
    if (!workload_.environment.empty()) site_ = &search.environment(workload_.environment);
    directory_ = study_directory_ / workload_.directory;
  }

  void look(const std::string& cell, Missing& missing) const {
    const auto path = written_.variables.find("PATH");
    if (path != written_.variables.end() && depends_on_run(path->second)) return;
    if (depends_on_run(written_.directory)) return;
    const bool may_be_made = !written_.prepare.empty();
    look_up(written_.command, workload_.command, may_be_made, cell, missing);
    for (std::size_t i = 0; i < written_.prepare.size(); ++i)
      look_up(written_.prepare[i], workload_.prepare[i], i > 0, cell, missing);
    for (std::size_t i = 0; i < written_.cleanup.size(); ++i)
      look_up(written_.cleanup[i], workload_.cleanup[i], true, cell, missing);
    if (workload_.standard_input.empty() || may_be_made || depends_on_run(written_.standard_input))
      return;
    const fs::path file = (study_directory_ / workload_.standard_input).lexically_normal();
    if (access(file.c_str(), R_OK) != 0)
      missing.add(
          fmt::format("{}: cannot be read as standard input: {}", file.string(), error_text(errno)),
          cell);
  }

 private:
  void look_up(const std::vector<std::string>& written, const std::vector<std::string>& words,
               bool may_be_made, const std::string& cell, Missing& missing) const {
    if (words.empty() || depends_on_run(written.front())) return;
    Launch launch;
    launch.argv = words;
    launch.directory = directory_;
    for (const auto& [name, value] : workload_.variables)
      launch.environment.emplace_back(name, value);
    // Of a container only what starts it can be seen from here.
    if (site_) surround(launch, *site_, {"prengdl", {launch.directory}});
    if (may_be_made && launch.argv.front().find('/') != std::string::npos) return;
    if (const auto trouble = trouble_with(launch)) missing.add(*trouble, cell);
  }

  Workload written_;   // with its placeholders
  Workload workload_;  // those of a run stand for nothing yet
  const EnvironmentSite* site_ = nullptr;
  fs::path study_directory_;
  fs::path directory_;  // in which the commands start
};

}  // namespace

void check_programs(const Study& study, const std::vector<Cell>& cells,
                    const ProgramSearch& search) {
  Missing missing;
  for (const auto& cell : cells)
    CellPrograms(study, cell, search).look(name_of(study, cell), missing);
  const auto& warm = study.protocol.warm_command;
  if (study.protocol.start == Start::warm && !warm.empty() && !depends_on_run(warm.front())) {
    Launch launch;
    RunPlace place;
    place.result = search.result.string();
    place.data = search.data.string();
    launch.argv = {expand(warm.front(), placeholders_of(study, {}, place))};
    launch.directory = study.directory;
    if (const auto trouble = trouble_with(launch)) missing.add(*trouble, "protocol.warm_command");
  }
  missing.refuse();
}

}  // namespace prengdl
