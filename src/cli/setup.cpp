// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "base/clock.h"
#include "base/escaping.h"
#include "base/process.h"
#include "base/standard_streams.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "campaign/study_environments.h"
#include "cli/commands.h"
#include "cli/environment_options.h"
#include "cli/meter_options.h"
#include "cli/setup_data.h"
#include "environments/making.h"
#include "environments/shipped_files.h"
#include "print/study.h"
#include "study/study_file.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

struct SetupOptions {
  std::vector<std::string> what, remove;
  std::string preset;
  bool list = false, json = false;
  EnvironmentOptions environments;

  void declare(Arguments& arguments) {
    arguments.words("STUDY|NAME", what,
                    "study files whose environments are made, or environments by name: pytorch, "
                    "pytorch@2.15.0");
    arguments.text("--preset", preset, "a preset of the study files", "NAME");
    environments.declare(arguments);
    arguments.flag("--list", list, "list the environments");
    arguments.texts("--remove", remove,
                    "remove environments by name; `downloads` are the packages that uv keeps",
                    "NAME");
    arguments.flag("--json", json, "as JSON");
    arguments.footer(
        "With --data the data sets of a study are checked there; without it small synthetic ones "
        "are\nmade where the preset has them.\nExit: 0 all is ready, 1 failed, 2 wrong usage, 3 "
        "data "
        "are "
        "missing.\nExamples:\n  prengdl setup studies/quick.toml\n  prengdl setup pytorch "
        "tensorflow@2.20.0\n  prengdl setup icse22.toml --preset paper --data /data/sets");
  }
};

bool is_study(const std::string& word) {
  return word.ends_with(".toml") || word.find('/') != std::string::npos ||
         std::filesystem::is_regular_file(word);
}

/// One line that is written over on a terminal; elsewhere a line for each thing that is begun.
class Teller {
 public:
  Teller(std::size_t number, std::size_t of, const std::string& title)
      : on_terminal_(can_overwrite(STDERR_FILENO)),
        begin_ns_(monotonic_ns()),
        head_(fmt::format("[{} of {}] {}", number, of, printable(title))) {}
  ~Teller() {
    if (on_terminal_) write_over_nothing();
  }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  void tell(const MakingProgress& progress) {
    if (!on_terminal_) {
      if (progress.doing != doing_) remark(fmt::format("{}: {}\n", head_, progress.doing));
      doing_ = progress.doing;
      return;
    }
    const Seconds so_far = seconds_between(begin_ns_, monotonic_ns());
    std::string line = fmt::format("{}: {}", head_, progress.doing);
    if (progress.bytes > 1'000'000)
      line += fmt::format(", {:.0f} MB", static_cast<double>(progress.bytes) / 1e6);
    line += fmt::format(", {:.0f} s", so_far.count());
    if (!progress.said.empty()) line += ": " + printable(progress.said);
    write_over(line);
  }

 private:
  bool on_terminal_;
  std::int64_t begin_ns_;
  std::string head_;
  std::string doing_;
};

/// Whether an environment of the cache is meant: by its name, with its version or not, or by the
/// name of its directory.
bool is_meant(const CachedEnvironment& one, const std::string& name) {
  return name == one.name || name == one.name + "@" + one.version ||
         name == one.directory.filename();
}

void remove_downloads(const EnvironmentPlaces& places) {
  const auto directory = places.cache / "uv";
  const auto bytes = bytes_below(directory);
  std::error_code trouble;
  std::filesystem::remove_all(directory, trouble);
  if (trouble) throw Error("cannot remove " + directory.string() + ": " + trouble.message());
  std::cerr << fmt::format("removed {} ({:.0f} MB)\n", directory.string(),
                           static_cast<double>(bytes) / 1e6);
}

void remove(const std::vector<std::string>& names, const EnvironmentPlaces& places) {
  for (const auto& name : names) {
    if (name == "downloads") {
      remove_downloads(places);
      continue;
    }
    std::size_t removed = 0;
    std::vector<std::string> known;
    for (const auto& one : cached_environments(places)) {
      known.push_back(one.name + "@" + one.version);
      if (!is_meant(one, name)) continue;
      const auto bytes = remove_environment(one.directory);
      ++removed;
      std::cerr << fmt::format("removed {} ({:.0f} MB)\n", one.directory.string(),
                               static_cast<double>(bytes) / 1e6);
    }
    if (removed > 0) continue;
    const auto meant = nearest(name, known);
    throw UsageError(fmt::format("there is no environment {} in {}", name,
                                 (places.cache / "environments").string()),
                     meant ? "did you mean " + *meant + "?" : "prengdl setup --list shows them");
  }
}

