// SPDX-License-Identifier: Apache-2.0
#include "run/kernel_stamps.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>

namespace prengdl {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t data_size = 8 * page;  // a power of two, as the kernel wants it

/// Copies out of the ring, around its end where need be.
void copy_from_ring(const char* data, std::uint64_t offset, void* to, std::size_t size) {
  const std::size_t start = offset % data_size;
  const std::size_t first = std::min(size, data_size - start);
  std::memcpy(to, data + start, first);
  std::memcpy(static_cast<char*>(to) + first, data, size - first);
}

}  // namespace

KernelStamps::KernelStamps(pid_t pid) : pid_(pid) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;  // counts nothing: only its side-band records matter
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.task = 1;  // fork and exit
  attributes.comm = 1;  // the name changes at an exec,
  attributes.comm_exec = 1;
  attributes.mmap = 1;  // and its last mapping, of [vdso], is the last step before user space
  attributes.sample_type = PERF_SAMPLE_TIME;
  attributes.sample_id_all = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  event_ = FileDescriptor(static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!event_) return;
  ring_ = mmap(nullptr, page + data_size, PROT_READ | PROT_WRITE, MAP_SHARED, event_.get(), 0);
  if (ring_ == MAP_FAILED) {
    ring_ = nullptr;
    event_.close();
  }
}

KernelStamps::~KernelStamps() { release(); }

void KernelStamps::release() noexcept {
  if (ring_) munmap(ring_, page + data_size);
  ring_ = nullptr;
  event_.close();
}

void KernelStamps::collect() noexcept {
  if (!ring_) return;
  auto* header = static_cast<perf_event_mmap_page*>(ring_);
  const char* data = static_cast<const char*>(ring_) + page;
  const std::uint64_t head = std::atomic_ref(header->data_head).load(std::memory_order_acquire);
  std::uint64_t tail = header->data_tail;
  while (tail < head) {
    perf_event_header record;
    copy_from_ring(data, tail, &record, sizeof record);
    if (record.size < sizeof record) break;
    std::uint64_t time{};  // sample_id with PERF_SAMPLE_TIME alone is the last word of each record
    copy_from_ring(data, tail + record.size - sizeof time, &time, sizeof time);
    const auto at = static_cast<std::int64_t>(time);
    if (record.type == PERF_RECORD_COMM && (record.misc & PERF_RECORD_MISC_COMM_EXEC) && !loaded_) {
      exec_ns_ = at;
    } else if (record.type == PERF_RECORD_MMAP && exec_ns_ && !loaded_) {
      struct {
        std::uint32_t pid, tid;
        std::uint64_t address, length, offset;
        char name[8];
      } map{};
      copy_from_ring(data, tail + sizeof record, &map, sizeof map);
      if (std::memcmp(map.name, "[vdso]", 7) == 0) {
        exec_ns_ = at;
        loaded_ = true;
      }
    } else if (record.type == PERF_RECORD_EXIT) {
      struct {
        std::uint32_t pid, parent, tid, parent_tid;
      } task{};
      copy_from_ring(data, tail + sizeof record, &task, sizeof task);
      // The leader may go before its threads; the process ends with the last that is seen.
      if (task.pid == static_cast<std::uint32_t>(pid_)) exit_ns_ = at;
    }
    tail += record.size;
  }
  std::atomic_ref(header->data_tail).store(tail, std::memory_order_release);
}

}  // namespace prengdl
