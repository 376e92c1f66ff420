// SPDX-License-Identifier: Apache-2.0
#include "store/run_json.h"

#include <fmt/core.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "base/json.h"
#include "store/fields.h"
#include "store/stored_words.h"

namespace prengdl {
namespace {

constexpr std::string_view run_schema = "prengdl.run/1";

/// Why a text of JSON is not what it should be.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;

template <class T>
constexpr bool is_quantity = std::is_same_v<T, Joules> || std::is_same_v<T, Watts>;

using Texts = std::pair<std::string, std::string>;

constexpr std::string_view spans_key = "spans";
constexpr std::string_view metrics_key = "metrics";

class ToJson {
 public:
  template <class T>
  void operator()(const char* name, const std::vector<T>& value) {
    const bool is_left_out = without_emitted && (name == spans_key || name == metrics_key);
    json[name] = is_left_out ? Json::array() : of_list(std::span(value));
  }
  template <class T>
  void operator()(const char* name, const std::optional<T>& value) {
    if (value) json[name] = of(*value);
  }
  template <class T>
  void operator()(const char* name, const T& value) {
    json[name] = of(value);
  }

  template <class T>
  static Json of(const T& value) {
    if constexpr (std::is_same_v<T, double>)
      return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
    else if constexpr (std::is_same_v<T, Seconds>)
      return of(value.count());
    else if constexpr (is_quantity<T>)
      return of(value.value);
    else if constexpr (std::is_enum_v<T>)
      return stored_name(value);
    else if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>)
      return value;
    else if constexpr (std::is_same_v<T, Texts>)
      return Json::array({value.first, value.second});
    else if constexpr (std::is_same_v<T, Flags>)
      return of_flags(value);
    else if constexpr (is_vector<T>)
      return of_list(std::span(value));
    else
      return of_object(value);
  }

  static Json of_flags(const Flags& flags) {
    const std::vector<Flag> list(flags.begin(), flags.end());
    return of_list(std::span(list));
  }
  template <class T>
  static Json of_list(std::span<T> values) {
    Json list = Json::array();
    for (const auto& value : values) list.push_back(of(value));
    return list;
  }

  Json json = Json::object();
  bool without_emitted = false;

 private:
  template <class T>
  static Json of_object(const std::map<std::string, T>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = of(value);
    return object;
  }
  template <class T>
  static Json of_object(const T& value) {
    ToJson object;
    fields(object, value);
    return std::move(object.json);
  }
};

class FromJson {
 public:
  explicit FromJson(const Json& json) : json_(json) {
    if (!json.is_object()) throw Mismatch("not an object");
  }

  template <class T>
  void operator()(const char* name, std::optional<T>& value) {
    const auto found = json_.find(name);
    if (found == json_.end()) return;
    read(name, *found, value.emplace());
  }
  template <class T>
  void operator()(const char* name, T& value) {
    const auto found = json_.find(name);
    if (found == json_.end()) throw Mismatch(fmt::format("{} is missing", name));
    read(name, *found, value);
  }

 private:
  /// Says where in the document it went wrong.
  template <class T>
  static void read(const std::string& name, const Json& json, T& value) {
    try {
      fill(json, value);
    } catch (const Mismatch& inner) {
      throw Mismatch(name + ": " + inner.what());
    }
  }

