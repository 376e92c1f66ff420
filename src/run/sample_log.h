// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "run/sample_ring.h"

namespace prengdl {

/// The samples of one run, encoded small (about 8 bytes each). Up to a megabyte stays in memory,
/// the rest goes to a temporary file without a name, so memory is flat however long the run is.
class SampleLog {
 public:
  void append(std::span<const Sample> samples);

  /// All samples in the order in which they came; as often as wanted.
  void for_each(const std::function<void(const Sample&)>& take) const;

  std::uint64_t size() const { return size_; }

  /// Why the file could not be written, if so; the samples are then kept in memory.
  const std::string& trouble() const { return trouble_; }

 private:
  struct State {  // what the encoding of a sample is relative to
    std::int64_t at_ns = 0;
    std::vector<std::uint64_t> raw;  // per meter
  };
  void encode(const Sample& sample);
  void decode(std::span<const unsigned char> bytes, State& state,
              const std::function<void(const Sample&)>& take) const;
  void open_file();
  void spill();

  static constexpr std::size_t most_in_memory = 1 << 20;
  std::vector<unsigned char> bytes_;
  State last_;
  std::uint64_t size_ = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  std::vector<std::size_t> blocks_;  // sizes of the blocks in the file
  std::string trouble_;
};

}  // namespace prengdl
