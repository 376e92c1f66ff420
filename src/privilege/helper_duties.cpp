// SPDX-License-Identifier: Apache-2.0
//
// The part of prengdl that stays root under sudo. Everything that a message says is checked here
// against what is known beforehand: no path, command or free value of the user's is used.
#include "privilege/helper_duties.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/own_files.h"
#include "privilege/exit_event.h"
#include "privilege/helper_message.h"
#include "privilege/machine_settings.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// MISC_PACKAGE_CTLS of Intel processors; its lowest bit blurs RAPL (INTEL-SA-00389).
constexpr off_t energy_filter_register = 0xBC;
constexpr std::int64_t largest_config = 0xff;
constexpr std::int64_t largest_cpu = 8191;

bool consists_of(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

/// "intel-rapl:0:1", "intel-rapl-mmio:0".
bool is_zone(std::string_view entry) {
  const auto colon = entry.find(':');
  if (colon == std::string_view::npos) return false;
  return consists_of(entry.substr(0, colon), "abcdefghijklmnopqrstuvwxyz-") &&
         consists_of(entry.substr(colon), "0123456789:");
}

/// "hwmon3".
bool is_chip(std::string_view entry) {
  return entry.starts_with("hwmon") && consists_of(entry.substr(5), "0123456789");
}

/// "energy1_input", "power12_average".
bool is_sensor(std::string_view attribute) {
  const auto digits = attribute.find_first_of("0123456789");
  const auto end = attribute.find('_');
  if (digits == std::string_view::npos || end == std::string_view::npos || end < digits)
    return false;
  const auto kind = attribute.substr(0, digits);
  const auto rest = attribute.substr(end);
  return (kind == "energy" || kind == "power" || kind == "curr" || kind == "in") &&
         consists_of(attribute.substr(digits, end - digits), "0123456789") &&
         (rest == "_input" || rest == "_average");
}

bool is_meter(const std::string& kind, const std::string& entry, const std::string& attribute) {
  if (kind == "powercap")
    return is_zone(entry) && (attribute == "energy_uj" || attribute == "max_energy_range_uj");
  return kind == "hwmon" && is_chip(entry) && is_sensor(attribute);
}

/// While a request is answered.
class HelperAnswers {
 public:
  explicit HelperAnswers(const HelperDuties& duties) : duties_(duties), machine_(duties.host) {}

  /// The descriptor, if any, goes with the reply.
  FileDescriptor answer(const HelperRequest& request, HelperReply& reply) {
    FileDescriptor file;
    try {
      errno = 0;
      file = carry_out(request, reply);
      if (reply.has_descriptor && !file) reply.error = errno ? errno : EINVAL;
      reply.has_descriptor = file ? 1 : 0;
    } catch (const std::exception& error) {  // whatever it is: the machine must be restored later
      reply = {};
      reply.error = EIO;
      put_text(reply.text, error.what());
      if (const auto* known = dynamic_cast<const Error*>(&error)) put_text(reply.hint, known->hint);
    }
    return file;
  }

  void restore() { machine_.restore(); }

 private:
  FileDescriptor carry_out(const HelperRequest& request, HelperReply& reply) {
    switch (request.verb) {
      case Verb::open_meter:
        reply.has_descriptor = 1;
        return open_meter(text_in(request.words[0]), text_in(request.words[1]),
                          text_in(request.words[2]));
      case Verb::open_perf_event:
        reply.has_descriptor = 1;
        return open_power_event(request.numbers[0], request.numbers[1]);
      case Verb::watch_exit:
        reply.has_descriptor = 1;
        return watch_exit(request.numbers[0]);
      case Verb::keep_awake:
        keep_awake(request.numbers[0] == 1, reply);
        break;
      case Verb::energy_filter:
        read_energy_filter(reply);
        break;
      case Verb::set_machine:
        set_machine(request, reply);
        break;
      case Verb::restore_machine:
        put_lines(machine_.restore(), reply);
        break;
      case Verb::drop_caches:
        drop_caches();
        break;
      case Verb::fix:
        if (!duties_.fix || request.numbers[0] < 0 || request.numbers[0] > 100)
          throw Error("there is no such fix");
        duties_.fix(static_cast<std::size_t>(request.numbers[0]));
        break;
    }
    return {};
  }

  FileDescriptor open_meter(const std::string& kind, const std::string& entry,
                            const std::string& attribute) const {
    errno = EINVAL;
    if (!is_meter(kind, entry, attribute)) return {};
    const fs::path path = duties_.host.root / "sys/class" / kind / entry / attribute;
    return FileDescriptor(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  }

  /// Whatever the configuration, the events of this PMU are energy counters.
  FileDescriptor open_power_event(std::int64_t config, std::int64_t cpu) const {
    const auto type = read_integer(duties_.host.root / "sys/bus/event_source/devices/power/type");
    errno = EINVAL;
    if (!type || config < 1 || config > largest_config || cpu < 0 || cpu > largest_cpu) return {};
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = static_cast<std::uint32_t>(*type);
    attributes.config = static_cast<std::uint64_t>(config);
    return FileDescriptor(static_cast<int>(syscall(
        SYS_perf_event_open, &attributes, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC)));
  }

  /// Only of a process of the user on whose behalf we are here.
  FileDescriptor watch_exit(std::int64_t process) const {
    errno = EINVAL;
    if (process < 2 || process > INT32_MAX) return {};
    const FileDescriptor directory(
        ::open(fmt::format("/proc/{}", process).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    struct stat status {};
    if (!directory || ::fstat(directory.get(), &status) != 0) return {};
    errno = EPERM;
    if (status.st_uid != duties_.user) return {};
    FileDescriptor event = open_exit_event(static_cast<pid_t>(process));
    // If that process still lives, its number has not become another's meanwhile.
    char line;
    const FileDescriptor alive(::openat(directory.get(), "stat", O_RDONLY | O_CLOEXEC));
    if (!alive || ::read(alive.get(), &line, 1) != 1) event.close();
    return event;
  }

  void keep_awake(bool is_wanted, HelperReply& reply) {
    awake_.close();
    if (!is_wanted) return;
    awake_ = open_below(duties_.host.root, "dev/cpu_dma_latency", O_WRONLY);
    const std::int32_t microseconds = 0;  // the longest that a CPU may take to wake
    if (!awake_ ||
        ::write(awake_.get(), &microseconds, sizeof microseconds) != sizeof microseconds) {
      reply.error = errno;
      awake_.close();
    }
  }

  void read_energy_filter(HelperReply& reply) const {
    const FileDescriptor file = open_below(duties_.host.root, "dev/cpu/0/msr", O_RDONLY);
    std::uint64_t value{};
    if (!file || ::pread(file.get(), &value, sizeof value, energy_filter_register) != sizeof value)
      reply.error = file ? EIO : errno;
    reply.value = static_cast<std::int64_t>(value & 1);
  }

  void set_machine(const HelperRequest& request, HelperReply& reply) {
    MachineControl control;
    if (const auto governor = text_in(request.words[0]); !governor.empty())
      control.governor = governor;
    if (request.numbers[0] != turbo_as_it_is) control.turbo = request.numbers[0] == turbo_on;
    if (request.numbers[1] != 0)
      control.gpu_clock_mhz =
          static_cast<int>(std::clamp<std::int64_t>(request.numbers[1], -1, INT32_MAX));
    put_lines(machine_.set(control), reply);
  }

  void drop_caches() const {
    ::sync();
    const FileDescriptor file = open_below(duties_.host.root, "proc/sys/vm/drop_caches", O_WRONLY);
    if (!file || ::write(file.get(), "3\n", 2) != 2)
      throw Error(fmt::format("cannot drop the caches: {}", error_text(errno)),
                  "this needs root: sudo prengdl run ..., or leave protocol.drop_caches out");
  }

  static void put_lines(const std::vector<std::string>& lines, HelperReply& reply) {
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    put_text(reply.text, text);
  }

  const HelperDuties& duties_;
  MachineSettings machine_;
  FileDescriptor awake_;
};

/// False when the link is closed, or the message is none of ours.
bool receive(int link, HelperRequest& request) {
  for (;;) {
    // Descriptors that come with it are closed by the kernel: there is no room for them.
    const ssize_t got = ::recv(link, &request, sizeof request, MSG_TRUNC);
    if (got < 0 && errno == EINTR) continue;
    return got == static_cast<ssize_t>(sizeof request) && is_well_formed(request);
  }
}

bool send_reply(int link, const HelperReply& reply, const FileDescriptor& file) {
  iovec part{const_cast<HelperReply*>(&reply), sizeof reply};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (file) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int number = file.get();
    std::memcpy(CMSG_DATA(header), &number, sizeof number);
  }
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(link, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof reply);
}

}  // namespace

bool is_well_formed(const HelperRequest& request) {
  return request.verb >= Verb::open_meter && request.verb <= Verb::fix && request.reserved == 0 &&
         std::all_of(request.words.begin(), request.words.end(), [](const auto& word) {
           const auto end = std::find(word.begin(), word.end(), '\0');
           return end != word.end() &&
                  std::all_of(end, word.end(), [](char c) { return c == '\0'; });
         });
}

void serve_helper(int link, const HelperDuties& duties) {
  clearenv();
  umask(022);
  prctl(PR_SET_NAME, "prengdl-helper");
  HelperAnswers answers(duties);
  HelperRequest request;
  while (receive(link, request)) {
    HelperReply reply;
    const FileDescriptor file = answers.answer(request, reply);
    if (!send_reply(link, reply, file)) break;
  }
  answers.restore();
}

}  // namespace prengdl
