// SPDX-License-Identifier: Apache-2.0
#include "meters/value_file.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace prengdl {

Result<ValueFile> ValueFile::open(const std::filesystem::path& path) {
  auto file = open_for_reading(path);
  if (!file) return tl::unexpected(file.error());
  return ValueFile(std::move(*file));
}

Reading ValueFile::read() const noexcept {
  char text[32];
  ssize_t got = 0;
  int reason = 0;
  Reading reading = stamped([&](Reading&) {
    got = ::pread(file_.get(), text, sizeof text, 0);
    reason = errno;
  });
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

Reading ProductMeter::read() noexcept {
  const Reading volts = voltage_.read();
  Reading reading = current_.read();
  reading.at_ns = volts.at_ns + (reading.at_ns - volts.at_ns) / 2;
  auto product = static_cast<std::int64_t>(reading.raw * volts.raw);  // two's complement
  if (!signed_ && product < 0) product = -product;
  reading.raw = static_cast<std::uint64_t>(product);
  if (volts.status != ReadStatus::ok) reading.status = volts.status;
  return reading;
}

}  // namespace prengdl
