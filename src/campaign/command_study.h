// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/study.h"

namespace prengdl {

struct Command {
  std::string label;
  std::vector<std::string> argv;
};

/// Commands that are measured in turns: every block runs each of them once in random order, so that
/// drift hits all alike and runs of one block are pairs.
struct CommandPlan {
  std::vector<Command> commands;
  std::size_t runs = 1;
  std::size_t warmup = 0;
  std::optional<Seconds> settle;
  std::optional<Seconds> idle;
  std::optional<Seconds> timeout;
  std::uint64_t seed = 0;
  Seconds interval{0.01};
  std::filesystem::path directory;  // ours when empty
};

/// The labels of the commands as levels of a factor: each once, numbered if two are the same.
std::vector<std::string> levels_of(const CommandPlan& plan);

/// The study with one factor, `command`, that measures them.
Study study_of(const CommandPlan& plan);

/// The same as a study file: what a result keeps for the record.
std::string study_text_of(const CommandPlan& plan);

}  // namespace prengdl
