// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <thread>
#include <utility>
#include <vector>

#include "serve/access.h"
#include "serve/bounded_stream.h"
#include "serve/connection_threads.h"
#include "serve/listening.h"
#include "serve/page.h"
#include "serve/refusal.h"
#include "store/signature.h"

namespace prengdl {
namespace {

using namespace std::chrono_literals;

/// Where nothing happens for so long, a word shows whether the other side is still there.
constexpr auto longest_without_word = 15s;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// By which names the browser of a watcher may call this server.
std::vector<std::string> names_of(const std::string& listen) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  if (is_loopback(listen)) return names;
  const std::string host = lower(host_name());
  names.insert(names.end(), {lower(listen), host, host.substr(0, host.find('.'))});
  return names;
}

void set_policy(httplib::Response& response, const std::string& policy) {
  response.headers.erase("Content-Security-Policy");
  response.set_header("Content-Security-Policy", policy);
}

void refuse(const httplib::Request& request, httplib::Response& response, int status) {
  const Refusal refusal = refusal_for(status, request.get_header_value("Accept"));
  response.status = status;
  set_policy(response, refusal.policy);
  response.set_content(refusal.body, refusal.type);
}

/// As a part of a query: what RFC 6750 allows in a token and a query does not.
std::string in_query(const std::string& token) {
  std::string text;
  for (const char c : token)
    text += c == '+' || c == '/' || c == '=' ? fmt::format("%{:02X}", c) : std::string(1, c);
  return text;
}

}  // namespace

class WatchServer::Http final : public httplib::Server {
 public:
  Http(Feed& feed, const std::string& listen, int port, std::string token)
      : feed_(feed),
        page_(make_page()),
        token_(std::move(token)),
        cookie_(fmt::format("prengdl-{}", port)),  // cookies do not know ports
        names_(names_of(listen)) {
    new_task_queue = [] { return new ConnectionThreads; };
    set_default_headers({{"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
                         {"X-Content-Type-Options", "nosniff"},
                         {"X-Frame-Options", "DENY"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Cross-Origin-Opener-Policy", "same-origin"},
                         {"Cache-Control", "no-store"}});
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return HandlerResponse::Handled;
    });
    set_exception_handler([](const httplib::Request& request, httplib::Response& response,
                             const std::exception_ptr&) { refuse(request, response, 500); });
  }

  const std::string& token() const { return token_; }

  /// Answers at a socket that listens, until that is shut down; closes it.
  void serve(int listening) {
    svr_sock_ = listening;
    listen_after_bind();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    BoundedStream stream(socket);
    bool is_closed = true;
    // One request a connection: what a refused one left unread is never taken for the next.
    const bool is_done = process_request(stream, true, is_closed, [](httplib::Request& request) {
      for (const char* unwanted : {"Range", "Accept-Encoding", "Expect"})
        request.headers.erase(unwanted);
      request.ranges.clear();
    });
    stream.finish();
    ::close(socket);
    return is_done;
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    if (request.get_header_value_count("Host") != 1) return refuse(request, response, 400);
    auto names = names_;
    names.push_back(request.local_addr);
    if (!names_this_server(request.get_header_value("Host"), names))
      return refuse(request, response, 403);
    const bool has_token = is_same_secret(request.get_param_value("token"), token_);
    if (!has_token && !knows_token(request)) return refuse(request, response, 403);
    if (request.method != "GET" && request.method != "HEAD") {
      response.set_header("Allow", "GET, HEAD");
      return refuse(request, response, 405);
    }
    if (request.path == "/") {
      set_policy(response, page_.policy);
      if (has_token)
        response.set_header(
            "Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_, token_));
      response.set_content(page_.html, "text/html; charset=utf-8");
    } else if (request.path == "/events") {
      send_events(response);
    } else if (request.path == "/state") {
      response.set_content(feed_.state_json(), "application/json");
    } else if (request.path == "/metrics") {
      response.set_content(feed_.metrics(), "text/plain; version=0.0.4; charset=utf-8");
    } else {
      refuse(request, response, 404);
    }
  }

  /// By the cookie that the first visit gave, or as programs say it.
  bool knows_token(const httplib::Request& request) const {
    const std::string authorization = request.get_header_value("Authorization");
    if (authorization.starts_with("Bearer "))
      return is_same_secret(std::string_view(authorization).substr(7), token_);
    return is_same_secret(cookie(request.get_header_value("Cookie"), cookie_), token_);
  }

  void send_events(httplib::Response& response) {
    struct Watcher {
      explicit Watcher(Feed& feed) : watching(feed) {}
      Feed::Watching watching;
      std::uint64_t seen = 0;
    };
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, watcher = std::make_shared<Watcher>(feed_)](std::size_t, httplib::DataSink& sink) {
          const auto update = feed_.next(watcher->seen, longest_without_word);
          if (feed_.is_stopped()) {
            sink.done();
            return true;
          }
          if (!update) return sink.write(":\n\n", 3);
          watcher->seen = update->version;
          return sink.write(update->events->data(), update->events->size());
        });
  }

  Feed& feed_;
  const Page page_;
  const std::string token_;
  const std::string cookie_;
  const std::vector<std::string> names_;
};

WatchServer::WatchServer(Feed& feed, const std::string& listen, int port, std::string token)
    : listening_(listen_at(listen, port)) {
  port = port_of(listening_);
  http_ = std::make_unique<Http>(feed, listen, port, std::move(token));
  std::string name = listen == "0.0.0.0" || listen == "::" ? host_name() : listen;
  if (name.find(':') != std::string::npos) name = "[" + name + "]";
  address_ = fmt::format("http://{}:{}/?token={}", name, port, in_query(http_->token()));
}

WatchServer::~WatchServer() = default;

void WatchServer::serve() {
  // The library closes what it listens at when the network gives it an error; we go on.
  while (!is_stopped_) {
    if (const int copy = fcntl(listening_.get(), F_DUPFD_CLOEXEC, 0); copy >= 0) http_->serve(copy);
    if (!is_stopped_) std::this_thread::sleep_for(100ms);
  }
}

void WatchServer::stop() {
  is_stopped_ = true;
  ::shutdown(listening_.get(), SHUT_RDWR);
}

}  // namespace prengdl
