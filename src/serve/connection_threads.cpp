// SPDX-License-Identifier: Apache-2.0
#include "serve/connection_threads.h"

#include <system_error>

namespace prengdl {

void ConnectionThreads::enqueue(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  jobs_.push_back(std::move(job));
  if (jobs_.size() > idle_ && threads_.size() < most) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) {  // else one of those that are there will come to it
        job = std::move(jobs_.back());
        jobs_.pop_back();
        lock.unlock();
        job();
        return;
      }
    }
  }
  wake_.notify_one();
}

void ConnectionThreads::shutdown() {
  {
    const std::unique_lock lock(mutex_);
    ends_ = true;
    wake_.notify_all();
  }
  for (auto& thread : threads_) thread.join();
}

void ConnectionThreads::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
    --idle_;
    if (jobs_.empty()) return;
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace prengdl
