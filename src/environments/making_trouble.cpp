// SPDX-License-Identifier: Apache-2.0
#include "environments/making_trouble.h"

#include <fmt/core.h>

#include <initializer_list>
#include <string_view>

#include "base/escaping.h"
#include "base/strings.h"

namespace prengdl {
namespace {

bool says(const std::string& output, std::initializer_list<std::string_view> any) {
  for (const auto words : any)
    if (output.find(words) != std::string::npos) return true;
  return false;
}

/// The text between two others, where it is first there; empty if it is not.
std::string between(const std::string& output, std::string_view before, std::string_view after) {
  const auto begin = output.find(before);
  if (begin == std::string::npos) return "";
  const auto from = begin + before.size();
  const auto end = output.find_first_of(std::string(after) + "\n", from);
  return output.substr(from, end == std::string::npos ? end : end - from);
}

/// The package that the tool speaks of: uv writes `name==1.0`, pip "name==1.0 from ...".
std::string package_in(const std::string& output) {
  for (const auto& [before, after] :
       {std::pair{"Hash mismatch for `", "`"}, std::pair{"Failed to download `", "`"},
        std::pair{"No matching distribution found for ", " "}})
    if (auto name = between(output, before, after); !name.empty()) return name;
  // pip reports the mismatch in indented lines: "    torch==2.15.0 from https://...".
  const auto mismatch = output.find("DO NOT MATCH THE HASHES");
  if (mismatch == std::string::npos) return "";
  for (const auto line : split(std::string_view(output).substr(mismatch), '\n')) {
    const auto text = trimmed(line);
    if (const auto from = text.find(" from "); line.starts_with(" ") && from != text.npos)
      return std::string(text.substr(0, from));
  }
  return "";
}

/// The line that says most: the first error, else the last line.
std::string words_of(const std::string& output) {
  std::string last;
  for (const auto line : split(output, '\n')) {
    const auto text = trimmed(line);
    if (text.starts_with("error:") || text.starts_with("ERROR:") || text.starts_with("Error:"))
      return std::string(trimmed(text.substr(text.find(':') + 1)));
    if (!text.empty()) last = text;
  }
  return last;
}

}  // namespace

Error making_error(const Making& making, const std::string& output) {
  const auto because = [&](const std::string& why, const std::string& next) {
    return Error(fmt::format("cannot make the environment {}: {}", making.what, why), next);
  };
  const auto package = package_in(output);
  const auto of_package = package.empty() ? "" : " of " + package;
  if (says(output, {"No space left on device", "os error 28", "Disk quota exceeded"}))
    return because(fmt::format("the disk with {} is full", making.directory.string()),
                   "free some space, or choose a place with more by --cache DIR; then again");
  if (says(output, {"Hash mismatch", "DO NOT MATCH THE HASHES"}))
    return because(
        fmt::format("the file{} that came is not the one that the lock names", of_package),
        "do not use it: look at the index or mirror that pip and uv are set to, then again");
  if (says(output,
           {"ensurepip is not available", "No module named venv", "No module named ensurepip"}))
    return because("this Python cannot make environments",
                   "sudo apt-get install python3-venv, or put uv on the PATH; then again");
  if (says(output, {"dns error", "name resolution", "Name or service not known",
                    "Connection refused", "Network is unreachable", "error sending request",
                    "NewConnectionError", "network was disabled", "ConnectTimeout", "timed out",
                    "Connection reset", "ProxyError", "SSLError", "client error (Connect)"}))
    return because("the packages cannot be fetched: there is no way to the index",
                   "connect this machine, or name a mirror with UV_DEFAULT_INDEX or PIP_INDEX_URL; "
                   "then again: what has come is kept");
  if (says(output, {"No matching distribution found", "no wheels with a matching", "has no wheels",
                    "not a supported wheel on this platform"}))
    return because(
        fmt::format("there is no package{} for this machine and Python", of_package),
        fmt::format("the locks are for Python 3.11 on x86-64; all that was said is in {}",
                    making.log.string()));
  if (says(output, {"Read-only file system", "Permission denied", "os error 13", "os error 30"}))
    return because(fmt::format("{} cannot be written", making.directory.string()),
                   "choose another place with --cache DIR");
  const auto words = shortened(printable(words_of(output)), 200);
  return because(words.empty() ? "the tool failed without a word" : words,
                 fmt::format("all that was said is in {}", making.log.string()));
}

}  // namespace prengdl
