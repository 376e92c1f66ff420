// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tables/table.h"
#include "tables/terminal.h"

namespace prengdl {

// What a command or a report has to say, as plain data: paragraphs, tables and charts. Each format
// writes the same model, so a number is the same text wherever it stands. All texts are raw:
// the writers escape them (tables/escape.h).

/// How the rows of a chart's table are drawn. Each kind knows roles, by which a chart says which
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

/// Power of a run over time, downsampled to means with the lowest and highest value of each
/// stretch.
struct PowerSeries {
  std::string run;
  std::string case_name;  // "model=ncf phase=train"
  std::string level;      // of the compared factor
  std::vector<std::string> covers;
  std::vector<double> seconds;  // from the begin of the run's window
  std::vector<double> watts;
  std::vector<double> low, high;  // of long series; empty: every sample is there
  std::uint64_t samples = 0;      // that it stands for
  struct Span {
    std::string span, name;
    double begin = 0, end = 0;
  };
  std::vector<Span> spans;
};

struct Chart {
  std::string id;
  std::string title;
  std::string says;  // what is to be seen, for those who cannot see it
  ChartKind kind = ChartKind::dots;
  std::vector<Table> tables;  // what is drawn, shown on demand; the first is the main one
  std::vector<std::pair<std::string, std::string>> roles;   // role, key of a column
  std::vector<std::pair<std::string, double>> settings;     // "margin", "log"
  std::vector<std::pair<std::string, std::string>> titles;  // of axes, by role; of a forest also
                                                            // what "left" and "right" of 1 mean
  std::vector<PowerSeries> series;                          // of power
  // What the colours stand for, in the order in which all charts give them out; of a chart whose
  // rows come in another order, else empty.
  std::vector<std::string> coloured;
  std::string badge;         // how its energy was obtained: "measured: package", "modelled"
  bool is_overview = false;  // the picture of the report's first screen

  const std::string* role(const std::string& name) const;
  std::optional<double> setting(const std::string& name) const;
  std::string title_of(const std::string& role) const;  // of its axis
};

struct Paragraph {
  enum class Tone { plain, answer, caution, note };
  Tone tone = Tone::plain;
  std::string text;
};

using Block = std::variant<Paragraph, Table, Chart>;

struct Part {
  std::string id;  // "costs"
  std::string title;
  std::vector<Block> blocks = {};
  std::string remark = {};  // a few words behind the title, on a terminal
  std::string tag = {};     // the research question of the studies: "RQ1"
  std::string absent = {};  // of a part without blocks: why it has none, and how to get them

  void say(std::string text, Paragraph::Tone tone = Paragraph::Tone::plain) {
    blocks.emplace_back(Paragraph{tone, std::move(text)});
  }
  void caution(std::string text) { say(std::move(text), Paragraph::Tone::caution); }
  void note(std::string text) { say(std::move(text), Paragraph::Tone::note); }
  /// With its columns scaled; a table without rows is left out.
  void add(Table table);
  void add(Chart chart);
};

/// The part for a terminal: its title, its blocks, and a line between it and what follows. Of
/// charts only ratios with intervals are drawn.
std::string part_text(const Part& part, const Style& style);

/// The part as Markdown, without charts; and what it is made of.
std::string part_markdown(const Part& part);
std::string paragraph_markdown(const Paragraph& text);
std::string noted_markdown(const Table& table);  // with its note

}  // namespace prengdl
