// SPDX-License-Identifier: Apache-2.0
#include "environments/completion_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/own_files.h"
#include "base/strings.h"

namespace prengdl {
namespace {

using Json = nlohmann::ordered_json;

Json parsed(const std::string& text) { return Json::parse(text, nullptr, false); }

std::string text_of(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::filesystem::path mark_file(const std::filesystem::path& environment) {
  return environment / ".prengdl-environment";
}

std::optional<EnvironmentMark> read_mark(const std::filesystem::path& environment) {
  const auto text = read_optional(mark_file(environment));
  if (!text) return std::nullopt;
  const Json json = parsed(*text);
  if (!json.is_object() || text_of(json, "schema") != "prengdl.environment/1") return std::nullopt;
  EnvironmentMark mark;
  mark.lock_hash = text_of(json, "lock_sha256");
  mark.tool = text_of(json, "tool");
  mark.python = text_of(json, "python");
  mark.made_at = text_of(json, "made_at");
  mark.bytes = json.value("bytes", std::uint64_t{0});
  if (const auto check = json.find("check"); check != json.end()) mark.check = check->dump();
  const auto compiled = json.find("compiled");
  mark.compiled = compiled != json.end() && *compiled == true;
  return mark;
}

void write_mark(const std::filesystem::path& environment, const EnvironmentMark& mark) {
  const Json json{{"schema", "prengdl.environment/1"},
                  {"lock_sha256", mark.lock_hash},
                  {"tool", mark.tool},
                  {"python", mark.python},
                  {"made_at", mark.made_at},
                  {"bytes", mark.bytes},
                  {"check", parsed(mark.check)},
                  {"compiled", mark.compiled}};
  {
    // All that was installed must be on the disk before something says so.
    const FileDescriptor installed(::open(environment.c_str(), O_RDONLY | O_CLOEXEC));
    if (!installed || ::syncfs(installed.get()) != 0)
      throw Error("cannot write " + environment.string() + ": " + error_text(errno));
  }
  replace_file(mark_file(environment), json.dump(2) + "\n");
}

std::optional<std::string> check_in(const std::string& output) {
  const auto lines = split(output, '\n');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!line->starts_with("{")) continue;
    if (const Json json = parsed(std::string(*line)); json.is_object()) return json.dump();
  }
  return std::nullopt;
}

std::string text_in_check(const std::string& check, const std::string& name) {
  const Json json = parsed(check);
  return json.is_object() ? text_of(json, name.c_str()) : "";
}

}  // namespace prengdl
