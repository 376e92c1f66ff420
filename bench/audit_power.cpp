// SPDX-License-Identifier: Apache-2.0
// audit_power [--full]: what `prengdl audit` finds in synthetic studies with one planted threat,
// and how often it is wrong about clean ones, as the tables of docs/reference/audit.md.
//
// 100 studies of each kind, with --full 400, from fixed seeds. Exit code 3 and a mark where a check
// is wrong about more clean studies than promised, or finds less.
#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include "bench/audit_studies.h"

namespace {

std::size_t studies = 100;
int missed = 0;

double share(std::size_t count) {
  return static_cast<double>(count) / static_cast<double>(studies);
}

/// Shares that docs/reference/audit.md promises. One check may be wrong about this share of the
/// clean studies within four standard errors of the simulation, all checks together about that
/// share exactly: what is promised is the figure in the table. Fewer studies than that table is
/// made of get the four standard errors there too.
constexpr double wrong_check = 0.05;
constexpr double wrong_study = 0.10;
constexpr double found_share = 0.80;
constexpr std::size_t studies_of_table = 400;

double with_error(double share_promised) {
  return share_promised +
         4 * std::sqrt(share_promised * (1 - share_promised) / static_cast<double>(studies));
}

/// " (missed)" and counted, unless the promise is kept.
const char* mark(bool is_kept) {
  if (!is_kept) ++missed;
  return is_kept ? "" : " (missed)";
}

struct Control {
  const char* what;
  bench::Shape shape;
  bool promised;
};

const std::vector<Control>& controls() {
  using bench::Noise;
  static const std::vector<Control> all{
      {"12 cells x 10", {}, true},
      {"12 cells x 5", {.runs = 5}, true},
      {"24 cells x 10, spread 5 %", {.cases = 12, .spread = 0.05}, true},
      {"4 cells x 30", {.cases = 2, .runs = 30}, true},
      {"12 x 10, skewed", {.noise = Noise::skewed}, false},
      {"12 x 10, heavy tails", {.noise = Noise::heavy}, false},
      {"12 x 12 on 3 nodes", {.runs = 12, .nodes = 3}, true},
      {"12 x 20 on 5 nodes", {.runs = 20, .nodes = 5}, true},
  };
  return all;
}

void sensitivity() {
  fmt::print("| planted | size | check | finds it, % | promised, % |\n|---|---:|---|---:|---:|\n");
  std::uint64_t seed = 100;
  for (const auto& planted : bench::planted_threats()) {
    const auto found = bench::alarms(planted.shape(), studies, ++seed);
    const auto count = found.find(planted.check);
    const double value = share(count == found.end() ? 0 : count->second);
    fmt::print("| {} | {} | `{}` | {:.0f}{} | {} |\n", planted.what, planted.shown, planted.check,
               100 * value, mark(!planted.is_promised || value >= found_share),
               planted.is_promised ? "80" : "");
  }
}

void false_alarms() {
  std::vector<std::map<std::string, std::size_t>> found;
  std::set<std::string> checks;
  std::uint64_t seed = 900;
  for (const auto& control : controls()) {
    found.push_back(bench::alarms(control.shape, studies, ++seed));
    for (const auto& [check, count] : found.back()) checks.insert(check);
  }
  fmt::print("\n| wrong about clean studies, % |");
  for (const auto& control : controls()) fmt::print(" {} |", control.what);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < controls().size(); ++i) fmt::print("---:|");
  fmt::print("\n");
  checks.erase("any");
  std::vector<std::string> rows(checks.begin(), checks.end());
  rows.emplace_back("any");
  for (const auto& check : rows) {
    fmt::print("| {} |", check == "any" ? "any of them" : "`" + check + "`");
    for (std::size_t i = 0; i < controls().size(); ++i) {
      const double value = share(found[i][check]);
      const double limit = check != "any"                ? with_error(wrong_check)
                           : studies >= studies_of_table ? wrong_study
                                                         : with_error(wrong_study);
      fmt::print(" {:.1f}{} |", 100 * value, mark(!controls()[i].promised || value <= limit));
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 2 || (argc == 2 && std::strcmp(argv[1], "--full") != 0)) {
    fmt::print(stderr, "usage: audit_power [--full]\n");
    return 2;
  }
  if (argc == 2) studies = studies_of_table;
  fmt::print("{} synthetic studies behind each figure.\n\n", studies);
  sensitivity();
  false_alarms();
  if (missed > 0) fmt::print(stderr, "{} shares are not as promised\n", missed);
  return missed > 0 ? 3 : 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "audit_power: %s\n", e.what());
  return 1;
}
