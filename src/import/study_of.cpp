// SPDX-License-Identifier: Apache-2.0
//
// The study that an import amounts to: factors, levels, what is compared, and the study file that
// says so.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/escaping.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "import/file_names.h"
#include "import/imported.h"

namespace prengdl {
namespace {

constexpr std::size_t most_runs = 1'000'000;  // as for a study that is run
constexpr std::size_t most_cells = 1'000'000;
constexpr std::size_t most_exclusions = 1000;  // beyond, missing cells are not written down

std::vector<Factor> factors_of(const Imported& imported) {
  std::vector<Factor> factors;
  std::size_t combinations = 1;
  for (const auto& name : imported.factors) {
    std::set<std::string> levels;
    for (const auto& run : imported.runs) levels.insert(run.levels.at(name));
    combinations *= levels.size();
    if (combinations > most_cells)
      throw Error(fmt::format("the factors have more than {} combinations", most_cells),
                  "Check whether a factor has a different level in each row.");
    Factor& factor = factors.emplace_back(Factor{name, {levels.begin(), levels.end()}});
    std::stable_sort(factor.levels.begin(), factor.levels.end(), natural_less);
  }
  return factors;
}

/// What is compared unless the user says it: the framework, else the first factor that varies.
std::string compared_factor(const std::vector<Factor>& factors, const std::string& asked) {
  std::vector<std::string> names;
  std::string first;
  bool has_frameworks = false;
  for (const auto& factor : factors) {
    names.push_back(factor.name);
    if (factor.levels.size() < 2) continue;
    if (first.empty()) first = factor.name;
    has_frameworks = has_frameworks || factor.name == "framework";
  }
  if (asked.empty()) return has_frameworks ? "framework" : first;
  if (std::find(names.begin(), names.end(), asked) != names.end()) return asked;
  const auto meant = nearest(asked, names);
  throw UsageError(fmt::format("--compare {}: there is no such factor", asked),
                   meant ? fmt::format("did you mean {}?", *meant)
                         : fmt::format("the factors are {}", shell_line(names)));
}

/// Letters, digits and dashes: levels become part of a run's id.
std::string in_id(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
    if (is_plain || c == '_')
      safe += c;
    else if (!safe.empty() && safe.back() != '-')
      safe += '-';
  }
  return safe.substr(0, 24);
}

/// The same files give the same ids, so that what was imported twice can be recognised as the same.
class IdHash {  // FNV-1a
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  void add(double value) { add(fmt::format("{}", value)); }
  std::uint32_t value() const { return static_cast<std::uint32_t>(hash_ ^ (hash_ >> 32)); }

 private:
  void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

void name_runs(Imported& imported, const std::string& kind, const std::vector<Factor>& factors) {
  std::set<std::string> ids;
  std::size_t place = 0;
  for (auto& run : imported.runs) {
    StoredRun& stored = run.stored;
    IdHash hash;
    std::string front;
    hash.add(kind);
    for (const auto& factor : factors) {
      stored.cell.push_back(run.levels.at(factor.name));
      hash.add(stored.cell.back());
      if (const auto part = in_id(stored.cell.back()); !part.empty() && front.size() < 48)
        front += part + "-";
    }
    hash.add(run.file);
    hash.add(stored.run.wall.count());
    for (const auto& [domain, energy] : stored.run.energy.domains) hash.add(energy.value.value);
    if (front.empty()) front = "run-";
    stored.id = fmt::format("{}r{}-{:08x}", front, run.number, hash.value());
    for (int n = 2; !ids.insert(stored.id).second; ++n)
      stored.id = fmt::format("{}r{}-{:08x}-{}", front, run.number, hash.value(), n);
    stored.place = stored.run.order = place++;
  }
}

/// A key needs quotes only where it is not plain.
std::string key_of(const std::string& name) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
  });
  return is_plain && !name.empty() ? name : toml_quoted(name);
}

