// SPDX-License-Identifier: Apache-2.0
#include "serve/page.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/sha256.h"
#include "serve/embedded.h"

namespace prengdl {
namespace {

std::string base64_of_hex(const std::string& hex) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  unsigned bits = 0;
  int held = 0;
  for (const char c : hex) {
    bits = bits << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    held += 4;
    if (held < 6) continue;
    held -= 6;
    text += digits[bits >> held & 63];
  }
  if (held > 0) text += digits[bits << (6 - held) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

void fill_in(std::string& html, const std::string& place, std::string_view text) {
  const auto at = html.find(place);
  if (at == std::string::npos) throw Error("the page has no place for " + place);
  html.replace(at, place.size(), text);
}

}  // namespace

std::string hash_source(std::string_view text) {
  return "sha256-" + base64_of_hex(sha256_of(text));
}

Page make_page() {
  const std::string style = std::string(embedded::page_css()) + std::string(embedded::charts_css());
  std::string script;  // each uses those before it
  for (const auto file : {embedded::words_js, embedded::charts_js, embedded::findings_js,
                          embedded::jobs_js, embedded::page_js})
    script += file();
  Page page;
  page.html = embedded::page_html();
  fill_in(page.html, "/*style*/", style);
  fill_in(page.html, "/*script*/", script);
  page.policy = fmt::format(
      "default-src 'none'; script-src '{}'; style-src '{}'; connect-src 'self'; "
      "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      hash_source(script), hash_source(style));
  return page;
}

}  // namespace prengdl
