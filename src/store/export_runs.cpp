// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "model/counted_runs.h"
#include "model/measure.h"
#include "store/export_parts.h"

namespace prengdl::export_parts {
namespace {

/// The names that the runs of a result use, which become columns.
struct RunNames {
  std::vector<std::string> factors;
  std::set<std::string> domains, net_domains, work, facts, channels;
  bool has_net = false;
  bool has_blocks = true;
  bool is_imported = false;  // nobody handed these runs a seed
  CountedRuns counted{true};
};

template <class T>
std::optional<std::int64_t> integer_of(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return std::int64_t{*value};
}

RunNames names_of_runs(const ResultStore& result, const ExportOptions& options) {
  RunNames names;
  names.factors = factor_names(result.database());
  names.has_blocks = result.study().blocks > 0;
  const auto events = result.events();
  names.is_imported = std::any_of(events.begin(), events.end(), [](const StudyEvent& event) {
    return event.kind == StudyEventKind::import_runs;
  });
  names.counted = CountedRuns(names.has_blocks);
  each_chosen(result, Detail::figures, options, [&](StoredRun&& run) {
    names.counted.add(run);
    for (const auto& [domain, energy] : run.run.energy.domains) names.domains.insert(domain);
    if (run.run.net) {
      names.has_net = true;
      for (const auto& [domain, energy] : run.run.net->domains) names.net_domains.insert(domain);
    }
    for (const auto& work : run.run.work) names.work.insert(work.name);
    for (const auto& fact : run.run.facts) names.facts.insert(fact.name);
    for (const auto& channel : run.run.channels) names.channels.insert(channel.name);
  });
  return names;
}

constexpr std::array before_factors{"run", "block", "order"};
constexpr std::array before_joules{"exit_code", "seconds"};
constexpr std::array after_joules{
    "joules_metered", "quality",      "flags",          "outcome",
    "attempt",        "seed",         "machine",        "excluded",
    "started_at",     "user_seconds", "system_seconds", "max_rss_bytes",
    "warmup",         "signal",       "window_seconds", "joules_uncertainty",
    "cpu_seconds",    "counted"};

Columns columns_of_runs(const RunNames& names) {
  std::set<std::string> own(before_factors.begin(), before_factors.end());
  own.insert(before_joules.begin(), before_joules.end());
  own.insert(after_joules.begin(), after_joules.end());
  Columns columns(std::move(own));
  for (const auto* name : before_factors) columns.add(name);
  add_factors(columns, names.factors);
  for (const auto* name : before_joules) columns.add(name);
  columns.add_all("joules_", names.domains);
  for (const auto* name : after_joules) columns.add(name);
  columns.add_all("net_joules_", names.net_domains);
  if (names.has_net) columns.add("net_joules_metered");
  columns.add_all("work_", names.work);
  columns.add_all("fact_", names.facts);
  for (const auto& name : names.channels) columns.add_foreign(name, "channel_");
  return columns;
}

void add_run(TableWriter& writer, const RunNames& names, const StoredRun& stored) {
  const Run& run = stored.run;
  writer.add(stored.id);
  // What an imported run does not tell is 0 in the tables of its kind, and nothing here.
  const auto if_emitted = [&](auto value) {
    return !names.is_imported || value != decltype(value){} ? std::optional(value) : std::nullopt;
  };
  writer.add(names.has_blocks ? std::optional(std::uint64_t{stored.block}) : std::nullopt);
  writer.add(std::uint64_t{stored.place});
  add_cell(writer, stored);
  writer.add(integer_of(run.exit_code));
  writer.add(run.wall.count());
  for (const auto& domain : names.domains) writer.add(joules_of(run.energy, domain));
  writer.add(metered_of(run.energy));
  if (run.energy.metered)
    writer.add(name_of(run.energy.metered->quality));
  else
    writer.add_nothing();
  writer.add(names_of(run.flags));
  writer.add(name_of(stored.outcome));
  writer.add(std::uint64_t{stored.attempt});
  writer.add(if_emitted(stored.seed));
  writer.add(stored.machine);
  writer.add(stored.excluded);
  writer.add(run.started_at);
  writer.add(if_emitted(run.user.count()));
  writer.add(if_emitted(run.system.count()));
  writer.add(if_emitted(run.max_rss_bytes));
  writer.add_flag(stored.is_warmup);
  writer.add(integer_of(run.signal));
  writer.add(run.window.count());
  if (run.energy.metered)
    writer.add(run.energy.metered->uncertainty.value);
  else
    writer.add_nothing();
  writer.add(cpu_time_of_run(run, "cpu_seconds"));
  writer.add_flag(names.counted.counts(stored));
  for (const auto& domain : names.net_domains)
    writer.add(run.net ? joules_of(*run.net, domain) : std::nullopt);
  if (names.has_net) writer.add(run.net ? metered_of(*run.net) : std::nullopt);
  for (const auto& name : names.work) {
    const auto done = std::ranges::find(run.work, name, &Work::name);
    writer.add(done == run.work.end() ? std::nullopt : std::optional(done->value));
  }
  for (const auto& name : names.facts) {
    const auto emitted = std::ranges::find(run.facts, name, &EmittedFact::name);
    if (emitted == run.facts.end())
      writer.add_nothing();
    else
      writer.add(emitted->value);
  }
  for (const auto& name : names.channels) {
    const auto channel = std::ranges::find(run.channels, name, &ChannelSummary::name);
    writer.add(channel == run.channels.end() ? std::nullopt : std::optional(channel->mean));
  }
}

}  // namespace

void export_runs(const ResultStore& result, ExportFormat format, const ExportOptions& options,
                 std::ostream& out) {
  const RunNames names = names_of_runs(result, options);
  Columns columns = columns_of_runs(names);
  TableWriter writer(out, format, "runs", std::move(columns).names());
  each_chosen(result, Detail::figures, options,
              [&](StoredRun&& run) { add_run(writer, names, run); });
  writer.finish();
}

}  // namespace prengdl::export_parts
