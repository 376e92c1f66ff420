// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/environment.h"

namespace prengdl {

/// What is varied, and its levels in the order in which the study names them.
struct Factor {
  std::string name;
  std::vector<std::string> levels;
};

/// One combination of levels, in the order of the study's factors.
using Cell = std::vector<std::string>;

/// Some factors and the level that each must have; an empty one fits every cell.
using CellPattern = std::map<std::string, std::string>;

/// What a machine must have for a study, a preset or a cell.
struct Requirements {
  std::optional<int> gpus;
  std::optional<std::uint64_t> gpu_memory_bytes;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<int> cpus;
  std::optional<std::uint64_t> disk_bytes;  // free, where the result is written
};

/// A run that fails is tried again this often; each try is stored.
struct Retry {
  int times = 0;
  bool after_timeout = false;
};

/// A program and its surroundings. Texts may hold {factor}, {preset}, {seed}, {block}, {run},
/// {result} (the result directory), {scratch} (a directory for this run alone), {data} (that of the
/// data sets) and {environment:NAME} (that of an environment of `setup`).
struct Workload {
  std::vector<std::string> command;
  EnvironmentChoice environment;
  std::string directory;  // relative to the study file; empty: where that is
  std::map<std::string, std::string> variables;
  std::vector<std::vector<std::string>> prepare;  // before each run, not measured
  std::vector<std::vector<std::string>> cleanup;  // after each run, also a failed one
  std::string standard_input;                     // a file; empty: nothing to read
  std::vector<std::string> outputs;               // files that a good run leaves behind
  std::optional<Seconds> timeout;
  Retry retry;
  Requirements requirements;
};

/// Where the pattern fits, the workload replaces what `keys` name: keys of [workload], as the study
/// file writes them. Of variables and requirements only those that are given are replaced.
struct Override {
  CellPattern where;
  Workload workload;
  std::set<std::string> keys;
};

enum class Order { adjacent, shuffled, as_written };
enum class Start { settled, warm };

/// Governor, turbo and clocks that are set for the study and given back after it.
struct MachineControl {
  std::optional<std::string> governor;
  std::optional<bool> turbo;
  std::optional<int> gpu_clock_mhz;
  std::optional<int> nice;
  std::vector<int> cpus;          // that the workload may use; empty: all
  std::vector<int> sampler_cpus;  // that prengdl itself uses; empty: any
  bool drop_caches = false;       // before each run
};

/// When a study may end before its planned runs (docs/explanation/stopping.md).
struct Stopping {
  enum class Rule { never, sequence };
  Rule rule = Rule::never;
  std::size_t at_least = 10;  // blocks
};

struct Protocol {
  Seconds interval{0.01};
  std::size_t warmup = 1;  // uncounted runs of each cell per start of `run`
  std::optional<Seconds> idle;
  std::optional<Seconds> settle_at_most;
  Start start = Start::settled;
  std::vector<std::string> warm_command;  // the control load of a warm start
  Order order = Order::adjacent;
  std::optional<Seconds> timeout;
  bool repeat_disturbed = false;
  std::size_t give_up_after = 3;  // failures of a cell in a row; then the cell is stopped
  std::size_t aa = 0;             // pairs of one command under two labels before the first block
  std::vector<std::string> aa_command;  // empty: the first cell's
  Stopping stopping;
  std::optional<Joules> budget_energy;
  std::optional<Seconds> budget_time;
  MachineControl control;
};

/// What is compared and by which figures (rules of concluding, docs/explanation/concluding.md).
struct AnalysisPlan {
  std::string compare;  // a factor
  std::vector<std::string> within;
  std::string primary = "metered";
  std::string without_meter;  // the primary measure where no energy is measured; empty: the same
  std::vector<std::string> secondary;
  std::string test = "log-t";  // or "rank"
  std::string window = "run";
  double margin = 0.05;
  double alpha = 0.05;
  std::string per;  // the unit of work that costs are divided by; empty: costs are per run
  std::vector<std::string> varies;  // kinds of work in which the compared levels may differ
  std::string over;   // the factor across which cases stand for cases like these; empty: none
  std::string score;  // the metric of the task's accuracy; empty: none is judged
  std::optional<bool> lower_score_is_better;  // nothing: as known of the metric
  std::optional<double> score_margin;         // a difference of scores that is negligible
  std::map<std::string, std::vector<std::string>> groups;
};

/// How the jobs of a study are submitted to Slurm. What is empty is left to the cluster.
struct SlurmSettings {
  std::string partition, account, qos, constraint, gres;
  std::optional<Seconds> time;        // limit of a job
  std::size_t jobs = 0;               // at once, one node each; 0: as many as there is room for
  std::size_t blocks_per_job = 0;     // 0: as many as `jobs` and `time` suggest
  std::vector<std::string> options;   // further ones of sbatch
  std::vector<std::string> modules;   // loaded on the node first
  std::vector<std::string> prologue;  // lines of shell on the node, after the modules
  std::string container;              // an image of Apptainer that prengdl runs in
  std::string stage;                  // a directory of the node that environments are copied to
  bool stage_data = false;            // the data sets too
  bool energy = false;                // store what the site's energy accounting says of each run
};

/// A study as it will be run: includes read, the preset applied.
struct Study {
  std::string name;
  std::size_t runs = 1;  // of each cell
  bool anyway = false;   // to be run although its design can show little or nothing
  std::uint64_t seed = 1;
  std::string preset;
  std::string imported;  // what its runs were imported as; empty: they are made by `run`
  std::vector<Factor> factors;
  std::vector<CellPattern> exclusions;
  Protocol protocol;
  Workload workload;
  std::vector<Override> overrides;  // later ones win
  AnalysisPlan analysis;
  Requirements requirements;
  SlurmSettings slurm;
  std::string directory;  // of the study file, absolute
};

/// Where energy is not measured, `without_meter` takes the place of a primary measure that is an
/// energy, which becomes a secondary one.
void go_without_meter(AnalysisPlan& analysis);

/// The place of a factor; nothing if the study has none of that name.
std::optional<std::size_t> factor_index(const Study& study, const std::string& name);

bool fits(const Study& study, const CellPattern& pattern, const Cell& cell);

/// All combinations that are not excluded, the last factor varying fastest.
std::vector<Cell> cells_of(const Study& study);

/// "framework=pytorch model=ncf": what a cell is called in messages.
std::string name_of(const Study& study, const Cell& cell);

}  // namespace prengdl
