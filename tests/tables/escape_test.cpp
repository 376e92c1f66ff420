// SPDX-License-Identifier: Apache-2.0
#include "tables/escape.h"

#include <gtest/gtest.h>

#include "report/formats.h"

namespace prengdl {
namespace {

TEST(Escape, HtmlShowsTagsAndQuotesAsText) {
  EXPECT_EQ(html_text("<script>alert('x')</script>"),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
  EXPECT_EQ(html_text("a\" onload=\"x"), "a&quot; onload=&quot;x");
}

TEST(Escape, TerminalEscapesBecomeVisibleEverywhere) {
  const std::string hostile = "\x1b[31mred\x07";
  for (const auto& text :
       {visible(hostile), html_text(hostile), latex_text(hostile), markdown_text(hostile)}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x07'), std::string::npos) << text;
  }
}

TEST(Escape, CharactersThatTurnTheDirectionBecomeVisible) {
  EXPECT_EQ(visible("a\u202Eb"), "a\\u202eb");
  EXPECT_EQ(visible("\u05D0\u05D1"), "\u05D0\u05D1") << "letters that run from right to left stay";
}

TEST(Escape, LatexCommandsAreText) {
  EXPECT_EQ(latex_text("\\input{/etc/passwd}"), "\\textbackslash{}input\\{/etc/passwd\\}");
  EXPECT_EQ(latex_text("50% & $x_1$ #2 ~^"),
            "50\\% \\& \\$x\\_1\\$ \\#2 \\textasciitilde{}\\textasciicircum{}");
}

TEST(Escape, WhatPdflatexCannotSetIsNamed) {
  EXPECT_EQ(latex_text("\u05D0"), "{[}U+05D0{]}");
  EXPECT_EQ(latex_text("\u00E9"), "\u00E9");
  EXPECT_EQ(latex_text("\u0126"), "{[}U+0126{]}") << "pdflatex does not know this letter";
  EXPECT_EQ(latex_text("1 \u2026 2"), "1 \\ldots{} 2");
}

TEST(Escape, MarkdownShowsMarkupAsText) {
  EXPECT_EQ(markdown_text("*a* | <b>"), "\\*a\\* \\| \\<b\\>");
  EXPECT_EQ(markdown_text("&lt;"), "&amp;lt;");
}

TEST(Escape, ScriptJsonHoldsNothingThatEndsAScript) {
  EXPECT_EQ(script_json("\"</script><!--\""), "\"\\u003c/script\\u003e\\u003c!--\"");
}

/// A report of one table that is full of hostile names.
Report hostile_report() {
  Table table;
  table.id = "names";
  table.title = "<img src=x onerror=alert(1)>";
  table.columns = {{"name", "name", "", false}};
  for (const char* name : {"<script>alert(1)</script>", "=1+1", "+1", "-x", "@x", "\x1b]0;x\x07",
                           "\u05D0", "a\"b'c", "\\end{document}"})
    table.rows.push_back({{name, std::nullopt, false}});
  table.rows.push_back({{std::string(10000, 'x'), std::nullopt, false}});
  Report report;
  report.study = "</title><script>";
  report.parts.push_back({"part", "part", {table}});
  return report;
}

TEST(Escape, NoFormatLetsHostileNamesThrough) {
  const Report report = hostile_report();
  // Not the script: it may hold such words of its own.
  const std::string page = report_html(report);
  const std::string html = page.substr(0, page.rfind("<script>"));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("<img src"), std::string::npos);
  EXPECT_EQ(html.find("</title><script>"), std::string::npos);
  const std::string latex = report_latex(report);
  EXPECT_EQ(latex.find("\\end{document}"), latex.rfind("\\end{document}"));
  const std::string csv = report_csv(report);
  for (const char* cell : {",=1+1,", ",+1,", ",-x,", ",@x,"}) {
    if (std::string(cell) == ",+1,") continue;  // a number
    EXPECT_EQ(csv.find(cell), std::string::npos) << cell;
  }
  const std::string markdown = report_markdown(report);
  EXPECT_EQ(markdown.find("<script>"), std::string::npos);
  for (const auto& text : {html, latex, csv, markdown, report_json(report)})
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace prengdl
