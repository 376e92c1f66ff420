// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "model/result.h"
#include "store/bytes.h"
#include "store/sample_codec.h"

namespace prengdl {

/// Throws unless the id can name a file everywhere: letters, digits, '-', '_' and '.', no dot
/// first, at most 120 of them.
void check_run_id(const std::string& id);

/// The record of one run while it is being made: RECORDS/ID.part, to which samples are appended as
/// they come, and RECORDS/ID.record once finish() returned. Memory stays flat. Every error on the
/// way throws, removes the part file and leaves the writer without use.
class RunRecordWriter {
 public:
  RunRecordWriter(std::filesystem::path records, std::string id);
  RunRecordWriter(const RunRecordWriter&) = delete;
  RunRecordWriter& operator=(const RunRecordWriter&) = delete;
  /// Removes the part file of a run that was not finished.
  ~RunRecordWriter();

  void add(std::uint16_t meter, const Reading& reading);

  /// After this the run is safe: written in whole, synced, under its final name. `run.id` is the id
  /// that the writer was made for.
  void finish(const StoredRun& run);

  const std::string& id() const { return id_; }

 private:
  void open();
  void append(std::span<const std::byte> bytes);
  void append_chunk(const SampleChunk& chunk);
  void append_text(std::uint8_t type, const std::string& text);
  void append_emitted(const Run& run);
  void close_up(const StoredRun& run);
  template <class Step>
  void or_give_up(Step&& step);

  std::filesystem::path records_;
  std::string id_;
  std::filesystem::path part_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  Checksum checksum_;
  SampleWriter samples_;
};

/// A finished record: the run, and its chunks of samples as they lie in the file.
class RunRecord {
 public:
  StoredRun run;

  /// All chunks in their order. Throws an Error that names the file when it cannot be read.
  void each_chunk(const TakeChunk& take) const;

 private:
  friend Result<RunRecord> read_record(const std::filesystem::path& path);
  struct Place {
    std::uint64_t offset{};
    std::uint32_t size{};
    SampleChunk chunk;  // without its bytes
  };
  std::filesystem::path path_;
  FileDescriptor file_;
  std::vector<Place> places_;
};

/// Reads a record. One that is torn, cut, altered, of a newer version or of something else gives an
/// Error that names the file.
Result<RunRecord> read_record(const std::filesystem::path& path);

/// The records of a directory that are finished, by name.
std::vector<std::filesystem::path> finished_records(const std::filesystem::path& records);

/// Removes the part files that no living process is writing.
void remove_dead_parts(const std::filesystem::path& records);

}  // namespace prengdl
