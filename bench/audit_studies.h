// SPDX-License-Identifier: Apache-2.0
#pragma once

// Studies with one planted threat, and clean ones, to see what `audit` finds and how often it cries
// wolf. tests/audit/power_test.cpp makes some dozens of each kind, bench/audit_power.cpp hundreds.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "audit/audit.h"

namespace bench {

enum class Threat {
  none,
  drift,           // size: rise of one cell from its first run to its last
  step,            // size: rise of one cell after half of its runs
  two_groups,      // size: every other run of one cell is so much higher
  first_run,       // size: the first run of every cell is so much higher
  first_run_one,   // size: the same in one cell
  outlier,         // size: one run of one cell is so much higher
  carry_over,      // size: a run after the heavier level is so much higher
  back_to_back,    // all runs of a cell in a row
  levels_in_turn,  // first all runs of one level, then all of the other
  warm_start,      // size: so many runs of a hundred start warm
  cold_first,      // no times on record; first runs start cold, the others warm
  work,            // size: one level does so much more work
  copies,          // size: so many runs are copies of another
  parts,           // epochs of one process as runs
  no_stamps,       // size: intervals of runs scatter by this, none was recorded
  gaps,            // size: share of the time in gaps
  other_energy,    // size: stored joules are so much more than their samples give
  memory,          // size: in use over what the card has
  power,           // size: drawn over the card's limit
  machines,        // each level on a machine of its own
  versions,        // levels have another version of a library that computes
  no_facts,        // no machine, no versions, no exit codes
  few_runs,        // size: runs of each cell
  disturbed,       // size: so many runs of a hundred are flagged
  modelled,        // joules are modelled
  failures,        // size: so many runs of a hundred of one level fail
  stuck,           // size: so many runs of a hundred repeat the package joules of their cell
  constant_power,  // package joules are seconds times 65 W
  package_watts,   // size: the mean power of the package
  score,           // size: one level's accuracy is lower by this share
  hours,           // size: so many runs of a hundred are made in their level's part of the day
  fixed_order,     // one level directly before the other in every block
  coarse_step,     // size: the package's step as a share of a run's energy, about
  trimmed,         // size: this share of the runs of each cell, the slowest, was deleted
  deleted,         // the same, and the blocks show the gaps
  dependent,       // size: correlation of each cell's noise with that of the block before
  dependent_runs,  // size: the same from run to run; the runs have no blocks
  node,            // size: one node draws so much more power than the others
  two_modes,       // size: half of the runs of every cell, drawn at random, are so much higher
};

enum class Noise { normal, skewed, heavy };

struct Shape {
  std::size_t cases = 6;
  std::size_t runs = 10;
  double spread = 0.02;  // of a run's log, about
  Noise noise = Noise::normal;
  Threat threat = Threat::none;
  double size = 0;
  std::size_t nodes = 1;      // that the blocks are spread over
  double node_spread = 0.02;  // between nodes, of the log of energy
};

constexpr std::uint64_t card_bytes = 8ull << 30;
constexpr double card_watts = 250;
constexpr double usual_joules = 3500;  // of package and GPU in one run, about

/// The samples of the GPU in a run: watts, degrees and bytes at these times.
struct GpuSeries {
  std::vector<std::int64_t> at_ns;
  std::vector<double> watts, celsius, bytes;
};

/// A study and the samples that its input gives on demand.
struct SyntheticStudy {
  prengdl::AuditInput input;
  std::shared_ptr<std::map<std::string, GpuSeries>> samples;
};

class StudyMaker {
 public:
  StudyMaker(const Shape& shape, std::uint64_t seed) : shape_(shape), random_(seed) {}

