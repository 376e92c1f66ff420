// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/threads.h"
#include "meters/meter.h"

namespace prengdl {

// A driver may hang, and a call into its library then never returns. Such calls are made on threads
// that can be given up: the run ends without the figure, and so does prengdl.

/// So long a reading may take, and all calls of a search for GPUs together: the first call after
/// boot may take seconds on machines with many GPUs.
constexpr Seconds patience_for_a_reading{5};
constexpr Seconds patience_for_a_library{30};

/// Calls of this source, or of any, that were given up and have not returned.
bool has_hung(const std::string& source);
bool anything_has_hung();

/// Counts such a call, and that it returned after all.
void note_hung(const std::string& source);
void note_returned(const std::string& source);

/// Whether a signal that would end us waits.
bool wants_to_end();

/// What `call` returns or throws, made on a thread of its own; nothing if it takes longer than
/// `patience`, if a signal arrives meanwhile, or if an earlier call of this source never returned.
template <class Value>
std::optional<Value> answer_of(const std::string& source, std::function<Value()> call,
                               Seconds patience = patience_for_a_library) {
  if (has_hung(source)) return std::nullopt;
  struct Answer {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Value> value;
    std::exception_ptr error;
    bool is_done = false;
    bool is_given_up = false;
  };
  const auto answer = std::make_shared<Answer>();
  auto thread = start_thread([answer, source, call = std::move(call)] {
    std::optional<Value> value;
    std::exception_ptr error;
    try {
      value = call();
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(answer->mutex);
    answer->value = std::move(value);
    answer->error = error;
    answer->is_done = true;
    if (answer->is_given_up) note_returned(source);
    answer->changed.notify_all();
  });
  std::unique_lock lock(answer->mutex);
  const std::int64_t until = monotonic_ns() + nanoseconds(patience);
  while (!answer->is_done && monotonic_ns() < until && !wants_to_end())
    answer->changed.wait_for(lock, std::chrono::milliseconds(100));
  if (!answer->is_done) {
    answer->is_given_up = true;
    note_hung(source);
    thread.detach();
    return std::nullopt;
  }
  lock.unlock();
  thread.join();
  if (answer->error) std::rethrow_exception(answer->error);
  return std::move(answer->value);
}

/// The same meters, but those that may block are read on a thread of their own. A reading that
/// takes too long has the status no_answer, and so have all that follow, at once, until the call
/// returns.
Meters with_patience(Meters meters, const std::string& source,
                     Seconds patience = patience_for_a_reading);

}  // namespace prengdl
