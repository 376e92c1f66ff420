// SPDX-License-Identifier: Apache-2.0
#include "model/result.h"

namespace prengdl {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::failed:
      return "failed";
    case Outcome::timeout:
      return "timeout";
    case Outcome::out_of_memory:
      return "out_of_memory";
    case Outcome::missing_output:
      return "missing_output";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "";
}

std::optional<Outcome> outcome_of(std::string_view name) {
  for (const auto outcome : {Outcome::ok, Outcome::failed, Outcome::timeout, Outcome::out_of_memory,
                             Outcome::missing_output, Outcome::interrupted})
    if (name == name_of(outcome)) return outcome;
  return std::nullopt;
}

}  // namespace prengdl