  SyntheticStudy make() {
    describe();
    make_nodes();
    for (const auto& [cell, block] : order()) add_run(cell, block);
    finish();
    auto samples = samples_;
    made_.input.samples = [samples](const prengdl::StoredRun& run,
                                    const prengdl::TakeReading& take) {
      const auto& series = samples->at(run.id);
      const auto reading = [&](std::size_t i, double value) {
        prengdl::Reading one;
        one.at_ns = series.at_ns[i];
        one.raw = static_cast<std::uint64_t>(std::llround(value));
        return one;
      };
      for (std::size_t i = 0; i < series.at_ns.size(); ++i) {
        take(0, reading(i, series.watts[i] * 1e3));
        take(1, reading(i, series.celsius[i]));
        take(2, reading(i, series.bytes[i]));
      }
    };
    made_.samples = samples_;
    return std::move(made_);
  }

 private:
  using Cell = prengdl::Cell;

  bool has(Threat threat) const { return shape_.threat == threat; }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double normal() { return std::normal_distribution<double>()(random_); }
  bool happens(double percent) { return uniform() * 100 < percent; }

  /// An error of a run's log: sd `spread`, about.
  double error() {
    switch (shape_.noise) {
      case Noise::normal:
        return shape_.spread * normal();
      case Noise::skewed:
        return shape_.spread * std::exponential_distribution<double>()(random_);
      case Noise::heavy:
        return shape_.spread * std::student_t_distribution<double>(4)(random_) / std::sqrt(2.0);
    }
    return 0;
  }

  void describe() {
    auto& study = made_.input.study;
    study.name = "synthetic";
    study.runs = shape_.runs;
    prengdl::Factor model{"model", {}};
    for (std::size_t i = 0; i < shape_.cases; ++i) model.levels.push_back(fmt::format("m{}", i));
    study.factors = {model, {"framework", {"light", "heavy"}}};
    study.analysis.compare = "framework";
    study.analysis.within = {"model"};
    made_.input.gpu_memory_bytes = card_bytes;
    made_.input.gpu_power_limit = prengdl::Watts{card_watts};
    made_.input.environment_of = [](const Cell& cell) { return cell[1]; };
    planted_ = {fmt::format("m{}", random_() % shape_.cases), random_() % 2 ? "heavy" : "light"};
  }

  std::size_t node(std::size_t block) const { return block % shape_.nodes; }

  /// Time and power differ between nodes alike. A single node has no effect.
  void make_nodes() {
    node_seconds_.assign(shape_.nodes, 0);
    node_watts_.assign(shape_.nodes, 0);
    if (shape_.nodes == 1) return;
    for (auto* effects : {&node_seconds_, &node_watts_})
      for (double& effect : *effects) effect = shape_.node_spread / std::sqrt(2.0) * normal();
    if (has(Threat::node)) node_watts_[1] += std::log1p(shape_.size);
  }

