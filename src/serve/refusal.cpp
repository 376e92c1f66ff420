// SPDX-License-Identifier: Apache-2.0
#include "serve/refusal.h"

#include <fmt/core.h>

#include "base/json.h"
#include "serve/page.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

constexpr std::string_view style =
    ":root{color-scheme:light dark}"
    "body{margin:3rem auto;padding:0 1rem;max-width:38rem;font:1rem/1.5 system-ui,sans-serif}"
    "h1{font-size:1.4rem}code{overflow-wrap:anywhere}";

struct Words {
  std::string_view title, advice;
};

Words words_for(int status) {
  switch (status) {
    case 403:
      return {"This address does not have the right token",
              "Open the whole address that `prengdl serve` printed, with everything after "
              "`token=`. The token is new at each start unless `--token-file` names a file. "
              "Programs send the header `Authorization: Bearer TOKEN`."};
    case 404:
      return {"There is nothing at this path",
              "The page is at `/`, its data are at `/state`, `/events` and `/metrics`."};
    case 405:
      return {"Nothing can be changed here", "Use GET or HEAD."};
    case 400:
      return {"The request is not valid", "Send one Host header that names this server."};
    default:
      return {"The request failed", "Look at what `prengdl serve` printed, and try again."};
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
  if (accept.find("text/html") != std::string_view::npos)
    return {
        fmt::format("<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta name=viewport "
                    "content=\"width=device-width, initial-scale=1\">\n<title>prengdl: {0}"
                    "</title>\n<style>{1}</style>\n<h1>{0}</h1>\n<p>{2}</p>\n</html>\n",
                    words.title, style, html_prose(words.advice)),
        "text/html; charset=utf-8",
        fmt::format("{}; style-src '{}'", nothing_allowed, hash_source(style))};
  if (accept.find("application/json") != std::string_view::npos)
    return {Json{{"error", words.title}, {"advice", without_backticks(words.advice)}}.dump() + "\n",
            "application/json", nothing_allowed};
  return {fmt::format("{}.\n{}\n", words.title, without_backticks(words.advice)), "text/plain",
          nothing_allowed};
}

}  // namespace prengdl
