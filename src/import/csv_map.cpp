// SPDX-License-Identifier: Apache-2.0
#include "import/csv_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "import/file_names.h"

namespace prengdl {
namespace {

using What = MappedColumn::What;

struct NamedScale {
  std::string_view name;
  double scale;
};
constexpr std::array<NamedScale, 3> times{
    {{"seconds", 1}, {"milliseconds", 1e-3}, {"minutes", 60}}};
constexpr std::array<NamedScale, 5> energies{{{"joules_", 1},
                                              {"kilojoules_", 1e3},
                                              {"millijoules_", 1e-3},
                                              {"watt_hours_", 3600},
                                              {"kilowatt_hours_", 3.6e6}}};

struct PlainKey {
  std::string_view name;
  What what;
};
constexpr std::array<PlainKey, 5> plain_keys{{{"exit_code", What::exit_code},
                                              {"started_at", What::started_at},
                                              {"block", What::block},
                                              {"machine", What::machine},
                                              {"flags", What::flags}}};

MappedColumn mapped(const std::string& key, const std::string& column) {
  for (const auto& [name, scale] : times)
    if (key == name) return {What::seconds, "seconds", column, scale};
  for (const auto& [name, scale] : energies)
    if (key.starts_with(name) && key.size() > name.size())
      return {What::joules, key.substr(name.size()), column, scale};
  constexpr std::string_view watts = "watts_";
  if (key.starts_with(watts) && key.size() > watts.size())
    return {What::watts, key.substr(watts.size()), column, 1};
  for (const auto& [name, what] : plain_keys)
    if (key == name) return {what, "", column, 1};
  const auto colon = key.find(':');
  const std::string before = key.substr(0, colon);
  const std::string after = colon == std::string::npos ? "" : key.substr(colon + 1);
  if (before == "factor") {
    check_factor_name(after);
    return {What::factor, after, column, 1};
  }
  if (before == "metric" && !after.empty()) return {What::metric, after, column, 1};
  if (before == "work" && !after.empty()) return {What::work, after, column, 1};
  throw UsageError(fmt::format("--map {}={}: nothing is called {}", key, column, key),
                   "known: seconds, milliseconds, minutes, joules_DOMAIN, kilojoules_DOMAIN, "
                   "millijoules_DOMAIN, watt_hours_DOMAIN, kilowatt_hours_DOMAIN, watts_DOMAIN, "
                   "factor:NAME, metric:NAME, work:NAME, block, machine, started_at, flags, "
                   "exit_code");
}

}  // namespace

std::vector<MappedColumn> read_csv_map(const std::vector<std::string>& texts) {
  std::vector<MappedColumn> map;
  std::set<std::string> keys;
  for (const auto& text : texts)
    for (const auto item : split(text, ',')) {
      const auto equals = item.find('=');
      if (equals == std::string_view::npos)
        throw UsageError(fmt::format("--map {}: it is not KEY=COLUMN", item),
                         "as in --map seconds=Time,joules_package=Pkg,factor:framework=Framework; "
                         "a column with a comma in its name cannot be mapped");
      const auto key = std::string(trimmed(item.substr(0, equals)));
      MappedColumn one = mapped(key, std::string(trimmed(item.substr(equals + 1))));
      const std::string meaning = fmt::format("{} {}", static_cast<int>(one.what), one.name);
      if (!keys.insert(meaning).second)
        throw UsageError(fmt::format("--map {}: this is mapped twice", item));
      map.push_back(std::move(one));
    }
  if (!has_column(map, What::seconds))
    throw UsageError("--map does not say which column is the time of a run",
                     "as in --map seconds=Time");
  if (!has_column(map, What::factor))
    throw UsageError("--map names no factor", "as in --map factor:framework=Framework");
  return map;
}

bool has_column(const std::vector<MappedColumn>& map, What what) {
  return std::any_of(map.begin(), map.end(),
                     [&](const MappedColumn& one) { return one.what == what; });
}

}  // namespace prengdl