  /// Blocks with the two levels of a unit next to each other, in random order.
  std::vector<std::pair<Cell, std::size_t>> order() {
    std::vector<std::pair<Cell, std::size_t>> all;
    const std::size_t runs =
        has(Threat::few_runs) ? static_cast<std::size_t>(shape_.size) : shape_.runs;
    std::vector<std::string> models = made_.input.study.factors[0].levels;
    for (std::size_t block = 0; block < runs + deleted_runs(); ++block) {
      std::shuffle(models.begin(), models.end(), random_);
      for (const auto& model : models) {
        const bool heavy_first = random_() % 2 || has(Threat::fixed_order);
        all.push_back({{model, heavy_first ? "heavy" : "light"}, block});
        all.push_back({{model, heavy_first ? "light" : "heavy"}, block});
      }
    }
    if (has(Threat::back_to_back) || has(Threat::cold_first) || has(Threat::parts))
      std::stable_sort(all.begin(), all.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    if (has(Threat::levels_in_turn))
      std::stable_sort(all.begin(), all.end(),
                       [](const auto& a, const auto& b) { return a.first[1] < b.first[1]; });
    return all;
  }

  /// Of each cell, besides those that are kept.
  std::size_t deleted_runs() const {
    if (!has(Threat::trimmed) && !has(Threat::deleted)) return 0;
    const auto kept = static_cast<double>(shape_.runs);
    return static_cast<std::size_t>(std::lround(kept * shape_.size / (1 - shape_.size)));
  }

  /// Noise of a run's log time, which may remember that of the run before: of its cell, or of all.
  double noise(const Cell& cell) {
    const bool remembers = has(Threat::dependent) || has(Threat::dependent_runs);
    const double fresh = error();
    if (!remembers) return fresh;
    const auto [last, is_first] = noise_.try_emplace(has(Threat::dependent) ? cell : Cell{}, fresh);
    if (!is_first)
      last->second = shape_.size * last->second + std::sqrt(1 - shape_.size * shape_.size) * fresh;
    return last->second;
  }

  /// Each level has its own eight hours of the day, and a block its own day.
  void set_hour(const Cell& cell, std::size_t block) {
    const bool at_night = (cell[1] == "heavy") == happens(shape_.size);
    const double hour = (at_night ? 21 : 9) + 8 * uniform();
    clock_ns_ = std::llround((24 * static_cast<double>(block + 1) + hour) * 3600e9);
  }

  /// What the threat adds to the log of this run's time.
  double planted(const Cell& cell, std::size_t block) {
    const double full = std::log1p(shape_.size);
    const auto last = static_cast<double>(shape_.runs - 1);
    const bool here = cell == planted_;
    if (has(Threat::drift) && here) return full * static_cast<double>(block) / last;
    if (has(Threat::step) && here) return 2 * block >= shape_.runs ? full : 0;
    if (has(Threat::two_groups) && here) return block % 2 ? full : 0;
    if (has(Threat::first_run)) return block == 0 ? full : 0;
    if (has(Threat::first_run_one) && here) return block == 0 ? full : 0;
    if (has(Threat::outlier) && here) return block == shape_.runs / 2 ? full : 0;
    if (has(Threat::two_modes)) return random_() % 2 ? full : 0;
    if (has(Threat::carry_over)) return previous_ == "heavy" ? full : 0;
    return 0;
  }

  std::string wall_clock() const {
    const auto seconds = clock_ns_ / 1'000'000'000;
    return fmt::format("2026-01-{:02}T{:02}:{:02}:{:02}Z", 1 + seconds / 86400, seconds / 3600 % 24,
                       seconds / 60 % 60, seconds % 60);
  }

  void add_run(const Cell& cell, std::size_t block) {
    prengdl::StoredRun stored;
    stored.id = fmt::format("r{:05}", made_.input.runs.size());
    stored.cell = cell;
    stored.block = has(Threat::cold_first) ? 0 : block;
    stored.place = made_.input.runs.size();
    stored.machine = has(Threat::machines) ? cell[1] : fmt::format("m-{}", 1 + node(block));
    prengdl::Run& run = stored.run;
    run.exit_code = 0;
    if (has(Threat::hours)) set_hour(cell, block);
    run.begin_ns = clock_ns_;
    if (!has(Threat::cold_first)) run.started_at = wall_clock();
    const double base = 10 + 3 * static_cast<double>(cell[0].back() - '0');
    const double seconds =
        base * std::exp(noise(cell) + planted(cell, block) + node_seconds_[node(block)]);
    run.wall = run.window = prengdl::Seconds{seconds};
    const double watts =
        (cell[1] == "heavy" ? 180 : 120) * std::exp(error() / 2 + node_watts_[node(block)]);
    const GpuSeries& series = (*samples_)[stored.id] =
        sample(stored, watts, block == 0 && has(Threat::cold_first));
    set_energy(stored, series, watts);
    run.samples = series.at_ns.size() * 3;
    double work = 10'000;
    if (has(Threat::work) && cell[1] == "heavy") work *= 1 + shape_.size;
    run.work = {{"samples", std::round(work)}};
    const double reached = has(Threat::score) && cell[1] == "light" ? 1 - shape_.size : 1;
    run.metrics = {{"accuracy", 0.92 * reached + 0.003 * normal(), run.begin_ns, std::nullopt}};
    if (has(Threat::disturbed) && happens(shape_.size)) run.flags.insert(prengdl::Flag::disturbed);
    if (has(Threat::failures) && cell[1] == "heavy" && happens(shape_.size)) {
      stored.outcome = prengdl::Outcome::failed;
      run.exit_code = 1;
    }
    clock_ns_ += static_cast<std::int64_t>(seconds * 1e9);
    clock_ns_ += has(Threat::parts)
                     ? 0
                     : 20'000'000'000 + static_cast<std::int64_t>(random_() % 1'000'000'000);
    previous_ = cell[1];
    made_.input.runs.push_back(std::move(stored));
  }

