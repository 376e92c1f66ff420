// SPDX-License-Identifier: Apache-2.0
//
// The published data of "Sustainable AI: evaluating the energy efficiency of PyTorch and
// TensorFlow" (ITU 2023): experiments/DEVICE/FRAMEWORK/
// runN-DEVICE-epochE-batchsizeB-FRAMEWORK-DATASET-MODEL-ENERGY.csv (nvidia-smi, once a second) and
// ..._MODEL.csv (a line at the end of each epoch).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/clock.h"
#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"
#include "import/kinds.h"
#include "import/nvidia_smi.h"
#include "import/run_totals.h"

namespace prengdl {
namespace {

constexpr std::size_t most_epochs = 100'000;
constexpr std::array<std::string_view, 4> metric_names{"precision", "recall", "accuracy", "f1"};

/// A line of a MODEL file.
struct Epoch {
  std::int64_t number = 0;  // from 1
  std::int64_t end_ns = 0;
  std::array<double, metric_names.size()> metrics{};
};

/// "batchsize128" after "batchsize": 128.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  return parse_integer(text.substr(word.size()));
}

/// As the study does it: half away from zero, at the third decimal.
double rounded(double value) { return std::round(value * 1000) / 1000; }

std::vector<Epoch> parse_epochs(const ForeignText& source, std::vector<std::string>& warnings) {
  constexpr std::string_view names = "epoch;precision;recall;accuracy;f1;timestamp";
  std::vector<Epoch> epochs;
  ForeignLines lines(source);
  bool has_names = false;
  while (lines.next()) {
    const auto line = trimmed(lines.line());
    if (line.empty()) continue;
    if (line == names) {
      // The script appends to this file, and starts the other one again: only the last run counts.
      if (has_names)
        warnings.push_back(
            fmt::format("{}: the run was repeated; the epochs before line {} are of "
                        "an earlier one",
                        source.name, lines.number()));
      has_names = true;
      epochs.clear();
      continue;
    }
    if (!has_names)
      throw lines.error(line, "the first line does not name the columns",
                        fmt::format("it should be {}", names));
    const auto fields = split(line, ';');
    if (fields.size() != metric_names.size() + 2)
      throw lines.error(line, fmt::format("{} fields, but the first line names {}", fields.size(),
                                          metric_names.size() + 2));
    Epoch& epoch = epochs.emplace_back();
    const auto number = parse_integer(fields[0]);
    if (!number || *number < 0 || *number > static_cast<std::int64_t>(most_epochs))
      throw lines.error(fields[0], "this is not the number of an epoch");
    epoch.number = *number + 1;
    for (std::size_t i = 0; i < metric_names.size(); ++i) {
      const auto value = parse_number(fields[i + 1]);
      if (!value)
        throw lines.error(fields[i + 1], fmt::format("{} is not a number", metric_names[i]));
      epoch.metrics[i] = *value;
    }
    const auto stamp = parse_stamp(fields.back());
    if (!stamp)
      throw lines.error(fields.back(), "this is not a time stamp", "as in 2023-05-08 01:48:34");
    epoch.end_ns = *stamp;
    if (epochs.size() > 1 && epoch.end_ns < epochs[epochs.size() - 2].end_ns)
      throw lines.error(fields.back(), "time goes backwards");
    if (epochs.size() > most_epochs) throw lines.error(line, "there are too many epochs");
  }
  if (epochs.empty())
    throw foreign_error(source.name, std::max<std::size_t>(lines.number(), 1), 1,
                        "there is no epoch in it");
  return epochs;
}

struct Itu23Files {
  const ForeignFile* energy = nullptr;
  const ForeignFile* model = nullptr;
  std::map<std::string, std::string> levels;
  std::int64_t number = 0;
};

class Itu23 {
 public:
  Itu23(const std::filesystem::path& root, const ImportOptions& options)
      : options_(options), files_(foreign_files({root})) {}

  Imported read() {
    imported_.name = "itu23";
    imported_.factors = {"framework", "dataset", "model", "batch_size"};
    for (const auto& file : files_)
      if (const auto why = sort_in(file); !why.empty())
        imported_.left_out.push_back({file.relative, why});
    for (const auto& [stem, files] : runs_) {
      if (!files.energy)
        imported_.left_out.push_back(
            {files.model->relative, "there is no ENERGY file of this run"});
      else if (!files.model)
        imported_.left_out.push_back(
            {files.energy->relative, "there is no MODEL file of this run: it failed"});
      else
        read_run(files);
    }
    std::stable_sort(imported_.runs.begin(), imported_.runs.end(),
                     [](const ImportedRun& a, const ImportedRun& b) {
                       return a.stored.run.begin_ns < b.stored.run.begin_ns;
                     });
    imported_.is_in_order_of_time = true;
    if (options_.as_published)
      imported_.notes.emplace_back(
          "as published: the joules of an epoch are the mean of its watts times its seconds, and "
          "precision, recall and f1 are rounded to three decimals");
    return std::move(imported_);
  }

