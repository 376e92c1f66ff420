// SPDX-License-Identifier: Apache-2.0
//
// Energy computed from utilisation where there is no meter. Quality `model`, always.
#include "meters/estimate.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/clock.h"
#include "base/csv.h"
#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"
#include "meters/embedded.h"
#include "meters/sources.h"

namespace prengdl {
namespace {

struct CpuName {
  std::string vendor;
  std::int64_t family = -1;
  std::int64_t model = -1;
  std::int64_t stepping = -1;
};

CpuName read_cpu_name(const std::filesystem::path& root) {
  CpuName cpu;
  const auto text = read_optional(root / "proc/cpuinfo").value_or("");
  for (const auto line : split(text, '\n')) {
    if (line.empty()) break;  // the first processor speaks for all
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto key = trimmed(line.substr(0, colon));
    const auto value = trimmed(line.substr(colon + 1));
    const auto hexadecimal = [&] {
      std::int64_t number = -1;
      const auto digits = value.starts_with("0x") ? value.substr(2) : value;
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
      return number;
    };
    if (key == "vendor_id") cpu.vendor = value;
    if (key == "cpu family") cpu.family = parse_integer(value).value_or(-1);
    if (key == "model") cpu.model = parse_integer(value).value_or(-1);
    if (key == "stepping") cpu.stepping = parse_integer(value).value_or(-1);
    if (key == "CPU implementer") {
      cpu.vendor = "arm";
      cpu.family = hexadecimal();
    }
    if (key == "CPU part") cpu.model = hexadecimal();
  }
  return cpu;
}

/// Of an Arm part the recorded facts have the implementer as vendor and the part in its name.
CpuName cpu_name_of(const CpuFacts& facts) {
  CpuName cpu{facts.vendor.value_or(""), facts.family.value_or(-1), facts.model.value_or(-1),
              facts.stepping.value_or(-1)};
  if (!cpu.vendor.starts_with("0x")) return cpu;
  const auto hexadecimal = [](std::string_view digits) {
    std::int64_t number = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    return number;
  };
  cpu.family = hexadecimal(std::string_view(cpu.vendor).substr(2));
  cpu.vendor = "arm";
  const std::string name = facts.model_name.value_or("");
  const auto part = name.rfind("0x");
  if (part != std::string::npos) cpu.model = hexadecimal(std::string_view(name).substr(part + 2));
  return cpu;
}

int online_cpus(const std::filesystem::path& root) {
  const auto online = read_optional(root / "sys/devices/system/cpu/online").value_or("0");
  return std::max<int>(1, static_cast<int>(parse_cpu_list(online).size()));
}

double memory_gigabytes(const std::filesystem::path& root) {
  const auto text = read_optional(root / "proc/meminfo").value_or("");
  for (const auto line : split(text, '\n')) {
    const auto parts = words(line);
    if (parts.size() >= 2 && parts[0] == "MemTotal:")
      return static_cast<double>(parse_integer(parts[1]).value_or(0)) * 1024 / 1e9;
  }
  return 0;
}

/// One line of the table by the names of its columns.
using Row = std::map<std::string, std::string, std::less<>>;

std::vector<Row> rows_of(std::string_view table) {
  const auto lines = csv_rows(table, "data/power_models.csv", {.has_comments = true});
  if (!lines) throw Error(lines.error());
  std::vector<Row> rows;
  for (std::size_t number = 1; number < lines->size(); ++number) {
    const auto& header = lines->front();
    const auto& cells = (*lines)[number];
    Row row;
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i)
      row[header[i].text] = cells[i].text;
    rows.push_back(std::move(row));
  }
  return rows;
}

double number_in(const Row& row, std::string_view column) {
  const auto cell = row.find(column);
  const auto value = cell == row.end() ? std::nullopt : parse_number(cell->second);
  if (!value)
    throw Error(fmt::format("power model '{}': column {} is not a number",
                            row.count("name") ? row.find("name")->second : "?", column),
                "mend the data file");
  return *value;
}

Coefficient coefficient(const Row& row, const std::string& column) {
  return {number_in(row, column), number_in(row, column + "_low"),
          number_in(row, column + "_high")};
}

/// An empty cell fits everything; else the number lies between the two cells.
bool fits(const Row& row, const std::string& column, std::int64_t number) {
  const auto bound = [&](const std::string& name) {
    const auto cell = row.find(name);
    return cell == row.end() ? std::nullopt : parse_integer(cell->second);
  };
  const auto low = bound(column + "_low");
  const auto high = bound(column + "_high");
  return (!low || number >= *low) && (!high || number <= *high);
}

const Row* row_for(const std::vector<Row>& rows, const CpuName& cpu) {
  const Row* fallback = nullptr;
  for (const auto& row : rows) {
    const auto& vendor = row.at("vendor");
    if (vendor == "any") fallback = &row;
    if (vendor == cpu.vendor && parse_integer(row.at("family")) == cpu.family &&
        fits(row, "model", cpu.model) && fits(row, "stepping", cpu.stepping))
      return &row;
  }
  return fallback;
}

/// The figures of the row that fits; what the machine has of CPUs and memory is for the caller.
Result<PowerModel> model_for(const CpuName& cpu, std::string_view table) {
  const auto rows = rows_of(table);
  const Row* row = row_for(rows, cpu);
  if (!row) return failure("no power model fits this CPU", "add a row to data/power_models.csv");
  PowerModel model;
  model.row = row->at("name");
  model.source = row->at("source");
  model.note = row->at("note");
  model.idle_per_cpu = coefficient(*row, "idle_w");
  model.full_per_cpu = coefficient(*row, "full_w");
  model.memory_per_gigabyte = coefficient(*row, "memory_w_per_gb");
  return model;
}

/// Time and busy CPU seconds of the machine turned into microjoules since the meter was made.
class EstimateMeter final : public Meter {
 public:
  EstimateMeter(MeterInfo info, PowerModel model, FileDescriptor stat)
      : info_(std::move(info)), model_(std::move(model)), stat_(std::move(stat)) {
    start_ns_ = monotonic_ns();
    busy_at_start_ = busy_ticks().value_or(0);
  }
  const MeterInfo& info() const override { return info_; }

