// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/measure.h"
#include "store/column_binding.h"
#include "store/run_json.h"
#include "store/run_tables.h"

namespace prengdl {
namespace {

/// The lists of meters that are in the tables already.
std::map<std::string, std::int64_t> meter_lists(const Database& database) {
  std::map<std::int64_t, std::vector<MeterInfo>> lists;
  Statement rows = database.prepare(fmt::format("SELECT list, {} FROM meters ORDER BY list, place",
                                                columns_of<MeterInfo>().text()));
  while (rows.step()) {
    ReadRow row(rows, 1);
    fields(row, lists[rows.integer(0)].emplace_back());
  }
  std::map<std::string, std::int64_t> by_content;
  for (const auto& [list, meters] : lists) by_content.emplace(meters_json(meters), list);
  return by_content;
}

}  // namespace

Statement RunInserter::insertion(const std::string& table, const std::string& columns,
                                 int count) const {
  return database_.prepare(
      fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, parameters(count)));
}

template <class T>
Statement RunInserter::insertion_of(const std::string& table) const {
  const auto columns = columns_of<T>();
  return insertion(table, "run, place, " + columns.text(), 2 + columns.count());
}

RunInserter::RunInserter(const Database& database, std::vector<std::string> factors)
    : database_(database),
      factors_(std::move(factors)),
      lists_(meter_lists(database)),
      known_(database.prepare("SELECT 1 FROM runs WHERE id = ?")),
      runs_(insertion("runs",
                      columns_of_runs().text() + ", joules_metered, uncertainty, quality, meters",
                      columns_of_runs().count() + 4)),
      levels_(insertion("run_levels", "run, factor, level", 3)),
      joules_(insertion("joules", fmt::format("run, net, {}", energy_columns), 7)),
      channels_(insertion_of<ChannelSummary>("channels")),
      spans_(insertion_of<Span>("spans")),
      span_joules_(insertion("span_joules", fmt::format("run, place, {}", energy_columns), 7)),
      span_channels_(insertion("span_channels", "run, place, item, name, mean", 5)),
      metrics_(insertion_of<Metric>("metrics")),
      work_(insertion_of<Work>("work")),
      facts_(insertion_of<EmittedFact>("facts")),
      warnings_(insertion("warnings", "run, place, text", 3)),
      left_behind_(insertion("left_behind", "run, place, text", 3)),
      meters_(insertion("meters", "list, place, " + columns_of<MeterInfo>().text(),
                        2 + columns_of<MeterInfo>().count())),
      samples_(insertion("samples", "run, chunk, first_ns, last_ns, count, data", 6)) {}

template <class T>
void RunInserter::insert_rows(Statement& into, std::int64_t owner, const std::vector<T>& rows) {
  std::int64_t place = 0;
  for (const auto& one : rows) {
    into.bind(0, owner);
    into.bind(1, place++);
    BindRow row(into, 2);
    fields(row, one);
    into.run();
  }
}

/// Thousands of runs share a few lists of meters.
std::int64_t RunInserter::list_of(const std::vector<MeterInfo>& meters) {
  if (meters.empty()) return 0;
  std::string content = meters_json(meters);
  if (const auto found = lists_.find(content); found != lists_.end()) return found->second;
  std::int64_t list = 1;
  for (const auto& [ignored, number] : lists_) list = std::max(list, number + 1);
  insert_rows(meters_, list, meters);
  lists_.emplace(std::move(content), list);
  return list;
}

void RunInserter::insert_figures(const StoredRun& run) {
  BindRow row(runs_, 0);
  figures(row, run);
  std::optional<Joules> joules, uncertainty;
  std::optional<Quality> quality;
  if (const auto& metered = run.run.energy.metered) {
    joules = metered->value;
    uncertainty = metered->uncertainty;
    quality = metered->quality;
  }
  row("joules_metered", joules);
  row("uncertainty", uncertainty);
  row("quality", quality);
  row("meters", list_of(run.meters));
  runs_.run();
  run_ = database_.last_row();
}

