// SPDX-License-Identifier: Apache-2.0
#include "model/environment.h"

#include <fmt/core.h>

namespace prengdl {
namespace {

bool is_word(std::string_view text) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos &&
         text.front() != '.' && text.front() != '-';
}

}  // namespace

std::string label_of(const EnvironmentChoice& choice) {
  if (!choice.requirements.empty()) return choice.requirements;
  if (!choice.interpreter.empty()) return choice.interpreter;
  if (!choice.conda.empty()) return choice.conda;
  if (!choice.container.empty()) return choice.engine + " " + choice.container;
  return choice.name;
}

Result<EnvironmentName> parse_environment_name(std::string_view text) {
  const auto at = text.find('@');
  EnvironmentName result{std::string(text.substr(0, at)), ""};
  if (at != std::string_view::npos) result.version = text.substr(at + 1);
  const bool has_version = at != std::string_view::npos;
  if (!is_word(result.name) || (has_version && !is_word(result.version)))
    return failure(fmt::format("'{}' is no name of an environment", text),
                   "write it as pytorch or, with a version, as pytorch@2.15.0");
  return result;
}

std::string environment_directory_name(const EnvironmentName& name, std::string_view variant,
                                       std::string_view lock_hash) {
  return fmt::format("{}-{}-{}-{}", name.name, name.version, variant, lock_hash.substr(0, 12));
}

}  // namespace prengdl
