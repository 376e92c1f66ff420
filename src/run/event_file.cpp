// SPDX-License-Identifier: Apache-2.0
#include "run/event_file.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/files.h"
#include "base/text.h"

namespace prengdl {
namespace {

using nlohmann::json;

std::optional<std::int64_t> integer_in(const json& line, const char* key) {
  const auto value = line.find(key);
  if (value == line.end() || !value->is_number_integer()) return std::nullopt;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  return value->get<std::int64_t>();
}

/// Names may be told as numbers: epoch 1 is epoch "1".
std::optional<std::string> text_in(const json& line, const char* key) {
  const auto value = line.find(key);
  if (value == line.end()) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  if (value->is_number() || value->is_boolean()) return value->dump();
  return std::nullopt;
}

/// The event of a line, or what is wrong with it.
std::string parse_event(const json& line, Event& event) {
  if (!line.is_object()) return "not a JSON object";
  const auto at = integer_in(line, "t");
  if (!at) return "t is missing or is not a whole number of nanoseconds";
  event.at_ns = *at;
  event.pid = integer_in(line, "pid");
  event.tid = integer_in(line, "tid");
  event.id = integer_in(line, "id");
  event.step = integer_in(line, "step");
  const auto kind = text_in(line, "ev").value_or("");
  if (kind == "begin" || kind == "end") {
    event.type = kind == "begin" ? Event::Type::begin : Event::Type::end;
    const auto span = text_in(line, "span");
    if (!span) return "span is missing";
    event.span = *span;
    event.name = text_in(line, "name").value_or("");
    return {};
  }
  if (kind == "metric" || kind == "work") {
    event.type = kind == "metric" ? Event::Type::metric : Event::Type::work;
    const auto name = text_in(line, "name");
    if (!name) return "name is missing";
    event.name = *name;
    const auto value = line.find("value");
    if (value == line.end() || !value->is_number()) return "value is missing or is not a number";
    event.value = value->get<double>();
    return {};
  }
  if (kind == "fact") {
    event.type = Event::Type::fact;
    const auto name = text_in(line, "name");
    if (!name) return "name is missing";
    event.name = *name;
    const auto value = text_in(line, "value");
    if (!value) return "value is missing or is neither a text nor a number";
    event.text = *value;
    return {};
  }
  return "ev is not begin, end, metric, work or fact";
}

}  // namespace

EventFile read_events(const std::filesystem::path& path) {
  const auto file = open_for_reading(path);
  if (file) return read_events(file->get());
  EventFile result;
  result.warnings.emplace_back("the event file is gone: the workload removed it");
  return result;
}

EventFile read_events(int descriptor) {
  EventFile result;
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && status.st_nlink == 0)
    result.warnings.emplace_back("the event file is gone: the workload removed it");
  std::size_t number = 0;
  std::size_t broken = 0;
  std::string first_trouble;
  const auto take = [&](std::string_view text) {
    ++number;
    if (trimmed(text).empty()) return;
    const json line = json::parse(text, nullptr, false);
    Event event;
    const std::string trouble = line.is_discarded() ? "not JSON" : parse_event(line, event);
    if (trouble.empty()) {
      result.events.push_back(std::move(event));
    } else if (broken++ == 0) {
      first_trouble =
          fmt::format("line {}: {}: {}", number, trouble, printable(text.substr(0, 80)));
    }
  };
  std::string rest;  // the beginning of a line that the last block cut
  char block[65536];
  for (off_t at = 0;;) {
    const ssize_t got = pread(descriptor, block, sizeof block, at);
    if (got <= 0) break;
    at += got;
    std::string_view text(block, static_cast<std::size_t>(got));
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      rest += text.substr(0, end);
      take(rest);
      rest.clear();
      text.remove_prefix(end + 1);
    }
    rest += text;
  }
  if (!rest.empty()) take(rest);
  if (broken > 0)
    result.warnings.push_back(
        fmt::format("broken event lines: {}, first {}", broken, first_trouble));
  return result;
}

}  // namespace prengdl
