// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

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

  /// Answers until stop(), which another thread calls once, and which waits for that.
  void serve();
  void stop();

 private:
  class Http;
  std::unique_ptr<Http> http_;
  std::string address_;
};

}  // namespace prengdl
