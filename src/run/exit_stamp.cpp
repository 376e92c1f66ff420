// SPDX-License-Identifier: Apache-2.0
#include "run/exit_stamp.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/caller.h"
#include "privilege/exit_event.h"
#include "privilege/helper.h"

namespace prengdl {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t data_size = 8 * page;  // a power of two, as the kernel wants it

/// Copies out of the ring, around its end if necessary.
void copy_from_ring(const char* data, std::uint64_t offset, void* to, std::size_t size) {
  const std::size_t start = offset % data_size;
  const std::size_t first = std::min(size, data_size - start);
  std::memcpy(to, data + start, first);
  std::memcpy(static_cast<char*>(to) + first, data, size - first);
}

}  // namespace

void ExitStamp::watch(pid_t pid) noexcept {
  {
    const ActingAsRoot root;
    event_ = open_exit_event(pid);
  }
  // Some systems keep this for root.
  if (!event_ && (errno == EACCES || errno == EPERM))
    if (Helper* helper = root_helper()) event_ = helper->watch_exit(pid);
  if (!event_) return;
  ring_ = mmap(nullptr, page + data_size, PROT_READ | PROT_WRITE, MAP_SHARED, event_.get(), 0);
  if (ring_ == MAP_FAILED) {
    ring_ = nullptr;
    event_.close();
  }
}

void ExitStamp::release() noexcept {
  if (ring_) munmap(ring_, page + data_size);
  ring_ = nullptr;
  event_.close();
}

void ExitStamp::forget() noexcept {
  if (!ring_) return;
  auto* header = static_cast<perf_event_mmap_page*>(ring_);
  const std::uint64_t head = std::atomic_ref(header->data_head).load(std::memory_order_acquire);
  if (!exit_before(head)) std::atomic_ref(header->data_tail).store(head, std::memory_order_release);
}

std::optional<std::int64_t> ExitStamp::exit_ns() const noexcept {
  if (!ring_) return std::nullopt;
  auto* header = static_cast<perf_event_mmap_page*>(ring_);
  return exit_before(std::atomic_ref(header->data_head).load(std::memory_order_acquire));
}

std::optional<std::int64_t> ExitStamp::exit_before(std::uint64_t head) const noexcept {
  const char* data = static_cast<const char*>(ring_) + page;
  std::uint64_t at = static_cast<const perf_event_mmap_page*>(ring_)->data_tail;  // ours alone
  while (at < head) {
    perf_event_header record;
    copy_from_ring(data, at, &record, sizeof record);
    if (record.size < sizeof record) break;
    if (record.type == PERF_RECORD_EXIT) {
      std::uint64_t time{};  // PERF_SAMPLE_TIME alone is the last word of each record
      copy_from_ring(data, at + record.size - sizeof time, &time, sizeof time);
      return static_cast<std::int64_t>(time);
    }
    at += record.size;
  }
  return std::nullopt;
}

}  // namespace prengdl
