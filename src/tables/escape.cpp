// SPDX-License-Identifier: Apache-2.0
#include "tables/escape.h"

#include <fmt/core.h>

#include <cstdint>
#include <map>

#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::string_view bytes;
};

/// The next character of valid UTF-8, which printable() has made sure of.
Character next_of(std::string_view text, std::size_t at) {
  const auto [code, length] = first_character(text.substr(at)).value_or(Utf8Character{});
  return {code, text.substr(at, length)};
}

bool turns_direction(std::uint32_t code) {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0x200E || code == 0x200F || code == 0x061C;
}

bool is_unseen(std::uint32_t code) {  // and breaks lines, or hides
  return code == 0x2028 || code == 0x2029 || code == 0xFEFF || (code >= 0x80 && code < 0xA0) ||
         (code >= 0x200B && code <= 0x200D);
}

/// Outside of ASCII: what T1 fonts have and inputenc knows, or a command for it.
const std::map<std::uint32_t, const char*>& latex_characters() {
  static const std::map<std::uint32_t, const char*> table{
      {0x2026, "\\ldots{}"}, {0x2013, "--"},      {0x2014, "---"},
      {0x2018, "`"},         {0x2019, "'"},       {0x201C, "``"},
      {0x201D, "''"},        {0xD7, "$\\times$"}, {0xB5, "$\\mu$"},
      {0x3BC, "$\\mu$"},     {0x2264, "$\\leq$"}, {0x2265, "$\\geq$"},
      {0xB1, "$\\pm$"},      {0xB7, "$\\cdot$"},  {0xB0, "$^\\circ$"},
      {0x2212, "$-$"},       {0xA0, "~"},         {0x2192, "$\\rightarrow$"}};
  return table;
}

/// Letters of Latin scripts that pdflatex can set.
bool is_latex_letter(std::uint32_t code) {
  switch (code) {
    case 0xD7:
    case 0xF7:
    case 0x126:
    case 0x127:
    case 0x138:
    case 0x13F:
    case 0x140:
    case 0x149:
    case 0x166:
    case 0x167:
      return false;
    default:
      return code >= 0xC0 && code <= 0x17E;
  }
}

const char* latex_ascii(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '{':
      return "\\{";
    case '}':
      return "\\}";
    case '$':
      return "\\$";
    case '&':
      return "\\&";
    case '#':
      return "\\#";
    case '%':
      return "\\%";
    case '_':
      return "\\_";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '"':
      return "\\textquotedbl{}";
    case '-':  // two of them would become a dash
      return "-{}";
    case '\'':
      return "\\textquotesingle{}";
    case '`':
      return "\\textasciigrave{}";
    case '[':  // after \\ a bracket would be an option
      return "{[}";
    case ']':
      return "{]}";
    default:
      return nullptr;
  }
}

/// The text in pieces, those between two backticks as code.
template <class Plain, class Code>
std::string with_code(std::string_view text, Plain&& plain, Code&& code) {
  std::string out;
  for (;;) {
    const auto open = text.find('`');
    const auto close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) return out + plain(text);
    out += plain(text.substr(0, open));
    if (close > open + 1) out += code(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
}

}  // namespace

std::string visible(std::string_view text) {
  const std::string safe = printable(text);
  std::string out;
  out.reserve(safe.size());
  for (std::size_t at = 0; at < safe.size();) {
    const Character one = next_of(safe, at);
    if (one.code >= 0x80 && (turns_direction(one.code) || is_unseen(one.code)))
      out += fmt::format("\\u{:04x}", one.code);
    else
      out += one.bytes;
    at += one.bytes.size();
  }
  return out;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string latex_text(std::string_view text) {
  const std::string safe = visible(text);
  std::string out;
  std::size_t unbroken = 0;
  for (std::size_t at = 0; at < safe.size();) {
    const Character one = next_of(safe, at);
    at += one.bytes.size();
    // A word longer than a line may break anywhere.
    unbroken = one.code == ' ' ? 0 : unbroken + 1;
    if (unbroken > 24) out += "\\hspace{0pt}";
    if (one.code < 0x80) {
      const char* command = latex_ascii(one.bytes.front());
      out += command ? std::string(command) : std::string(one.bytes);
    } else if (const auto known = latex_characters().find(one.code);
               known != latex_characters().end()) {
      out += known->second;
    } else if (is_latex_letter(one.code)) {
      out += one.bytes;
    } else {
      out += fmt::format("{{[}}U+{:04X}{{]}}", one.code);
    }
  }
  return out;
}

std::string markdown_text(std::string_view text) {
  const std::string safe = visible(text);
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    if (c == '@')  // a name in a command line is not a person to be called
      out += "&#64;";
    else if (c == '&')  // could begin an entity
      out += "&amp;";
    else if (safe.compare(i, 3, "://") == 0)  // could be made a link
      out += "&#58;";
    else if (std::string_view("|\\`*_[]<>#~").find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string csv_cell(std::string_view text) {
  std::string cell(text);
  const bool is_number = parse_number(cell).has_value();
  if (!is_number && !cell.empty() &&
      std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos)
    cell.insert(0, "'");
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string html_prose(std::string_view text) {
  return with_code(text, html_text,
                   [](std::string_view code) { return "<code>" + html_text(code) + "</code>"; });
}

std::string latex_prose(std::string_view text) {
  return with_code(text, latex_text,
                   [](std::string_view code) { return "\\texttt{" + latex_text(code) + "}"; });
}

std::string markdown_prose(std::string_view text) {
  return with_code(text, markdown_text, [](std::string_view code) {
    // A bar would end the cell of a table, in code as well.
    return code.find('|') == std::string_view::npos ? "`" + visible(code) + "`"
                                                    : markdown_text(code);
  });
}

std::string script_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else if (c == '\xE2' &&
             (json.substr(i, 3) == "\xE2\x80\xA8" || json.substr(i, 3) == "\xE2\x80\xA9")) {
      out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace prengdl