  GpuSeries sample(prengdl::StoredRun& stored, double watts, bool starts_cold) {
    prengdl::MeterInfo power;
    power.id = "nvml/0/power";
    power.name = "A Card (GPU 0)";
    power.domain = "gpu";
    power.kind = prengdl::Kind::gauge;
    power.quality = prengdl::Quality::sensor;
    power.unit = prengdl::Unit::watt;
    power.step = 1e-3;
    if (has(Threat::no_facts)) power.name = power.id;
    prengdl::MeterInfo heat = power;
    heat.id = "nvml/0/temperature";
    heat.domain = "gpu_temperature";
    heat.unit = prengdl::Unit::celsius;
    heat.step = 1;
    heat.counted = prengdl::Counted::channel;
    prengdl::MeterInfo memory = heat;
    memory.id = "nvml/0/memory";
    memory.domain = "gpu_memory_used";
    memory.unit = prengdl::Unit::byte;
    stored.meters = {power, heat, memory};

    const bool warm =
        has(Threat::cold_first) ? !starts_cold : has(Threat::warm_start) && happens(shape_.size);
    const double seconds = stored.run.window.count();
    double interval = 1;
    if (has(Threat::no_stamps)) {
      // Spread evenly over the run: computed times, another interval in each run.
      const double wanted = 1 + shape_.size * (2 * uniform() - 1);
      interval = seconds / std::max(12.0, std::round(seconds / wanted));
    }
    GpuSeries series;
    double at = 0;
    for (;;) {
      const bool first = series.at_ns.empty();
      series.at_ns.push_back(stored.run.begin_ns + std::llround(at * 1e9));
      series.watts.push_back((first ? (warm ? 35 : 20) : watts) +
                             (has(Threat::no_stamps) ? 0.1 : 0.3) * normal());
      series.celsius.push_back(std::round((first ? (warm ? 42 : 33) : 60) + normal()));
      series.bytes.push_back(0.6 * static_cast<double>(card_bytes));
      if (at >= seconds) break;
      double step = interval;
      if (!has(Threat::no_stamps)) step += 0.004 * normal();
      if (has(Threat::gaps) && uniform() < shape_.size / 3) step *= 3;
      at = has(Threat::no_stamps) ? at + step : std::min(at + std::abs(step), seconds);
      if (has(Threat::no_stamps) && at > seconds - interval / 2) at = seconds;
    }
    if (has(Threat::memory)) series.bytes.back() = shape_.size * static_cast<double>(card_bytes);
    if (has(Threat::power) && stored.cell[1] == "heavy")
      for (std::size_t i = 1; i < series.watts.size(); ++i)
        series.watts[i] = shape_.size * card_watts;
    return series;
  }

