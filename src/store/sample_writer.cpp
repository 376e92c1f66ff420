// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "store/bytes.h"
#include "store/sample_codec.h"
#include "store/sample_layout.h"

namespace prengdl {
namespace {

using namespace sample_layout;

constexpr std::size_t worth_a_table = 1 << 11;  // shorter planes share a table with the next

using Column = std::vector<std::uint64_t>;

/// The smallest count whose value is at least this.
std::uint64_t count_of(std::uint64_t raw, std::uint32_t quantum) {
  return quantum == 0 ? raw : (raw * 1000 + quantum - 1) / quantum;
}

/// The quantum, in thousandths of a raw unit, of which all values are multiples rounded down; 0 if
/// none is known. RAPL has 10^6 / 2^n uJ, which the kernel cuts to nanojoules, and on the memory of
/// some servers 15.3 uJ.
std::uint32_t quantum_of(const Column& raws) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 50;  // far from any overflow
  const auto fits = [&](std::uint32_t quantum) {
    return std::all_of(raws.begin(), raws.end(), [quantum](std::uint64_t raw) {
      return raw < largest && raw_of(count_of(raw, quantum), quantum) == raw;
    });
  };
  for (std::uint32_t shift = 10; shift <= 18; ++shift)
    if (const std::uint32_t quantum = 1'000'000'000 >> shift; fits(quantum)) return quantum;
  return fits(15300) ? 15300 : 0;
}

}  // namespace

struct SampleWriter::Encoder {
  struct Release {
    void operator()(ZSTD_CCtx* one) const { ZSTD_freeCCtx(one); }
  };
  struct Series {  // of one meter in this chunk
    std::uint16_t meter{};
    Column gaps;  // since the sample before, of whichever meter
    Column raws;
    std::uint32_t quantum{};
    std::uint64_t first_count{};
  };
  std::vector<Series> series;  // the first `used` are of this chunk
  std::size_t used = 0;
  std::vector<std::uint32_t> places;  // of a meter in `series`, plus one; 0: not there yet
  Column order;                       // for each sample its place in `series`
  Column flags;
  Column slacks;
  std::int64_t start_ns = 0, at_ns = 0, first_ns = 0, last_ns = 0;
  std::vector<std::byte> plain;
  std::vector<std::size_t> cuts;  // where a plane of `plain` ends
  std::vector<std::byte> packed;
  std::unique_ptr<ZSTD_CCtx, Release> context;

  void add(std::uint16_t meter, const Reading& reading);
  SampleChunk pack();
  void clear();

