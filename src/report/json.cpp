// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

namespace prengdl {

Json meter_json(const MeterInfo& info) {
  Json json{{"id", info.id},
            {"name", info.name},
            {info.counted == Counted::channel ? "channel" : "domain", info.domain},
            {"kind", name_of(info.kind)},
            {"quality", name_of(info.quality)},
            {"source", info.source}};
  if (!name_of(info.unit).empty()) json["unit"] = name_of(info.unit);
  if (info.counted != Counted::channel) json["metered"] = name_of(info.counted);
  if (info.quantum > 0) json["quantum"] = info.quantum;
  if (info.range) json["range"] = static_cast<double>(*info.range) * info.step;
  if (info.update.count() > 0) json["update_seconds"] = info.update.count();
  if (info.window.count() > 0) json["window_seconds"] = info.window.count();
  if (info.lag.count() > 0) json["lag_seconds"] = info.lag.count();
  if (info.quality == Quality::model) json["model_range"] = {info.model_low, info.model_high};
  if (!info.note.empty()) json["note"] = info.note;
  return json;
}

Json left_out_json(const std::vector<LeftOut>& left_out) {
  Json list = Json::array();
  for (const auto& one : left_out) {
    Json json{{"source", one.source}, {"reason", one.reason}};
    if (!one.advice.empty()) json["advice"] = one.advice;
    list.push_back(std::move(json));
  }
  return list;
}

Json machine_json(const Machine& machine) {
  Json json = Json::object();
  for (const auto& fact : facts(machine)) json[fact.group][fact.key] = fact.value;
  return json;
}

std::string dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace prengdl
