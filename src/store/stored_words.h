// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "model/flag.h"
#include "model/meter_info.h"
#include "model/result.h"

namespace prengdl {

// The words by which choices are stored. They stay when the words for people change.

template <class Enum>
struct StoredName {
  Enum value;
  std::string_view name;
};
template <class Enum>
StoredName(Enum, const char*) -> StoredName<Enum>;

constexpr auto stored_names(Kind) {
  return std::array{StoredName{Kind::counter, "counter"}, StoredName{Kind::gauge, "gauge"}};
}

constexpr auto stored_names(Quality) {
  return std::array{StoredName{Quality::wall, "wall"}, StoredName{Quality::sensor, "sensor"},
                    StoredName{Quality::chip, "chip"},
                    StoredName{Quality::virtual_machine, "virtual"},
                    StoredName{Quality::model, "model"}};
}

constexpr auto stored_names(Unit) {
  return std::array{StoredName{Unit::joule, "J"},     StoredName{Unit::watt, "W"},
                    StoredName{Unit::share, "share"}, StoredName{Unit::celsius, "degC"},
                    StoredName{Unit::byte, "B"},      StoredName{Unit::hertz, "Hz"},
                    StoredName{Unit::second, "s"},    StoredName{Unit::bits, "bits"}};
}

constexpr auto stored_names(Counted) {
  return std::array{StoredName{Counted::yes, "yes"},
                    StoredName{Counted::inside, "inside"},
                    StoredName{Counted::alone, "alone"},
                    StoredName{Counted::platform, "platform"},
                    StoredName{Counted::duplicate, "duplicate"},
                    StoredName{Counted::not_allocated, "not_allocated"},
                    StoredName{Counted::channel, "channel"}};
}

constexpr auto stored_names(Outcome) {
  return std::array{StoredName{Outcome::ok, "ok"},
                    StoredName{Outcome::failed, "failed"},
                    StoredName{Outcome::timeout, "timeout"},
                    StoredName{Outcome::out_of_memory, "out_of_memory"},
                    StoredName{Outcome::missing_output, "missing_output"},
                    StoredName{Outcome::interrupted, "interrupted"}};
}

constexpr auto stored_names(StudyEventKind) {
  return std::array{StoredName{StudyEventKind::start, "start"},
                    StoredName{StudyEventKind::resume, "resume"},
                    StoredName{StudyEventKind::end, "end"},
                    StoredName{StudyEventKind::stop_early, "stop-early"},
                    StoredName{StudyEventKind::give_up, "give-up"},
                    StoredName{StudyEventKind::budget, "budget"},
                    StoredName{StudyEventKind::failed, "failed"},
                    StoredName{StudyEventKind::interrupted, "interrupted"},
                    StoredName{StudyEventKind::planned, "planned"},
                    StoredName{StudyEventKind::replanned, "replanned"},
                    StoredName{StudyEventKind::aa, "aa"},
                    StoredName{StudyEventKind::environment, "environment"},
                    StoredName{StudyEventKind::import_runs, "import"},
                    StoredName{StudyEventKind::refused, "refused"},
                    StoredName{StudyEventKind::profile, "profile"},
                    StoredName{StudyEventKind::band, "band"},
                    StoredName{StudyEventKind::restored, "restored"},
                    StoredName{StudyEventKind::not_restored, "not-restored"},
                    StoredName{StudyEventKind::settings_failed, "settings-failed"},
                    StoredName{StudyEventKind::submitted, "submitted"},
                    StoredName{StudyEventKind::job_lost, "job-lost"},
                    StoredName{StudyEventKind::late_run, "late-run"},
                    StoredName{StudyEventKind::scheduler_away, "scheduler-away"},
                    StoredName{StudyEventKind::node_excluded, "node-excluded"},
                    StoredName{StudyEventKind::clock, "clock"},
                    StoredName{StudyEventKind::cancelled, "cancelled"}};
}

template <class Enum>
constexpr std::string_view stored_name(Enum value) {
  for (const auto& one : stored_names(value))
    if (one.value == value) return one.name;
  return "";
}

/// Nothing for a word that this version does not know.
template <class Enum>
std::optional<Enum> stored_value(std::string_view name) {
  for (const auto& one : stored_names(Enum{}))
    if (one.name == name) return one.value;
  return std::nullopt;
}

/// Flags have their names from the model, which explains them too.
inline std::string_view stored_name(Flag flag) { return name_of(flag); }
template <>
inline std::optional<Flag> stored_value<Flag>(std::string_view name) {
  return flag_of(name);
}

}  // namespace prengdl
