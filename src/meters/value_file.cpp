// SPDX-License-Identifier: Apache-2.0
#include "meters/value_file.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "base/clock.h"

namespace prengdl {

Result<ValueFile> ValueFile::open(const std::filesystem::path& path) {
  auto file = open_for_reading(path);
  if (!file) return tl::unexpected(file.error());
  return ValueFile(std::move(*file));
}

Reading ValueFile::read() const noexcept {
  char text[32];
  const std::int64_t before = monotonic_ns();
  const ssize_t got = ::pread(file_.get(), text, sizeof text, 0);
  const int reason = errno;
  const std::int64_t after = monotonic_ns();

  Reading reading;
  reading.at_ns = before + (after - before) / 2;
  if (got < 0) {
    reading.status = reason == EACCES || reason == EPERM    ? ReadStatus::denied
                     : reason == ENODEV || reason == ENOENT ? ReadStatus::gone
                                                            : ReadStatus::failed;
    return reading;
  }
  // An empty read is what an open descriptor gives after its file was truncated or unplugged.
  if (got == 0) {
    reading.status = ReadStatus::gone;
    return reading;
  }
  const char* const end = text + got;
  if (text[0] == '-') {
    std::int64_t value{};
    if (std::from_chars(text, end, value).ec != std::errc{})
      reading.status = ReadStatus::not_a_number;
    reading.raw = static_cast<std::uint64_t>(value);
  } else if (std::from_chars(text, end, reading.raw).ec != std::errc{}) {
    reading.status = ReadStatus::not_a_number;
  }
  return reading;
}

}  // namespace prengdl
