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

/// Commands that are measured alternately: every block runs each of them once in random order, so
/// that drift hits all alike and runs of one block are pairs. With parameters, every combination of
/// their values is a cell for each command.
struct CommandPlan {
  std::vector<Command> commands;
  std::vector<Factor> parameters = {};  // {NAME} in the commands stands for their levels
  std::size_t runs = 1;
  std::size_t warmup = 0;
  std::optional<Seconds> settle;
  std::optional<Seconds> idle;
  std::optional<Seconds> timeout;
  std::uint64_t seed = 0;
  Seconds interval{0.01};
  std::filesystem::path directory;  // ours when empty
  std::string window = "run";       // the part of each run that is compared (model/window.h)
};

/// The labels of the commands as levels of a factor: each once, numbered if two are the same.
std::vector<std::string> levels_of(const CommandPlan& plan);

/// The study that measures them. Its factors are `command`, unless there is one command with
/// parameters, and the parameters. The first factor is compared.
Study study_of(const CommandPlan& plan);

/// What each cell of the study runs, in the order of cells_of(): the values filled in, and a label.
std::vector<Command> commands_of_cells(const CommandPlan& plan);

/// The same as a study file: what a result keeps for the record.
std::string study_text_of(const CommandPlan& plan);

}  // namespace prengdl