  void set_energy(prengdl::StoredRun& stored, const GpuSeries& series, double watts) {
    double joules = 0;
    for (std::size_t i = 1; i < series.at_ns.size(); ++i)
      joules += (series.watts[i] + series.watts[i - 1]) / 2 *
                static_cast<double>(series.at_ns[i] - series.at_ns[i - 1]) * 1e-9;
    if (has(Threat::other_energy)) joules *= 1 + shape_.size;
    using prengdl::Joules;
    const auto quality = has(Threat::modelled) ? prengdl::Quality::model : prengdl::Quality::sensor;
    auto& energy = stored.run.energy;
    energy.domains["gpu"] = {Joules{joules}, Joules{joules * 1e-4}, quality};
    const double node = std::exp(node_watts_[this->node(stored.block)]);
    energy.domains["package"] = {Joules{package_joules(stored, 40 * node + watts / 10)},
                                 Joules{0.1},
                                 has(Threat::modelled) ? quality : prengdl::Quality::chip};
    energy.covers = {"package", "gpu"};
    energy.metered = {energy.domains["gpu"].value + energy.domains["package"].value, Joules{0.2},
                      quality};
  }

  double package_joules(const prengdl::StoredRun& stored, double watts) {
    const double seconds = stored.run.window.count();
    if (has(Threat::constant_power)) return 65 * seconds;
    if (has(Threat::package_watts)) return shape_.size * watts / 50 * seconds;
    if (has(Threat::coarse_step)) {
      const double step = shape_.size * usual_joules;
      return step * std::round(watts * seconds / step);
    }
    double& last = package_joules_[stored.cell];
    if (has(Threat::stuck) && last > 0 && happens(shape_.size)) return last;
    return last = watts * seconds;
  }

  /// Deletes the slowest runs of each cell. Unless the gaps are to be seen, blocks are numbered
  /// anew.
  void trim() {
    std::map<Cell, std::vector<double>> seconds;
    for (const auto& run : made_.input.runs) seconds[run.cell].push_back(run.run.wall.count());
    for (auto& [cell, values] : seconds) std::sort(values.begin(), values.end());
    std::erase_if(made_.input.runs, [&](const prengdl::StoredRun& run) {
      return run.run.wall.count() > seconds[run.cell][shape_.runs - 1];
    });
    std::map<Cell, std::size_t> next;
    if (has(Threat::trimmed))
      for (auto& run : made_.input.runs) run.block = next[run.cell]++;
  }

  void finish() {
    auto& input = made_.input;
    if (deleted_runs() > 0) trim();
    if (has(Threat::dependent_runs)) input.is_paired = false;
    if (has(Threat::copies))
      for (std::size_t i = 0; i < static_cast<std::size_t>(shape_.size); ++i) {
        auto& copy = input.runs[2 * i + 1];
        const auto& original = input.runs[input.runs.size() - 1 - i];
        copy.run.wall = original.run.wall;
        copy.run.energy = original.run.energy;
      }
    if (has(Threat::cold_first)) input.is_paired = false;
    if (has(Threat::no_facts)) {
      for (auto& run : input.runs) run.run.exit_code.reset();
      return;
    }
    prengdl::MachineRecord machine;
    machine.facts.cpu.model_name = "A Processor";
    for (const auto* name : {"m-1", "heavy", "light"}) {
      machine.fingerprint = name;
      input.machines.push_back(machine);
    }
    for (std::size_t i = 2; i <= shape_.nodes; ++i) {
      machine.fingerprint = fmt::format("m-{}", i);
      input.machines.push_back(machine);
    }
    input.locks = {{"light", "light==1.0\nnumpy==1.26.4\n"},
                   {"heavy", has(Threat::versions) ? "heavy==2.0\nnumpy==2.1.0\n"
                                                   : "heavy==2.0\nnumpy==1.26.4\n"}};
  }

