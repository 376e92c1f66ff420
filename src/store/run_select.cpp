// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <limits>
#include <memory>
#include <utility>

#include "model/measure.h"
#include "store/column_binding.h"
#include "store/run_tables.h"

namespace prengdl {
namespace {

/// The rows of one table that follow the runs in step: first column the run.
class Rows {
 public:
  Rows(const Database& database, const std::string& columns, const char* table, const char* order,
       std::pair<std::int64_t, std::int64_t> range)
      : statement_(database.prepare(
            fmt::format("SELECT run, {} FROM {} WHERE run BETWEEN ? AND ? ORDER BY run, {}",
                        columns, table, order))) {
    statement_.bind(0, range.first);
    statement_.bind(1, range.second);
    has_row_ = statement_.step();
  }

  template <class Take>
  void of(std::int64_t run, Take&& take) {
    for (; has_row_ && statement_.integer(0) <= run; has_row_ = statement_.step())
      if (statement_.integer(0) == run) take(statement_);
  }

  /// Rows that are all fields of a type.
  template <class T>
  void of(std::int64_t run, std::vector<T>& into) {
    of(run, [&](Statement& statement) {
      ReadRow row(statement, 1);
      fields(row, into.emplace_back());
    });
  }

  void of(std::int64_t run, std::vector<std::string>& into) {
    of(run, [&](Statement& statement) { into.emplace_back(statement.text(1)); });
  }

 private:
  Statement statement_;
  bool has_row_;
};

/// Adds a row of joules or span_joules: domain, metered_place, and the figure if there is one, from
/// that column on.
void add_energy(Totals& totals, const Statement& statement, int first) {
  std::string domain(statement.text(first));
  if (!statement.is_null(first + 1)) {
    const auto place = static_cast<std::size_t>(statement.integer(first + 1));
    if (place > 1000) throw Error("the result has a domain at an impossible place: it is damaged");
    if (totals.covers.size() <= place) totals.covers.resize(place + 1);
    totals.covers[place] = domain;
  }
  if (statement.is_null(first + 4)) return;
  Energy energy;
  ReadRow row(statement, first + 2);
  fields(row, energy);
  if (domain == measures::metered)
    totals.metered = energy;
  else
    totals.domains.emplace(std::move(domain), energy);
}

using Range = std::pair<std::int64_t, std::int64_t>;

/// What every detail has in addition to the row of the run itself.
struct FigureRows {
  Rows levels, joules, channels, work, facts;

  FigureRows(const Database& database, Range range)
      : levels(database, "factor, level", "run_levels", "factor", range),
        joules(database, fmt::format("net, {}", energy_columns), "joules", "net, domain", range),
        channels(database, columns_of<ChannelSummary>().text(), "channels", "place", range),
        work(database, columns_of<Work>().text(), "work", "place", range),
        facts(database, columns_of<EmittedFact>().text(), "facts", "place", range) {}

  void add(std::int64_t number, const std::map<std::string, std::size_t>& places, StoredRun& run) {
    run.cell.resize(places.size());
    levels.of(number, [&](Statement& row) {
      const auto place = places.find(std::string(row.text(1)));
      if (place != places.end()) run.cell[place->second] = row.text(2);
    });
    joules.of(number, [&](Statement& row) {
      const bool is_net = row.integer(1) != 0;
      if (is_net && !run.run.net) run.run.net.emplace();
      add_energy(is_net ? *run.run.net : run.run.energy, row, 2);
    });
    channels.of(number, run.run.channels);
    work.of(number, run.run.work);
    facts.of(number, run.run.facts);
  }
};

struct EmittedRows {
  Rows spans, span_joules, span_channels, metrics;

  EmittedRows(const Database& database, Range range)
      : spans(database, columns_of<Span>().text(), "spans", "place", range),
        span_joules(database, fmt::format("place, {}", energy_columns), "span_joules",
                    "place, domain", range),
        span_channels(database, "place, " + columns_of<ChannelMean>().text(), "span_channels",
                      "place, item", range),
        metrics(database, columns_of<Metric>().text(), "metrics", "place", range) {}

