// SPDX-License-Identifier: Apache-2.0
#include "import/perf_stat.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"
#include "import/csv_table.h"
#include "import/run_totals.h"

namespace prengdl {
namespace {

constexpr std::size_t most_stats_in_file = 100'000;
constexpr double longest_run = 1e9;  // seconds: thirty years
constexpr double most_joules = 1e15;

struct EventName {
  std::string_view event;
  std::string_view domain;
};
constexpr std::array<EventName, 5> event_names{{{"energy-pkg", "package"},
                                                {"energy-ram", "dram"},
                                                {"energy-cores", "cores"},
                                                {"energy-gpu", "igpu"},
                                                {"energy-psys", "platform"}}};

/// "power/energy-pkg/" and its kin; the modifiers after the second slash do not matter.
const EventName* energy_event(std::string_view word) {
  constexpr std::string_view front = "power/";
  if (!word.starts_with(front)) return nullptr;
  word.remove_prefix(front.size());
  word = word.substr(0, word.find('/'));
  const auto found = std::find_if(event_names.begin(), event_names.end(),
                                  [&](const EventName& name) { return name.event == word; });
  return found == event_names.end() ? nullptr : &*found;
}

class PerfParser {
 public:
  explicit PerfParser(const ForeignText& source) : source_(source), lines_(source) {}

  std::vector<PerfStat> parse() {
    const bool is_csv = source_.text.find(heading) == std::string::npos;
    while (lines_.next()) {
      const auto line = trimmed(lines_.line());
      if (line.empty()) continue;
      if (line.starts_with('#')) {
        comment(line);
      } else if (is_csv) {
        csv_line(line);
      } else if (line.starts_with(heading)) {
        begin(line);
      } else if (!stats_.empty()) {  // before it the program's own stderr may stand
        text_line(line);
      }
    }
    if (stats_.empty())
      throw foreign_error(source_.name, std::max<std::size_t>(lines_.number(), 1), 1,
                          "this is not output of perf stat",
                          "it has a line 'Performance counter stats for ...', or is made with -x,");
    return std::move(stats_);
  }

 private:
  static constexpr std::string_view heading = "Performance counter stats for";

  [[noreturn]] void refuse_intervals(std::string_view part) const {
    throw lines_.error(part, "the counts of intervals (perf stat -I) are not imported",
                       "record without -I");
  }

  void comment(std::string_view line) {
    const auto parts = words(line.substr(1));
    if (!parts.empty() && parts.front() == "time") refuse_intervals(line);
    // With --append each output begins so.
    if (line.starts_with("# started on")) is_new_csv_ = true;
  }

  PerfStat& add_stat() {
    if (stats_.size() == most_stats_in_file)
      throw lines_.error(lines_.line(), "the file holds too many outputs of perf stat");
    stats_.emplace_back().line = lines_.number();
    return stats_.back();
  }

  /// Performance counter stats for 'system wide' (3 runs):
  void begin(std::string_view line) {
    PerfStat& stat = add_stat();
    line.remove_prefix(heading.size());
    const auto first = line.find('\'');
    const auto last = line.rfind('\'');
    if (first != std::string_view::npos && last > first)
      stat.command = printable(line.substr(first + 1, last - first - 1));
    const auto runs = line.rfind(" runs)");
    const auto open = line.rfind('(');
    if (runs == std::string_view::npos || open == std::string_view::npos || open > runs) return;
    stat.is_mean = true;
    stat.repeats = parse_integer(line.substr(open + 1, runs - open - 1));
  }

  double number(std::string_view text, double most) const {
    const auto value = printed_number(text);
    if (!value)
      throw lines_.error(text, fmt::format("'{}' is not a number", shortened(printable(text), 40)));
    if (*value < 0 || *value > most) throw lines_.error(text, "the number is out of range");
    return *value;
  }

  void set_once(std::optional<double>& value, double number) const {
    if (value) throw lines_.error(lines_.line(), "this figure is there twice");
    value = number;
  }

  void add_energy(const EventName& name, std::string_view of, std::string_view value) {
    PerfEnergy energy{std::string(name.event), std::string(name.domain), printable(of), {}};
    if (!says_missing(value)) energy.joules = number(value, most_joules);
    auto& all = stats_.back().energies;
    for (const auto& other : all)
      if (other.event == energy.event && other.of == energy.of)
        throw lines_.error(lines_.line(), fmt::format("{} is there twice", energy.event));
    all.push_back(std::move(energy));
  }

