// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "base/amounts.h"
#include "base/strings.h"
#include "print/costs.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

std::string currency_of(const KwhFactor& price) {
  return price.unit.substr(0, price.unit.find('/'));
}

/// "344.1 gCO2e/kWh, Germany (DE) 2024, life-cycle, Ember ...".
std::string factor_words(const KwhFactor& factor) {
  std::string text = fmt::format("{:.4g} {}", factor.value, factor.unit);
  if (!factor.place.empty())
    text += fmt::format(
        ", {} {}", factor.name.empty() ? factor.place : factor.name + " (" + factor.place + ")",
        factor.date);
  if (!factor.basis.empty()) text += ", " + factor.basis;
  return text + ", " + factor.source;
}

TableCell mean_cell(const std::optional<DerivedMean>& mean) {
  return mean ? scaled_cell(mean->value) : TableCell{};
}

/// The ends of an interval in the unit of its column.
TableCell ends_cell(const std::optional<DerivedMean>& mean, const std::string& unit,
                    const TableColumn& column) {
  if (!mean || !mean->ci95) return {};
  const auto end = [&](double value) { return in_unit(value, unit, column.unit); };
  return text_cell(end((*mean->ci95)[0]) + " … " + end((*mean->ci95)[1]));
}

/// What E is, in words: the domains and the PUE.
std::string energy_words(const Emissions& emissions) {
  std::vector<std::string> covers;
  for (const auto& one_case : emissions.cases)
    for (const auto& domain : one_case.covers)
      if (std::find(covers.begin(), covers.end(), domain) == covers.end()) covers.push_back(domain);
  std::string text = "E is the energy of " + joined(covers, " + ") + " alone";
  if (emissions.settings.pue)
    return text + fmt::format(", times a PUE of {:.4g}", *emissions.settings.pue);
  return text + "; no PUE is applied";
}

std::string embodied_words(const Emissions& emissions) {
  const auto& embodied = emissions.settings.embodied;
  if (!embodied) return "M: emissions from making the hardware are not given and not included";
  return fmt::format("M = {:.4g} kgCO2e x time of the run / {:.4g} years x share {:.3g}",
                     embodied->grams / 1000, embodied->lifespan.count() / (365.0 * 86400),
                     embodied->share);
}

Json factor_json(const KwhFactor& factor) {
  Json json{{"value", factor.value}, {"unit", factor.unit}, {"source", factor.source}};
  if (!factor.place.empty()) json["place"] = factor.place;
  if (!factor.name.empty()) json["name"] = factor.name;
  if (!factor.date.empty()) json["date"] = factor.date;
  if (!factor.basis.empty()) json["basis"] = factor.basis;
  return json;
}

Json mean_json(const DerivedMean& mean) {
  Json json{{"mean", mean.value}};
  if (mean.ci95) json["ci95"] = *mean.ci95;
  return json;
}

Table emissions_table(const Emissions& emissions) {
  const auto& settings = emissions.settings;
  Table table;
  table.id = "emissions";
  const std::string currency = settings.price ? currency_of(*settings.price) : "";
  table.columns = {text_column("case", "case"),
                   text_column("level", "level"),
                   number_column("n", "n"),
                   text_column("functional_unit", "R"),
                   number_column("joules", "energy", "J"),
                   number_column("grams_co2e", "derived carbon", "gCO2e"),
                   number_column("grams_interval", "95 % interval"),
                   number_column("embodied_grams_co2e", "of it M", "gCO2e"),
                   number_column("money", "derived money", currency),
                   number_column("money_interval", "95 % interval"),
                   text_column("quality", "")};
  table.columns[2].spare = 2;
  table.columns[6].spare = table.columns[9].spare = 1;
  std::vector<const LevelEmissions*> levels;
  for (const auto& one_case : emissions.cases)
    for (const auto& level : one_case.levels) {
      if (level.n == 0) continue;
      levels.push_back(&level);
      table.add({text_cell(case_name(one_case.cell)),
                 text_cell(level.level),
                 count_cell(level.n),
                 text_cell(one_of(one_case.per)),
                 scaled_cell(level.joules),
                 mean_cell(level.grams),
                 {},
                 scaled_cell(level.embodied_grams),
                 mean_cell(level.money),
                 {},
                 text_cell(quality_remark(one_case.quality))});
    }
  scale_columns(table);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    table.rows[i][6] = ends_cell(levels[i]->grams, "gCO2e", table.columns[5]);
    table.rows[i][9] = ends_cell(levels[i]->money, currency, table.columns[8]);
  }
  return table;
}

}  // namespace

std::string emissions_text(const Emissions& emissions, const Style& style) {
  const auto& settings = emissions.settings;
  if (emissions.cases.empty() || (!settings.carbon && !settings.price)) return "";
  Part part{"emissions", "carbon and money", {}};
  part.remark = "derived from energy";
  if (settings.carbon) {
    part.say("SCI = (E x I + M) / R, ISO/IEC 21031:2024; I = " + factor_words(*settings.carbon));
    part.say(embodied_words(emissions));
  }
  if (settings.price) part.say("price = " + factor_words(*settings.price));
  part.say(energy_words(emissions));
  part.blocks.emplace_back(emissions_table(emissions));
  part.note("Intervals cover the scatter of the runs, not the uncertainty of the factors.");
  return part_text(part, style);
}

Json emissions_json(const Emissions& emissions) {
  const auto& settings = emissions.settings;
  Json json{{"derived", true}, {"measure", settings.measure}};
  if (settings.carbon) {
    json["method"] = "SCI = (E x I + M) / R, ISO/IEC 21031:2024";
    json["carbon"] = factor_json(*settings.carbon);
  }
  if (settings.price) json["price"] = factor_json(*settings.price);
  if (settings.pue) json["pue"] = *settings.pue;
  if (settings.embodied)
    json["embodied"] = {{"grams", settings.embodied->grams},
                        {"lifespan_seconds", settings.embodied->lifespan.count()},
                        {"share", settings.embodied->share}};
  json["cases"] = Json::array();
  for (const auto& one_case : emissions.cases) {
    Json one{{"cell", case_json(one_case.cell)},
             {"functional_unit", one_of(one_case.per)},
             {"covers", one_case.covers}};
    if (one_case.quality) one["quality"] = name_of(*one_case.quality);
    one["levels"] = Json::object();
    for (const auto& level : one_case.levels) {
      Json figures{{"n", level.n}};
      if (level.n > 0) figures["joules"] = level.joules;
      if (level.grams) figures["grams_co2e"] = mean_json(*level.grams);
      if (level.embodied_grams) figures["embodied_grams_co2e"] = *level.embodied_grams;
      if (level.money) {
        figures["money"] = mean_json(*level.money);
        figures["money"]["currency"] = currency_of(*settings.price);
      }
      one["levels"][level.level] = std::move(figures);
    }
    json["cases"].push_back(std::move(one));
  }
  return json;
}

}  // namespace prengdl
