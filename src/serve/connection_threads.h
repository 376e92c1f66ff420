// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace prengdl {

/// A thread for each connection that is open at the same time, made when it is needed; who watches
/// keeps one. Above the limit a connection waits for its turn.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  static constexpr std::size_t most = 512;

  void enqueue(std::function<void()> job) override;
  void shutdown() override;

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ends_ = false;
};

}  // namespace prengdl
