// SPDX-License-Identifier: Apache-2.0
//
// The methods section of a paper: what was compared, how it was run, measured and analysed, and on
// what. `[@key]` cites an entry of references.bib (paper_files.cpp).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/amounts.h"
#include "base/strings.h"
#include "model/accuracy.h"
#include "model/measure.h"
#include "print/provenance.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

void say_design(const ReportInput& input, Part& part) {
  const auto& study = input.study;
  const auto& compare = study.analysis.compare;
  std::vector<std::string> others;
  for (const auto& factor : study.factors)
    if (factor.name != compare && factor.levels.size() > 1)
      others.push_back(fmt::format("{} ({})", factor.name, listed(factor.levels)));
  std::size_t runs = 0, fewest = 0, most = 0;
  for (const auto& one_case : input.cases)
    for (const auto& level : one_case.levels) {
      if (level.empty()) continue;
      runs += level.size();
      fewest = fewest == 0 ? level.size() : std::min(fewest, level.size());
      most = std::max(most, level.size());
    }
  std::string text =
      compare.empty()
          ? fmt::format("We measured {}", counted(input.cases.size(), "cell"))
          : fmt::format("We compared {} levels of the factor {} ({}) in {}", input.levels.size(),
                        compare, listed(input.levels), counted(input.cases.size(), "case"));
  if (!others.empty()) text += ": all combinations of " + listed(others);
  text +=
      fmt::format(". The analysis uses {}, {} of each cell", counted(runs, "run"),
                  fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most));
  const auto& out = input.left_out;
  std::vector<std::string> left;
  if (out.warmups > 0) left.push_back(counted(out.warmups, "warm-up run"));
  if (out.failed > 0) left.push_back(counted(out.failed, "failed run"));
  if (out.excluded > 0) left.push_back(counted(out.excluded, "excluded run"));
  if (out.replaced > 0) left.push_back(counted(out.replaced, "run") + " that a later try replaced");
  part.say(text + (left.empty() ? "." : "; it leaves out " + listed(left) + "."));
}

std::string order_in_blocks(const ReportInput& input) {
  switch (input.study.protocol.order) {
    case Order::adjacent:
      return fmt::format(
          " Each block holds every cell once; the compared levels of a case ran next to each "
          "other in random order (seed {}).",
          input.record.seed);
    case Order::shuffled:
      return fmt::format(" Each block holds every cell once, in random order (seed {}).",
                         input.record.seed);
    case Order::as_written:
      return " Each block holds every cell once, in the same order.";
  }
  return "";
}

void say_protocol(const ReportInput& input, Part& part) {
  const auto& protocol = input.study.protocol;
  if (!input.study.imported.empty())
    return part.say(fmt::format(
        "The runs were made by another harness and imported ({} files), so their order, warm-up "
        "and settling are not known.",
        input.study.imported));
  std::string text =
      fmt::format("The runs were made in {}.", counted(input.record.blocks, "block"));
  text += order_in_blocks(input);
  if (protocol.warmup > 0)
    text += fmt::format(" Each start discarded {} of each cell.",
                        counted(protocol.warmup, "warm-up run"));
  if (protocol.start == Start::warm)
    text += " A fixed load ran before every run, so that all runs started warm.";
  else if (protocol.settle_at_most)
    text += fmt::format(" Before each run the machine returned to its idle state, for at most {}.",
                        for_people(*protocol.settle_at_most));
  if (protocol.idle)
    text += fmt::format(" The idle baseline was measured for {}.", for_people(*protocol.idle));
  if (protocol.control.governor)
    text += fmt::format(" The CPU governor was {}.", *protocol.control.governor);
  part.say(text);
}

std::string source_words(Quality quality) {
  switch (quality) {
    case Quality::wall:
      return "an external meter";
    case Quality::sensor:
      return "a hardware sensor";
    case Quality::chip:
      return "the chip’s own energy counter";
    case Quality::virtual_machine:
      return "the hypervisor’s report";
    case Quality::model:
      return "a model, not a measurement";
  }
  return "";
}

