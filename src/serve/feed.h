// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "campaign/live_file.h"
#include "cluster/cluster_state.h"
#include "serve/study_view.h"

namespace prengdl {

/// Reads a result for all who watch it together: one thread, at most once a second, and only while
/// somebody watches or asks. All else may be called from any thread.
class Feed {
 public:
  /// Throws an Error when there is no result. `is_noted`: runs will tell that they were watched.
  Feed(std::filesystem::path result, bool is_noted);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// As long as it lives, somebody watches.
  class Watching {
   public:
    explicit Watching(Feed& feed);
    ~Watching();
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;

   private:
    Feed& feed_;
  };

  /// Server-sent events that lead from one version of the state to a later one.
  struct Update {
    std::uint64_t version = 0;
    std::shared_ptr<const std::string> events;
  };

  /// Waits for a version after `seen` (0: none), at most so long; nothing if none came.
  std::optional<Update> next(std::uint64_t seen, std::chrono::milliseconds patience);

  /// The state as it is or was within the last second, as JSON and for Prometheus.
  std::string state_json();
  std::string metrics();

  /// Nobody waits any more from here on.
  void stop();
  bool is_stopped() const { return stopped_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  void read_on();
  void look();
  void wait_for_a_look(Lock& lock);
  void take_power();
  void publish(bool study_has_changed);
  Json live_json() const;
  Json whole_json() const;
  Json serve_json() const;

  const std::filesystem::path result_;
  const bool is_noted_;
  std::optional<ResultFollower> follower_;  // the reader's own

  std::mutex mutex_;
  std::condition_variable wake_reader_, wake_watchers_;
  std::atomic<bool> stopped_{false};  // set with the mutex held: nobody who waits misses it
  bool is_asked_ = false;
  std::size_t watchers_ = 0;
  std::uint64_t looks_ = 0;
  std::optional<Clock::time_point> looked_at_;

  // What was seen, and what was made of it for those who watch.
  std::optional<StudyView> view_;
  std::optional<Json> live_;
  std::optional<ShownCluster> cluster_;
  StudyState state_;
  std::string trouble_;
  std::deque<std::pair<double, double>> power_;  // Unix time and watts, the last few minutes
  std::uint64_t version_ = 0;
  std::string sent_;                               // the last live event
  std::shared_ptr<const std::string> step_;        // from the version before
  std::shared_ptr<const std::string> from_start_;  // made when it is asked for
  Clock::time_point sent_at_{};

  std::thread reader_;  // last: it uses all of the above
};

}  // namespace prengdl
