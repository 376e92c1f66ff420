// SPDX-License-Identifier: Apache-2.0
//
// Any command that prints lines of joules or watts: wall meters, PDUs, IPMI.
#include "meters/exec.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <thread>

#include "base/clock.h"
#include "base/escaping.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/parse.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "base/threads.h"
#include "meters/sources.h"

namespace prengdl {
namespace {

constexpr Seconds patience{10};  // for the first line that is a reading
constexpr std::int64_t most_slack_ns = 4'000'000'000;
constexpr std::int64_t least_slack_ns = 1'000'000;  // what the pipe and the thread may take
constexpr const char* wanted_form =
    "it must print lines such as '123.4 W' (now) or '5678 J' (so far), one per reading, and flush "
    "them";

struct UnitName {
  std::string_view name;
  bool is_energy;
  double factor;  // in J or W
};
constexpr std::array<UnitName, 11> unit_names{{{"J", true, 1},
                                               {"uJ", true, 1e-6},
                                               {"mJ", true, 1e-3},
                                               {"kJ", true, 1e3},
                                               {"Wh", true, 3600},
                                               {"kWh", true, 3.6e6},
                                               {"W", false, 1},
                                               {"uW", false, 1e-6},
                                               {"mW", false, 1e-3},
                                               {"kW", false, 1e3},
                                               {"Watts", false, 1}}};

std::string shortened(const std::string& line) {
  constexpr std::size_t most = 80;
  return line.size() <= most ? printable(line) : printable(line.substr(0, most)) + "...";
}

/// Runs the command and keeps the latest value that it printed. A thread of its own reads the
/// lines, so that a slow meter never holds up sampling.
class LineReader {
 public:
  LineReader(pid_t pid, FileDescriptor lines) : pid_(pid), lines_(std::move(lines)) {}
  ~LineReader() {
    kill(-pid_, SIGTERM);
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  pid_t pid() const { return pid_; }

  /// The first line that is a reading, within the patience. Otherwise what came instead of it.
  Result<std::string> first_reading(const std::string& command) {
    const std::int64_t until = monotonic_ns() + nanoseconds(patience);
    std::optional<std::string> other;
    while (monotonic_ns() < until && !ended_) {
      auto line = next_line(100);
      if (!line) continue;
      if (parse_meter_line(*line)) return *line;
      if (!other) other = std::move(line);
    }
    if (other)
      return failure(fmt::format("--meter: {} printed '{}'", command, shortened(*other)),
                     wanted_form);
    return failure(ended_ ? fmt::format("--meter: {} ended and printed nothing", command)
                          : fmt::format("--meter: {} printed nothing within {:.0f} s", command,
                                        patience.count()),
                   wanted_form);
  }

  void start(bool is_energy) {
    thread_ = start_thread([this, is_energy] {
      while (!stopping_ && !ended_)
        if (const auto line = next_line(100)) take(*line, is_energy);
    });
  }

  void take(const std::string& line, bool is_energy) {
    const auto value = parse_meter_line(line);
    if (!value || value->is_energy != is_energy) {
      bad_lines_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    const std::int64_t now = monotonic_ns();
    const std::int64_t before = at_ns_.load(std::memory_order_relaxed);
    // What the line shows may be as old as the line before it.
    const std::int64_t slack = before > 0 ? (now - before) / 2 : 0;
    // Writer of a seqlock: odd while the words change.
    sequence_.fetch_add(1, std::memory_order_acq_rel);
    at_ns_.store(now, std::memory_order_release);
    slack_ns_.store(std::clamp(slack, least_slack_ns, most_slack_ns), std::memory_order_release);
    micro_.store(std::llround(value->value * 1e6), std::memory_order_release);
    sequence_.fetch_add(1, std::memory_order_acq_rel);
  }

  Reading latest() const noexcept {
    Reading reading;
    for (;;) {
      const auto before = sequence_.load(std::memory_order_acquire);
      reading.at_ns = at_ns_.load(std::memory_order_acquire);
      reading.raw = static_cast<std::uint64_t>(micro_.load(std::memory_order_acquire));
      reading.slack_ns = static_cast<std::uint32_t>(slack_ns_.load(std::memory_order_acquire));
      if (before % 2 == 0 && sequence_.load(std::memory_order_acquire) == before) break;
    }
    reading.mark = Mark::edge;  // stamped when the line came, not when it was asked for
    if (ended_.load(std::memory_order_acquire)) {
      reading.at_ns = monotonic_ns();
      reading.status = ReadStatus::gone;
    }
    return reading;
  }

 private:
  std::optional<std::string> next_line(int wait_ms) {
    for (;;) {
      if (const auto end = buffer_.find('\n'); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        if (trimmed(line).empty()) continue;
        return line;
      }
      pollfd ready{lines_.get(), POLLIN, 0};
      if (poll(&ready, 1, wait_ms) <= 0) return std::nullopt;
      char text[512];
      const ssize_t got = ::read(lines_.get(), text, sizeof text);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        ended_ = true;
        return std::nullopt;
      }
      buffer_.append(text, static_cast<std::size_t>(got));
      if (buffer_.size() > 65536) buffer_.clear();  // not lines at all
    }
  }

  pid_t pid_;
  FileDescriptor lines_;
  std::string buffer_;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> ended_{false};
  std::atomic<std::uint32_t> sequence_{0};
  std::atomic<std::int64_t> at_ns_{0};
  std::atomic<std::int64_t> slack_ns_{0};
  std::atomic<std::int64_t> micro_{0};
  std::atomic<std::uint64_t> bad_lines_{0};
};

class ExecMeter final : public Meter {
 public:
  ExecMeter(MeterInfo info, std::unique_ptr<LineReader> reader)
      : info_(std::move(info)), reader_(std::move(reader)) {}
  const MeterInfo& info() const override { return info_; }
  Reading read() noexcept override { return reader_->latest(); }
  std::optional<pid_t> process() const override { return reader_->pid(); }