/// Domain by domain: what read it, and how accurate that is.
std::string meter_sentences(const ReportInput& input) {
  std::map<std::string, const CpuFacts*> cpus;
  for (const auto& machine : input.machines) cpus[machine.fingerprint] = &machine.facts.cpu;
  std::set<std::string> covered;
  for (const auto& run : *input.runs)
    covered.insert(run.run.energy.covers.begin(), run.run.energy.covers.end());
  std::vector<std::string> order;
  std::map<std::string, std::set<std::string>> sentences;
  for (const auto& run : *input.runs)
    for (const auto& meter : run.meters) {
      if (!is_energy(meter) || !covered.contains(meter.domain)) continue;
      const auto cpu = cpus.find(run.machine);
      const Accuracy accuracy = accuracy_of(meter, cpu == cpus.end() ? nullptr : cpu->second);
      std::string words = source_words(meter.quality);
      if (meter.quality != Quality::model)
        words += accuracy.gain ? ", accurate " + text_of(accuracy) : ", of unknown accuracy";
      if (std::find(order.begin(), order.end(), meter.domain) == order.end())
        order.push_back(meter.domain);
      sentences[meter.domain].insert(words);
    }
  std::string text;
  for (const auto& domain : order)
    text += fmt::format(" The {} domain was read by {}.", domain,
                        joined(sentences[domain], "; on other machines by "));
  return text;
}

void say_measuring(const ReportInput& input, Part& part) {
  const auto& analysis = input.study.analysis;
  std::set<std::string> covered;
  bool is_metered = false;
  for (const auto& one_case : input.cases)
    for (const auto& level : one_case.levels)
      for (const auto* run : level) {
        is_metered = is_metered || run->run.energy.metered.has_value();
        covered.insert(run->run.energy.covers.begin(), run->run.energy.covers.end());
      }
  std::string text;
  if (!is_metered) {
    text = "Energy was not measured; we compare time.";
  } else {
    text = fmt::format("Energy is the sum of {}.",
                       listed(std::vector<std::string>{covered.begin(), covered.end()}));
    text += meter_sentences(input);
    if (input.study.imported.empty())
      text += fmt::format(" Counters were read at {:.4g} Hz and at both ends of each window.",
                          1 / input.study.protocol.interval.count());
    if (is_modelled(input, input.primary))
      text += " Modelled energy supports no verdict, so it has no p and no winner.";
  }
  text += analysis.window == "run"
              ? " Each figure covers the whole run, including start-up and loading."
              : fmt::format(" Each figure covers the window `{}` of a run.", analysis.window);
  if (!analysis.per.empty())
    text += fmt::format(" Costs are divided by the {} that each run processed.", analysis.per);
  part.say(text);
}

std::string test_sentences(const ReportInput& input) {
  const auto& findings = *input.findings.value;
  const auto& analysis = input.study.analysis;
  const char* samples = findings.paired ? "of pairs" : "of independent samples";
  std::string text =
      findings.test == "rank"
          ? fmt::format(
                "The estimate is the Hodges-Lehmann ratio [@hodges1963] of two levels with "
                "the 95 % interval of the exact Wilcoxon test {} [@wilcoxon1945].",
                samples)
          : fmt::format(
                "The estimate is the ratio of geometric means of two levels with a 95 % "
                "interval by Student’s t on logarithms {}{}.",
                samples, findings.paired ? "" : ", after Welch [@welch1947]");
  text += fmt::format(
      " A level costs less if p, corrected after Holm [@holm1979] within each measure, is below "
      "{:.3g}. Two levels are equivalent if two one-sided tests [@schuirmann1987], corrected "
      "likewise, show a difference below the margin of {:.3g} %; all other pairs are inconclusive.",
      analysis.alpha, analysis.margin * 100);
  text += fmt::format(
      " The primary measure is {}; every other measure is a family of its own. We also report "
      "the exact Wilcoxon {} test and the effect size A12 [@vargha2000].",
      titled(input, analysis.primary), findings.paired ? "signed-rank" : "rank-sum");
  if (std::any_of(findings.comparisons.begin(), findings.comparisons.end(),
                  [](const Comparison& one) { return one.looks.has_value(); }))
    text +=
        " The study could stop early; interval and p of the primary measure allow for all "
        "planned looks.";
  return text;
}

