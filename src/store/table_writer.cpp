// SPDX-License-Identifier: Apache-2.0
#include "store/table_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "store/run_json.h"

namespace prengdl {
namespace {

constexpr std::size_t most_buffered = 1 << 16;

/// A formula that does harm calls a function or, by a bar, a program.
bool is_dangerous(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != text.npos &&
         text.find_first_of("(|") != text.npos;
}

/// What needs no escape in JSON, which is nearly everything.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

void put_csv(std::string& out, std::string_view text) {
  const std::string_view guard = is_dangerous(text) ? "'" : "";
  if (text.find_first_of(",\"\n\r") == text.npos) {
    out += guard;
    out += text;
    return;
  }
  out += '"';
  out += guard;
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

}  // namespace

TableWriter::TableWriter(std::ostream& out, ExportFormat format, std::string_view table,
                         std::vector<std::string> columns)
    : out_(out), format_(format), columns_(std::move(columns)) {
  if (format_ == ExportFormat::json) {
    for (const auto& column : columns_) keys_.push_back(json_string(column) + ":");
    put(fmt::format("{{\"schema\":\"prengdl.export/2\",\"table\":{},\"rows\":[",
                    json_string(table)));
    return;
  }
  for (const auto& column : columns_) {
    if (&column != &columns_.front()) put(",");
    put_csv(buffer_, column);
  }
  put("\n");
}

void TableWriter::begin_cell(bool has_value) {
  if (format_ == ExportFormat::csv) {
    if (column_ > 0) put(",");
    return;
  }
  if (column_ == 0) {
    put(is_first_row_ ? "\n{" : ",\n{");
    is_first_key_ = true;
  }
  if (!has_value) return;
  if (!std::exchange(is_first_key_, false)) put(",");
  put(keys_[column_]);
}

void TableWriter::end_cell() {
  if (++column_ < columns_.size()) return;
  put(format_ == ExportFormat::csv ? "\n" : "}");
  column_ = 0;
  is_first_row_ = false;
  if (buffer_.size() > most_buffered) flush();
}

void TableWriter::add(std::string_view text) {
  begin_cell(true);
  if (format_ == ExportFormat::csv)
    put_csv(buffer_, text);
  else
    put(is_plain(text) ? fmt::format("\"{}\"", text) : json_string(text));
  end_cell();
}

void TableWriter::add(double number) {
  if (!std::isfinite(number)) return add_nothing();
  begin_cell(true);
  fmt::format_to(std::back_inserter(buffer_), "{}", number);
  end_cell();
}

void TableWriter::add(std::int64_t number) {
  begin_cell(true);
  fmt::format_to(std::back_inserter(buffer_), "{}", number);
  end_cell();
}

void TableWriter::add(std::uint64_t number) {
  begin_cell(true);
  fmt::format_to(std::back_inserter(buffer_), "{}", number);
  end_cell();
}

void TableWriter::add_flag(bool flag) {
  begin_cell(true);
  put(flag ? "true" : "false");
  end_cell();
}

void TableWriter::add_nothing() {
  begin_cell(false);
  end_cell();
}

void TableWriter::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  if (!out_)
    throw Error("cannot write the table: the output is closed or full", "is its disk full?");
}

void TableWriter::finish() {
  if (format_ == ExportFormat::json) put("\n]}\n");
  flush();
  out_.flush();
  if (!out_)
    throw Error("cannot write the table: the output is closed or full", "is its disk full?");
}

}  // namespace prengdl
