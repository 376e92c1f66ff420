// SPDX-License-Identifier: Apache-2.0
//
// Of part 1: how far the answer can be trusted. What the energy is worth, what speaks against the
// conclusions, and what it cost to reach them.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/amounts.h"
#include "base/strings.h"
#include "print/checks.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

std::string quality_words(Quality quality) {
  switch (quality) {
    case Quality::wall:
      return "by an external meter";
    case Quality::sensor:
      return "by a sensor";
    case Quality::chip:
      return "by the chip's own account";
    case Quality::virtual_machine:
      return "reported by the hypervisor";
    case Quality::model:
      return "modelled";
  }
  return "";
}

}  // namespace

/// "package and dram by the chip's own account, gpu by a sensor".
void say_quality(const ReportInput& input, Part& part) {
  std::map<Quality, std::set<std::string>> domains;
  std::size_t with = 0, modelled = 0, total = 0;
  for (const auto& one_case : input.cases)
    for (const auto& runs : one_case.levels)
      for (const auto* run : runs) {
        ++total;
        const auto& energy = run->run.energy;
        if (!energy.metered) continue;
        ++with;
        if (energy.metered->quality == Quality::model) ++modelled;
        for (const auto& domain : energy.covers)
          if (const auto found = energy.domains.find(domain); found != energy.domains.end())
            domains[found->second.quality].insert(domain);
      }
  if (with == 0)
    return part.caution(fmt::format(
        "Energy was not measured: none of {} has a figure of it. What follows is about time.",
        counted(total, "run")));
  std::vector<std::string> words;
  for (const auto& [quality, names] : domains)
    if (quality != Quality::model)
      words.push_back(listed({names.begin(), names.end()}) + " " + quality_words(quality));
  if (modelled == with)
    return part.caution(
        "Energy was modelled, not measured. It is computed from run time and CPU time, so it adds "
        "no evidence to them: it gets no p, no A12 and no winner.");
  std::string text = "The energy was measured: " + listed(words) + ".";
  if (modelled > 0) text += fmt::format(" In {} it is modelled instead.", counted(modelled, "run"));
  if (with < total) text += fmt::format(" {} have none.", counted(total - with, "run"));
  part.say(text + " It covers nothing outside these domains.");
}

/// The checks that object, each once, with how often.
void say_against(const ReportInput& input, Part& part) {
  for (const auto severity : {AuditSeverity::severe, AuditSeverity::warning}) {
    std::vector<std::string> order;
    std::map<std::string, std::vector<const AuditFinding*>> checks;
    for (const auto& finding : input.audit) {
      if (finding.severity != severity) continue;
      if (!checks.contains(finding.check)) order.push_back(finding.check);
      checks[finding.check].push_back(&finding);
    }
    for (const auto& check : order) {
      const auto& found = checks[check];
      const auto& first = *found.front();
      const std::string where = where_text(first);
      std::string text = fmt::format("Caution ({}, {}): {}{}", name_of(severity), check,
                                     where.empty() ? "" : where + ": ", first.message);
      if (found.size() > 1) text += fmt::format("; and {} more of this kind", found.size() - 1);
      part.caution(shortened(text, 600) + ".");
    }
  }
  if (worst(input.audit) < AuditSeverity::warning)
    part.say("The audit of the data found no warning.");
}

void say_own_cost(const ReportInput& input, Part& part) {
  Joules energy{};
  Seconds time{}, own{};
  std::size_t failed = 0, warmups = 0, profiled = 0, modelled = 0;
  for (const auto& run : *input.runs) {
    if (run.run.energy.metered) energy += run.run.energy.metered->value;
    if (run.run.energy.metered && run.run.energy.metered->quality == Quality::model) ++modelled;
    time += run.run.wall + (run.run.settling ? run.run.settling->took : Seconds{});
    own += run.run.cpu.own;
    const auto& flags = run.run.flags;
    if (flags.contains(Flag::profiled))
      ++profiled;
    else if (run.is_warmup)
      ++warmups;
    else if (run.outcome != Outcome::ok)
      ++failed;
  }
  std::string text = fmt::format("The study itself took {} of measuring", for_people(time));
  if (energy.value > 0)
    text += fmt::format(
        " and {}{}{}", with_prefix(energy.value, "J"),
        energy.value < 3600 ? "" : " (" + significant(energy.value / 3.6e6, 3) + " kWh)",
        modelled == 0                   ? ""
        : modelled < input.runs->size() ? ", in part modelled"
                                        : ", as modelled");
  text += fmt::format(", in {}", counted(input.runs->size(), "run"));
  if (warmups > 0) text += fmt::format(", of which {} to warm up", warmups);
  if (profiled > 0)
    text += fmt::format(", {}{} under the profiler", warmups > 0 ? "" : "of which ", profiled);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  text += own.count() > 0 ? fmt::format("; prengdl's own CPU time in them was {}.", for_people(own))
                          : ".";
  part.say(text);
}

}  // namespace prengdl
