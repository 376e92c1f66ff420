// SPDX-License-Identifier: Apache-2.0
#include "import/nvidia_smi.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"
#include "import/csv_table.h"
#include "import/run_totals.h"

namespace prengdl {
namespace {

constexpr std::size_t most_gpus = 256;
constexpr std::size_t most_fields = 256;
constexpr std::size_t most_lines = 5'000'000;  // two months, once a second
constexpr double largest_value = 1e9;          // watts, MiB, MHz: far beyond what there is

/// A property that nvidia-smi is asked for and that we keep.
struct SmiProperty {
  std::string_view name;
  std::string_view channel;  // empty: the power that becomes energy
  Unit unit;
  std::string_view printed_unit;
  double step;   // one raw unit in SI
  double scale;  // printed value times this is raw
};
constexpr std::array<SmiProperty, 13> properties{{
    {"power.draw", "", Unit::watt, "W", 1e-3, 1e3},
    {"power.draw.average", "", Unit::watt, "W", 1e-3, 1e3},
    {"power.draw.instant", "", Unit::watt, "W", 1e-3, 1e3},
    {"utilization.gpu", "gpu_utilisation", Unit::share, "%", 0.01, 1},
    {"utilization.memory", "gpu_memory_utilisation", Unit::share, "%", 0.01, 1},
    {"memory.used", "gpu_memory_used", Unit::byte, "MiB", 1048576, 1},
    {"temperature.gpu", "gpu_temperature", Unit::celsius, "", 1, 1},
    {"clocks.sm", "gpu_sm_clock", Unit::hertz, "MHz", 1e6, 1},
    {"clocks.current.sm", "gpu_sm_clock", Unit::hertz, "MHz", 1e6, 1},
    {"clocks.mem", "gpu_memory_clock", Unit::hertz, "MHz", 1e6, 1},
    {"clocks.current.memory", "gpu_memory_clock", Unit::hertz, "MHz", 1e6, 1},
    {"power.limit", "gpu_power_limit", Unit::watt, "W", 1e-3, 1e3},
    {"enforced.power.limit", "gpu_power_limit", Unit::watt, "W", 1e-3, 1e3},
}};

const SmiProperty* property_of(std::string_view name) {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const SmiProperty& one) { return one.name == name; });
  return found == properties.end() ? nullptr : &*found;
}

/// The first number of a text and what is left behind it.
std::optional<double> leading_number(std::string_view& text) {
  double value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return value;
}

class SmiParser {
 public:
  explicit SmiParser(const ForeignText& source) : source_(source), lines_(source) {}

  SmiLog parse() {
    while (lines_.next()) {
      if (trimmed(lines_.line()).empty()) continue;
      cut_line();
      if (lines_.number() > most_lines)
        throw lines_.error(lines_.line(), "there are too many lines");
      if (layout_.empty()) {
        if (read_names()) continue;
        guess_layout();
      }
      if (fields_.size() == layout_.size() && fields_.front() == first_name_)
        throw lines_.error(fields_.front(), "a second line of names: two recordings in one file",
                           "split the file");
      // nvidia-smi may have been stopped in the middle of a line.
      if (lines_.is_unfinished() && !is_whole()) {
        log_.warnings.push_back(
            fmt::format("{}: line {} was cut off and is left out", source_.name, lines_.number()));
        break;
      }
      read_line();
    }
    if (gpus_.empty())
      throw foreign_error(source_.name, std::max<std::size_t>(lines_.number(), 1), 1,
                          "there is no line of nvidia-smi in it",
                          "it is made with nvidia-smi --query-gpu=... --format=csv");
    finish();
    return std::move(log_);
  }

 private:
  struct Column {
    enum class What { ignored, stamp, gpu, value } what = What::ignored;
    const SmiProperty* property = nullptr;
    int rank = 0;  // of what distinguishes GPUs: the uuid before the bus before the index
  };

  void cut_line() {
    fields_.clear();
    std::string_view rest = lines_.line();
    for (;;) {
      const auto comma = rest.find(',');
      fields_.push_back(trimmed(rest.substr(0, comma)));
      if (fields_.size() > most_fields) throw lines_.error(rest, "there are too many columns");
      if (comma == std::string_view::npos) return;
      rest.remove_prefix(comma + 1);
    }
  }

