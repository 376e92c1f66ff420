// SPDX-License-Identifier: Apache-2.0
#include "campaign/live_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "base/files.h"
#include "base/this_process.h"
#include "run/watchers.h"

namespace prengdl {
namespace {

constexpr std::size_t most_bytes = 1 << 16;  // names of levels may be long

constexpr std::array texts{"doing", "cell", "quality", "watts_quality", "host"};
constexpr std::array numbers{"block",       "blocks", "done",         "planned",
                             "failures",    "joules", "watts",        "at",
                             "doing_since", "pid",    "seconds_left", "cpu_seconds"};

std::optional<std::string> read_small(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string text(most_bytes, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace

bool has_ended(const std::string& host, double pid) {
  if (host != host_name()) return false;
  return !(pid > 1 && pid < INT_MAX) || (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH);
}

std::optional<Json> read_live_file(const std::filesystem::path& result) {
  const auto text = read_small(live_file(result));
  if (!text) return std::nullopt;
  const Json found = Json::parse(*text, nullptr, false);
  if (!found.is_object() || found.value("schema", Json()) != "prengdl.live/1") return std::nullopt;
  Json live = Json::object();
  for (const char* name : texts)
    if (const auto field = found.find(name); field != found.end() && field->is_string())
      live[name] = *field;
  for (const char* name : numbers)
    if (const auto field = found.find(name); field != found.end() && field->is_number())
      live[name] = *field;
  if (!live.contains("host") || !live.contains("pid")) return std::nullopt;
  return live;
}

StudyState state_of(const std::optional<Json>& live, const std::vector<StudyEvent>& events) {
  if (live && has_ended((*live)["host"], (*live)["pid"]))
    return {"killed", "the run was killed; run the same command again to continue"};
  if (live) return {"running", ""};
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->kind == StudyEventKind::end)
      return {"ended", "the last start of prengdl run came to its end"};
    if (event->kind == StudyEventKind::stop_early)
      return {"ended", "stopped early: " + event->detail};
    if (event->kind == StudyEventKind::budget)
      return {"ended", "the budget is used up: " + event->detail};
    if (event->kind == StudyEventKind::failed)
      return {"ended", "stopped at a failure: " + event->detail};
    if (event->kind == StudyEventKind::interrupted)
      return {"interrupted", "interrupted; run the same command again to continue"};
    if (event->kind == StudyEventKind::import_runs) return {"ended", "these runs were imported"};
    if (event->kind == StudyEventKind::start || event->kind == StudyEventKind::resume) break;
  }
  return {"quiet", "nothing is known to run"};
}

}  // namespace prengdl
