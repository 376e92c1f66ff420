// SPDX-License-Identifier: Apache-2.0
#include "report/emissions_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "report/compare_words.h"
#include "report/costs_words.h"
#include "report/table.h"

namespace prengdl {
namespace {

std::string currency_of(const KwhFactor& price) {
  return price.unit.substr(0, price.unit.find('/'));
}

/// "344.1 gCO2e/kWh, Germany (DE) 2024, life-cycle, Ember ...".
std::string factor_words(const KwhFactor& factor) {
  std::string text = fmt::format("{:.4g} {}", factor.value, printable(factor.unit));
  if (!factor.place.empty())
    text += fmt::format(
        ", {} {}",
        printable(factor.name.empty() ? factor.place : factor.name + " (" + factor.place + ")"),
        printable(factor.date));
  if (!factor.basis.empty()) text += ", " + printable(factor.basis);
  return text + ", " + printable(factor.source);
}

std::string grams_text(double grams) { return with_prefix(grams, "gCO2e"); }

std::string mean_text(const std::optional<DerivedMean>& mean, auto&& words) {
  return mean ? words(mean->value) : std::string();
}

std::string ends_text(const std::optional<DerivedMean>& mean, auto&& words) {
  if (!mean || !mean->ci95) return "";
  return words((*mean->ci95)[0]) + " … " + words((*mean->ci95)[1]);
}

/// What E is, in words: the domains and the PUE.
std::string energy_words(const Emissions& emissions) {
  std::vector<std::string> covers;
  for (const auto& unit : emissions.units)
    for (const auto& domain : unit.covers)
      if (std::find(covers.begin(), covers.end(), domain) == covers.end()) covers.push_back(domain);
  std::string text = "E is the energy of ";
  for (std::size_t i = 0; i < covers.size(); ++i)
    text += (i > 0 ? " + " : "") + printable(covers[i]);
  text += " and nothing else of the machine";
  if (emissions.settings.pue)
    return text + fmt::format(", times a PUE of {:.4g}", *emissions.settings.pue);
  return text + "; no PUE is applied";
}

std::string embodied_words(const Emissions& emissions) {
  const auto& embodied = emissions.settings.embodied;
  if (!embodied) return "M: emissions of making the hardware are not given and not in it";
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

}  // namespace

std::string emissions_text(const Emissions& emissions, const Style& style) {
  const auto& settings = emissions.settings;
  if (emissions.units.empty() || (!settings.carbon && !settings.price)) return "";
  std::string out = style.bold("carbon and money") +
                    style.dim("   derived from energy; intervals know of the runs' scatter alone") +
                    "\n";
  if (settings.carbon)
    out += fmt::format("  SCI = (E x I + M) / R, ISO/IEC 21031:2024; I = {}\n  {}\n",
                       factor_words(*settings.carbon), embodied_words(emissions));
  if (settings.price) out += fmt::format("  price = {}\n", factor_words(*settings.price));
  out += "  " + energy_words(emissions) + "\n";
  const std::string currency = settings.price ? currency_of(*settings.price) : "";
  const auto money = [&](double value) {
    return fmt::format("{:.4g} {}", value, printable(currency));
  };
  using Align = Table::Align;
  Table table({{"unit", Align::left},
               {"level", Align::left},
               {"n", Align::right},
               {"R", Align::left},
               {"energy", Align::right},
               {"derived carbon", Align::right},
               {"95 % interval", Align::right},
               {"of it M", Align::right},
               {"derived money", Align::right},
               {"95 % interval", Align::right},
               {"", Align::left}});
  for (const auto& unit : emissions.units)
    for (const auto& level : unit.levels) {
      if (level.n == 0) continue;
      table.add({unit_name(unit.cell), printable(level.level), std::to_string(level.n),
                 one_of(unit.per), with_prefix(level.joules, "J"),
                 mean_text(level.grams, grams_text), ends_text(level.grams, grams_text),
                 level.embodied_grams ? grams_text(*level.embodied_grams) : "",
                 mean_text(level.money, money), ends_text(level.money, money),
                 quality_remark(unit.quality)});
    }
  return out + table.text("  ", style) + "\n";
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
  json["units"] = Json::array();
  for (const auto& unit : emissions.units) {
    Json one{{"cell", unit_json(unit.cell)},
             {"functional_unit", one_of(unit.per)},
             {"covers", unit.covers}};
    if (unit.quality) one["quality"] = name_of(*unit.quality);
    one["levels"] = Json::object();
    for (const auto& level : unit.levels) {
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
    json["units"].push_back(std::move(one));
  }
  return json;
}

}  // namespace prengdl
