// SPDX-License-Identifier: Apache-2.0
#include "print/profile.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <sstream>

#include "base/files.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/meter_options.h"
#include "profile/api_cost.h"
#include "profile/call_profile.h"
#include "report/result_profiles.h"
#include "study/only.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

struct ProfileOptions {
  std::vector<std::string> files, apis, only;
  std::string least, function, dot, collapsed;
  bool json = false, csv = false;

  void declare(Arguments& arguments) {
    arguments.words("FILE.prof", files,
                    "cProfile dumps, or a result that has some; several are compared");
    arguments.texts("--only", only, "of a result: only the cells of this level", "FACTOR=LEVEL");
    arguments.text("--least", least,
                   "leave out what takes less of the time (default 1%; --json and --csv contain "
                   "everything unless it is given)",
                   "PERCENT");
    arguments.text("--function", function, "only this function or API, with callers and callees",
                   "NAME");
    arguments.texts("--apis", apis, "more names and classes of APIs, as in data/api_classes.csv",
                    "FILE");
    arguments.text("--dot", dot, "also write the call graph for Graphviz; - is standard output",
                   "FILE");
    arguments.text("--collapsed", collapsed,
                   "also write stacks for flame graphs; - is standard output", "FILE");
    arguments.flag("--json", json, "as JSON");
    arguments.flag("--csv", csv, "as CSV, a line per function");
    arguments.footer(
        "Examples:\n  prengdl profile icse22.result --only model=ncf --only phase=train\n"
        "  python3 -m cProfile -o train.prof train.py\n  prengdl profile train.prof\n"
        "  prengdl profile torch.prof tensorflow.prof\n"
        "  prengdl profile train.prof --function torch.autograd.backward\n"
        "  prengdl profile train.prof --dot - | dot -Tsvg > train.svg");
  }
};

void check(const ProfileOptions& options) {
  if (options.files.empty())
    throw UsageError("there is no profile",
                     "make one with python3 -m cProfile -o FILE.prof PROGRAM, then prengdl profile "
                     "FILE.prof");
  const bool to_output = options.dot == "-" || options.collapsed == "-";
  if (options.json + options.csv + to_output > 1 ||
      (options.dot == "-" && options.collapsed == "-"))
    throw UsageError(
        "only one of --json, --csv, --dot - and --collapsed - can go to standard output",
        "give --dot and --collapsed the name of a file");
}

ApiTable api_table(const std::vector<std::string>& files) {
  ApiTable table = ApiTable::shipped();
  for (const auto& file : files) {
    const auto text = read_text(file);
    if (!text) throw Error(text.error());
    if (const auto added = table.add(*text, file); !added) throw Error(added.error());
  }
  return table;
}

bool is_result(const std::string& path) {
  std::error_code none;
  return std::filesystem::exists(std::filesystem::path(path) / "study.db", none);
}

CallProfile profile_in(const std::string& file) {
  if (std::filesystem::is_directory(file))
    throw UsageError(file + " is a directory, but not a result",
                     "give the dumps in it by their names: prengdl profile " + file + "/*.prof");
  auto profile = read_profile(file);
  if (!profile) throw Error(profile.error());
  return std::move(*profile);
}

std::vector<ProfileCost> costs_in_result(const std::string& directory,
                                         const ProfileOptions& options, const ApiTable& table) {
  const auto store = ResultStore::open(directory, Access::read_only);
  const ResultStudy result = read_result(store, Detail::emitted);
  auto costs = profiles_of(store, result, cell_pattern(result.study, options.only), table);
  if (costs.empty())
    throw Error(directory + " has no profile" + (options.only.empty() ? "" : " of these cells"),
                "Make them with `prengdl run STUDY --profile`, which adds one run per cell.");
  return costs;
}

std::vector<ProfileCost> costs_of(const ProfileOptions& options, const ApiTable& table) {
  std::vector<ProfileCost> costs;
  for (const auto& file : options.files) {
    if (is_result(file))
      for (auto& cost : costs_in_result(file, options, table)) costs.push_back(std::move(cost));
    else
      costs.push_back(cost_of(file, profile_in(file), table));
  }
  if (costs.size() > 1 && (!options.dot.empty() || !options.collapsed.empty()))
    throw UsageError("--dot and --collapsed draw one profile, not several",
                     "choose one cell of a result with --only, or call prengdl profile for each");
  return costs;
}

/// A name that is in none of the profiles is answered with the nearest that is.
void check_function(const std::vector<ProfileCost>& costs, const std::string& wanted) {
  std::vector<std::string> names;
  for (const auto& cost : costs) {
    if (!functions_named(cost, wanted).empty()) return;
    for (const auto& api : apis_of(cost)) names.push_back(api.name);
    for (const auto& function : cost.profile.functions) names.emplace_back(function.name);
  }
  const auto meant = nearest(wanted, names);
  throw Error("no function is named " + wanted,
              meant ? "did you mean " + *meant + "?" : "prengdl profile FILE --least 0 lists all");
}

/// A file, or standard output for "-"; a file that cannot be written is an Error.
template <class Write>
void write_to(const std::string& file, Write&& write) {
  if (file == "-") return write(std::cout);
  std::ostringstream out;
  write(out);
  write_text(file, out.str());
}

}  // namespace

int profile_command(const std::vector<std::string>& words) {
  ProfileOptions options;
  Arguments arguments("profile", "Shows what functions and APIs cost, from cProfile dumps.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  check(options);
  ProfileView view;
  if (!options.least.empty())
    view.least_in_data = view.least_share = share_option("--least", options.least);
  if (!options.function.empty()) view.function = options.function;
  const ApiTable table = api_table(options.apis);
  std::vector<ProfileCost> costs = costs_of(options, table);
  if (view.function) check_function(costs, *view.function);
  if (!options.dot.empty())
    write_to(options.dot,
             [&](std::ostream& out) { out << call_graph_dot(costs[0], view.least_share); });
  if (!options.collapsed.empty())
    write_to(options.collapsed, [&](std::ostream& out) { write_collapsed(costs[0], out); });
  if (options.dot == "-" || options.collapsed == "-") return 0;
  if (options.json || options.csv)
    std::cout << (options.json ? profile_json(costs, view) : profile_csv(costs, view));
  else
    show(profile_text(costs, view, style_of(STDOUT_FILENO)));
  return 0;
}

}  // namespace prengdl
