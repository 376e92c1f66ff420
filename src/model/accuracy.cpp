// SPDX-License-Identifier: Apache-2.0
#include "model/accuracy.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "base/parse.h"
#include "base/strings.h"
#include "model/embedded.h"

namespace prengdl {
namespace {

/// The columns of data/sensor_accuracy.csv.
enum class Column {
  kind,
  meter,
  domain,
  reading,
  quality,
  vendor,
  models,
  gain,
  offset,
  resolution,
  shared,
  source,
  note
};
constexpr std::size_t column_count = 13;

const CsvCell& cell_of(const CsvRow& row, Column column) {
  return row[static_cast<std::size_t>(column)];
}

std::optional<double> limit_in(const CsvRow& row, Column column) {
  const auto& cell = cell_of(row, column);
  if (cell.text.empty()) return std::nullopt;
  const auto value = parse_number(cell.text);
  if (!value || *value < 0)
    throw Error(
        fmt::format("sensor_accuracy.csv:{}: \"{}\" is not a number", cell.line, cell.text));
  return value;
}

std::vector<CsvRow> read_accuracy_rows() {
  auto rows =
      csv_rows(embedded::sensor_accuracy(), "sensor_accuracy.csv", CsvForm{.has_comments = true});
  if (!rows) throw Error(rows.error());
  rows->erase(rows->begin());  // the names of the columns
  for (const auto& row : *rows)
    if (row.size() != column_count || row.front().text.empty())
      throw Error(fmt::format("sensor_accuracy.csv:{}: not a row of the table", row.front().line));
  return std::move(*rows);
}

const std::vector<CsvRow>& accuracy_rows() {
  static const auto rows = read_accuracy_rows();
  return rows;
}

/// Whether a cell names the word among others, or is empty.
bool allows(const CsvRow& row, Column column, std::string_view word) {
  const std::string& text = cell_of(row, column).text;
  if (text.empty()) return true;
  const auto words = split(text, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "powercap" of "powercap/intel-rapl:0".
std::string_view family_of(const MeterInfo& meter) {
  return std::string_view(meter.id).substr(0, meter.id.find('/'));
}

bool fits(const CsvRow& row, const MeterInfo& meter, const CpuFacts* cpu) {
  const std::string cpu_vendor = cpu ? cpu->vendor.value_or("") : "";
  const std::string cpu_model = cpu && cpu->model ? std::to_string(*cpu->model) : "";
  return allows(row, Column::meter, family_of(meter)) &&
         allows(row, Column::domain, meter.domain) &&
         allows(row, Column::reading, name_of(meter.kind)) &&
         allows(row, Column::quality, name_of(meter.quality)) &&
         allows(row, Column::vendor, cpu_vendor) && allows(row, Column::models, cpu_model);
}

/// What the owner of an instrument stated about it.
std::optional<double> stated_gain(const MeterInfo& meter) {
  const double limit = std::max(meter.model_high - 1, 1 - meter.model_low);
  return meter.quality != Quality::model && limit > 0 ? std::optional(limit) : std::nullopt;
}

}  // namespace

std::string_view name_of(SharedError shared) {
  return shared == SharedError::sensor ? "sensor" : "workload";
}

Accuracy accuracy_of(const MeterInfo& meter, const CpuFacts* cpu) {
  // The last row fits everything.
  const auto row = std::find_if(accuracy_rows().begin(), accuracy_rows().end() - 1,
                                [&](const CsvRow& each) { return fits(each, meter, cpu); });
  Accuracy accuracy;
  accuracy.kind = cell_of(*row, Column::kind).text;
  accuracy.gain = limit_in(*row, Column::gain);
  if (const auto watts = limit_in(*row, Column::offset)) accuracy.offset = Watts{*watts};
  accuracy.resolution = limit_in(*row, Column::resolution);
  accuracy.shared =
      cell_of(*row, Column::shared).text == "sensor" ? SharedError::sensor : SharedError::workload;
  accuracy.source = cell_of(*row, Column::source).text;
  accuracy.note = cell_of(*row, Column::note).text;
  if (const auto stated = stated_gain(meter)) {
    accuracy.gain = stated;
    accuracy.source = "stated by the user";
    accuracy.note.clear();
  }
  return accuracy;
}

std::string text_of(const Accuracy& accuracy) {
  if (!accuracy.gain) return "not known: " + accuracy.note;
  const std::string offset =
      accuracy.offset ? fmt::format(" and {:g} W", accuracy.offset->value) : "";
  return fmt::format("within {:g} %{} ({})", *accuracy.gain * 100, offset, accuracy.source);
}

std::string sensor_of(const MeterInfo& meter, const std::string& machine) {
  // One GPU has one name in NVML, ROCm and the logs of nvidia-smi, whichever machine it is in.
  if (const auto uuid = meter.id.find("/GPU-"); uuid != std::string::npos)
    return meter.id.substr(uuid + 1, meter.id.find('/', uuid + 1) - uuid - 1);
  return machine + "/" + meter.id;
}

double standard_uncertainty(double limit) { return limit / std::sqrt(3.0); }

}  // namespace prengdl
