// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "meters/meter.h"
#include "meters/patience.h"

namespace prengdl {

/// A figure that a vendor's library gives of one GPU. `Query` asks the library's functions for it
/// and returns a code that status_of() knows.
template <class Library, class Device, class Query>
class GpuQueryMeter final : public Meter {
 public:
  GpuQueryMeter(MeterInfo info, std::shared_ptr<const Library> library, Device device, Query query)
      : info_(std::move(info)), library_(std::move(library)), device_(device), query_(query) {}

  const MeterInfo& info() const override { return info_; }

  Reading read() noexcept override {
    return stamped([this](Reading& reading) {
      reading.status = status_of(query_(library_->api(), device_, reading.raw));
    });
  }

 private:
  MeterInfo info_;
  std::shared_ptr<const Library> library_;
  Device device_;
  Query query_;
};

/// The meters that `make` finds with a vendor's library, or that the library does not answer.
/// `tool` is the vendor's program that asks the same library.
template <class Make>
FoundMeters meters_if_it_answers(const std::string& source, const std::string& library,
                                 const std::string& tool, Make make) {
  auto answer = answer_of<FoundMeters>(source, std::move(make));
  if (answer) return std::move(*answer);
  FoundMeters found;
  found.left_out.push_back({source, library + " does not answer",
                            "see whether `" + tool + "` hangs too; if so, reboot"});
  return found;
}

}  // namespace prengdl