  void add(std::int64_t number, StoredRun& run) {
    spans.of(number, [&](Statement& statement) {
      ReadRow row(statement, 1);
      fields(row, run.run.spans.emplace_back().span);
    });
    span_joules.of(number, [&](Statement& row) {
      const auto place = static_cast<std::size_t>(row.integer(1));
      if (place < run.run.spans.size()) add_energy(run.run.spans[place].energy, row, 2);
    });
    span_channels.of(number, [&](Statement& statement) {
      const auto place = static_cast<std::size_t>(statement.integer(1));
      if (place >= run.run.spans.size()) return;
      ReadRow row(statement, 2);
      fields(row, run.run.spans[place].channels.emplace_back());
    });
    metrics.of(number, run.run.metrics);
  }
};

struct OtherRows {
  Rows warnings, left_behind;
  std::map<std::int64_t, std::vector<MeterInfo>> lists;

  OtherRows(const Database& database, Range range)
      : warnings(database, "text", "warnings", "place", range),
        left_behind(database, "text", "left_behind", "place", range) {
    Statement rows = database.prepare(fmt::format(
        "SELECT list, {} FROM meters ORDER BY list, place", columns_of<MeterInfo>().text()));
    while (rows.step()) {
      ReadRow row(rows, 1);
      fields(row, lists[rows.integer(0)].emplace_back());
    }
  }

  void add(std::int64_t number, std::int64_t list, StoredRun& run) {
    warnings.of(number, run.run.warnings);
    left_behind.of(number, run.run.left_behind);
    if (const auto found = lists.find(list); found != lists.end()) run.meters = found->second;
  }
};

}  // namespace

std::vector<std::string> factor_names(const Database& database) {
  std::vector<std::string> names;
  Statement rows = database.prepare("SELECT name FROM factors ORDER BY place");
  while (rows.step()) names.emplace_back(rows.text(0));
  return names;
}

std::optional<std::int64_t> number_of(const Database& database, const std::string& id) {
  Statement row = database.prepare("SELECT number FROM runs WHERE id = ?");
  row.bind(0, std::string_view(id));
  if (!row.step()) return std::nullopt;
  return row.integer(0);
}

void select_runs(const Database& database, Detail detail, std::optional<std::int64_t> only,
                 const std::function<void(StoredRun&&)>& take) {
  const Snapshot snapshot(database);
  const Range range{only.value_or(0), only.value_or(std::numeric_limits<std::int64_t>::max())};
  std::map<std::string, std::size_t> places;
  for (auto& name : factor_names(database)) places.emplace(std::move(name), places.size());
  std::map<std::int64_t, std::string> excluded;
  Statement reasons = database.prepare("SELECT run, reason FROM excluded");
  while (reasons.step()) excluded.emplace(reasons.integer(0), reasons.text(1));

  FigureRows figure_rows(database, range);
  std::optional<EmittedRows> emitted_rows;
  if (detail != Detail::figures) emitted_rows.emplace(database, range);
  std::optional<OtherRows> other_rows;
  if (detail == Detail::all) other_rows.emplace(database, range);

  Statement rows = database.prepare(fmt::format(
      "SELECT number, meters, {} FROM runs WHERE number BETWEEN ? AND ? ORDER BY number",
      columns_of_runs().text()));
  rows.bind(0, range.first);
  rows.bind(1, range.second);
  while (rows.step()) {
    const std::int64_t number = rows.integer(0);
    StoredRun run;
    ReadRow row(rows, 2);
    figures(row, run);
    figure_rows.add(number, places, run);
    if (emitted_rows) emitted_rows->add(number, run);
    if (other_rows) {
      other_rows->add(number, rows.integer(1), run);
    } else {
      run.run.output_tail.clear();
      run.log_tail.clear();
    }
    if (const auto reason = excluded.find(number); reason != excluded.end())
      run.excluded = reason->second;
    take(std::move(run));
  }
}

void select_chunks(const Database& database, std::int64_t run, const TakeChunk& take) {
  Statement rows = database.prepare(
      "SELECT first_ns, last_ns, count, data FROM samples WHERE run = ? ORDER BY chunk");
  rows.bind(0, run);
  while (rows.step())
    take({rows.blob(3), rows.integer(0), rows.integer(1),
          static_cast<std::uint32_t>(rows.integer(2))});
}

}  // namespace prengdl
