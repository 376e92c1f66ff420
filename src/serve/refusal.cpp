// SPDX-License-Identifier: Apache-2.0
#include "serve/refusal.h"

#include <fmt/core.h>

#include <vector>

#include "base/json.h"
#include "base/strings.h"
#include "serve/page.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

// The report's colours (web/src/report.css).
constexpr std::string_view refusal_style =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1a1d21;--quiet:#555c66;--line:#d5d9df;"
    "--band:#f4f6f8;--warn:#8a4b00}"
    "@media(prefers-color-scheme:dark){:root{--page:#15181c;--ink:#e8eaed;--quiet:#a8b0ba;"
    "--line:#3a4049;--band:#1e2228;--warn:#ffc46b}}"
    "body{margin:0;padding:12vh 1rem 2rem;background:var(--page);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",\"Liberation Sans\",\"DejaVu Sans\","
    "sans-serif}"
    "main{max-width:40rem;margin:0 auto;padding:1.25rem 1.5rem;border:1px solid var(--line);"
    "border-top:4px solid var(--warn);border-radius:8px}"
    "h1{font-size:1.4rem;line-height:1.25;margin:0 0 .75rem}"
    "ol{padding-left:1.3rem;margin:.75rem 0 0}li{margin:.4rem 0}p{margin:.4rem 0}"
    "footer{max-width:40rem;margin:.75rem auto;color:var(--quiet);font-size:.88rem}"
    "code{background:var(--band);border-radius:4px;padding:.05rem .3rem;white-space:nowrap;"
    "font:.92em ui-monospace,\"DejaVu Sans Mono\",monospace}";

/// What happened, and what to do, a step each.
struct Words {
  std::string_view title;
  std::vector<std::string_view> steps;
};

Words words_for(int status) {
  switch (status) {
    case 403:
      return {"This address does not have the right token",
              {"Go to the terminal in which `prengdl serve` runs.",
               "Open the whole address that `prengdl serve` printed, including everything after "
               "`token=`.",
               "An old address stops working when `prengdl serve` is started again. Use "
               "`--token-file FILE` to keep the token.",
               "Programs send the header `Authorization: Bearer TOKEN`."}};
    case 404:
      return {"There is nothing at this path",
              {"The page is at `/`. Its data are at `/state`, `/events` and `/metrics`."}};
    case 405:
      return {"Nothing can be changed here", {"Use GET or HEAD."}};
    case 400:
      return {"The request is not valid", {"Send one Host header that names this server."}};
    default:
      return {"The request failed", {"Look at what `prengdl serve` printed, and try again."}};
  }
}

std::string without_backticks(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '`');
  return plain;
}

}  // namespace

Refusal refusal_for(int status, std::string_view accept) {
  const Words words = words_for(status);
  constexpr const char* nothing_allowed = "default-src 'none'; frame-ancestors 'none'";
  if (accept.find("text/html") != std::string_view::npos) {
    std::string steps;
    for (const auto step : words.steps)
      steps += words.steps.size() > 1 ? "<li>" + html_prose(step) + "</li>\n"
                                      : "<p>" + html_prose(step) + "</p>\n";
    if (words.steps.size() > 1) steps = "<ol>\n" + steps + "</ol>\n";
    return {
        fmt::format("<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta name=viewport "
                    "content=\"width=device-width, initial-scale=1\">\n<title>prengdl: {0}"
                    "</title>\n<style>{1}</style>\n<main>\n<h1>{0}</h1>\n{2}</main>\n"
                    "<footer>prengdl serve, status {3}</footer>\n</html>\n",
                    words.title, refusal_style, steps, status),
        "text/html; charset=utf-8",
        fmt::format("{}; style-src '{}'", nothing_allowed, hash_source(refusal_style))};
  }
  const std::string advice = without_backticks(joined(words.steps, " "));
  if (accept.find("application/json") != std::string_view::npos)
    return {Json{{"error", words.title}, {"advice", advice}}.dump() + "\n", "application/json",
            nothing_allowed};
  return {fmt::format("{}.\n{}\n", words.title, advice), "text/plain", nothing_allowed};
}

}  // namespace prengdl
