// SPDX-License-Identifier: Apache-2.0
#include "report/latex_plot.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "tables/escape.h"

namespace prengdl::pgf {

std::string label(const std::string& text) {
  return "{" + latex_text(shortened(text, longest_label)) + "}";
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

Ticks ticks_of(const std::vector<std::string>& names, std::size_t longest) {
  Ticks ticks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    ticks.places += fmt::format("{}{}", i > 0 ? "," : "", i);
    ticks.labels += (i > 0 ? "," : "") + label(shortened(names[i], longest));
  }
  return ticks;
}

std::string Extent::log_mode(char axis) const {
  if (!(most_ > 1.5 * least_)) return "";
  const bool is_short = least_ >= 1e-4 && most_ <= 1e5;
  return fmt::format("{}mode=log, {}", axis, is_short ? "log ticks with fixed point, " : "");
}

std::string letters() {
  return "\\DeclareTextSymbolDefault{\\DH}{T1}\\DeclareTextSymbolDefault{\\dh}{T1}%\n"
         "\\DeclareTextSymbolDefault{\\DJ}{T1}\\DeclareTextSymbolDefault{\\dj}{T1}%\n"
         "\\DeclareTextSymbolDefault{\\NG}{T1}\\DeclareTextSymbolDefault{\\ng}{T1}%\n"
         "\\DeclareTextSymbolDefault{\\TH}{T1}\\DeclareTextSymbolDefault{\\th}{T1}%\n"
         "\\DeclareTextAccentDefault{\\k}{T1}\\DeclareTextCommandDefault{\\textquotedbl}{''}%\n"
         "\\DeclareTextCommandDefault{\\textquotesingle}{'}"
         "\\DeclareTextCommandDefault{\\textasciigrave}{`}\n";
}

std::string preamble() {
  return "\\usepackage[utf8]{inputenc}\n"
         "\\IfFileExists{lmodern.sty}{\\usepackage[T1]{fontenc}\\usepackage{lmodern}}"
         "{\\usepackage[T1,OT1]{fontenc}}\n\\usepackage{textcomp}\n" +
         letters() +
         "\\usepackage{pgfplots}\n\\pgfplotsset{compat=1.16}\n"
         "\\definecolor{colour0}{HTML}{0072B2}\n\\definecolor{colour1}{HTML}{D55E00}\n"
         "\\definecolor{colour2}{HTML}{009E73}\n\\definecolor{colour3}{HTML}{CC79A7}\n"
         "\\definecolor{colour4}{HTML}{E69F00}\n\\definecolor{colour5}{HTML}{56B4E9}\n";
}

std::string picture(const std::string& axis_options, const std::string& plots) {
  return fmt::format(
      "\\begin{{tikzpicture}}\n\\begin{{axis}}[{}tick label style={{font=\\scriptsize}}, label "
      "style={{font=\\scriptsize}}, legend style={{font=\\scriptsize, draw=none, "
      "at={{(0.5,1.03)}}, anchor=south, "
      "legend columns=4}}, scaled ticks=false, grid=major, grid style={{gray!20}}, axis line "
      "style={{gray}}]\n{}"
      "\\end{{axis}}\n\\end{{tikzpicture}}\n",
      axis_options, plots);
}

}  // namespace prengdl::pgf