  /// timestamp, power.draw [W], ...
  bool read_names() {
    std::vector<Column> layout;
    bool has_any = false;
    for (const auto field : fields_) {
      const auto name = trimmed(field.substr(0, field.find('[')));
      Column column;
      if (name == "timestamp") {
        column.what = Column::What::stamp;
      } else if (name == "uuid" || name == "gpu_uuid") {
        column = {Column::What::gpu, nullptr, 3};
      } else if (name == "pci.bus_id" || name == "gpu_bus_id") {
        column = {Column::What::gpu, nullptr, 2};
      } else if (name == "index") {
        column = {Column::What::gpu, nullptr, 1};
      } else if (const auto* property = property_of(name)) {
        column = {Column::What::value, property, 0};
      } else {
        // A name that is not kept; a value would begin with a figure, or say that it is missing.
        if (name.empty() || says_missing(field) || parse_number(name)) return false;
        layout.push_back(column);
        continue;
      }
      has_any = true;
      layout.push_back(column);
    }
    if (!has_any) return false;
    layout_ = std::move(layout);
    first_name_ = std::string(fields_.front());
    check_layout();
    return true;
  }

  /// Without names: a time stamp is known by its form, power by its unit.
  void guess_layout() {
    layout_.resize(fields_.size());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      auto text = fields_[i];
      if (parse_stamp(text))
        layout_[i].what = Column::What::stamp;
      else if (leading_number(text) && (text == "W" || (text.empty() && fields_.size() == 1)))
        layout_[i] = {Column::What::value, &properties.front(), 0};
    }
    check_layout();
  }

  void check_layout() {
    int best_rank = 0;
    std::size_t powers = 0;
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      Column& column = layout_[i];
      if (column.what == Column::What::gpu && column.rank > best_rank) {
        best_rank = column.rank;
        gpu_column_ = i;
      }
      if (column.what == Column::What::stamp) stamp_column_ = i;
      if (column.what != Column::What::value) continue;
      const bool is_power = column.property->channel.empty();
      const bool is_twice = std::any_of(
          layout_.begin(), layout_.begin() + static_cast<std::ptrdiff_t>(i),
          [&](const Column& other) {
            return other.property && other.property->channel == column.property->channel;
          });
      if (is_power && is_twice && first_name_.empty())
        throw lines_.error(fields_[i], "two columns are in W: which is the power that was drawn?",
                           "record with the line of names (--format=csv without noheader)");
      if (is_twice)
        column.what = Column::What::ignored;  // power.draw.instant next to power.draw
      else
        powers += is_power;
    }
    if (powers == 0)
      throw lines_.error(lines_.line(), "no column has the power that was drawn",
                         "record with --query-gpu=timestamp,power.draw,...");
    log_.has_stamps = stamp_column_.has_value();
  }

  /// Nothing where the field says that there is no value.
  std::optional<std::int64_t> raw_of(const SmiProperty& property, std::string_view field,
                                     bool& is_valid) const {
    is_valid = true;
    std::string_view rest = field;
    const auto value = leading_number(rest);
    if (value && (rest.empty() || rest == property.printed_unit) &&
        std::abs(*value) <= largest_value)
      return std::llround(*value * property.scale);
    is_valid = says_missing(field);
    return std::nullopt;
  }

  bool is_whole() const {
    if (fields_.size() != layout_.size()) return false;
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      bool is_valid = true;
      if (layout_[i].what == Column::What::stamp) is_valid = parse_stamp(fields_[i]).has_value();
      if (layout_[i].what == Column::What::value)
        raw_of(*layout_[i].property, fields_[i], is_valid);
      if (!is_valid) return false;
    }
    // "36.9" may be the beginning of "36.90 W": where other lines have a unit this one has one too.
    return !has_units_ || layout_.back().what != Column::What::value ||
           layout_.back().property->printed_unit.empty() ||
           fields_.back().ends_with(layout_.back().property->printed_unit);
  }

  void read_line() {
    if (fields_.size() != layout_.size())
      throw lines_.error(lines_.line(), fmt::format("{} fields, but others have {}", fields_.size(),
                                                    layout_.size()));
    Gpu& gpu = gpu_of(gpu_column_ ? fields_[*gpu_column_] : std::string_view{});
    std::int64_t at = static_cast<std::int64_t>(gpu.lines++);
    if (stamp_column_) {
      const auto stamp = parse_stamp(fields_[*stamp_column_]);
      if (!stamp)
        throw lines_.error(fields_[*stamp_column_], "this is not a time stamp",
                           "as in 2023/05/08 01:48:12.942");
      at = *stamp;
      if (gpu.lines > 1 && at < gpu.last_ns)
        throw lines_.error(fields_[*stamp_column_], "time goes backwards",
                           gpu_column_ ? ""
                                       : "ask nvidia-smi for the index too where there are "
                                         "several GPUs");
      gpu.last_ns = at;
    }
    std::size_t place = gpu.first;
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      if (layout_[i].what != Column::What::value) continue;
      bool is_valid = true;
      const auto raw = raw_of(*layout_[i].property, fields_[i], is_valid);
      if (!is_valid)
        throw lines_.error(
            fields_[i], fmt::format("'{}' is no value of {}", shortened(printable(fields_[i]), 40),
                                    layout_[i].property->name));
      if (fields_[i].ends_with('W')) has_units_ = true;
      Reading reading;
      reading.at_ns = at;
      reading.raw = static_cast<std::uint64_t>(raw.value_or(0));
      reading.status = raw ? ReadStatus::ok : ReadStatus::not_a_number;
      log_.columns[place++].readings.push_back(reading);
    }
  }

  struct Gpu {
    std::string id;
    std::size_t first = 0;  // of its columns
    std::size_t lines = 0;
    std::int64_t last_ns = 0;
  };

  Gpu& gpu_of(std::string_view id) {
    if (!gpus_.empty() && gpus_[last_gpu_].id == id) return gpus_[last_gpu_];
    for (last_gpu_ = 0; last_gpu_ < gpus_.size(); ++last_gpu_)
      if (gpus_[last_gpu_].id == id) return gpus_[last_gpu_];
    if (gpus_.size() == most_gpus) throw lines_.error(lines_.line(), "there are too many GPUs");
    Gpu gpu{std::string(id), log_.columns.size()};
    const std::string name = "nvidia-smi" + (id.empty() ? std::string() : "/" + printable(id));
    for (const auto& column : layout_) {
      if (column.what != Column::What::value) continue;
      const SmiProperty& property = *column.property;
      MeterInfo meter =
          imported_meter(name, "gpu", fmt::format("nvidia-smi {}", property.name), Quality::sensor);
      if (!property.channel.empty()) {
        meter.id += "/" + std::string(property.channel);
        meter.name = meter.id;
        meter.domain = property.channel;
        meter.counted = Counted::channel;
      }
      meter.kind = Kind::gauge;
      meter.unit = property.unit;
      meter.step = property.step;
      meter.quantum = property.unit == Unit::watt ? 0.01 : property.step;
      log_.columns.push_back({std::move(meter), {}});
    }
    gpus_.push_back(std::move(gpu));
    return gpus_.back();
  }

  /// The time between readings, and what is not known of them.
  void finish() {
    log_.lines = gpus_.front().lines;
    for (auto& [meter, readings] : log_.columns) {
      if (meter.counted != Counted::channel)
        meter.note = log_.has_stamps ? "the averaging time of the sensor is not known"
                                     : "its readings have no time stamps: they are spread evenly";
      if (!log_.has_stamps || readings.size() < 2) continue;
      std::vector<std::int64_t> gaps;
      gaps.reserve(readings.size());
      for (std::size_t i = 1; i < readings.size(); ++i)
        gaps.push_back(readings[i].at_ns - readings[i - 1].at_ns);
      const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
      std::nth_element(gaps.begin(), middle, gaps.end());
      // Of the setting, not of each file: runs share their list of meters then.
      meter.period = Seconds{std::round(static_cast<double>(*middle) * 1e-7) / 100};
    }
  }

  const ForeignText& source_;
  ForeignLines lines_;
  std::vector<std::string_view> fields_;
  std::vector<Column> layout_;
  std::string first_name_;  // of the line of names; empty where there is none
  std::optional<std::size_t> stamp_column_, gpu_column_;
  std::vector<Gpu> gpus_;
  std::size_t last_gpu_ = 0;
  bool has_units_ = false;
  SmiLog log_;
};

}  // namespace

SmiLog parse_nvidia_smi(const ForeignText& source) { return SmiParser(source).parse(); }

}  // namespace prengdl
