// SPDX-License-Identifier: Apache-2.0
#include "campaign/live_state.h"

#include <fmt/core.h>
#include <unistd.h>

#include <ctime>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/own_files.h"
#include "base/strings.h"
#include "base/this_process.h"
#include "run/watchers.h"

namespace prengdl {
namespace {

constexpr std::int64_t while_watched_ns = 1'000'000'000;
constexpr std::int64_t while_not_ns = 10'000'000'000;
constexpr std::size_t longest_name = 2000;
/// Between two short runs the power of the one before is still shown for so long.
constexpr std::int64_t power_holds_ns = 2'000'000'000;

double unix_time() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Json json_of(const StudyProgress& progress) {
  Json json{{"schema", "prengdl.live/1"},
            {"doing", progress.doing},
            {"cell", shortened(progress.what, longest_name)},
            {"block", progress.block + 1},
            {"blocks", progress.blocks},
            {"done", progress.done},
            {"planned", progress.planned},
            {"failures", progress.failures}};
  if (progress.quality) {
    json["joules"] = progress.energy.value;
    json["quality"] = name_of(*progress.quality);
  }
  if (progress.time_left) json["seconds_left"] = progress.time_left->count();
  return json;
}

}  // namespace

LiveState::LiveState(const std::filesystem::path& result) : result_(result), host_(host_name()) {
  std::error_code none;
  std::filesystem::remove(live_file(result_), none);  // of one that was killed
}

LiveState::~LiveState() {
  std::error_code none;
  std::filesystem::remove(live_file(result_), none);
  ::rmdir((result_ / "watchers").c_str());  // unless somebody watches
}

void LiveState::tell(const StudyProgress& progress) {
  const std::int64_t now = monotonic_ns();
  std::string step = fmt::format("{} {} {}", progress.doing, progress.done, progress.what);
  if (step != step_) {
    step_ = std::move(step);
    since_ = unix_time();
  }
  if (progress.power) {
    power_ = progress.power;
    power_ns_ = now;
  } else if (now - power_ns_ > power_holds_ns) {
    power_.reset();
  }
  if (written_ns_ > 0 && now - written_ns_ < while_watched_ns) return;
  if (written_ns_ > 0 && now - written_ns_ < while_not_ns && !is_watched(now)) return;
  written_ns_ = now;
  Json json = json_of(progress);
  if (power_) {
    json["watts"] = power_->watts.value;
    json["watts_quality"] = name_of(power_->quality);
  }
  json["doing_since"] = since_;
  json["at"] = unix_time();
  json["host"] = host_;
  json["pid"] = getpid();
  if (const auto cpu = cpu_time_of(getpid())) json["cpu_seconds"] = cpu->count();
  write(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// Asked once a second: if nobody looks, nothing is written.
bool LiveState::is_watched(std::int64_t now_ns) {
  if (now_ns - asked_ns_ >= while_watched_ns) {
    asked_ns_ = now_ns;
    is_watched_ = !list_directory(result_ / "watchers").empty();
  }
  return is_watched_;
}

void LiveState::write(const std::string& text) const {
  try {
    replace_file(live_file(result_), text, Durability::quick);
  } catch (const Error&) {  // the live page shows what was there before; the study continues
  }
}

}  // namespace prengdl