  Reading read() noexcept override {
    Reading reading;
    const auto busy = busy_ticks();
    reading.at_ns = monotonic_ns();
    if (!busy) {
      reading.status = ReadStatus::failed;
      return reading;
    }
    // Signed: the kernel's sums may step back a little.
    const auto ticks = static_cast<std::int64_t>(*busy - busy_at_start_);
    const Seconds busy_time{static_cast<double>(ticks) / ticks_per_second_};
    const auto joules =
        modelled_energy(model_, seconds_between(start_ns_, reading.at_ns), busy_time);
    reading.raw = static_cast<std::uint64_t>(std::max(0.0, joules.value) * 1e6);
    return reading;
  }

 private:
  /// user, nice, system, irq and softirq of all CPUs; idle, iowait and stolen time draw nothing
  /// here.
  std::optional<std::uint64_t> busy_ticks() const noexcept {
    char text[256];
    const ssize_t got = ::pread(stat_.get(), text, sizeof text, 0);
    if (got < 5) return std::nullopt;
    std::uint64_t busy = 0;
    const char* at = text + 4;
    const char* const end = text + got;
    for (int field = 0; field < 7; ++field) {
      while (at < end && *at == ' ') ++at;
      std::uint64_t ticks{};
      const auto parsed = std::from_chars(at, end, ticks);
      if (parsed.ec != std::errc{}) return std::nullopt;
      at = parsed.ptr;
      if (field != 3 && field != 4) busy += ticks;
    }
    return busy;
  }

  MeterInfo info_;
  PowerModel model_;
  FileDescriptor stat_;
  double ticks_per_second_ = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::int64_t start_ns_ = 0;
  std::uint64_t busy_at_start_ = 0;
};

}  // namespace

Result<PowerModel> choose_power_model(const std::filesystem::path& root, std::string_view table) {
  auto model = model_for(read_cpu_name(root), table);
  if (!model) return model;
  model->cpus = online_cpus(root);
  model->memory_gigabytes = memory_gigabytes(root);
  return model;
}

Result<PowerModel> choose_power_model(const Machine& machine, std::string_view table) {
  auto model = model_for(cpu_name_of(machine.cpu), table);
  if (!model) return model;
  model->cpus = std::max(1, machine.cpu.threads.value_or(1));
  model->memory_gigabytes = static_cast<double>(machine.memory.total_bytes.value_or(0)) / 1e9;
  return model;
}

FoundMeters find_estimate(const MeterSearch& search) {
  FoundMeters found;
  auto stat = open_for_reading(search.root / "proc/stat");
  if (!stat) {
    found.left_out.push_back({"estimate", stat.error().what(), stat.error().hint});
    return found;
  }
  auto model = choose_power_model(search.root, embedded::power_models());
  if (!model) {
    found.left_out.push_back({"estimate", model.error().what(), model.error().hint});
    return found;
  }
  MeterInfo info;
  info.id = "estimate";
  info.name = "estimate: " + model->row;
  info.domain = "machine";
  info.source = "/proc/stat and " + model->source;
  info.kind = Kind::counter;
  info.quality = Quality::model;
  info.counted = Counted::alone;
  info.step = 1e-6;
  info.quantum = power_per_busy_cpu(*model).value / static_cast<double>(sysconf(_SC_CLK_TCK));
  info.period = Seconds{0.1};
  const auto off = {model->idle_per_cpu, model->full_per_cpu, model->memory_per_gigabyte};
  for (const auto& c : off) {
    info.model_low = std::min(info.model_low, c.low / c.value);
    info.model_high = std::max(info.model_high, c.high / c.value);
  }
  info.note = fmt::format(
      "modelled, not measured: {} CPUs at {:.3f} W idle to {:.3f} W busy, {:.1f} GB of memory at "
      "{:.3f} W per GB",
      model->cpus, model->idle_per_cpu.value, model->full_per_cpu.value, model->memory_gigabytes,
      model->memory_per_gigabyte.value);
  found.meters.push_back(
      std::make_unique<EstimateMeter>(std::move(info), std::move(*model), std::move(*stat)));
  return found;
}

}  // namespace prengdl
