// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/files.h"
#include "serve/feed.h"

namespace prengdl {

/// Shows what the feed gives by HTTP: GET and HEAD only, to those who know the token.
/// The one door to the HTTP library.
class WatchServer {
 public:
  /// Listens from here on. Port 0: one that is free. Throws an Error when it cannot.
  WatchServer(Feed& feed, const std::string& listen, int port, std::string token);
  ~WatchServer();
  WatchServer(const WatchServer&) = delete;
  WatchServer& operator=(const WatchServer&) = delete;

  /// With the token in it.
  const std::string& address() const { return address_; }

  /// Answers until stop(), which any thread may call.
  void serve();
  void stop();

 private:
  class Http;
  FileDescriptor listening_;
  std::unique_ptr<Http> http_;
  std::string address_;
  std::atomic<bool> is_stopped_{false};
};

}  // namespace prengdl