 private:
  Series& series_of(std::uint16_t meter);
  void put_column(const Column& column);
  static void become_steps(Series& one);
  void lay_out();
  void compress();
};

SampleWriter::Encoder::Series& SampleWriter::Encoder::series_of(std::uint16_t meter) {
  if (meter >= places.size()) places.resize(meter + 1U);
  if (places[meter] == 0) {
    if (used == series.size()) series.emplace_back();
    Series& fresh = series[used++];
    fresh.meter = meter;
    places[meter] = static_cast<std::uint32_t>(used);
  }
  return series[places[meter] - 1];
}

void SampleWriter::Encoder::add(std::uint16_t meter, const Reading& reading) {
  if (order.empty()) start_ns = at_ns = first_ns = last_ns = reading.at_ns;
  Series& one = series_of(meter);
  order.push_back(places[meter] - 1);
  one.gaps.push_back(
      zigzag(static_cast<std::uint64_t>(reading.at_ns) - static_cast<std::uint64_t>(at_ns)));
  one.raws.push_back(reading.raw);
  at_ns = reading.at_ns;
  first_ns = std::min(first_ns, at_ns);
  last_ns = std::max(last_ns, at_ns);
  flags.push_back((static_cast<std::uint64_t>(reading.status) & status_mask) |
                  (reading.mark == Mark::edge ? edge_flag : 0) |
                  (reading.slack_ns > 0 ? slack_flag : 0));
  if (reading.slack_ns > 0) slacks.push_back(reading.slack_ns);
}

void SampleWriter::Encoder::put_column(const Column& column) {
  std::uint64_t all = 0;
  for (const auto value : column) all |= value;
  const auto width = static_cast<int>((std::bit_width(all) + 7) / 8);
  put(plain, static_cast<std::uint8_t>(width));
  for (int plane = 0; plane < width; ++plane) {
    std::size_t at = plain.size();
    plain.resize(at + column.size());
    for (const auto value : column) plain[at++] = static_cast<std::byte>(value >> 8 * plane);
    cuts.push_back(plain.size());
  }
}

/// Turns raw values into the steps of their counts, in place.
void SampleWriter::Encoder::become_steps(Series& one) {
  one.quantum = quantum_of(one.raws);
  one.first_count = count_of(one.raws.front(), one.quantum);
  std::uint64_t before = one.first_count;
  for (auto& value : one.raws) {
    const std::uint64_t count = count_of(value, one.quantum);
    value = zigzag(count - std::exchange(before, count));
  }
}

void SampleWriter::Encoder::lay_out() {
  plain.clear();
  cuts.clear();
  put(plain, start_ns);
  put(plain, static_cast<std::uint32_t>(used));
  for (std::size_t i = 0; i < used; ++i) {
    Series& one = series[i];
    become_steps(one);
    put(plain, one.meter);
    put(plain, static_cast<std::uint32_t>(one.gaps.size()));
    put(plain, one.quantum);
    put(plain, one.first_count);
  }
  put_column(order);
  put_column(flags);
  put_column(slacks);
  for (std::size_t i = 0; i < used; ++i) {
    put_column(series[i].gaps);
    put_column(series[i].raws);
  }
  cuts.push_back(plain.size());
}

void SampleWriter::Encoder::compress() {
  if (!context) context.reset(ZSTD_createCCtx());
  if (!context) throw Error("zstd has no memory to compress samples in");
  ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), plain.size());
  packed.clear();
  put(packed, version);
  put(packed, static_cast<std::uint32_t>(order.size()));
  packed.resize(head_size + ZSTD_compressBound(plain.size()) + 16 * cuts.size());
  ZSTD_outBuffer out{packed.data() + head_size, packed.size() - head_size, 0};
  std::size_t from = 0;
  for (const std::size_t to : cuts) {
    const bool is_last = to == plain.size();
    if (!is_last && to - from < worth_a_table) continue;
    ZSTD_inBuffer in{plain.data() + from, to - from, 0};
    // A flush ends the block, and each block has its own entropy table.
    const auto left =
        ZSTD_compressStream2(context.get(), &out, &in, is_last ? ZSTD_e_end : ZSTD_e_flush);
    if (ZSTD_isError(left)) throw Error(fmt::format("zstd: {}", ZSTD_getErrorName(left)));
    if (left != 0) throw Error("zstd: samples do not fit into the bound of their own size");
    from = to;
    if (is_last) break;
  }
  packed.resize(head_size + out.pos);
}

SampleChunk SampleWriter::Encoder::pack() {
  lay_out();
  compress();
  return {packed, first_ns, last_ns, static_cast<std::uint32_t>(order.size())};
}

void SampleWriter::Encoder::clear() {
  for (std::size_t i = 0; i < used; ++i) {
    places[series[i].meter] = 0;
    series[i].gaps.clear();
    series[i].raws.clear();
  }
  used = 0;
  order.clear();
  flags.clear();
  slacks.clear();
}

SampleWriter::SampleWriter(TakeChunk sink, std::uint32_t samples_per_chunk)
    : encoder_(std::make_unique<Encoder>()),
      sink_(std::move(sink)),
      samples_per_chunk_(std::clamp<std::uint32_t>(samples_per_chunk, 1, most_samples_in_chunk)) {}
SampleWriter::SampleWriter(SampleWriter&&) noexcept = default;
SampleWriter& SampleWriter::operator=(SampleWriter&&) noexcept = default;
SampleWriter::~SampleWriter() = default;

void SampleWriter::add(std::uint16_t meter, const Reading& reading) {
  encoder_->add(meter, reading);
  if (encoder_->order.size() >= samples_per_chunk_) finish();
}

void SampleWriter::finish() {
  if (encoder_->order.empty()) return;
  sink_(encoder_->pack());
  encoder_->clear();
}

}  // namespace prengdl
