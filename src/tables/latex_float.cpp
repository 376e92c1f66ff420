// SPDX-License-Identifier: Apache-2.0
#include "tables/latex_float.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "tables/escape.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

// How many characters of \footnotesize fit on a line of acmart (sigconf) and IEEEtran (conference),
// the narrower of the two. A table that is a little wider is scaled down.
constexpr double one_column = 62;
constexpr double two_columns = 130;
constexpr double least_scale = 0.87;
constexpr double between_columns = 1.5;
constexpr std::size_t long_text = 24;    // longer texts may be broken
constexpr std::size_t least_width = 20;  // of a column of long texts
constexpr std::size_t most_wanted = 90;  // by a column of long texts
constexpr std::size_t float_lines = 48;

/// A heading in at most two lines; the second stands directly above the column.
using Heading = std::array<std::string, 2>;

/// Broken where both lines become short, if it is wider than the cells below it.
Heading heading_of(const std::string& text, std::size_t cells) {
  Heading best{"", text};
  const std::size_t enough = std::max<std::size_t>(cells, 4);
  std::size_t width = shown_width(text);
  if (width <= enough) return best;
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 1)) {
    const Heading broken{text.substr(0, at), text.substr(at + 1)};
    const std::size_t wider = std::max(shown_width(broken[0]), shown_width(broken[1]));
    if (wider >= width) continue;
    width = wider;
    best = broken;
  }
  return best;
}

/// How a table is laid out: which columns are broken, and on which width.
struct FloatLayout {
  std::vector<Heading> headings;
  std::vector<std::size_t> widths;  // in characters
  std::vector<double> shares;       // of the line, of columns that are broken; else 0
  bool is_wide = false;
};

double line_of(const FloatLayout& layout) { return layout.is_wide ? two_columns : one_column; }

std::size_t widest_cell(const Table& table, std::size_t column) {
  std::size_t widest = 0;
  for (const auto& row : table.rows) widest = std::max(widest, shown_width(row[column].text));
  return widest;
}

FloatLayout float_layout(const Table& table) {
  FloatLayout layout;
  std::vector<bool> is_long;
  double natural = 0, fixed = 0, shortest = 0, wanted = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::size_t cells = widest_cell(table, i);
    layout.headings.push_back(heading_of(table.columns[i].heading(), cells));
    const auto& [first, second] = layout.headings.back();
    layout.widths.push_back(std::max({cells, shown_width(first), shown_width(second)}));
    const double width = static_cast<double>(layout.widths.back());
    is_long.push_back(!table.columns[i].is_number && layout.widths.back() > long_text);
    const double gap = i > 0 ? between_columns : 0;
    natural += width + gap;
    if (is_long.back()) {
      shortest += static_cast<double>(least_width) + gap;
      wanted += std::min(width, static_cast<double>(most_wanted));
    } else {
      fixed += width + gap;
    }
  }
  layout.shares.assign(table.columns.size(), 0);
  layout.is_wide = natural > one_column / least_scale &&
                   (wanted <= 0 || fixed + shortest > one_column || natural > 2 * two_columns);
  const double line = line_of(layout);
  if (natural <= line / least_scale) return layout;
  const double room = std::max(line - fixed, shortest);
  for (std::size_t i = 0; i < is_long.size(); ++i)
    if (is_long[i])
      layout.shares[i] = 0.94 * room / std::max(line, fixed + shortest) *
                         std::min<double>(static_cast<double>(layout.widths[i]), most_wanted) /
                         wanted;
  return layout;
}

/// How many characters of a broken column surely fit on its line; 0 of a column that is not broken.
std::size_t fitting(const FloatLayout& layout, std::size_t column) {
  return static_cast<std::size_t>(0.7 * layout.shares[column] * line_of(layout));
}

/// A text in which words that do not fit may be broken after every few characters.
std::string breakable(std::string_view text, std::size_t most) {
  return joined(split(text, ' '), " ", [&](std::string_view word) {
    if (most == 0 || shown_width(word) <= most) return latex_text(word);
    std::string out;
    while (!word.empty()) {
      std::size_t bytes = 0;
      for (std::size_t i = 0; i < 3 && bytes < word.size(); ++i) {
        const auto next = first_character(word.substr(bytes));
        bytes += next ? next->length : 1;
      }
      out += (out.empty() ? "" : "\\hspace{0pt}") + latex_text(word.substr(0, bytes));
      word.remove_prefix(bytes);
    }
    return out;
  });
}

/// The same of a sentence, in which backticks mark code.
std::string breakable_prose(const std::string& text, std::size_t most) {
  const auto parts = split(text, '`');
  if (parts.size() % 2 == 0) return breakable(text, most);  // a backtick without a partner
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += i % 2 == 0 ? breakable(parts[i], most)
                      : "\\texttt{" + breakable(parts[i], most * 3 / 4) + "}";
  return out;
}