void say_analysis(const ReportInput& input, Part& part) {
  std::string text = input.findings.value ? test_sentences(input) : "Nothing was compared.";
  if (!input.study.imported.empty()) {
    text += " The analysis was chosen after the data were known.";
  } else if (input.registration) {
    text += fmt::format(" The analysis was registered on {}, before the first run (SHA-256 `{}`)",
                        input.registration->at.substr(0, 10), input.registration->sha256);
    if (input.changed.empty()) {
      text += ", and is reported as registered.";
    } else {
      text += fmt::format("; since then these settings have changed: {}.",
                          joined(input.changed, ", ",
                                 [](const PlanChange& change) { return "`" + change.key + "`"; }));
    }
  }
  for (const auto& line : look_lines(input)) text += " " + line;
  part.say(text);
}

/// "2 sockets of Intel Xeon Gold 6130, 32 cores, 192 GB of memory, Debian 12, Linux 6.1".
std::string machine_words(const Machine& machine) {
  std::vector<std::string> words;
  if (machine.cpu.model_name)
    words.push_back((machine.cpu.sockets.value_or(1) > 1
                         ? fmt::format("{} sockets of ", *machine.cpu.sockets)
                         : "") +
                    *machine.cpu.model_name);
  if (machine.cpu.cores)
    words.push_back(counted(static_cast<std::size_t>(*machine.cpu.cores), "core"));
  if (machine.memory.total_bytes)
    words.push_back(
        fmt::format("{:.3g} GB of memory", static_cast<double>(*machine.memory.total_bytes) / 1e9));
  if (machine.system.os) words.push_back(*machine.system.os);
  if (machine.system.kernel) words.push_back("kernel " + *machine.system.kernel);
  if (!machine.frequency.governors.empty())
    words.push_back("governor " + joined(machine.frequency.governors, "/"));
  if (machine.system.is_virtual) words.emplace_back("a virtual machine");
  return joined(words, ", ");
}

/// Versions of frameworks, by environment, as the locks pin them.
std::vector<std::string> framework_versions(const ReportInput& input) {
  static const std::set<std::string> frameworks{
      "torch", "tensorflow", "jax", "mxnet", "keras", "onnxruntime", "onnxruntime-gpu", "openvino"};
  std::set<std::string> found;
  for (const auto& [environment, text] : input.record.locks)
    for (const auto line : split(text, '\n')) {
      const auto entry = trimmed(line.substr(0, line.find_first_of(" ;\\")));
      const auto at = entry.find("==");
      if (at != std::string_view::npos && frameworks.contains(std::string(entry.substr(0, at))))
        found.insert(fmt::format("{} {}", entry.substr(0, at), entry.substr(at + 2)));
    }
  for (const auto& run : *input.runs)
    for (const auto& fact : run.run.facts)
      if (frameworks.contains(fact.name)) found.insert(fact.name + " " + fact.value);
  return {found.begin(), found.end()};
}

void say_setting(const ReportInput& input, Part& part) {
  std::string text;
  std::set<std::string> machines;
  for (const auto& machine : input.machines) {
    const std::string words = machine_words(machine.facts);
    if (!words.empty()) machines.insert(words);
  }
  std::set<std::string> gpus;
  for (const auto& run : *input.runs)
    for (const auto& meter : run.meters)
      if (meter.domain == "gpu" && is_energy(meter)) gpus.insert(meter.name);
  if (machines.empty())
    text = "The machine is not on record.";
  else
    text = fmt::format("{}: {}.", machines.size() == 1 ? "Machine" : "Machines",
                       joined(machines, "; "));
  if (!gpus.empty()) text += fmt::format(" GPU: {}.", joined(gpus, "; "));
  const auto versions = framework_versions(input);
  if (!versions.empty()) text += fmt::format(" Versions: {}.", listed(versions));
  text += fmt::format(" The runs were {} with prengdl {} and analysed with prengdl {} [@prengdl].",
                      input.study.imported.empty() ? "made" : "imported",
                      input.record.prengdl_version, input.version);
  part.say(text);
}

}  // namespace

Part paper_part(const ReportInput& input) {
  Part part{"paper", "Methods", {}};
  say_design(input, part);
  say_protocol(input, part);
  say_measuring(input, part);
  say_analysis(input, part);
  say_setting(input, part);
  if (input.findings.value)
    for (auto& table :
         study_tables(*input.findings.value, input.study, headline_of(input), names_of(input)))
      part.add(std::move(table));
  return part;
}

}  // namespace prengdl
