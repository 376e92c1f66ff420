// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "store/bytes.h"
#include "store/sample_codec.h"
#include "store/sample_layout.h"

namespace prengdl {
namespace {

using namespace sample_layout;

using Column = std::vector<std::uint64_t>;

/// A column of `size` values; false if it is cut or too wide. Bytes that are not there are noticed
/// before memory is asked for.
bool take_column(ByteReader& bytes, std::size_t size, Column& column) {
  const std::size_t width = bytes.get<std::uint8_t>();
  if (!bytes.ok() || width > sizeof(std::uint64_t) || size * width > bytes.left()) return false;
  column.assign(size, 0);
  for (std::size_t plane = 0; plane < width; ++plane) {
    const std::byte* const from = bytes.take(size).data();
    for (std::size_t i = 0; i < size; ++i)
      column[i] |= static_cast<std::uint64_t>(from[i]) << 8 * plane;
  }
  return true;
}

}  // namespace

struct SampleReader::Decoder {
  struct Release {
    void operator()(ZSTD_DCtx* one) const { ZSTD_freeDCtx(one); }
  };
  struct Series {  // of one meter in this chunk
    std::uint16_t meter{};
    std::uint32_t count{};
    std::uint32_t quantum{};
    std::uint64_t value{};  // the count of the last sample
    Column gaps;
    Column steps;
    std::size_t next = 0;  // in these two
  };
  std::vector<std::byte> plain;
  std::vector<Series> series;  // the first `used` are of this chunk
  std::size_t used = 0;
  std::uint32_t count = 0;
  std::int64_t start_ns = 0;
  Column order, flags, slacks;
  std::unique_ptr<ZSTD_DCtx, Release> context{ZSTD_createDCtx()};

  /// What is wrong with the chunk; "" if nothing is.
  std::string decompress(std::span<const std::byte> chunk);
  bool take_columns();
  bool take_series(ByteReader& bytes);
  bool is_consistent();
  void hand_out(const TakeSample& take);
};

std::string SampleReader::Decoder::decompress(std::span<const std::byte> chunk) {
  ByteReader head(chunk);
  const auto layout = head.get<std::uint8_t>();
  count = head.get<std::uint32_t>();
  if (!head.ok()) return "it is cut";
  if (layout != version) return fmt::format("it has layout {}, not {}", layout, version);
  if (count == 0 || count > most_samples_in_chunk)
    return fmt::format("it claims {} samples", count);
  const auto frame = chunk.subspan(head_size);
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > longest(count))
    return "its size is not plausible";
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size())
    return "it is cut, or something follows it";
  plain.resize(size);
  const auto got =
      ZSTD_decompressDCtx(context.get(), plain.data(), plain.size(), frame.data(), frame.size());
  if (ZSTD_isError(got)) return ZSTD_getErrorName(got);
  return got == size ? "" : "it is shorter than stated";
}

bool SampleReader::Decoder::take_series(ByteReader& bytes) {
  used = bytes.get<std::uint32_t>();
  if (used == 0 || used > count) return false;
  if (series.size() < used) series.resize(used);
  for (std::size_t i = 0; i < used; ++i) {
    series[i].meter = bytes.get<std::uint16_t>();
    series[i].count = bytes.get<std::uint32_t>();
    series[i].quantum = bytes.get<std::uint32_t>();
    series[i].value = bytes.get<std::uint64_t>();
    series[i].next = 0;
  }
  return bytes.ok();
}

/// Whether the order names the meters as often as they say themselves, and every flag is known.
bool SampleReader::Decoder::is_consistent() {
  std::size_t slack = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (order[i] >= used || flags[i] > (status_mask | edge_flag | slack_flag)) return false;
    if ((flags[i] & status_mask) > static_cast<std::uint64_t>(ReadStatus::stuck)) return false;
    ++series[order[i]].next;
    slack += flags[i] & slack_flag ? 1 : 0;
  }
  for (std::size_t i = 0; i < used; ++i)
    if (std::exchange(series[i].next, 0) != series[i].count) return false;
  return slack == slacks.size();
}

bool SampleReader::Decoder::take_columns() {
  ByteReader bytes(plain);
  start_ns = bytes.get<std::int64_t>();
  if (!take_series(bytes) || !take_column(bytes, count, order) || !take_column(bytes, count, flags))
    return false;
  const auto has_slack = [](std::uint64_t flag) { return (flag & slack_flag) != 0; };
  const auto slack_count = std::count_if(flags.begin(), flags.end(), has_slack);
  if (!take_column(bytes, static_cast<std::size_t>(slack_count), slacks) || !is_consistent())
    return false;
  for (std::size_t i = 0; i < used; ++i)
    if (!take_column(bytes, series[i].count, series[i].gaps) ||
        !take_column(bytes, series[i].count, series[i].steps))
      return false;
  return bytes.left() == 0;
}

void SampleReader::Decoder::hand_out(const TakeSample& take) {
  auto at = static_cast<std::uint64_t>(start_ns);
  std::size_t slack = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Series& one = series[order[i]];
    at += unzigzag(one.gaps[one.next]);
    one.value += unzigzag(one.steps[one.next]);
    ++one.next;
    Reading reading{.at_ns = static_cast<std::int64_t>(at), .raw = raw_of(one.value, one.quantum)};
    if (flags[i] != 0) {
      reading.status = static_cast<ReadStatus>(flags[i] & status_mask);
      if (flags[i] & edge_flag) reading.mark = Mark::edge;
      if (flags[i] & slack_flag) reading.slack_ns = static_cast<std::uint32_t>(slacks[slack++]);
    }
    take(one.meter, reading);
  }
}

SampleReader::SampleReader() : decoder_(std::make_unique<Decoder>()) {}
SampleReader::SampleReader(SampleReader&&) noexcept = default;
SampleReader& SampleReader::operator=(SampleReader&&) noexcept = default;
SampleReader::~SampleReader() = default;

Result<void> SampleReader::read(std::span<const std::byte> chunk, const TakeSample& take) {
  if (!decoder_->context) return failure("zstd has no memory to unpack samples in");
  std::string trouble = decoder_->decompress(chunk);
  if (trouble.empty() && !decoder_->take_columns()) trouble = "its columns do not fit together";
  if (!trouble.empty()) return failure("a chunk of samples cannot be read: " + trouble);
  decoder_->hand_out(take);
  return {};
}

}  // namespace prengdl
