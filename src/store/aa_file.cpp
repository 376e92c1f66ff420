// SPDX-License-Identifier: Apache-2.0
#include "store/aa_file.h"

#include <cstdlib>

#include "base/files.h"
#include "base/json.h"
#include "base/own_files.h"
#include "store/stored_words.h"

namespace prengdl {
namespace {

constexpr const char* schema = "prengdl.aa/1";

Quality quality_of(const Json& json) {
  const auto quality = stored_value<Quality>(json.get<std::string>());
  if (!quality) throw Error("unknown quality " + json.get<std::string>());
  return *quality;
}

Json json_of(const AaMeasure& measure) {
  Json json{{"measure", measure.measure}};
  if (measure.quality) json["quality"] = stored_name(*measure.quality);
  json["pairs"] = measure.pairs;
  json["spread"] = measure.spread;
  json["spread_ci95"] = measure.spread_ci95;
  json["run_spread"] = measure.run_spread;
  json["ratio"] = measure.ratio;
  json["ci95"] = measure.ci95;
  json["p"] = measure.p;
  json["false_positives"] = measure.false_positives;
  if (measure.back_to_back_false_positives)
    json["back_to_back_false_positives"] = *measure.back_to_back_false_positives;
  json["detectable_ratio"] = measure.detectable_ratio;
  return json;
}

AaMeasure measure_of_json(const Json& json) {
  AaMeasure measure;
  measure.measure = json.at("measure");
  if (json.contains("quality")) measure.quality = quality_of(json.at("quality"));
  measure.pairs = json.at("pairs");
  measure.spread = json.at("spread");
  measure.spread_ci95 = json.at("spread_ci95");
  measure.run_spread = json.at("run_spread");
  measure.ratio = json.at("ratio");
  measure.ci95 = json.at("ci95");
  measure.p = json.at("p");
  measure.false_positives = json.at("false_positives");
  if (json.contains("back_to_back_false_positives"))
    measure.back_to_back_false_positives = json.at("back_to_back_false_positives").get<double>();
  measure.detectable_ratio = json.at("detectable_ratio");
  return measure;
}

}  // namespace

std::string aa_json_text(const AaRecord& record) {
  Json json{{"schema", schema},
            {"fingerprint", record.fingerprint},
            {"at", record.at},
            {"prengdl_version", record.prengdl_version},
            {"command", record.command},
            {"pairs", record.pairs},
            {"disturbed", record.disturbed}};
  json["measures"] = Json::array();
  for (const auto& measure : record.measures) json["measures"].push_back(json_of(measure));
  json["meters"] = Json::array();
  for (const auto& meter : record.meters)
    json["meters"].push_back(
        {{"id", meter.id}, {"domain", meter.domain}, {"quality", stored_name(meter.quality)}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<AaRecord> aa_of_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != schema)
      return failure("not a record of doctor --aa that this version knows");
    AaRecord record;
    record.fingerprint = json.at("fingerprint");
    record.at = json.at("at");
    record.prengdl_version = json.at("prengdl_version");
    record.command = json.at("command").get<std::vector<std::string>>();
    record.pairs = json.at("pairs");
    record.disturbed = json.at("disturbed");
    for (const auto& measure : json.at("measures"))
      record.measures.push_back(measure_of_json(measure));
    for (const auto& meter : json.at("meters"))
      record.meters.push_back(
          {meter.at("id"), meter.at("domain"), quality_of(meter.at("quality"))});
    return record;
  } catch (const Error& error) {
    return tl::unexpected(error);
  } catch (const Json::exception& error) {
    return failure(std::string("not a record of doctor --aa: ") + error.what());
  }
}

void write_aa(const std::filesystem::path& directory, const AaRecord& record) {
  make_directory(directory);
  check_directory_owner(directory);
  replace_file(directory / (record.fingerprint + ".json"), aa_json_text(record));
}

std::optional<AaRecord> read_aa(const std::filesystem::path& directory,
                                const std::string& fingerprint) {
  const auto text = read_optional(directory / (fingerprint + ".json"));
  if (!text) return std::nullopt;
  auto record = aa_of_json(*text);
  if (!record || record->fingerprint != fingerprint) return std::nullopt;
  return std::move(*record);
}

std::filesystem::path aa_directory() {
  const char* state = std::getenv("XDG_STATE_HOME");
  // A relative path there is invalid and to be ignored, says the base directory specification.
  if (state && *state == '/') return std::filesystem::path(state) / "prengdl" / "aa";
  const char* home = std::getenv("HOME");
  const std::filesystem::path user = home && *home ? home : "/root";
  return user / ".local" / "state" / "prengdl" / "aa";
}

std::optional<AaRecord> read_aa(const std::string& fingerprint) {
  return read_aa(aa_directory(), fingerprint);
}

}  // namespace prengdl
