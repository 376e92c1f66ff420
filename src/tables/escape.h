// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace prengdl {

// Texts come from study files, workloads and other people's data: in every format they are shown as
// text and do nothing.

/// Made visible: control characters, bytes that are no UTF-8 and characters that turn the direction
/// of what follows.
std::string visible(std::string_view text);

std::string html_text(std::string_view text);   // for content and for quoted attributes
std::string latex_text(std::string_view text);  // what pdflatex cannot set becomes U+XXXX
std::string markdown_text(std::string_view text);

/// Quoted where needed; a cell that a spreadsheet would run as a formula is made text.
std::string csv_cell(std::string_view text);

// Sentences of our own, in which backticks mark what is typed or named: `prengdl run`. A backtick
// without a partner stays one.
std::string html_prose(std::string_view text);
std::string latex_prose(std::string_view text);
std::string markdown_prose(std::string_view text);

/// JSON that may stand inside of a <script>: no "<", which could end it, and no line separators.
std::string script_json(std::string_view json);

}  // namespace prengdl