  static void fill(const Json& json, std::string& value) {
    if (!json.is_string()) throw Mismatch("not a string");
    value = json.get_ref<const std::string&>();
  }
  static void fill(const Json& json, bool& value) {
    if (!json.is_boolean()) throw Mismatch("not true or false");
    value = json.get<bool>();
  }
  static void fill(const Json& json, double& value) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (json.is_number()) {
      value = json.get<double>();
    } else if (json == "inf" || json == "-inf") {
      value = json == "inf" ? infinity : -infinity;
    } else if (json == "nan" || json == "-nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      throw Mismatch("not a number");
    }
  }
  template <std::integral Number>
  static void fill(const Json& json, Number& value) {
    const bool fits =
        json.is_number_unsigned()
            ? std::in_range<Number>(json.get<std::uint64_t>())
            : json.is_number_integer() && std::in_range<Number>(json.get<std::int64_t>());
    if (!fits) throw Mismatch("not an integer of the right size");
    value = json.get<Number>();
  }
  static void fill(const Json& json, Seconds& value) {
    double seconds{};
    fill(json, seconds);
    value = Seconds{seconds};
  }
  template <class Unit>
  static void fill(const Json& json, Quantity<Unit>& value) {
    fill(json, value.value);
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  static void fill(const Json& json, Enum& value) {
    std::string name;
    fill(json, name);
    const auto known = stored_value<Enum>(name);
    if (!known) throw Mismatch(fmt::format("'{}' is not known here", name));
    value = *known;
  }
  static void fill(const Json& json, Texts& value) {
    if (!json.is_array() || json.size() != 2) throw Mismatch("not a pair");
    fill(json[0], value.first);
    fill(json[1], value.second);
  }
  static void fill(const Json& json, Flags& flags) {
    std::vector<Flag> list;
    fill(json, list);
    flags = Flags(list.begin(), list.end());
  }
  template <class T>
  static void fill(const Json& json, std::vector<T>& values) {
    if (!json.is_array()) throw Mismatch("not a list");
    values.clear();
    values.reserve(json.size());
    for (const auto& one : json) fill(one, values.emplace_back());
  }
  template <class T>
  static void fill(const Json& json, std::map<std::string, T>& values) {
    if (!json.is_object()) throw Mismatch("not an object");
    values.clear();
    for (const auto& [name, one] : json.items()) read(name, one, values[name]);
  }
  template <class T>
    requires std::is_class_v<T>
  static void fill(const Json& json, T& value) {
    FromJson object(json);
    fields(object, value);
  }

  const Json& json_;
};

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
Result<T> value_of(std::string_view text, std::string_view schema) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return failure("not JSON, or cut");
  try {
    FromJson object(json);
    std::string found(schema);
    if (!schema.empty()) object("schema", found);
    if (found != schema) return failure(fmt::format("it is of '{}', not '{}'", found, schema));
    T value;
    fields(object, value);
    return value;
  } catch (const Mismatch& mismatch) {
    return failure(mismatch.what());
  }
}

}  // namespace

namespace {

std::string run_text(const StoredRun& run, bool without_emitted) {
  ToJson object;
  object.without_emitted = without_emitted;
  object.json["schema"] = run_schema;
  fields(object, run);
  return text_of(object.json);
}

}  // namespace

std::string run_json(const StoredRun& run) { return run_text(run, false); }

std::string run_json_without_emitted(const StoredRun& run) { return run_text(run, true); }

std::string emitted_json(std::span<const SpanEnergy> spans, std::span<const Metric> metrics) {
  Json json;
  json[spans_key] = ToJson::of_list(spans);
  json[metrics_key] = ToJson::of_list(metrics);
  return text_of(json);
}

Result<void> add_emitted(std::string_view text, Run& run) {
  struct Lists {
    std::vector<SpanEnergy> spans;
    std::vector<Metric> metrics;
  } lists;
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return failure("not JSON, or cut");
  try {
    FromJson object(json);
    object(spans_key.data(), lists.spans);
    object(metrics_key.data(), lists.metrics);
  } catch (const Mismatch& mismatch) {
    return failure(mismatch.what());
  }
  std::move(lists.spans.begin(), lists.spans.end(), std::back_inserter(run.spans));
  std::move(lists.metrics.begin(), lists.metrics.end(), std::back_inserter(run.metrics));
  return {};
}

Result<StoredRun> run_of_json(std::string_view text) {
  return value_of<StoredRun>(text, run_schema);
}

std::string machine_json_text(const Machine& machine) { return text_of(ToJson::of(machine)); }

Result<Machine> machine_of_json(std::string_view text) { return value_of<Machine>(text, ""); }

std::string meters_json(const std::vector<MeterInfo>& meters) {
  return text_of(ToJson::of(meters));
}

std::string json_string(std::string_view text) { return text_of(Json(text)); }

}  // namespace prengdl