  void text_line(std::string_view line) {
    PerfStat& stat = stats_.back();
    const auto parts = words(line);
    const auto ends = [&](std::string_view a, std::string_view b) {
      for (std::size_t i = 1; i + 1 < parts.size(); ++i)
        if (parts[i] == "seconds" && parts[i + 1] == a &&
            (b.empty() || (i + 2 < parts.size() && parts[i + 2] == b)))
          return true;
      return false;
    };
    if (ends("time", "elapsed")) return set_once(stat.seconds, number(parts[0], longest_run));
    if (ends("user", "")) return set_once(stat.user_seconds, number(parts[0], longest_run));
    if (ends("sys", "")) return set_once(stat.system_seconds, number(parts[0], longest_run));
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (const EventName* name = energy_event(parts[i])) return text_energy(*name, parts, i);
  }

  /// "319,106.02 Joules power/energy-pkg/", "S0 1 <not counted> Joules power/energy-ram/"
  void text_energy(const EventName& name, const std::vector<std::string_view>& parts,
                   std::size_t event) {
    if (event < 2 || parts[event - 1] != "Joules")
      throw lines_.error(parts[event], "no number of Joules stands before the event");
    const bool is_missing = parts[event - 2].ends_with('>');
    const std::size_t value = is_missing && event >= 3 ? event - 3 : event - 2;
    // In front of the value: nothing, or the socket and the number of its counters.
    const auto of = value > 0 ? parts[0] : std::string_view{};
    if (value > 0 && printed_number(of)) refuse_intervals(of);
    add_energy(name, of, is_missing ? "<not counted>" : parts[value]);
  }

  /// "12.34,Joules,power/energy-pkg/,1001234567,100.00,,": value, unit, event; a socket before it.
  void csv_line(std::string_view line) {
    std::vector<std::string_view> fields;
    for (const char separator : {',', ';', '|', '\t'})
      if (fields = split(lines_.line(), separator); fields.size() >= 3) break;
    if (fields.size() < 3)
      throw lines_.error(line, "this is not output of perf stat",
                         "it has a line 'Performance counter stats for ...', or is made with -x,");
    if (is_new_csv_ || stats_.empty()) add_stat();
    is_new_csv_ = false;
    PerfStat& stat = stats_.back();
    for (std::size_t i = 2; i < fields.size(); ++i) {
      const auto event = trimmed(fields[i]);
      const EventName* name = energy_event(event);
      const bool is_time =
          event == "duration_time" || event == "user_time" || event == "system_time";
      if (!name && !is_time) continue;
      if (i == 3 && parse_number(fields[0])) refuse_intervals(fields[0]);
      if (i + 1 < fields.size() && trimmed(fields[i + 1]).ends_with('%')) stat.is_mean = true;
      const auto of = i > 2 ? trimmed(fields[0]) : std::string_view{};
      if (name) return add_energy(*name, of, fields[i - 2]);
      if (says_missing(fields[i - 2])) return;
      auto& value = event == "duration_time" ? stat.seconds
                    : event == "user_time"   ? stat.user_seconds
                                             : stat.system_seconds;
      return set_once(value, number(fields[i - 2], longest_run * 1e9) * 1e-9);
    }
  }

  const ForeignText& source_;
  ForeignLines lines_;
  std::vector<PerfStat> stats_;
  bool is_new_csv_ = false;
};

}  // namespace

std::vector<PerfStat> parse_perf_stat(const ForeignText& source) {
  return PerfParser(source).parse();
}

std::map<std::size_t, std::optional<double>> add_perf_stat(ImportedRun& run, const PerfStat& stat,
                                                           const std::string& file) {
  if (!stat.seconds || *stat.seconds <= 0)
    throw foreign_error(file, stat.line, 1, "perf stat does not state how long this took",
                        "With -x, record it with -e duration_time.");
  Run& into = run.stored.run;
  into.wall = into.window = Seconds{*stat.seconds};
  into.user = Seconds{stat.user_seconds.value_or(0)};
  into.system = Seconds{stat.system_seconds.value_or(0)};
  std::map<std::size_t, std::optional<double>> stated;
  for (const auto& energy : stat.energies) {
    MeterInfo meter =
        imported_meter("perf/" + energy.event + (energy.of.empty() ? "" : "/" + energy.of),
                       energy.domain, "perf stat", Quality::chip);
    meter.quantum = 0.01;  // as it is printed
    stated[run.stored.meters.size()] = energy.joules;
    run.stored.meters.push_back(std::move(meter));
  }
  if (stat.is_mean) {
    into.flags.insert(Flag::mean_of_runs);
    into.warnings.push_back(
        fmt::format("perf stat -r wrote the mean of {} runs: they count as one here, and how far "
                    "they lay apart is lost",
                    stat.repeats ? std::to_string(*stat.repeats) : "several"));
  }
  return stated;
}

}  // namespace prengdl
