// SPDX-License-Identifier: Apache-2.0
// audit_power [--full]: what `prengdl audit` finds in synthetic studies with one planted threat,
// and how often it is wrong about clean ones, as the tables of docs/audit.md.
//
// 100 studies of each kind, with --full 400, from fixed seeds. Exit code 3 and a mark where a check
// is wrong about more clean studies than promised.
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
  };
  return all;
}

void sensitivity() {
  fmt::print("| planted | size | check | finds it, % |\n|---|---:|---|---:|\n");
  std::uint64_t seed = 100;
  for (const auto& planted : bench::planted_threats()) {
    bench::Shape shape;
    shape.threat = planted.threat;
    shape.size = planted.size;
    const auto found = bench::alarms(shape, studies, ++seed);
    const auto count = found.find(planted.check);
    fmt::print("| {} | {} | `{}` | {:.0f} |\n", planted.what, planted.shown, planted.check,
               100 * share(count == found.end() ? 0 : count->second));
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
      // Four standard errors of the simulation itself are allowed.
      const double limit = 0.05 + 4 * std::sqrt(0.05 * 0.95 / static_cast<double>(studies));
      const bool is_kept = check == "any" || !controls()[i].promised || value <= limit;
      if (!is_kept) ++missed;
      fmt::print(" {:.1f}{} |", 100 * value, is_kept ? "" : " (missed)");
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
  if (argc == 2) studies = 400;
  fmt::print("{} synthetic studies behind each figure.\n\n", studies);
  sensitivity();
  false_alarms();
  if (missed > 0) fmt::print(stderr, "{} shares are not as promised\n", missed);
  return missed > 0 ? 3 : 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "audit_power: %s\n", e.what());
  return 1;
}
