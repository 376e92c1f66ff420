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

std::string picture(const std::string& axis_options, const std::string& plots) {
  return fmt::format(
      "\\begin{{tikzpicture}}\n\\begin{{axis}}[{}tick label style={{font=\\scriptsize}}, label "
      "style={{font=\\scriptsize}}, legend style={{font=\\tiny, at={{(0.5,1.03)}}, anchor=south, "
      "legend columns=4}}, scaled ticks=false, grid=major, grid style={{gray!20}}]\n{}"
      "\\end{{axis}}\n\\end{{tikzpicture}}\n",
      axis_options, plots);
}

}  // namespace prengdl::pgf
