// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/files.h"
#include "meters/meter.h"

namespace prengdl {

/// One integer in a file of /sys, read again and again by pread from an open descriptor.
class ValueFile {
 public:
  explicit ValueFile(FileDescriptor file) : file_(std::move(file)) {}

  /// Opens the file; the Error says why it cannot.
  static Result<ValueFile> open(const std::filesystem::path& path);

  /// The value now, stamped with the middle of the read. Works for negative numbers too (as the
  /// two's complement of the raw value).
  Reading read() const noexcept;

 private:
  FileDescriptor file_;
};

/// A meter that is one such file: powercap, hwmon, thermal zones, cpufreq.
class FileMeter final : public Meter {
 public:
  FileMeter(MeterInfo info, ValueFile file) : info_(std::move(info)), file_(std::move(file)) {}
  const MeterInfo& info() const override { return info_; }
  Reading read() noexcept override { return file_.read(); }

 private:
  MeterInfo info_;
  ValueFile file_;
};

/// Power as the product of two files, voltage and current, in the product of their units.
class ProductMeter final : public Meter {
 public:
  enum class Sign { kept, dropped };  // batteries do not agree on the sign of a current
  ProductMeter(MeterInfo info, ValueFile voltage, ValueFile current, Sign sign)
      : info_(std::move(info)),
        voltage_(std::move(voltage)),
        current_(std::move(current)),
        signed_(sign == Sign::kept) {}
  const MeterInfo& info() const override { return info_; }
  Reading read() noexcept override;

 private:
  MeterInfo info_;
  ValueFile voltage_;
  ValueFile current_;
  bool signed_;
};

}  // namespace prengdl
