// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "print/shown_names.h"
#include "report/report_model.h"

namespace prengdl {

// The formats of a report. All of them show the texts of the model's cells as they are.

std::string report_html(const Report& report);      // one file that asks for nothing
std::string report_latex(const Report& report);     // for pdflatex: booktabs, pgfplots
std::string report_markdown(const Report& report);  // tables, no charts
std::string report_csv(const Report& report);       // a row for each cell of each table
std::string report_json(const Report& report);      // prengdl.report/3

/// A file of a directory for a paper.
struct PaperFile {
  std::string name;  // below the directory: "tables/means.tex"
  std::string text;
};

/// The directory for a paper in LaTeX: a float for each table, a source for each figure, methods,
/// references, an example that includes all, and a Makefile. `report` has a paper_part().
std::vector<PaperFile> paper_files(const Report& report);

/// The charts as the page of the report reads them, with the levels that have colours.
std::string charts_json(const Report& report);

// Pieces of the page: its header with the first screen, and how energy was obtained, next to a
// title.
void put_first_screen(const Report& report, std::string& out);
std::string html_badge(const std::string& badge);

/// Whether the page makes a table behind a chart only when it is opened.
bool is_large(const Table& table);

/// A chart as a TikZ picture; "" for kinds that only a screen can show.
std::string latex_picture(const Chart& chart);
std::string latex_lines(const Chart& chart);  // those with a panel for each case
std::string latex_sweep(const Chart& chart);

/// Hands every text of a report to `change`: sentences, titles, notes, names, cells without
/// numbers.
void each_text(Report& report, const std::function<void(std::string&)>& change);

/// Shows these names in place of the full ones, and adds a table that has both. For the formats
/// that people read: JSON and CSV keep the full names.
void shorten_names(Report& report, const ShownNames& names);

/// Takes out of every text: these names (of machines and people), paths except for their last part,
/// and identifiers of devices.
void make_anonymous(Report& report, const std::vector<std::string>& names);

/// All tables of a block: itself, or those behind a chart.
std::vector<const Table*> tables_of(const Block& block);

}  // namespace prengdl
