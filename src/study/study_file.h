// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/study.h"

namespace prengdl {

/// Reads a study file (docs/reference/study-file.md) with its includes and applies the preset; ""
/// is none. Anything that is wrong is refused by a UsageError: up to ten mistakes, one a line, each
/// as FILE:LINE:COLUMN: what, with the nearest valid key, level or word. Every preset is checked,
/// also those that were not chosen.
/// With the names of the environments that `setup` can make, cells that ask for another are refused
/// too; without any they are not looked at, as where only a result is read.
Study load_study(const std::filesystem::path& file, const std::string& preset = "",
                 const std::vector<std::string>& environments = {});

/// The same for a text, as a result keeps it: `file` is only named in messages, and its directory
/// is the one that relative paths start from. Includes are read from there too.
Study read_study(const std::string& text, const std::filesystem::path& file,
                 const std::string& preset = "");

/// The [analysis] of a file, and the same as TOML text.
struct AnalysisSection {
  AnalysisPlan plan;
  std::string text;
};

/// Reads the [analysis] of a file, which may be a whole study file, for a result with these
/// factors. Nothing else in the file matters, except that its preset of that name applies if it has
/// one. Refuses what load_study would refuse, in the same way, and a file without [analysis].
AnalysisSection load_analysis(const std::filesystem::path& file, const std::vector<Factor>& factors,
                              const std::string& preset = "");

/// Lays `words`, each KEY=VALUE, over the [slurm] of a study. A key that takes a list gets one more
/// item. Refuses what load_study would refuse.
void set_slurm(const std::vector<std::string>& words, SlurmSettings& settings);

/// The study file for the record. With includes: one file that means the same, which can be loaded
/// again, and the files that it was made of as comments.
std::string study_text(const std::filesystem::path& file);

}  // namespace prengdl
