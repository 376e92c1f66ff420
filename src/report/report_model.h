// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace prengdl {

// A report as plain data, put together once: parts, and in them sentences, tables and charts. Each
// format writes the same model, so a number is the same text wherever it stands. All texts are raw:
// whoever writes them escapes them (report_escape.h).

/// What a cell shows, and the number behind it in SI units.
struct ReportCell {
  std::string text;
  std::optional<double> number;
  bool is_marked = false;  // the cheapest, the one on the front
};

struct ReportColumn {
  std::string key;    // for programs: "ratio"
  std::string title;  // for people: "ratio"
  std::string unit;   // "J", "s", "W": set by scale_columns() to the one that the texts are in
  bool is_number = true;
  bool is_prose = false;  // sentences of our own: `code` is marked as such
};

struct ReportTable {
  std::string id;  // unique in the report, for programs and links
  std::string title;
  std::vector<ReportColumn> columns;
  std::vector<std::vector<ReportCell>> rows;  // as many cells as columns
  std::string note;                           // what a reader of the table must know

  std::size_t column(const std::string& key) const;  // throws an Error if there is none
};

/// How the rows of a chart's table are drawn. Each kind knows roles, by which a chart tells which
/// column is what (docs/report.md).
enum class ChartKind {
  dots,        // every run: x, y, colour; row
  forest,      // ratios with intervals: x, low, high, y, group
  bubble,      // x, y, size, colour, shape; facet
  lines,       // x, y, colour, facet; several lines of one colour by `line`
  sweep,       // x, y, colour, panel, line
  heat,        // x, y, value, panel
  bars,        // x, y, colour
  scatter,     // x, y, colour, facet
  power,       // the series below
  flame,       // start, end, depth, name, share; profile
  call_graph,  // x, y, name, share; edges in the second table; profile
  order        // x, y, colour
};
std::string_view name_of(ChartKind kind);

/// Power of a run over time, downsampled so that no peak is lost.
struct PowerSeries {
  std::string run;
  std::string unit;   // "model=ncf phase=train"
  std::string level;  // of the compared factor
  std::vector<std::string> covers;
  std::vector<double> seconds;  // from the begin of the run's window
  std::vector<double> watts;
  std::uint64_t samples = 0;  // that it stands for
  struct Span {
    std::string span, name;
    double begin = 0, end = 0;
  };
  std::vector<Span> spans;
};

struct ReportChart {
  std::string id;
  std::string title;
  std::string says;  // what is to be seen, for those who cannot see it
  ChartKind kind = ChartKind::dots;
  std::vector<ReportTable> tables;  // what is drawn, shown on demand; the first is the main one
  std::vector<std::pair<std::string, std::string>> roles;   // role, key of a column
  std::vector<std::pair<std::string, double>> settings;     // "margin", "log"
  std::vector<std::pair<std::string, std::string>> titles;  // of axes, by role
  std::vector<PowerSeries> series;                          // of power
  // What the colours stand for, in the order in which all charts give them out; of a chart whose
  // rows come in another order, else empty.
  std::vector<std::string> coloured;

  const std::string* role(const std::string& name) const;
  std::optional<double> setting(const std::string& name) const;
  std::string title_of(const std::string& role) const;  // of its axis
};

struct ReportText {
  enum class Tone { plain, answer, caution, note };
  Tone tone = Tone::plain;
  std::string text;
};

using ReportBlock = std::variant<ReportText, ReportTable, ReportChart>;

struct ReportPart {
  std::string id;  // "costs"
  std::string title;
  std::vector<ReportBlock> blocks;

  void say(std::string text, ReportText::Tone tone = ReportText::Tone::plain) {
    blocks.emplace_back(ReportText{tone, std::move(text)});
  }
  void caution(std::string text) { say(std::move(text), ReportText::Tone::caution); }
  void note(std::string text) { say(std::move(text), ReportText::Tone::note); }
  /// With its columns scaled; a table without rows is left out.
  void add(ReportTable table);
  void add(ReportChart chart);
};

struct Report {
  std::string study;
  std::string version;  // of prengdl
  std::string made_at;  // wall clock, UTC
  bool is_anonymous = false;
  std::vector<ReportPart> parts;
};

}  // namespace prengdl