/// What words and studies ask for, each once.
std::vector<EnvironmentSite> asked_for(const std::vector<std::string>& words,
                                       const std::vector<Study>& studies,
                                       const EnvironmentPlaces& places) {
  std::vector<EnvironmentSite> sites;
  const auto add = [&](const EnvironmentSite& site) {
    const bool is_new = std::none_of(sites.begin(), sites.end(), [&](const auto& known) {
      return known.title() == site.title() && known.directory == site.directory;
    });
    if (is_new) sites.push_back(site);
  };
  for (const auto& word : words) {
    if (is_study(word)) continue;
    EnvironmentChoice choice;
    choice.name = word;
    add(site_of(choice, places, ""));
  }
  for (const auto& study : studies)
    for (const auto& site : sites_of(study, cells_of(study), places)) add(site);
  return sites;
}

void say(const Error& error) {
  std::cerr << "prengdl: " << printable(error.what()) << "\n";
  if (!error.hint.empty()) std::cerr << "  " << printable(error.hint) << "\n";
}

std::vector<SetupRow> make_all(const std::vector<EnvironmentSite>& sites,
                               const EnvironmentPlaces& places) {
  std::vector<SetupRow> rows;
  for (const auto& site : sites) {
    SetupRow row{site, {}, std::nullopt};
    try {
      Teller teller(rows.size() + 1, sites.size(), site.title());
      row.made = make_environment(site, places,
                                  [&](const MakingProgress& progress) { teller.tell(progress); });
    } catch (const Error& error) {  // the others may do
      row.trouble = error;
      say(error);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The data of all studies that need any.
std::optional<DataReport> look_at_data(const SetupOptions& options,
                                       const std::vector<Study>& studies,
                                       const std::vector<SetupRow>& rows,
                                       const EnvironmentPlaces& places) {
  std::optional<DataReport> all;
  const auto ready = std::find_if(rows.begin(), rows.end(), [](const SetupRow& row) {
    return !row.trouble && !python_of(row.site).empty();
  });
  for (const auto& study : studies) {
    if (!needs_data(study)) continue;
    if (ready == rows.end())
      throw Error("the data cannot be checked: no Python environment of the study is ready");
    for (auto question : data_questions(study)) {
      if (study.preset.empty() && question.preset == "default") {
        std::cerr << fmt::format("the data of {} depend on the preset: name one with --preset\n",
                                 study.name);
        continue;
      }
      question.make = options.environments.data.empty();
      const auto report = ask_for_data(question, places, python_of(ready->site));
      if (!all) all = DataReport{places.data, {}};
      all->sets.insert(all->sets.end(), report.sets.begin(), report.sets.end());
    }
  }
  return all;
}

}  // namespace

int setup_command(const std::vector<std::string>& words) {
  SetupOptions options;
  Arguments arguments("setup", "Creates the environments and finds the data that a study needs.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  const bool makes = !options.what.empty();
  if (int{options.list} + int{!options.remove.empty()} + int{makes} > 1)
    throw UsageError("--list and --remove cannot be combined with creating environments",
                     "Call `prengdl setup` once for each.");
  const EnvironmentPlaces places = options.environments.places(MeterOptions{}.search());
  if (options.list) {
    const auto all = cached_environments(places);
    if (options.json)
      std::cout << cached_json(all, places);
    else
      show(cached_text(all, style_of(STDOUT_FILENO)));
    return 0;
  }
  if (!options.remove.empty()) {
    remove(options.remove, places);
    return 0;
  }
  if (!makes)
    throw UsageError("prengdl setup needs a STUDY or names of environments",
                     fmt::format("there are {}", fmt::join(environments_to_name(), ", ")));

  std::vector<Study> studies;
  for (const auto& word : options.what)
    if (is_study(word)) studies.push_back(load_study(word, options.preset, environments_to_name()));
  if (studies.empty() && !options.preset.empty())
    throw UsageError("--preset needs a study, but none was named", "leave it out");
  if (!options.environments.data.empty() &&
      std::none_of(studies.begin(), studies.end(), needs_data))
    throw UsageError("--data was given, but nothing that was named uses {data}",
                     "name a study whose commands do");
  const auto rows = make_all(asked_for(options.what, studies, places), places);
  bool failed =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return !!row.trouble; });
  std::optional<DataReport> data;
  try {
    data = look_at_data(options, studies, rows, places);
  } catch (const Error& error) {  // what was made is still reported
    failed = true;
    say(error);
  }
  if (options.json)
    std::cout << setup_json(rows, data, places);
  else
    show(setup_text(rows, data, style_of(STDOUT_FILENO)));
  if (failed) return 1;
  return data && !data->is_complete() ? 3 : 0;
}

}  // namespace prengdl
