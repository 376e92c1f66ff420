// SPDX-License-Identifier: Apache-2.0
//
// Events that a C++ workload emits while prengdl measures it. C++17, POSIX, nothing to link.
//
//   prengdl::Span epoch("epoch", 1);  // until the end of the block
//   prengdl::work("samples", 50000);
//   prengdl::metric("accuracy", 0.91, 1);
//
// If PRENGDL_EVENTS is not set, all of it does nothing. Otherwise each event is one line appended
// to that file by one write. Every function may be called from any thread and after a fork. None
// throws, prints, changes errno, or fails because of a name, a value or the file. What cannot be
// written is left out; after a failed write, nothing more is written.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace prengdl {
inline namespace events_v1 {

/// What a span or a metric is called: text in UTF-8, or an integer. Lives as long as the call.
class Name {
 public:
  Name(const char* text) noexcept : text_(text != nullptr ? text : "") {}
  Name(std::string_view text) noexcept : text_(text) {}
  Name(const std::string& text) noexcept : text_(text) {}
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  Name(Integer number) noexcept {
    static_assert(sizeof(Integer) > 1, "a name is text or an integer, not a bool or a char");
    const auto end = std::to_chars(digits_, digits_ + sizeof digits_, number).ptr;
    text_ = {digits_, static_cast<std::size_t>(end - digits_)};
  }
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;

  std::string_view text() const noexcept { return text_; }

 private:
  char digits_[24];
  std::string_view text_;
};

namespace detail {

class KeepErrno {
 public:
  KeepErrno() noexcept = default;
  ~KeepErrno() { errno = kept_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int kept_ = errno;
};

constexpr int not_opened_yet = -2;
constexpr int none = -1;
inline std::atomic<int> file{not_opened_yet};
inline std::atomic<bool> size_is_limited{false};

inline int open_file() noexcept {
  const char* path = std::getenv("PRENGDL_EVENTS");
  if (path == nullptr || *path == '\0') return none;
  // A pipe without a reader would block us here, and one that loses it would end us by SIGPIPE.
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const int opened = ::open(path, flags, 0666);
  if (opened < 0) return none;
  struct stat about;
  if (::fstat(opened, &about) != 0 || S_ISFIFO(about.st_mode)) {
    ::close(opened);
    return none;
  }
  rlimit limit;
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    size_is_limited = true;
  // A high number is out of the way of a workload that closes and opens descriptors.
  for (const int lowest : {1000, 3}) {
    const int high = ::fcntl(opened, F_DUPFD_CLOEXEC, lowest);
    if (high < 0) continue;  // above the limit of open files
    ::close(opened);
    return high;
  }
  return opened;
}

/// Opens at the first use, without a lock that a fork could leave held.
inline int events_file() noexcept {
  int known = file.load(std::memory_order_acquire);
  if (known != not_opened_yet) return known;
  const KeepErrno keep;
  const int opened = open_file();
  if (file.compare_exchange_strong(known, opened)) return opened;
  if (opened >= 0) ::close(opened);  // another thread was first
  return known;
}

inline ssize_t write_once(int to, const char* data, std::size_t size) noexcept {
  ssize_t written;
  do written = ::write(to, data, size);
  while (written < 0 && errno == EINTR);
  return written;
}

/// As write_once, but a file at its size limit is an error and not the end by SIGXFSZ.
inline ssize_t write_below_limit(int to, const char* data, std::size_t size) noexcept {
  sigset_t signal, before, pending;
  sigemptyset(&signal);
  sigaddset(&signal, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signal, &before);
  const ssize_t written = write_once(to, data, size);
  int taken;
  if (written < 0 && sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1)
    sigwait(&signal, &taken);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return written;
}

inline void append_to_file(const char* line, std::size_t size) noexcept {
  const KeepErrno keep;
  const int to = file.load(std::memory_order_acquire);
  if (to < 0) return;
  const auto write = size_is_limited ? write_below_limit : write_once;
  const ssize_t written = write(to, line, size);
  if (written >= 0 && static_cast<std::size_t>(written) == size) return;
  // Full: no further lines. One that was cut is ended, so that it costs no other process a line.
  file.store(none, std::memory_order_release);
  if (written > 0) write(to, "\n", 1);
}

inline std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// This thread, or `process` in its main thread. Asked once per thread and process.
inline long thread_in(pid_t process) noexcept {
#ifdef __linux__
  thread_local pid_t asked_in = 0;
  thread_local long thread = 0;
  if (asked_in != process) {
    thread = ::syscall(SYS_gettid);
    asked_in = process;
  }
  return thread;
#else
  return process;
#endif
}

/// The length of the UTF-8 sequence that `text`, which is not empty, begins with; 0 if it is none.
inline std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (length < 3) return length;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool too_large = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

/// By its bits, since -ffast-math takes std::isfinite for true.
inline bool is_finite(double value) noexcept {
  std::uint64_t bits;
  static_assert(sizeof bits == sizeof value);
  std::memcpy(&bits, &value, sizeof bits);
  constexpr std::uint64_t exponent = 0x7FF0'0000'0000'0000;
  return (bits & exponent) != exponent;
}

/// Turns the decimal separator of any locale, be it several bytes, into a point; the new length.
inline std::size_t with_a_point(char* text) noexcept {
  std::size_t kept = 0;
  for (const char* c = text; *c != '\0'; ++c) {
    const bool part = std::strchr("0123456789+-e", *c) != nullptr;
    if (part) text[kept++] = *c;
    if (!part && (kept == 0 || text[kept - 1] != '.')) text[kept++] = '.';
  }
  return kept;
}

/// One line, without its time and kind: these are put before it when it is sent. Where there is
/// no memory for a long name, nothing is sent.
class Line {
 public:
  Line() noexcept = default;
  ~Line() {
    if (data_ != near_) std::free(data_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void raw(std::string_view text) noexcept {
    if (!reserve(text.size())) return;
    std::memcpy(data_ + size_, text.data(), text.size());
    size_ += text.size();
  }

  /// A JSON string. What is no UTF-8 becomes U+FFFD, since a JSON reader would refuse the line.
  void quoted(std::string_view text) noexcept {
    raw("\"");
    while (!text.empty()) {
      std::size_t plain = 0;
      while (plain < text.size() && is_plain(text[plain])) ++plain;
      if (plain != 0) raw(text.substr(0, plain));
      text.remove_prefix(plain);
      if (text.empty()) break;
      const std::size_t length = utf8_length(text);
      if (length > 1) {
        raw(text.substr(0, length));
      } else if (length == 1) {
        constexpr char hex[] = "0123456789abcdef";
        const auto code = static_cast<unsigned char>(text[0]);
        const char escape[] = {'\\', 'u', '0', '0', hex[code >> 4], hex[code & 15]};
        raw({escape, sizeof escape});
      } else {
        raw("\xEF\xBF\xBD");
      }
      text.remove_prefix(length > 1 ? length : 1);
    }
    raw("\"");
  }

  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  void number(Integer value) noexcept {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    raw({digits, static_cast<std::size_t>(end - digits)});
  }

  void number(bool value) noexcept { raw(value ? "1" : "0"); }

  /// The fewest digits that read as the same value, with a point whatever the locale says.
  /// By snprintf, since std::to_chars lacks double in GCC 10 and older.
  void number(double value) noexcept {
    char text[40];
    for (const int digits : {15, 16, 17}) {
      std::snprintf(text, sizeof text, "%.*g", digits, value);
      if (std::strtod(text, nullptr) == value) break;
    }
    raw({text, with_a_point(text)});
  }

  void integer(std::string_view key, std::int64_t value) noexcept {
    raw(key);
    number(value);
  }

  /// The process is always written: workers that a launcher starts cannot know of each other.
  void close(pid_t process) noexcept {
    integer(",\"pid\":", process);
    if (const long thread = thread_in(process); thread != process) integer(",\"tid\":", thread);
    raw("}\n");
  }

  void send(std::string_view event, std::int64_t at_ns) noexcept {
    if (!whole_) return;
    char head[head_room];
    char* end = put(head, "{\"t\":");
    end = std::to_chars(end, end + 20, at_ns).ptr;
    end = put(put(put(end, ",\"ev\":\""), event), "\"");
    const auto length = static_cast<std::size_t>(end - head);
    char* const start = data_ + head_room - length;
    std::memcpy(start, head, length);
    append_to_file(start, length + size_ - head_room);
  }

 private:
  static constexpr std::size_t head_room = 48;  // {"t":-9223372036854775808,"ev":"metric" takes 39

  static bool is_plain(char c) noexcept { return c >= ' ' && c < '\x7F' && c != '"' && c != '\\'; }

  static char* put(char* to, std::string_view text) noexcept {
    std::memcpy(to, text.data(), text.size());
    return to + text.size();
  }

  bool reserve(std::size_t more) noexcept {
    if (!whole_ || more <= capacity_ - size_) return whole_;
    const std::size_t larger = 2 * (size_ + more);
    char* const data = static_cast<char*>(std::malloc(larger));
    if (data == nullptr) return whole_ = false;
    std::memcpy(data, data_, size_);
    if (data_ != near_) std::free(data_);
    data_ = data;
    capacity_ = larger;
    return true;
  }

  char near_[256];
  char* data_ = near_;
  std::size_t capacity_ = sizeof near_;
  std::size_t size_ = head_room;
  bool whole_ = true;
};

inline void describe_span(Line& line, pid_t process, const Name& span, const Name& name,
                          std::optional<std::int64_t> id) noexcept {
  line.raw(",\"span\":");
  line.quoted(span.text());
  line.raw(",\"name\":");
  line.quoted(name.text());
  if (id) line.integer(",\"id\":", *id);
  line.close(process);
}

template <class Number>
void tell(std::string_view event, const Name& name, Number value,
          std::optional<std::int64_t> step) noexcept {
  static_assert(std::is_arithmetic_v<Number>, "a value is a number");
  if (events_file() < 0) return;
  Line line;
  line.raw(",\"name\":");
  line.quoted(name.text());
  line.raw(",\"value\":");
  if constexpr (std::is_floating_point_v<Number>) {
    const auto number = static_cast<double>(value);
    if (!is_finite(number)) return;  // JSON has neither NaN nor infinity
    line.number(number);
  } else {
    line.number(value);
  }
  if (step) line.integer(",\"step\":", *step);
  line.close(::getpid());
  line.send(event, now_ns());
}

}  // namespace detail

/// Whether events are being written.
inline bool active() noexcept { return detail::events_file() >= 0; }

/// A span begins. An id distinguishes spans of the same name that overlap in one thread.
inline void begin(const Name& span, const Name& name = "",
                  std::optional<std::int64_t> id = std::nullopt) noexcept {
  if (!active()) return;
  detail::Line line;
  detail::describe_span(line, ::getpid(), span, name, id);
  line.send("begin", detail::now_ns());
}

/// The span that last began with the same span, name and id in this thread ends.
inline void end(const Name& span, const Name& name = "",
                std::optional<std::int64_t> id = std::nullopt) noexcept {
  if (!active()) return;
  const std::int64_t at_ns = detail::now_ns();
  detail::Line line;
  detail::describe_span(line, ::getpid(), span, name, id);
  line.send("end", at_ns);
}

/// A figure of merit, such as the accuracy after a step. NaN and infinity are left out.
template <class Number>
void metric(const Name& name, Number value,
            std::optional<std::int64_t> step = std::nullopt) noexcept {
  detail::tell("metric", name, value, step);
}

/// Work done since the last such line of the same name: samples, tokens, requests.
template <class Number>
void work(const Name& name, Number value) noexcept {
  detail::tell("work", name, value, std::nullopt);
}

/// What this run is, as text: a version, a batch size, a precision. If emitted twice, the last
/// counts.
inline void fact(const Name& name, const Name& value) noexcept {
  if (!active()) return;
  detail::Line line;
  line.raw(",\"name\":");
  line.quoted(name.text());
  line.raw(",\"value\":");
  line.quoted(value.text());
  line.close(::getpid());
  line.send("fact", detail::now_ns());
}

/// A span from here to the end of the block. It may end in another thread than it began in; where
/// a fork happens inside, only the process that began it ends it.
class Span {
 public:
  [[nodiscard]] explicit Span(const Name& span, const Name& name = "",
                              std::optional<std::int64_t> id = std::nullopt) noexcept {
    if (!active()) return;
    began_in_ = ::getpid();
    detail::describe_span(line_, began_in_, span, name, id);
    line_.send("begin", detail::now_ns());
  }
  ~Span() {
    if (began_in_ == 0) return;
    const std::int64_t at_ns = detail::now_ns();
    if (began_in_ == ::getpid()) line_.send("end", at_ns);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  pid_t began_in_ = 0;
  detail::Line line_;
};

}  // namespace events_v1
}  // namespace prengdl