  Shape shape_;
  std::mt19937_64 random_;
  SyntheticStudy made_;
  std::shared_ptr<std::map<std::string, GpuSeries>> samples_ =
      std::make_shared<std::map<std::string, GpuSeries>>();
  Cell planted_;
  std::string previous_;
  std::map<Cell, double> noise_, package_joules_;
  std::vector<double> node_seconds_, node_watts_;
  std::int64_t clock_ns_ = 3'600'000'000'000;
};

/// In how many of the studies each check says warning or worse.
inline std::map<std::string, std::size_t> alarms(const Shape& shape, std::size_t studies,
                                                 std::uint64_t seed) {
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < studies; ++i) {
    const auto study = StudyMaker(shape, seed * 1'000'003 + i).make();
    std::map<std::string, bool> said;
    for (const auto& finding : prengdl::audit(study.input)) {
      counts.try_emplace(finding.check, 0);
      if (finding.severity >= prengdl::AuditSeverity::warning) said[finding.check] = true;
    }
    for (const auto& [check, is_said] : said) ++counts[check];
    ++counts["any"];
    if (said.empty()) --counts["any"];
  }
  return counts;
}

/// A planted threat and the check that is to find it.
struct Planted {
  const char* what;
  const char* check;
  Threat threat;
  double size = 0;
  const char* shown;         // the size for people
  bool is_promised = false;  // found in at least 80 % of the studies
  std::size_t nodes = 1;     // of the study

  Shape shape() const {
    Shape shape;
    shape.threat = threat;
    shape.size = size;
    shape.nodes = nodes;
    return shape;
  }
};

