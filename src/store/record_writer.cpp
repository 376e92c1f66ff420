// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/own_files.h"
#include "base/strings.h"
#include "store/record.h"
#include "store/record_layout.h"
#include "store/run_json.h"

namespace prengdl {

using namespace record_layout;

void check_run_id(const std::string& id) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' ||
           c == '_' || c == '.';
  };
  if (id.empty() || id.size() > 120 || id.front() == '.' ||
      !std::all_of(id.begin(), id.end(), is_plain))
    throw Error(fmt::format("'{}' cannot be the id of a run: it would name a file", id),
                "use up to 120 letters, digits, '-', '_' and '.'");
}

RunRecordWriter::RunRecordWriter(std::filesystem::path records, std::string id)
    : records_(std::move(records)),
      id_(std::move(id)),
      part_(records_ / (id_ + ".part")),
      samples_([this](const SampleChunk& chunk) { append_chunk(chunk); }) {
  check_run_id(id_);
  const auto finished = records_ / (id_ + ".record");
  if (is_there(finished))
    throw Error(fmt::format("{} already exists", finished.string()), "each run needs its own id");
  or_give_up([&] {
    open();
    append(std::as_bytes(std::span(magic)));
  });
}

/// The lock distinguishes a part file that is being written from one that a dead process left
/// behind. Until it is taken the file may be removed as such a leftover: then there is another try.
/// Where there are no locks nobody removes leftovers either.
void RunRecordWriter::open() {
  for (;;) {
    FileDescriptor file(::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file && errno == EEXIST)
      throw Error(fmt::format("{} already exists: another process makes this run", part_.string()),
                  "each run needs its own id");
    if (!file) throw write_error(part_, errno);
    while (::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) continue;
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) throw write_error(part_, errno);
    if (status.st_nlink == 0) continue;
    file_ = std::move(file);
    return;
  }
}

RunRecordWriter::~RunRecordWriter() {
  if (file_) ::unlink(part_.c_str());
}

template <class Step>
void RunRecordWriter::or_give_up(Step&& step) {
  try {
    step();
  } catch (...) {
    if (file_) ::unlink(part_.c_str());
    file_.close();
    throw;
  }
}

void RunRecordWriter::append(std::span<const std::byte> bytes) {
  if (!file_) throw Error(fmt::format("{} was given up after an error", part_.string()));
  write_all(file_, bytes, part_);
  checksum_.add(bytes);
  size_ += bytes.size();
}

void RunRecordWriter::append_chunk(const SampleChunk& chunk) {
  std::vector<std::byte> head;
  put(head, samples_block);
  put(head, static_cast<std::uint32_t>(chunk.bytes.size()));
  put(head, chunk.first_ns);
  put(head, chunk.last_ns);
  put(head, chunk.count);
  append(head);
  append(chunk.bytes);
}

void RunRecordWriter::append_text(std::uint8_t type, const std::string& text) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(fmt::format("run {} is too large for a record: {} bytes", id_, text.size()),
                "Use shorter span names in the workload, and print less.");
  std::vector<std::byte> head;
  put(head, type);
  put(head, static_cast<std::uint32_t>(text.size()));
  append(head);
  append(std::as_bytes(std::span(text)));
}

void RunRecordWriter::append_emitted(const Run& run) {
  std::span<const SpanEnergy> spans(run.spans);
  std::span<const Metric> metrics(run.metrics);
  while (!spans.empty() || !metrics.empty()) {
    const auto some_spans = std::min(spans.size(), emitted_per_block);
    const auto some_metrics = std::min(metrics.size(), emitted_per_block);
    append_text(emitted_block, emitted_json(spans.first(some_spans), metrics.first(some_metrics)));
    spans = spans.subspan(some_spans);
    metrics = metrics.subspan(some_metrics);
  }
}

void RunRecordWriter::add(std::uint16_t meter, const Reading& reading) {
  or_give_up([&] { samples_.add(meter, reading); });
}

void RunRecordWriter::close_up(const StoredRun& run) {
  samples_.finish();
  append_emitted(run.run);
  append_text(run_block, run_json_without_emitted(run));
  std::vector<std::byte> bytes;
  put(bytes, end_block);
  put(bytes, size_ + end_size);
  put(bytes, checksum_.value());
  append(bytes);
  sync_file(file_, part_);
  put_in_place(part_, records_ / (id_ + ".record"));
  file_.close();
}

void RunRecordWriter::finish(const StoredRun& run) {
  or_give_up([&] {
    if (run.id != id_)
      throw Error(fmt::format("the record of run {} was given run {}", id_, run.id));
    close_up(run);
  });
}

}  // namespace prengdl