 private:
  MeterInfo info_;
  std::unique_ptr<LineReader> reader_;
};

/// Starts the command in a group of its own, so that Ctrl-C is ours to pass on.
Result<std::unique_ptr<LineReader>> start_reader(std::vector<std::string> command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failure("cannot make a pipe: " + error_text(errno));
  FileDescriptor out(ends[0]);
  const FileDescriptor in(ends[1]);
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto started = start_program({.words = std::move(command),
                                      .standard_input = nothing.get(),
                                      .standard_output = in.get(),
                                      .has_own_group = true});
  if (!started) return tl::unexpected(started.error());
  forbid_high_priority(*started);
  return std::make_unique<LineReader>(*started, std::move(out));
}

/// What `--meter` says: "gpu=read-outlet 3", "machine@1%=read-outlet 3".
struct NamedCommand {
  std::string domain = "machine";
  std::optional<double> gain;  // the accuracy that the instrument's owner states, as a share
  std::string command;
};

Result<NamedCommand> parse_named_command(const std::string& text) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  const auto at = name.find('@');
  const auto domain = name.substr(0, at);
  if (equals == std::string::npos || domain.empty() ||
      domain.find_first_not_of("abcdefghijklmnopqrstuvwxyz_:0123456789") != std::string::npos)
    return NamedCommand{.gain = {}, .command = text};
  NamedCommand named{domain, {}, text.substr(equals + 1)};
  if (at == std::string::npos) return named;
  const auto percent =
      name.ends_with('%')
          ? parse_number(std::string_view(name).substr(at + 1, name.size() - at - 2))
          : std::nullopt;
  if (!percent || *percent <= 0 || *percent > 50)
    return failure(fmt::format("'{}' is not an accuracy", printable(name.substr(at + 1))),
                   "write it in percent, from above 0 to 50: --meter 'machine@1%=read-outlet 3'");
  named.gain = *percent / 100;
  return named;
}

}  // namespace

std::optional<MeterLine> parse_meter_line(std::string_view line) {
  const auto text = trimmed(line);
  const auto unit_at = text.find_last_of("0123456789.");
  if (unit_at == std::string_view::npos) return std::nullopt;
  const auto value = parse_number(text.substr(0, unit_at + 1));
  const auto unit = trimmed(text.substr(unit_at + 1));
  if (!value) return std::nullopt;
  for (const auto& known : unit_names)
    if (known.name == unit) return MeterLine{known.is_energy, *value * known.factor};
  return std::nullopt;
}

FoundMeters find_exec(const MeterSearch& search) {
  FoundMeters found;
  for (const auto& text : search.exec) {
    const auto named = parse_named_command(text);
    if (!named) {
      found.left_out.push_back(
          {"exec", fmt::format("--meter '{}': {}", printable(text), named.error().what()),
           named.error().hint, 0, "", Asked::wrongly});
      continue;
    }
    const auto& [domain, gain, line] = *named;
    const auto same =
        std::count_if(found.meters.begin(), found.meters.end(),
                      [&](const auto& meter) { return meter->info().domain == domain; });
    const std::string id =
        same == 0 ? "exec/" + domain : fmt::format("exec/{}/{}", domain, same + 1);
    auto command = shell_words(line);
    if (!command || command->empty()) {
      found.left_out.push_back(
          {id,
           fmt::format("--meter '{}': {}", printable(text),
                       command ? "the command is empty" : command.error().what()),
           "write the command that reads the meter: --meter 'read-outlet 3'", 0, "",
           Asked::wrongly});
      continue;
    }
    auto reader = start_reader(*command);
    if (!reader) {
      found.left_out.push_back(
          {id, std::string("--meter: ") + reader.error().what(),
           "give a command that prints the meter's readings, such as '123.4 W'", 0, "",
           Asked::yes});
      continue;
    }
    const auto first = (*reader)->first_reading(printable(line));
    if (!first) {
      found.left_out.push_back({id, first.error().what(), first.error().hint, 0, "", Asked::yes});
      continue;
    }
    const auto value = parse_meter_line(*first);
    MeterInfo info;
    info.id = id;
    info.name = line;
    info.domain = domain;
    info.source = line;
    info.kind = value->is_energy ? Kind::counter : Kind::gauge;
    info.unit = value->is_energy ? Unit::joule : Unit::watt;
    info.quality = Quality::wall;
    info.counted = domain == "machine" ? Counted::alone : Counted::yes;
    info.step = 1e-6;
    // Once a second is what wall meters do; a run's end is waited out for that long. What a counter
    // does is learnt from its readings.
    if (info.kind == Kind::gauge) info.update = Seconds{1};
    info.period = Seconds{0.05};
    info.may_block = true;
    info.model_low = 1 - gain.value_or(0);
    info.model_high = 1 + gain.value_or(0);
    info.note = "read by a command that you gave; its accuracy is that of the instrument behind it";
    (*reader)->take(*first, value->is_energy);
    try {
      (*reader)->start(value->is_energy);
    } catch (const Error& error) {
      found.left_out.push_back({id, error.what(), error.hint});
      continue;
    }
    found.meters.push_back(std::make_unique<ExecMeter>(std::move(info), std::move(*reader)));
  }
  return found;
}

}  // namespace prengdl