std::string list_of(const std::vector<std::string>& texts) {
  return "[" + joined(texts, ", ", toml_quoted) + "]";
}

/// Cells that no run is of, as [[exclude]], so that nobody waits for them.
std::string exclusions(const Imported& imported, const std::vector<Factor>& factors) {
  Study study;
  study.factors = factors;
  std::set<Cell> present;
  for (const auto& run : imported.runs) present.insert(run.stored.cell);
  std::string text;
  std::size_t missing = 0;
  for (const auto& cell : cells_of(study)) {
    if (present.contains(cell)) continue;
    if (++missing > most_exclusions) return "";
    text += "[[exclude]]\n";
    for (std::size_t i = 0; i < cell.size(); ++i)
      text += fmt::format("{} = {}\n", key_of(factors[i].name), toml_quoted(cell[i]));
    text += "\n";
  }
  return text;
}

std::string analysis(const Imported& imported, const std::vector<Factor>& factors,
                     const std::string& compare) {
  std::set<std::string> domains;
  bool has_metered = false;
  for (const auto& run : imported.runs) {
    for (const auto& [domain, energy] : run.stored.run.energy.domains) domains.insert(domain);
    has_metered = has_metered || run.stored.run.energy.metered;
  }
  std::vector<std::string> secondary;
  // A sum of one part is that part: it would be judged twice.
  if (domains.size() > 1 || !has_metered) secondary.assign(domains.begin(), domains.end());
  if (has_metered) secondary.emplace_back("seconds");
  std::string text = "[analysis]\n";
  if (!compare.empty()) {
    std::vector<std::string> within;
    for (const auto& factor : factors)
      if (factor.name != compare) within.push_back(factor.name);
    text += fmt::format("compare = {}\nwithin = {}\n", toml_quoted(compare), list_of(within));
  }
  text += fmt::format("primary = \"{}\"\nsecondary = {}\n", has_metered ? "metered" : "seconds",
                      list_of(secondary));
  std::string groups;
  for (const auto& [name, levels] : imported.groups) {
    std::vector<std::string> present;
    for (const auto& level : levels)
      if (std::any_of(factors.begin(), factors.end(), [&](const Factor& factor) {
            return std::find(factor.levels.begin(), factor.levels.end(), level) !=
                   factor.levels.end();
          }))
        present.push_back(level);
    if (!present.empty())
      groups +=
          fmt::format("{}{} = {}", groups.empty() ? "" : ", ", key_of(name), list_of(present));
  }
  if (!groups.empty()) text += fmt::format("groups = {{ {} }}\n", groups);
  return text;
}

}  // namespace

StudyRecord study_of(Imported& imported, const std::string& kind, const ImportOptions& options) {
  if (imported.runs.size() > most_runs)
    throw Error(fmt::format("there are more than {} runs", most_runs));
  StudyRecord record;
  record.name = imported.name;
  record.factors = factors_of(imported);
  name_runs(imported, kind, record.factors);
  std::map<Cell, std::size_t> runs;
  std::size_t most = 0;
  for (const auto& run : imported.runs) most = std::max(most, ++runs[run.stored.cell]);
  record.planned_runs = imported.runs.size();
  record.blocks = imported.blocks;
  record.created_at = utc_now();

  const std::string what = kind + (options.as_published ? " --as-published" : "");
  record.text = fmt::format(
      "# Made by `prengdl import {}`: these runs were made elsewhere and cannot be made again from "
      "here.\n[study]\nname = {}\nimported = {}\nruns = {}\n\n[factors]\n",
      what, toml_quoted(record.name), toml_quoted(what), most);
  for (const auto& factor : record.factors)
    record.text += fmt::format("{} = {}\n", key_of(factor.name), list_of(factor.levels));
  record.text += "\n" + exclusions(imported, record.factors);
  if (!options.has_own_analysis)
    record.text +=
        analysis(imported, record.factors, compared_factor(record.factors, options.compare));
  return record;
}

}  // namespace prengdl
