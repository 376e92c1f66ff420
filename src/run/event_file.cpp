// SPDX-License-Identifier: Apache-2.0
#include "run/event_file.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/escaping.h"
#include "base/files.h"
#include "base/strings.h"

namespace prengdl {
namespace {

using nlohmann::json;

std::optional<std::int64_t> integer_in(const json& line, const char* key) {
  const auto value = line.find(key);
  if (value == line.end() || !value->is_number_integer()) return std::nullopt;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  return value->get<std::int64_t>();
}

/// Names may be emitted as numbers: epoch 1 is epoch "1".
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

/// The events of a file that is read block by block.
class EventLines {
 public:
  EventLines(const EventLimits& limits, EventFile& result) : limits_(limits), result_(result) {}

  void add(std::string_view text) {
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      extend(text.substr(0, end));
      take();
      text.remove_prefix(end + 1);
    }
    extend(text);
  }

  void finish() {
    if (!line_.empty()) take();
    if (broken_ > 0)
      result_.warnings.push_back(
          fmt::format("broken event lines: {}, first {}", broken_, first_trouble_));
    if (dropped_ > 0)
      result_.warnings.push_back(
          fmt::format("{} events were dropped: the limit is {} per run", dropped_, limits_.events));
  }

 private:
  void extend(std::string_view text) {
    const std::size_t room = limits_.line + 1 - line_.size();
    line_ += text.substr(0, room);
  }

  void take() {
    ++number_;
    const std::string_view text = line_;
    if (text.size() > limits_.line)
      note(fmt::format("longer than {} KiB", limits_.line >> 10));
    else if (!trimmed(text).empty())
      parse(text);
    line_.clear();
  }

  void parse(std::string_view text) {
    const json line = json::parse(text, nullptr, false);
    Event event;
    const std::string trouble = line.is_discarded() ? "not JSON" : parse_event(line, event);
    if (!trouble.empty())
      note(trouble);
    else if (result_.events.size() < limits_.events)
      result_.events.push_back(std::move(event));
    else
      ++dropped_;
  }

  void note(const std::string& trouble) {
    if (broken_++ == 0)
      first_trouble_ = fmt::format("line {}: {}: {}", number_, trouble,
                                   printable(std::string_view(line_).substr(0, 80)));
  }

  const EventLimits& limits_;
  EventFile& result_;
  std::string line_;  // as far as it has been read
  std::size_t number_ = 0;
  std::size_t broken_ = 0;
  std::size_t dropped_ = 0;
  std::string first_trouble_;
};

}  // namespace

EventFile read_events(const std::filesystem::path& path) {
  const auto file = open_regular(path);
  if (file) return read_events(file->get());
  EventFile result;
  result.warnings.emplace_back("the event file is gone: the workload removed it");
  return result;
}

EventFile read_events(int descriptor, const EventLimits& limits) {
  EventFile result;
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && status.st_nlink == 0)
    result.warnings.emplace_back("the event file is gone: the workload removed it");
  EventLines lines(limits, result);
  char block[65536];
  std::uint64_t at = 0;
  while (at < limits.bytes) {
    const std::size_t most = std::min<std::uint64_t>(sizeof block, limits.bytes - at);
    const ssize_t got = pread(descriptor, block, most, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    at += static_cast<std::uint64_t>(got);
    lines.add({block, static_cast<std::size_t>(got)});
  }
  lines.finish();
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limits.bytes)
    result.warnings.push_back(fmt::format(
        "the event file has {} bytes: only the first {} MiB were read", size, limits.bytes >> 20));
  return result;
}

}  // namespace prengdl