std::string float_columns(const Table& table, const FloatLayout& layout) {
  std::string types;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    types += layout.shares[i] > 0
                 ? fmt::format(">{{\\raggedright\\arraybackslash}}p{{{:.3f}\\linewidth}}",
                               layout.shares[i])
             : table.columns[i].is_number ? "r"
                                          : "l";
  return types;
}

std::string heading_rows(const FloatLayout& layout) {
  std::string rows;
  for (const std::size_t line : {0U, 1U}) {
    const auto is_empty = [&](const Heading& one) { return one[line].empty(); };
    if (std::all_of(layout.headings.begin(), layout.headings.end(), is_empty)) continue;
    for (std::size_t i = 0; i < layout.headings.size(); ++i)
      rows += (i > 0 ? " & " : "") + breakable(layout.headings[i][line], fitting(layout, i));
    rows += " \\\\\n";
  }
  return rows;
}

/// How many lines a row takes, roughly.
std::size_t printed_lines(const std::vector<TableCell>& row, const FloatLayout& layout) {
  double most = 1;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (layout.shares[i] > 0)
      most = std::max(most, static_cast<double>(shown_width(row[i].text)) /
                                (0.85 * layout.shares[i] * line_of(layout)));
  return static_cast<std::size_t>(most + 0.999);
}

/// Rows that fit on one page: from the first to before the second.
using PageRows = std::pair<std::size_t, std::size_t>;

std::vector<PageRows> pages_of(const Table& table, const FloatLayout& layout) {
  std::vector<PageRows> pages{{0, 0}};
  std::size_t lines = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::size_t more = printed_lines(table.rows[i], layout);
    if (lines > 0 && lines + more > float_lines) {
      pages.emplace_back(i, i);
      lines = 0;
    }
    lines += more;
    pages.back().second = i + 1;
  }
  return pages;
}

std::string latex_cell(const TableCell& cell, const TableColumn& column, std::size_t most) {
  const std::string text =
      column.is_prose ? breakable_prose(cell.text, most) : breakable(cell.text, most);
  return cell.is_marked && !text.empty() ? "\\textbf{" + text + "}" : text;
}

/// Whether the first column names the same as in the row before: then it is left empty.
bool goes_on(const Table& table, const PageRows& page, std::size_t row) {
  if (row <= page.first || row >= page.second || table.columns.front().is_number) return false;
  const std::string& text = table.rows[row].front().text;
  return !text.empty() && text == table.rows[row - 1].front().text;
}

std::string body_rows(const Table& table, const FloatLayout& layout, const PageRows& page) {
  bool has_groups = false;
  for (std::size_t i = page.first; i < page.second; ++i)
    has_groups = has_groups || goes_on(table, page, i);
  std::string rows;
  for (std::size_t i = page.first; i < page.second; ++i) {
    const bool is_same = goes_on(table, page, i);
    if (has_groups && !is_same && i > page.first) rows += "\\addlinespace\n";
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (k > 0) rows += " & ";
      if (k > 0 || !is_same)
        rows += latex_cell(table.rows[i][k], table.columns[k], fitting(layout, k));
    }
    rows += " \\\\\n";
  }
  return rows;
}

std::string caption_of(const Table& table, const std::string& label, bool is_first) {
  if (is_first)
    return fmt::format("\\caption{{{}}}\\label{{{}}}\n", latex_text(table.title), label);
  // The same number again, and no second entry in a list of tables.
  return fmt::format("\\addtocounter{{table}}{{-1}}\n\\caption[]{{{} (continued)}}\n",
                     latex_text(table.title));
}

}  // namespace

std::string table_float(const Table& table, const std::string& label) {
  const FloatLayout layout = float_layout(table);
  const char* environment = layout.is_wide ? "table*" : "table";
  const auto pages = pages_of(table, layout);
  std::string out;
  for (const auto& page : pages) {
    out += fmt::format("\\begin{{{}}}[tp]\n{}\\centering\\footnotesize\n", environment,
                       caption_of(table, label, &page == &pages.front()));
    out += fmt::format(
        "\\setlength{{\\tabcolsep}}{{3pt}}%\n\\sbox0{{%\n\\begin{{tabular}}{{@{{}}{}@{{}}}}\n"
        "\\toprule\n{}\\midrule\n{}\\bottomrule\n\\end{{tabular}}}}%\n",
        float_columns(table, layout), heading_rows(layout), body_rows(table, layout, page));
    out += "\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi\n";
    if (!table.note.empty() && &page == &pages.back())
      out += "\\par\\smallskip\\parbox{\\linewidth}{\\scriptsize\\raggedright " +
             latex_prose(table.note) + "}\n";
    out += fmt::format("\\end{{{}}}\n", environment);
  }
  return out;
}

}  // namespace prengdl