 private:
  /// Why the file is left out; empty where it is not.
  std::string sort_in(const ForeignFile& file) {
    const auto name = file.path.filename().string();
    std::string_view stem = name;
    const bool is_energy = stem.ends_with("-ENERGY.csv") || stem.ends_with("_ENERGY.csv");
    const bool is_model = stem.ends_with("_MODEL.csv") || stem.ends_with("-MODEL.csv");
    if (!is_energy && !is_model) return "it is neither -ENERGY.csv nor _MODEL.csv";
    stem.remove_suffix(is_energy ? std::string_view("-ENERGY.csv").size()
                                 : std::string_view("_MODEL.csv").size());
    const auto parts = split(stem, '-');
    const auto number = parts.empty() ? std::nullopt : number_after(parts[0], "run");
    const auto batch = parts.size() > 3 ? number_after(parts[3], "batchsize") : std::nullopt;
    if (parts.size() != 7 || !number || !batch || *batch <= 0 || !number_after(parts[2], "epoch") ||
        parts[4].empty() || parts[5].empty() || parts[6].empty())
      return "its name is not runN-DEVICE-epochE-batchsizeB-FRAMEWORK-DATASET-MODEL";
    if (parts[1] != "gpu") return "it is not of a GPU, and only GPUs were metered";
    Itu23Files& files = runs_[std::string(stem)];
    files.number = *number;
    files.levels = {{"framework", printable(parts[4])},
                    {"dataset", printable(parts[5])},
                    {"model", printable(parts[6])},
                    {"batch_size", std::to_string(*batch)}};
    const ForeignFile*& place = is_energy ? files.energy : files.model;
    if (place) return fmt::format("{} is of the same run", place->relative);
    place = &file;
    return "";
  }

  void read_run(const Itu23Files& files) {
    ImportedRun run;
    run.levels = files.levels;
    run.number = files.number;
    run.file = files.energy->relative;
    const ForeignText text = read_foreign(files.energy->path);
    SmiLog log = parse_nvidia_smi(text);
    if (!log.has_stamps)
      throw foreign_error(text.name, 1, 1, "its lines have no time stamps",
                          "this study's files have them in the first column");
    const auto powers = std::count_if(log.columns.begin(), log.columns.end(), [](const auto& one) {
      return one.meter.counted != Counted::channel;
    });
    if (powers != 1)
      throw foreign_error(text.name, 1, 1, fmt::format("it is of {} GPUs, not of one", powers));
    const std::int64_t begin = log.columns.front().readings.front().at_ns;
    add_smi_log(run, std::move(log));
    Run& into = run.stored.run;
    const auto epochs = parse_epochs(read_foreign(files.model->path), into.warnings);
    if (epochs.front().end_ns <= begin)
      throw Error(fmt::format("{}: its first epoch ends before {} begins",
                              files.model->path.string(), text.name),
                  "do both files belong to the same run?");
    // The study counts a run from the first line of nvidia-smi to the end of its last epoch.
    into.begin_ns = begin;
    into.started_at = stamp_text(begin);
    into.wall = into.window = seconds_between(begin, epochs.back().end_ns);
    std::vector<Span> spans;
    std::int64_t from = begin;
    for (const auto& epoch : epochs) {
      spans.push_back({"epoch", std::to_string(epoch.number), from, epoch.end_ns});
      from = epoch.end_ns;
      for (std::size_t i = 0; i < metric_names.size(); ++i) {
        const bool is_rounded = options_.as_published && metric_names[i] != "accuracy";
        into.metrics.push_back({std::string(metric_names[i]),
                                is_rounded ? rounded(epoch.metrics[i]) : epoch.metrics[i],
                                epoch.end_ns, epoch.number});
      }
    }
    fill_figures(run, {}, spans);
    if (options_.as_published) state_as_published(run);
    imported_.runs.push_back(std::move(run));
  }

  /// Joules of an epoch as the study computes them: unweighted mean power times seconds; of a run
  /// their sum.
  static void state_as_published(ImportedRun& run) {
    const auto& meters = run.stored.meters;
    const auto gpu = static_cast<std::size_t>(
        std::find_if(meters.begin(), meters.end(),
                     [](const MeterInfo& meter) { return meter.counted != Counted::channel; }) -
        meters.begin());
    std::vector<std::optional<Energy>> whole(meters.size());
    whole[gpu] = Energy{{}, {}, Quality::sensor};
    for (auto& span : run.stored.run.spans) {
      std::vector<std::optional<Energy>> energies(meters.size());
      const auto power =
          std::find_if(span.channels.begin(), span.channels.end(),
                       [](const ChannelMean& one) { return one.name == "gpu_power"; });
      if (power != span.channels.end()) {
        const auto computed = span.energy.domains.find("gpu");
        const Joules uncertainty =
            computed == span.energy.domains.end() ? Joules{} : computed->second.uncertainty;
        const Seconds seconds = seconds_between(span.span.begin_ns, span.span.end_ns);
        energies[gpu] = Energy{Watts{power->mean} * seconds, uncertainty, Quality::sensor};
      }
      if (whole[gpu] && energies[gpu]) {
        whole[gpu]->value += energies[gpu]->value;
        whole[gpu]->uncertainty += energies[gpu]->uncertainty;
      } else {
        whole[gpu].reset();
      }
      restate(span.energy, meters, energies);
    }
    restate(run.stored.run.energy, meters, whole);
  }

  const ImportOptions& options_;
  std::vector<ForeignFile> files_;
  std::map<std::string, Itu23Files> runs_;
  Imported imported_;
};

}  // namespace

Imported import_itu23(const ForeignPaths& paths, const ImportOptions& options) {
  const auto experiments = paths.front() / "experiments";
  return Itu23(std::filesystem::is_directory(experiments) ? experiments : paths.front(), options)
      .read();
}

}  // namespace prengdl
