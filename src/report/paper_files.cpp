// SPDX-License-Identifier: Apache-2.0
//
// A report as a directory for a paper. Every table is a float of its own, and every figure a
// document of its own, which becomes a PDF of the figure's size. main.tex includes all of them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/strings.h"
#include "print/words.h"
#include "report/formats.h"
#include "report/latex_plot.h"
#include "tables/escape.h"
#include "tables/latex_float.h"

namespace prengdl {
namespace {

/// Makes the figures and the example by hand.
constexpr const char* makefile =
    R"(# make: the figures as PDF, and main.pdf. It needs pdflatex and bibtex.
figures = $(patsubst %.tex,%.pdf,$(wildcard figures/*.tex))
main.pdf: main.tex methods.tex references.bib $(wildcard tables/*.tex) $(figures)
	pdflatex -interaction=nonstopmode main
	bibtex main
	pdflatex -interaction=nonstopmode main
	pdflatex -interaction=nonstopmode main
figures: $(figures)
figures/%.pdf: figures/%.tex
	pdflatex -interaction=nonstopmode -output-directory=figures $<
.PHONY: figures
)";

/// Tables behind charts with more rows are data, not tables of a paper: CSV and JSON have them.
constexpr std::size_t most_rows_of_data = 24;

struct Reference {
  const char* key;
  const char* entry;
};

constexpr std::array references{
    Reference{"hodges1963",
              "@article{hodges1963,\n  author = {Hodges, J. L. and Lehmann, E. L.},\n  title = "
              "{Estimates of Location Based on Rank Tests},\n  journal = {The Annals of "
              "Mathematical Statistics},\n  volume = {34},\n  number = {2},\n  pages = "
              "{598--611},\n  year = {1963}\n}\n"},
    Reference{"holm1979",
              "@article{holm1979,\n  author = {Holm, Sture},\n  title = {A Simple Sequentially "
              "Rejective Multiple Test Procedure},\n  journal = {Scandinavian Journal of "
              "Statistics},\n  volume = {6},\n  number = {2},\n  pages = {65--70},\n  year = "
              "{1979}\n}\n"},
    Reference{"schuirmann1987",
              "@article{schuirmann1987,\n  author = {Schuirmann, Donald J.},\n  title = {A "
              "Comparison of the Two One-Sided Tests Procedure and the Power Approach for "
              "Assessing the Equivalence of Average Bioavailability},\n  journal = {Journal of "
              "Pharmacokinetics and Biopharmaceutics},\n  volume = {15},\n  number = {6},\n  pages "
              "= {657--680},\n  year = {1987}\n}\n"},
    Reference{"vargha2000",
              "@article{vargha2000,\n  author = {Vargha, Andr{\\'a}s and Delaney, Harold D.},\n  "
              "title = {A Critique and Improvement of the {CL} Common Language Effect Size "
              "Statistics of {McGraw} and {Wong}},\n  journal = {Journal of Educational and "
              "Behavioral Statistics},\n  volume = {25},\n  number = {2},\n  pages = {101--132},\n"
              "  year = {2000}\n}\n"},
    Reference{"welch1947",
              "@article{welch1947,\n  author = {Welch, B. L.},\n  title = {The Generalization of "
              "`{Student's}' Problem When Several Different Population Variances Are Involved},\n "
              " journal = {Biometrika},\n  volume = {34},\n  number = {1--2},\n  pages = "
              "{28--35},\n  year = {1947}\n}\n"},
    Reference{"wilcoxon1945",
              "@article{wilcoxon1945,\n  author = {Wilcoxon, Frank},\n  title = {Individual "
              "Comparisons by Ranking Methods},\n  journal = {Biometrics Bulletin},\n  volume = "
              "{1},\n  number = {6},\n  pages = {80--83},\n  year = {1945}\n}\n"}};

/// Of prengdl itself, in the version at hand.
std::string own_reference(const Report& report) {
  return fmt::format(
      "@misc{{prengdl,\n  author = {{{{prengdl developers}}}},\n  title = {{prengdl: Performance "
      "and Energy of Deep Learning}},\n  note = {{Software, version {}}},\n  year = {{{}}}\n}}\n",
      latex_text(report.version), latex_text(report.made_at.substr(0, 4)));
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// A sentence with its citations: " [@holm1979]" becomes "~\cite{holm1979}".
std::string with_citations(const std::string& text) {
  std::string out = latex_prose(text);
  // To be pasted and edited: only two hyphens in a row need to be kept apart.
  replace_all(out, "-{}-", "-\\relax{}-");
  replace_all(out, "-{}", "-");
  const auto cite = [&](const std::string& key) {
    replace_all(out, " {[}@" + key + "{]}", "~\\cite{" + key + "}");
  };
  for (const auto& reference : references) cite(reference.key);
  cite("prengdl");
  return out;
}

/// Names of files and labels: ids may hold levels, and those any character.
class FileNames {
 public:
  std::string of(const std::string& id) {
    std::string name;
    for (const char c : shortened(id, 60))
      name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' ? c : '-';
    const std::string first = name;
    for (std::size_t i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}-{}", first, i);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

bool has_panels(ChartKind kind) { return kind == ChartKind::lines || kind == ChartKind::sweep; }

/// Charts of several panels, and of power over time, need the width of the page.
bool needs_page_width(const Chart& chart) {
  if (!has_panels(chart.kind)) return chart.kind == ChartKind::power;
  const char* role = chart.kind == ChartKind::sweep ? "panel" : "facet";
  return pgf::Rows(chart).distinct(role).size() > 1;
}

/// A document whose only page is as large as the picture. A box that is shipped out by itself needs
/// no class or package for that.
std::string figure_document(const Chart& chart, const std::string& picture) {
  const double inches = needs_page_width(chart) ? 7.0 : 3.33;
  const std::string box =
      has_panels(chart.kind)
          ? fmt::format("\\begin{{minipage}}{{{}in}}\\centering\n{}\\end{{minipage}}", inches,
                        picture)
          : picture;
  return fmt::format(
      "% A figure of a report by prengdl. pdflatex makes a PDF of the figure's size.\n"
      "\\documentclass[10pt]{{article}}\n{}\\begin{{document}}\n"
      "\\setlength{{\\parindent}}{{0pt}}\\setlength{{\\linewidth}}{{{}in}}%\n"
      "\\setbox0\\hbox{{%\n{}}}%\n"
      "\\pdfpagewidth=\\dimexpr\\wd0+4pt\\relax\n"
      "\\pdfpageheight=\\dimexpr\\ht0+\\dp0+4pt\\relax\n"
      "\\pdfhorigin=2pt \\pdfvorigin=2pt\n\\shipout\\box0\n\\end{{document}}\n",
      pgf::preamble(), inches, box);
}

std::string figure_float(const Chart& chart, const std::string& name) {
  const char* environment = needs_page_width(chart) ? "figure*" : "figure";
  return fmt::format(
      "\\begin{{{0}}}[tp]\n\\centering\\includegraphics[width=\\linewidth]{{figures/{1}.pdf}}\n"
      "\\caption{{{2}. {3}}}\\label{{fig:{1}}}\n\\Description{{{3}}}\n\\end{{{0}}}\n",
      environment, name, latex_text(chart.title), latex_prose(chart.says));
}

/// Gathers the files, and what main.tex says of them.
class PaperDirectory {
 public:
  explicit PaperDirectory(const Report& report) {
    // Methods and costs come first in a paper, whatever the order of the report is.
    for (const auto& part : report.parts)
      if (part.id == "paper") add(part);
    for (const auto& part : report.parts)
      if (part.id != "paper") add(part);
    add_methods_and_main(report);
  }

  std::vector<PaperFile> files() && { return std::move(files_); }

 private:
  void add(const Part& part) {
    std::string floats;
    for (const auto& block : part.blocks) {
      if (const auto* table = std::get_if<Table>(&block)) floats += add(*table);
      const auto* chart = std::get_if<Chart>(&block);
      if (!chart) continue;
      floats += add(*chart);
      for (const auto& table : chart->tables)
        if (table.rows.size() <= most_rows_of_data) floats += add(table);
    }
    if (part.id == "paper") {
      for (const auto& block : part.blocks)
        if (const auto* text = std::get_if<Paragraph>(&block))
          methods_ += with_citations(text->text) + "\n\n";
      body_ += "\\section{Methods}\n\\input{methods}\n\\section{Results}\n" + floats;
    } else if (!floats.empty()) {
      body_ += fmt::format("\\clearpage\n\\section{{{}}}\n{}", latex_text(part.title), floats);
    }
  }

  std::string add(Table table) {
    if (table.rows.empty() || table.columns.empty()) return "";
    const std::string name = tables_.of(table.id);
    table.note = sentence(table.note);
    files_.push_back({"tables/" + name + ".tex",
                      "% A table of a report by prengdl. In the preamble of your paper:\n"
                      "% \\usepackage[T1]{fontenc}\\usepackage{booktabs,array,graphicx}\n" +
                          table_float(table, "tab:" + name)});
    return "\\input{tables/" + name + "}\n";
  }

  std::string add(const Chart& chart) {
    const std::string picture = latex_picture(chart);
    if (picture.empty()) return "";
    const std::string name = figures_.of(chart.id);
    files_.push_back({"figures/" + name + ".tex", figure_document(chart, picture)});
    return figure_float(chart, name);
  }

  void add_methods_and_main(const Report& report) {
    files_.push_back(
        {"methods.tex", "% Methods, by prengdl report. References: references.bib\n{\\sloppy\n" +
                            methods_ + "}\n"});
    std::string entries = own_reference(report);
    for (const auto& reference : references) {
      const std::string citation = fmt::format("\\cite{{{}}}", reference.key);
      if (methods_.find(citation) != std::string::npos) entries += reference.entry;
    }
    files_.push_back({"references.bib", entries});
    files_.push_back({"main.tex", main_document(report)});
    files_.push_back({"Makefile", makefile});
  }

  std::string main_document(const Report& report) const {
    return fmt::format(
        "% An example that includes all tables and figures. Take what your paper needs:\n"
        "%   \\input{{tables/NAME}} and \\includegraphics{{figures/NAME.pdf}}\n"
        "% For IEEE: \\documentclass[conference]{{IEEEtran}}; nothing else has to change.\n"
        "\\documentclass[sigconf,nonacm]{{acmart}}\n"
        "\\usepackage[T1,\\encodingdefault]{{fontenc}}\n\\usepackage{{textcomp}}\n{}"
        "\\usepackage{{booktabs,array,graphicx}}\n"
        "\\extrafloats{{200}}\n"
        "\\providecommand{{\\Description}}[1]{{}}\n"
        "\\makeatletter\n"
        "\\newcommand{{\\ifacm}}[2]{{\\@ifclassloaded{{acmart}}{{#1}}{{#2}}}}\n"
        "\\makeatother\n"
        "\\begin{{document}}\n\\title{{{}}}\n"
        "\\author{{Author}}\n"
        "\\ifacm{{\\affiliation{{\\institution{{Institution}}\\city{{City}}"
        "\\country{{Country}}}}}}{{}}\n"
        "\\maketitle\n{}\\clearpage\n"
        "\\ifacm{{\\bibliographystyle{{ACM-Reference-Format}}}}"
        "{{\\bibliographystyle{{IEEEtran}}}}\n"
        "\\bibliography{{references}}\n\\end{{document}}\n",
        pgf::letters(), latex_text(report.study), body_);
  }

  FileNames tables_, figures_;
  std::vector<PaperFile> files_;
  std::string methods_, body_;
};

}  // namespace

std::vector<PaperFile> paper_files(const Report& report) { return PaperDirectory(report).files(); }

}  // namespace prengdl
