// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "store/bytes.h"
#include "store/sample_codec.h"
#include "store/sample_layout.h"

namespace {

using namespace prengdl;
using Sample =
    std::tuple<std::uint16_t, std::int64_t, std::uint64_t, ReadStatus, Mark, std::uint32_t>;

bool read(std::span<const std::byte> chunk, std::vector<Sample>& samples) {
  SampleReader reader;
  return reader
      .read(chunk,
            [&](std::uint16_t meter, const Reading& r) {
              samples.emplace_back(meter, r.at_ns, r.raw, r.status, r.mark, r.slack_ns);
            })
      .has_value();
}

/// What was read is the same when it is written and read again.
void check(std::span<const std::byte> chunk) {
  std::vector<Sample> samples;
  if (!read(chunk, samples)) {
    if (!samples.empty()) std::abort();
    return;
  }
  std::vector<Sample> again;
  SampleWriter writer([&](const SampleChunk& one) {
    if (!read(one.bytes, again)) std::abort();
  });
  for (const auto& [meter, at_ns, raw, status, mark, slack_ns] : samples)
    writer.add(meter, Reading{at_ns, raw, status, mark, slack_ns});
  writer.finish();
  if (samples != again) std::abort();
}

}  // namespace

// Any bytes are a chunk or an error. They are tried as they are, and as what a chunk unpacks to:
// the first four for the number of samples, the rest for the columns.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  check(bytes);
  if (size < 4) return 0;
  std::vector<std::byte> chunk;
  put(chunk, sample_layout::version);
  chunk.insert(chunk.end(), bytes.begin(), bytes.begin() + 4);
  const auto columns = bytes.subspan(4);
  const std::size_t head = chunk.size();
  chunk.resize(head + ZSTD_compressBound(columns.size()));
  const std::size_t packed =
      ZSTD_compress(chunk.data() + head, chunk.size() - head, columns.data(), columns.size(), 1);
  if (ZSTD_isError(packed)) std::abort();
  chunk.resize(head + packed);
  check(chunk);
  return 0;
}
