// SPDX-License-Identifier: Apache-2.0
#include "import/hyperfine.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/escaping.h"
#include "import/file_names.h"
#include "import/kinds.h"

namespace prengdl {
namespace {

using Json = nlohmann::json;

constexpr std::size_t largest_json = 64u << 20;
constexpr int deepest_json = 16;
constexpr double longest_timing = 1e9;

Error at_byte(const ForeignText& source, std::size_t byte, const std::string& what) {
  const auto before = std::string_view(source.text).substr(0, byte);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const auto newline = before.rfind('\n');
  const auto column =
      newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return foreign_error(source.name, line, std::max<std::size_t>(column, 1), what,
                       "it is made with hyperfine --export-json FILE");
}

Json parsed(const ForeignText& source) {
  const auto bounded = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest_json)
      throw Error(source.name + ": its values are nested too deeply", "is it a file of hyperfine?");
    return true;
  };
  try {
    return Json::parse(source.text, bounded);
  } catch (const Json::parse_error& error) {
    throw at_byte(source, error.byte, "this is no JSON");
  } catch (const Json::exception&) {
    throw at_byte(source, 0, "a number in it is out of range");
  }
}

/// A value of the file and the way to it.
class Value {
 public:
  Value(const std::string& file, const Json& json, std::string way)
      : file_(file), json_(json), way_(std::move(way)) {}

  Error error(const std::string& what) const {
    return Error(fmt::format("{}: {} {}", file_, way_.empty() ? "/" : printable(way_), what),
                 "it is made with hyperfine --export-json FILE");
  }

  const Json& json() const { return json_; }

  std::optional<Value> find(const std::string& key) const {
    if (!json_.is_object()) throw error("is no object");
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) return std::nullopt;
    return Value(file_, *found, way_ + "/" + key);
  }
  Value at(const std::string& key) const {
    auto found = find(key);
    if (!found) throw error("has no " + key);
    return *found;
  }
  std::vector<Value> items() const {
    if (!json_.is_array()) throw error("is no list");
    std::vector<Value> all;
    for (std::size_t i = 0; i < json_.size(); ++i)
      all.emplace_back(file_, json_[i], fmt::format("{}/{}", way_, i));
    return all;
  }
  std::string text() const {
    if (!json_.is_string()) throw error("is no text");
    return printable(json_.get_ref<const std::string&>());
  }

 private:
  const std::string& file_;
  const Json& json_;
  std::string way_;
};

/// What a run has besides its time, in a list as long as that of the times.
template <class Set>
void read_beside(const Value& result, const std::string& key, std::size_t runs, const Set& set) {
  const auto list = result.find(key);
  if (!list) return;
  const auto items = list->items();
  if (items.size() != runs) throw list->error("has another length than times");
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!items[i].json().is_null()) set(i, items[i]);
}

HyperfineResult result_of(const Value& value) {
  HyperfineResult result;
  result.command = value.at("command").text();
  if (const auto parameters = value.find("parameters")) {
    if (!parameters->json().is_object()) throw parameters->error("is no object");
    for (const auto& [name, level] : parameters->json().items())
      result.parameters[name] =
          level.is_string() ? printable(level.get_ref<const std::string&>())
                            : printable(level.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  const auto times = value.find("times");
  if (!times) throw value.error("has no times: single runs cannot be recovered from a summary");
  for (const auto& item : times->items()) {
    if (!item.json().is_number()) throw item.error("is no number");
    const double seconds = item.json().get<double>();
    if (!(seconds > 0) || seconds > longest_timing) throw item.error("is no number of seconds");
    result.runs.push_back({seconds, {}, {}});
  }
  read_beside(value, "exit_codes", result.runs.size(), [&](std::size_t i, const Value& item) {
    if (!item.json().is_number_integer()) throw item.error("is no exit code");
    const auto code = item.json().get<std::int64_t>();
    if (code < -256 || code > 256) throw item.error("is no exit code");
    result.runs[i].exit_code = static_cast<int>(code);
  });
  read_beside(value, "memory_usage_byte", result.runs.size(),
              [&](std::size_t i, const Value& item) {
                if (!item.json().is_number_unsigned()) throw item.error("is no number of bytes");
                result.runs[i].memory_bytes = item.json().get<std::uint64_t>();
              });
  return result;
}

/// The parameters are the factors where they say all that differs; else the command is.
bool parameters_tell_all(const std::vector<HyperfineResult>& results) {
  std::set<std::map<std::string, std::string>> seen;
  for (const auto& result : results) {
    if (result.parameters.empty() || result.parameters.size() != results[0].parameters.size())
      return false;
    for (const auto& [name, level] : result.parameters)
      if (!results[0].parameters.contains(name)) return false;
    if (!seen.insert(result.parameters).second) return false;
  }
  return !results.empty();
}

}  // namespace

std::vector<HyperfineResult> parse_hyperfine(const ForeignText& source) {
  const Json json = parsed(source);
  std::vector<HyperfineResult> results;
  for (const auto& item : Value(source.name, json, "").at("results").items())
    results.push_back(result_of(item));
  return results;
}

Imported import_hyperfine(const ForeignPaths& paths, const ImportOptions&) {
  Imported imported;
  imported.name = "hyperfine";
  std::vector<HyperfineResult> results;
  std::vector<std::string> files;
  for (const auto& file : foreign_files(paths))
    for (auto& result : parse_hyperfine(read_foreign(file.path, largest_json))) {
      results.push_back(std::move(result));
      files.push_back(file.relative);
    }
  const bool by_parameters = parameters_tell_all(results);
  if (by_parameters)
    for (const auto& [name, level] : results.front().parameters) {
      check_factor_name(name);
      imported.factors.push_back(name);
    }
  else
    imported.factors = {"command"};
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::int64_t number = 0;
    for (const auto& one : results[i].runs) {
      ImportedRun& run = imported.runs.emplace_back();
      run.levels = by_parameters
                       ? results[i].parameters
                       : std::map<std::string, std::string>{{"command", results[i].command}};
      run.number = ++number;
      run.file = files[i];
      Run& figures = run.stored.run;
      figures.wall = figures.window = Seconds{one.seconds};
      figures.exit_code = one.exit_code;
      figures.max_rss_bytes = one.memory_bytes.value_or(0);
      if (one.exit_code.value_or(0) != 0) run.stored.outcome = Outcome::failed;
    }
  }
  imported.is_in_order_of_time = true;  // hyperfine makes all runs of one command, then the next
  return imported;
}

}  // namespace prengdl
