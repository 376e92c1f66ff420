// SPDX-License-Identifier: Apache-2.0
#include "report/aa_report.h"

#include <fmt/core.h>

#include "base/text.h"
#include "report/terminal.h"

namespace prengdl {
namespace {

std::string title(const AaMeasure& measure) {
  return title_of(measure.measure) +
         (measure.quality == Quality::virtual_machine ? ", reported by the hypervisor" : "");
}

std::string short_percent(double share) {
  return share >= 0.995 ? fmt::format("{:.0f} %", 100 * share)
                        : fmt::format("{:.2g} %", 100 * share);
}

std::string measure_text(const AaMeasure& measure, const Style& style) {
  std::string out = style.bold(title(measure)) + "\n";
  out += fmt::format("  spread of a pair {} (95 % interval {} to {}), of single runs {}\n",
                     short_percent(measure.spread), short_percent(measure.spread_ci95[0]),
                     short_percent(measure.spread_ci95[1]), short_percent(measure.run_spread));
  out += fmt::format("  {} pairs can show a ratio of {:.4f} (4 times in 5)\n", measure.pairs,
                     measure.detectable_ratio);
  out += fmt::format("  with labels swapped at random the t test at 5 % errs in {}",
                     short_percent(measure.false_positives));
  if (measure.back_to_back_false_positives)
    out += fmt::format("; back to back instead of in turns it would in {}",
                       short_percent(*measure.back_to_back_false_positives));
  out += "\n";
  const std::string seen = fmt::format("  the two labels: ratio {:.4f} ({:.4f} … {:.4f}), p {:.2g}",
                                       measure.ratio, measure.ci95[0], measure.ci95[1], measure.p);
  if (measure.p < 0.05)
    out += style.warn(seen + ": a difference where none is, as one A/A in 20 shows; do it again") +
           "\n";
  else
    out += seen + "\n";
  return out;
}

}  // namespace

std::string aa_text(const AaRecord& record, const Style& style) {
  std::string out = style.bold("one command under two labels") +
                    fmt::format(", {} pairs of {} at {}\n", record.pairs,
                                shortened(printable(shell_line(record.command)), 60), record.at);
  for (const auto& measure : record.measures) out += measure_text(measure, style);
  if (!measure_of(record, "metered"))
    out += style.dim("energy is not judged: no meter that measures and moves") + "\n";
  if (record.disturbed > 0)
    out += style.warn(fmt::format("{} of {} runs were disturbed: others used the machine",
                                  record.disturbed, 2 * record.pairs)) +
           "\n";
  return out;
}

std::string aa_line(const AaRecord& record, const std::string& measure) {
  const AaMeasure* one = measure_of(record, measure);
  const bool is_other = one == nullptr;
  if (!one) one = measure_of(record, "seconds");
  if (!one) return fmt::format("the A/A of {} has no figure for this machine", record.at);
  return fmt::format(
      "{}this machine's own spread is {} of {} from run to run of a pair; {} pairs can show a "
      "ratio "
      "of {:.4f} (doctor --aa of {})",
      is_other ? title_of(measure) + " was not judged; " : "", short_percent(one->spread),
      title(*one), one->pairs, one->detectable_ratio, record.at);
}

}  // namespace prengdl