/// A row for each domain, for the sum of those that count, and for those that count but have no
/// figure. `second` is the second column of the table.
void RunInserter::insert_totals(Statement& into, std::int64_t second, const Totals& totals) {
  const auto insert = [&](const std::string& domain, const Energy* energy) {
    into.bind(0, run_);
    into.bind(1, second);
    into.bind(2, std::string_view(domain));
    const auto place = std::find(totals.covers.begin(), totals.covers.end(), domain);
    if (place == totals.covers.end())
      into.bind(3, nullptr);
    else
      into.bind(3, std::int64_t{place - totals.covers.begin()});
    if (energy) {
      BindRow row(into, 4);
      fields(row, *energy);
    } else {
      for (const int column : {4, 5, 6}) into.bind(column, nullptr);
    }
    into.run();
  };
  for (const auto& [domain, energy] : totals.domains)
    if (domain != measures::metered) insert(domain, &energy);
  std::set<std::string> missing(totals.covers.begin(), totals.covers.end());
  for (const auto& domain : missing)
    if (!totals.domains.contains(domain)) insert(domain, nullptr);
  if (totals.metered) insert("metered", &*totals.metered);
}

void RunInserter::insert_spans(const std::vector<SpanEnergy>& spans) {
  std::int64_t place = 0;
  for (const auto& one : spans) {
    spans_.bind(0, run_);
    spans_.bind(1, place);
    BindRow row(spans_, 2);
    fields(row, one.span);
    spans_.run();
    insert_totals(span_joules_, place, one.energy);
    std::int64_t item = 0;
    for (const auto& channel : one.channels) {
      span_channels_.bind(0, run_);
      span_channels_.bind(1, place);
      span_channels_.bind(2, item++);
      BindRow mean(span_channels_, 3);
      fields(mean, channel);
      span_channels_.run();
    }
    ++place;
  }
}

void RunInserter::insert_texts(Statement& into, const std::vector<std::string>& texts) {
  std::int64_t place = 0;
  for (const auto& text : texts) {
    into.bind(0, run_);
    into.bind(1, place++);
    into.bind(2, std::string_view(text));
    into.run();
  }
}

bool RunInserter::insert(const StoredRun& run, const EachChunk& each_chunk) {
  known_.bind(0, std::string_view(run.id));
  const bool is_known = known_.step();
  known_.reset();
  if (is_known) return false;
  if (run.cell.size() != factors_.size())
    throw Refused(fmt::format("run {} has {} levels, but the study has {} factors", run.id,
                              run.cell.size(), factors_.size()),
                  "it belongs to another study");
  insert_figures(run);
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    levels_.bind(0, run_);
    levels_.bind(1, std::string_view(factors_[i]));
    levels_.bind(2, std::string_view(run.cell[i]));
    levels_.run();
  }
  insert_totals(joules_, 0, run.run.energy);
  if (run.run.net) insert_totals(joules_, 1, *run.run.net);
  insert_rows(channels_, run_, run.run.channels);
  insert_spans(run.run.spans);
  insert_rows(metrics_, run_, run.run.metrics);
  insert_rows(work_, run_, run.run.work);
  insert_rows(facts_, run_, run.run.facts);
  insert_texts(warnings_, run.run.warnings);
  insert_texts(left_behind_, run.run.left_behind);
  std::int64_t chunk_number = 0;
  each_chunk([&](const SampleChunk& chunk) {
    samples_.bind(0, run_);
    samples_.bind(1, chunk_number++);
    samples_.bind(2, chunk.first_ns);
    samples_.bind(3, chunk.last_ns);
    samples_.bind(4, std::int64_t{chunk.count});
    samples_.bind(5, chunk.bytes);
    samples_.run();
  });
  return true;
}

}  // namespace prengdl
