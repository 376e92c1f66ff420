// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"

namespace prengdl {

/// A reading of the meter at this place in the run's list of meters.
struct ImportedSample {
  std::uint16_t meter{};
  Reading reading;
};

/// A run that was made elsewhere. Its cell, place and id are given when all runs are known.
struct ImportedRun {
  std::map<std::string, std::string> levels;  // by factor
  std::int64_t number = 0;                    // as the files count the runs of a cell
  std::string file;                           // where it comes from, as users know it
  StoredRun stored;
  std::vector<ImportedSample> samples;  // in the order of time
};

/// A cProfile dump and the cell that it is of.
struct ImportedProfile {
  std::filesystem::path file;
  std::map<std::string, std::string> levels;
};

struct FileLeftOut {
  std::string file;
  std::string why;
};

/// What the files of one import hold.
struct Imported {
  std::string name;                  // of the study
  std::vector<std::string> factors;  // in the order that tables show
  std::vector<ImportedRun> runs;
  std::vector<ImportedProfile> profiles;
  std::vector<MachineRecord> machines;
  std::map<std::string, std::vector<std::string>> groups;  // of levels, for the analysis
  std::vector<FileLeftOut> left_out;
  std::vector<std::string> notes;    // sentences for people
  std::size_t blocks = 0;            // 0: nobody knows which runs belong together
  bool is_in_order_of_time = false;  // the runs stand in the order in which they were made
};

/// What the user asked for besides the files.
struct ImportOptions {
  bool as_published = false;
  std::vector<std::string> map;     // KEY=COLUMN, for csv
  std::string names;                // pattern of file names: "{model}_{framework}_{run}.txt"
  std::string compare;              // the factor that is compared; empty: framework, or the first
  std::optional<Seconds> interval;  // between lines without time stamps
  std::optional<Quality> quality;   // of joules that say nothing about themselves
  bool has_own_analysis = false;    // the caller adds [analysis] to the study file
};

/// What a result says of an import: the study file that describes it (with `imported`, which keeps
/// it from being run), factors with their levels in alphabetical order, numbers by
/// size, and the blocks if the files name them. Gives each run its cell, place and id.
StudyRecord study_of(Imported& imported, const std::string& kind, const ImportOptions& options);

/// Writes all of it as a new result directory: it is there in whole, or not at all. Throws a
/// UsageError when something of that name exists.
void keep_imported(const Imported& imported, const StudyRecord& study,
                   const std::filesystem::path& result);

}  // namespace prengdl
