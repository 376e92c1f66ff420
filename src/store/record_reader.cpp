// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

#include "base/escaping.h"
#include "store/record.h"
#include "store/record_layout.h"
#include "store/run_json.h"

namespace prengdl {
namespace {

using namespace record_layout;

/// Reads exactly so many bytes from there; false when there are fewer.
bool read_at(const FileDescriptor& file, std::uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

std::uint64_t size_of(const FileDescriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)
             ? static_cast<std::uint64_t>(status.st_size)
             : 0;
}

/// What is wrong with the first and the last bytes of a file and with its checksum; "" if nothing.
std::string complaint(const FileDescriptor& file, std::uint64_t size) {
  std::array<std::byte, magic.size()> start{};
  if (size < start.size() + end_size || !read_at(file, 0, start)) return "it is cut";
  const std::string_view found(reinterpret_cast<const char*>(start.data()), start.size());
  if (!found.starts_with(family)) return "it is not a record of a run";
  if (found != magic)
    return "it was written by a newer prengdl (record " + printable(found.substr(family.size())) +
           ", this one knows 1)";
  std::array<std::byte, end_size> end{};
  if (!read_at(file, size - end_size, end)) return "it is cut";
  ByteReader reader(end);
  if (reader.get<std::uint8_t>() != end_block || reader.get<std::uint64_t>() != size)
    return "it is cut";
  Checksum checksum;
  std::vector<std::byte> buffer(1 << 16);
  for (std::uint64_t at = 0; at < size - end_size;) {
    const auto part =
        std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), size - end_size - at));
    if (!read_at(file, at, part)) return "it is cut";
    checksum.add(part);
    at += part.size();
  }
  return checksum.value() == reader.get<std::uint32_t>() ? "" : "its checksum is wrong";
}

}  // namespace

Result<RunRecord> read_record(const std::filesystem::path& path) {
  const auto broken = [&](const std::string& why) {
    return failure(fmt::format("cannot read the record {}: {}", path.string(), why),
                   "Move it away. Its run will be repeated.");
  };
  auto file = open_regular(path);
  if (!file) return tl::unexpected(file.error());
  const std::uint64_t size = size_of(*file);
  if (const auto why = complaint(*file, size); !why.empty()) return broken(why);

  RunRecord record;
  const std::uint64_t end = size - end_size;
  std::uint64_t at = magic.size();
  std::array<std::byte, samples_head> bytes{};
  const auto head = [&](std::size_t count) {
    return end - at >= count && read_at(*file, at, std::span(bytes).first(count));
  };
  while (head(text_head) && std::to_integer<std::uint8_t>(bytes[0]) == samples_block) {
    if (!head(samples_head)) return broken("a block of samples is cut");
    ByteReader reader(bytes);
    reader.get<std::uint8_t>();
    RunRecord::Place place;
    place.size = reader.get<std::uint32_t>();
    place.chunk.first_ns = reader.get<std::int64_t>();
    place.chunk.last_ns = reader.get<std::int64_t>();
    place.chunk.count = reader.get<std::uint32_t>();
    place.offset = at + samples_head;
    if (place.size > end - place.offset) return broken("a block of samples is cut");
    at = place.offset + place.size;
    record.places_.push_back(place);
  }
  const auto next_text = [&](std::uint8_t type) -> std::optional<std::string> {
    if (!head(text_head) || std::to_integer<std::uint8_t>(bytes[0]) != type) return std::nullopt;
    ByteReader reader(bytes);
    reader.get<std::uint8_t>();
    const auto length = reader.get<std::uint32_t>();
    if (length > end - at - text_head) return std::nullopt;
    std::string text(length, ' ');
    if (!read_at(*file, at + text_head, std::as_writable_bytes(std::span(text))))
      return std::nullopt;
    at += text_head + length;
    return text;
  };
  Run emitted;
  while (const auto text = next_text(emitted_block))
    if (const auto added = add_emitted(*text, emitted); !added) return broken(added.error().what());
  const auto text = next_text(run_block);
  if (!text || at != end) return broken("the run itself is missing");
  auto run = run_of_json(*text);
  if (!run) return broken(run.error().what());
  std::move(emitted.spans.begin(), emitted.spans.end(), std::back_inserter(run->run.spans));
  std::move(emitted.metrics.begin(), emitted.metrics.end(), std::back_inserter(run->run.metrics));
  if (run->id != path.stem().string())
    return broken(fmt::format("it holds run '{}'", printable(run->id)));
  record.run = std::move(*run);
  record.path_ = path;
  record.file_ = std::move(*file);
  return record;
}

void RunRecord::each_chunk(const TakeChunk& take) const {
  std::vector<std::byte> bytes;
  for (const auto& place : places_) {
    bytes.resize(place.size);
    if (!read_at(file_, place.offset, bytes))
      throw Error(fmt::format("cannot read the samples of {}", path_.string()));
    SampleChunk chunk = place.chunk;
    chunk.bytes = bytes;
    take(chunk);
  }
}

std::vector<std::filesystem::path> finished_records(const std::filesystem::path& records) {
  std::vector<std::filesystem::path> found;
  for (const auto& name : list_directory(records))
    if (name.ends_with(".record")) found.push_back(records / name);
  return found;
}

void remove_dead_parts(const std::filesystem::path& records) {
  for (const auto& name : list_directory(records)) {
    if (!name.ends_with(".part")) continue;
    const auto path = records / name;
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    // Its writer holds its lock until it is finished or dead.
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }
}

}  // namespace prengdl
