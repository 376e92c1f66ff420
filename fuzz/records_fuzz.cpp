// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "store/record.h"
#include "store/record_layout.h"
#include "store/run_json.h"

namespace {

using namespace prengdl;

/// A directory with one file in it, which is called as the run in the seeds.
const std::filesystem::path& record_path() {
  static const std::filesystem::path path = [] {
    std::string pattern =
        (std::filesystem::exists("/dev/shm") ? "/dev/shm"
                                             : std::filesystem::temp_directory_path()) /
        "prengdl-fuzz-XXXXXX";
    if (!mkdtemp(pattern.data())) std::abort();
    static const std::string made = pattern;
    std::atexit([] { std::filesystem::remove_all(made); });
    return std::filesystem::path(pattern) / "run.record";
  }();
  return path;
}

void read(const std::vector<std::byte>& bytes) {
  const FileDescriptor file(
      ::open(record_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file || write_fully(file, bytes.data(), bytes.size()) != 0) std::abort();
  const auto record = read_record(record_path());
  if (!record) return;
  SampleReader samples;
  record->each_chunk([&](const SampleChunk& chunk) {
    const auto ignored = samples.read(chunk.bytes, [](std::uint16_t, const Reading&) {});
    (void)ignored;
  });
  // What was taken for a run is one when it is written again.
  const std::string text = run_json(record->run);
  const auto again = run_of_json(text);
  if (!again || run_json(*again) != text) std::abort();
}

}  // namespace

// Any file is a record or an error. Who alters one can give it the right size and checksum too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* const from = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(from, from + size);
  read(bytes);
  const std::size_t end = record_layout::end_size;
  if (bytes.size() > end) bytes.resize(bytes.size() - end);
  Checksum checksum;
  checksum.add(bytes);
  put(bytes, record_layout::end_block);
  put(bytes, static_cast<std::uint64_t>(bytes.size() - 1 + end));
  put(bytes, checksum.value());
  read(bytes);
  return 0;
}
