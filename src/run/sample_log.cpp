// SPDX-License-Identifier: Apache-2.0
#include "run/sample_log.h"

#include <fmt/core.h>

#include <cerrno>

#include "base/files.h"
#include "base/temporary.h"

namespace prengdl {
namespace {

void put(std::vector<unsigned char>& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<unsigned char>(value | 0x80));
  bytes.push_back(static_cast<unsigned char>(value));
}

std::uint64_t get(const unsigned char*& at) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const unsigned char byte = *at++;
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

// Small differences of either sign become small numbers; wrapping arithmetic keeps 64 bits exact.
std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
std::uint64_t unzigzag(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }

}  // namespace

void SampleLog::append(std::span<const Sample> samples) {
  for (const auto& sample : samples) encode(sample);
  size_ += samples.size();
  if (bytes_.size() >= most_in_memory && trouble_.empty()) spill();
}

void SampleLog::encode(const Sample& sample) {
  const Reading& r = sample.reading;
  if (sample.meter >= last_.raw.size()) last_.raw.resize(sample.meter + 1U);
  // meter, status and mark in one number; slack only for the rare edges.
  put(bytes_, static_cast<std::uint64_t>(sample.meter) << 5 |
                  static_cast<std::uint64_t>(r.mark) << 4 | static_cast<std::uint64_t>(r.status));
  put(bytes_,
      zigzag(static_cast<std::uint64_t>(r.at_ns) - static_cast<std::uint64_t>(last_.at_ns)));
  put(bytes_, zigzag(r.raw - last_.raw[sample.meter]));
  if (r.mark == Mark::edge) put(bytes_, r.slack_ns);
  last_.at_ns = r.at_ns;
  last_.raw[sample.meter] = r.raw;
}

void SampleLog::decode(std::span<const unsigned char> bytes, State& state,
                       const std::function<void(const Sample&)>& take) const {
  const unsigned char* at = bytes.data();
  const unsigned char* const end = at + bytes.size();
  while (at < end) {
    const std::uint64_t head = get(at);
    Sample sample;
    sample.meter = static_cast<std::uint16_t>(head >> 5);
    sample.reading.mark = static_cast<Mark>(head >> 4 & 1);
    sample.reading.status = static_cast<ReadStatus>(head & 15);
    if (sample.meter >= state.raw.size()) state.raw.resize(sample.meter + 1U);
    state.at_ns =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(state.at_ns) + unzigzag(get(at)));
    state.raw[sample.meter] += unzigzag(get(at));
    if (sample.reading.mark == Mark::edge)
      sample.reading.slack_ns = static_cast<std::uint32_t>(get(at));
    sample.reading.at_ns = state.at_ns;
    sample.reading.raw = state.raw[sample.meter];
    take(sample);
  }
}

void SampleLog::open_file() {
  try {
    FileDescriptor file = unnamed_file(temporary_directory());
    file_.reset(fdopen(file.get(), "w+"));
    if (file_) file.release();
  } catch (const Error& error) {
    trouble_ = fmt::format("samples are kept in memory: {}", error.what());
  }
}

void SampleLog::spill() {
  errno = 0;
  if (!file_) open_file();
  if (!file_ || std::fseek(file_.get(), 0, SEEK_END) != 0 ||
      std::fwrite(bytes_.data(), 1, bytes_.size(), file_.get()) != bytes_.size() ||
      std::fflush(file_.get()) != 0) {
    if (trouble_.empty())
      trouble_ = "samples are kept in memory: the temporary file: " + error_text(errno);
    return;
  }
  blocks_.push_back(bytes_.size());
  bytes_.clear();
}

void SampleLog::for_each(const std::function<void(const Sample&)>& take) const {
  State state;
  if (!blocks_.empty()) {
    std::rewind(file_.get());
    std::vector<unsigned char> block;
    for (const auto size : blocks_) {
      block.resize(size);
      if (std::fread(block.data(), 1, size, file_.get()) != size)
        throw Error("cannot read the samples back from the temporary file: " + error_text(errno));
      decode(block, state, take);
    }
  }
  decode(bytes_, state, take);
}

}  // namespace prengdl
