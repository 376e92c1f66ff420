// SPDX-License-Identifier: Apache-2.0
//
// The table of commands.
#include <algorithm>
#include <array>
#include <iostream>
#include <string_view>

#include "base/caller.h"
#include "base/error.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "cli/caller.h"
#include "cli/commands.h"
#include "cli/program.h"

namespace {

using prengdl::UsageError;

struct Command {
  std::string_view name;
  std::string_view what;
  int (*start)(const std::vector<std::string>&);
};

constexpr std::array commands{
    Command{"doctor", "check whether this machine is fit to measure", prengdl::doctor_command},
    Command{"meters", "list the meters of this machine, or show live watts",
            prengdl::meters_command},
    Command{"measure", "measure the energy and time of commands, and compare them",
            prengdl::measure_command},
    Command{"setup", "create the environments and find the data that a study needs",
            prengdl::setup_command},
    Command{"plan", "show what a study will do and what it can detect", prengdl::plan_command},
    Command{"run", "run a study, or continue it", prengdl::run_command},
    Command{"status", "show the progress of a study, and what failed", prengdl::status_command},
    Command{"serve", "show a study on a local page while it runs", prengdl::serve_command},
    Command{"compare", "show which level costs less, by how much and how sure that is",
            prengdl::compare_command},
    Command{"audit", "check the data of a study for threats to validity", prengdl::audit_command},
    Command{"profile", "show what functions and APIs cost, from cProfile dumps",
            prengdl::profile_command},
    Command{"report", "write the report: HTML, LaTeX, Markdown, CSV, JSON",
            prengdl::report_command},
    Command{"exclude", "exclude a run from every analysis, with a reason",
            prengdl::exclude_command},
    Command{"export", "write the tables of a result as CSV or JSON", prengdl::export_command},
    Command{"import", "import measurements of other tools and studies", prengdl::import_command},
    Command{"merge", "join results of one study from several machines", prengdl::merge_command},
    Command{"gate", "for CI: check whether a change raises the cost above a limit",
            prengdl::gate_command},
};

void print_usage(std::ostream& out) {
  out << "prengdl: performance and energy of deep learning\n\nusage: prengdl COMMAND [OPTIONS]\n\n";
  for (const auto& command : commands) {
    out << "  " << command.name << std::string(12 - command.name.size(), ' ') << command.what
        << "\n";
  }
  out << "\nprengdl COMMAND --help lists the options of a command.\n"
         "Start with `prengdl doctor`, then `prengdl measure -- sleep 1`.\n";
}

int start(const std::vector<std::string>& words) {
  prengdl::go_on_as_caller(words);
  if (words.empty()) {
    print_usage(std::cerr);
    return 2;
  }
  const auto& name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_usage(std::cout);
    return 0;
  }
  if (name == "--version" || name == "-V") {
    std::cout << "prengdl " PRENGDL_VERSION "\n";
    return 0;
  }
  const auto command = std::ranges::find(commands, std::string_view(name), &Command::name);
  if (command == commands.end()) {
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const auto& one : commands) names.emplace_back(one.name);
    const auto meant = prengdl::nearest(name, names);
    throw UsageError(
        "unknown command '" + name + "'",
        meant ? "did you mean `prengdl " + *meant + "`?" : "prengdl --help lists the commands");
  }
  return command->start({words.begin() + 1, words.end()});
}

}  // namespace

int main(int argc, char** argv) {
  const int exit_code = prengdl::run_program(argc, argv, start);
  prengdl::give_up_way_back();
  return exit_code;
}