inline const std::vector<Planted>& planted_threats() {
  static const std::vector<Planted> all{
      {"one cell of 12 rises over its ten runs", "drift", Threat::drift, 0.05, "5 %"},
      {"", "drift", Threat::drift, 0.10, "10 %"},
      {"", "drift", Threat::drift, 0.20, "20 %"},
      {"one cell steps up after half of its runs", "stationary", Threat::step, 0.05, "5 %"},
      {"", "stationary", Threat::step, 0.10, "10 %"},
      {"", "stationary", Threat::step, 0.20, "20 %"},
      {"one cell alternates between two levels", "stationary", Threat::two_groups, 0.10, "10 %"},
      {"", "stationary", Threat::two_groups, 0.20, "20 %"},
      {"", "stationary", Threat::two_groups, 0.50, "50 %"},
      {"the first run of every cell is higher", "first-run", Threat::first_run, 0.02, "2 %"},
      {"", "first-run", Threat::first_run, 0.05, "5 %"},
      {"the first run of one cell is higher", "first-run", Threat::first_run_one, 0.10, "10 %"},
      {"", "first-run", Threat::first_run_one, 0.20, "20 %"},
      {"", "first-run", Threat::first_run_one, 0.50, "50 %"},
      {"one run of one cell is higher", "outliers", Threat::outlier, 0.20, "20 %"},
      {"", "outliers", Threat::outlier, 0.50, "50 %"},
      {"", "outliers", Threat::outlier, 1.0, "100 %"},
      {"runs after the heavier level are higher", "carry-over", Threat::carry_over, 0.01, "1 %"},
      {"", "carry-over", Threat::carry_over, 0.02, "2 %"},
      {"", "carry-over", Threat::carry_over, 0.05, "5 %"},
      {"all runs of a cell in a row", "back-to-back", Threat::back_to_back, 0, ""},
      {"the same without times on record", "back-to-back", Threat::cold_first, 0, "35 W, not 20"},
      {"one level wholly before the other", "confounded-time", Threat::levels_in_turn, 0, ""},
      {"runs start warm", "settled", Threat::warm_start, 5, "5 of 100"},
      {"", "settled", Threat::warm_start, 20, "20 of 100"},
      {"", "settled", Threat::warm_start, 90, "90 of 100"},
      {"one level does more work", "unequal-work", Threat::work, 0.001, "0.1 %"},
      {"", "unequal-work", Threat::work, 0.05, "5 %"},
      {"runs are copies of others", "pseudo-replication", Threat::copies, 1, "1 run"},
      {"epochs of a process counted as runs", "pseudo-replication", Threat::parts, 0, ""},
      {"no time stamps, intervals differ by run", "sampling", Threat::no_stamps, 0.01, "1 %"},
      {"gaps in a gauge's samples", "sampling", Threat::gaps, 0.05, "5 % of time"},
      {"stored joules differ from their samples", "energy-power-time", Threat::other_energy, 0.005,
       "0.5 %"},
      {"", "energy-power-time", Threat::other_energy, 0.02, "2 %"},
      {"memory in use beyond the card's", "hardware", Threat::memory, 1.1, "1.1 x"},
      {"power beyond the card's limit", "hardware", Threat::power, 1.05, "1.05 x"},
      {"each level on its own machine", "confounded-machine", Threat::machines, 0, ""},
      {"levels with different versions of numpy", "confounded-version", Threat::versions, 0, ""},
      {"no machine, no versions, no exit codes", "missing-facts", Threat::no_facts, 0, ""},
      {"few runs", "too-few-runs", Threat::few_runs, 4, "4 of each"},
      {"runs are flagged disturbed", "disturbed", Threat::disturbed, 20, "20 of 100"},
      {"joules are modelled", "modelled-energy", Threat::modelled, 0, ""},
      {"runs of one level fail", "failures", Threat::failures, 10, "10 of 100"},
      {"", "failures", Threat::failures, 20, "20 of 100"},
      {"the package's meter repeats itself", "stuck-meter", Threat::stuck, 2, "2 of 100 runs"},
      {"", "stuck-meter", Threat::stuck, 10, "10 of 100 runs", true},
      {"package joules are seconds times a constant", "constant-power", Threat::constant_power, 0,
       "65 W", true},
      {"implausible power of the package", "implausible-power", Threat::package_watts, 0.1, "0.1 W",
       true},
      {"", "implausible-power", Threat::package_watts, 5000, "5 kW", true},
      {"one level reaches a lower accuracy than 0.92", "unequal-score", Threat::score, 0.01,
       "0.911"},
      {"", "unequal-score", Threat::score, 0.02, "0.902", true},
      {"", "unequal-score", Threat::score, 0.89, "0.101", true},
      {"one level mostly by day, one by night", "time-of-day", Threat::hours, 60, "60 of 100 runs"},
      {"", "time-of-day", Threat::hours, 80, "80 of 100 runs", true},
      {"", "time-of-day", Threat::hours, 100, "all runs", true},
      {"one level always directly before the other", "fixed-order", Threat::fixed_order, 0, "",
       true},
      {"the package's meter moves in coarse steps", "coarse-step", Threat::coarse_step, 0.002,
       "0.2 % of a run"},
      {"", "coarse-step", Threat::coarse_step, 0.02, "2 % of a run", true},
      {"the slowest runs of each cell were deleted", "trimmed", Threat::trimmed, 0.2, "20 %"},
      {"", "trimmed", Threat::trimmed, 0.3, "30 %"},
      {"", "trimmed", Threat::trimmed, 0.4, "40 %", true},
      {"the same, with gaps in the blocks", "trimmed", Threat::deleted, 0.1, "10 %", true},
      {"differences between levels depend on the block before", "autocorrelation",
       Threat::dependent, 0.5, "correlation 0.5"},
      {"", "autocorrelation", Threat::dependent, 0.8, "correlation 0.8", true},
      {"runs without blocks depend on the run before", "autocorrelation", Threat::dependent_runs,
       0.3, "correlation 0.3"},
      {"", "autocorrelation", Threat::dependent_runs, 0.5, "correlation 0.5", true},
      {"all cells have two modes", "two-modes", Threat::two_modes, 0.05, "5 % apart"},
      {"", "two-modes", Threat::two_modes, 0.10, "10 % apart", true},
      {"one of 3 nodes draws more", "deviating-node", Threat::node, 0.15, "15 %", true, 3},
      {"one of 5 nodes draws more", "deviating-node", Threat::node, 0.05, "5 %", false, 5},
      {"", "deviating-node", Threat::node, 0.10, "10 %", false, 5},
      {"", "deviating-node", Threat::node, 0.15, "15 %", true, 5},
  };
  return all;
}

}  // namespace bench
