// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <fmt/core.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include "base/escaping.h"
#include "base/this_process.h"
#include "serve/access.h"
#include "serve/page.h"
#include "serve/refusal.h"

namespace prengdl {
namespace {

using namespace std::chrono_literals;

/// Where nothing happens for so long, a word shows whether the other side is still there.
constexpr auto longest_without_word = 15s;

// What a connection may cost. The library limits a line of a request to 8 KiB once it is there, and
// the time between two bytes; how long a whole request takes it does not limit. Hence the default
// to listen at this machine only.
constexpr auto read_time = 5s;
constexpr auto write_time = 10s;
constexpr std::size_t most_headers = 100;
constexpr std::size_t most_connections = 256;  // each watcher keeps one, and a thread
constexpr int backlog = 512;                   // many may come at once

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

/// Always the whole content: the library would repeat it for each of a thousand ranges.
void send(const httplib::Request& request, httplib::Response& response, int status,
          std::string content, const char* type) {
  response.status = status;
  if (request.ranges.empty()) {
    response.set_content(content, type);
    return;
  }
  response.set_chunked_content_provider(
      type, [text = std::move(content)](std::size_t, httplib::DataSink& sink) {
        sink.write(text.data(), text.size());
        sink.done();
        return true;
      });
}

void refuse(const httplib::Request& request, httplib::Response& response, int status) {
  const Refusal refusal = refusal_for(status, request.get_header_value("Accept"));
  set_policy(response, refusal.policy);
  send(request, response, status, refusal.body, refusal.type.c_str());
}

/// As a part of a query: what RFC 6750 allows in a token and a query does not.
std::string in_query(const std::string& token) {
  return percent_encoded(token, [](char c) { return c != '+' && c != '/' && c != '='; });
}

}  // namespace

class WatchServer::Http {
 public:
  Http(Feed& feed, std::string listen, int port, std::string token)
      : feed_(feed),
        page_(make_page()),
        token_(std::move(token)),
        listen_(std::move(listen)),
        names_(names_of(listen_)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(most_connections); };
    server_.set_read_timeout(read_time);
    server_.set_write_timeout(write_time);
    server_.set_tcp_nodelay(true);
    // One request a connection: what a refused one left unread is never taken for the next.
    server_.set_keep_alive_max_count(1);
    server_.set_keep_alive_timeout(read_time.count());
    server_.set_socket_options([this](socket_t socket) {
      // After a restart the port is free at once. Never SO_REUSEPORT: it would be shared silently.
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      socket_ = socket;
    });
    server_.set_default_headers(
        {{"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
         {"X-Content-Type-Options", "nosniff"},
         {"X-Frame-Options", "DENY"},
         {"Referrer-Policy", "no-referrer"},
         {"Cross-Origin-Resource-Policy", "same-origin"},
         {"Cross-Origin-Opener-Policy", "same-origin"},
         {"Cache-Control", "no-store"}});
    // Before anything of a body is read: nobody has to send us one.
    server_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          answer(request, response);
          return httplib::Server::HandlerResponse::Handled;
        });
    server_.set_expect_100_continue_handler(
        [](const httplib::Request& request, httplib::Response& response) {
          refuse(request, response, 400);
          return response.status;
        });
    server_.set_exception_handler(
        [](const httplib::Request& request, httplib::Response& response,
           const std::exception_ptr&) { refuse(request, response, 500); });
    port_ = bind_to(port);
    cookie_ = fmt::format("prengdl-{}", port_);  // cookies do not know ports
  }

  const std::string& token() const { return token_; }
  int port() const { return port_; }

  void serve() {
    while (!is_stopped_) {
      server_.listen_after_bind();
      // The library closes what it listens at when the network gives it an error; we go on.
      while (!is_stopped_) {
        std::this_thread::sleep_for(100ms);
        if (server_.bind_to_port(listen_, port_)) break;
      }
    }
    has_ended_ = true;
  }

  void stop() {
    is_stopped_ = true;
    // It may be about to listen.
    while (!has_ended_) {
      if (server_.is_running()) server_.stop();
      std::this_thread::sleep_for(10ms);
    }
  }

 private:
  /// Port 0: one that is free. Gives the port.
  int bind_to(int port) {
    errno = 0;
    const int bound = port == 0                             ? server_.bind_to_any_port(listen_)
                      : server_.bind_to_port(listen_, port) ? port
                                                            : -1;
    const int reason = errno;
    if (bound <= 0)
      throw Error(fmt::format("cannot listen at {} port {}{}", printable(listen_), port,
                              reason == 0 ? "" : ": " + error_text(reason)),
                  reason == EADDRINUSE ? "choose another --port, or none: then a free one is taken"
                                       : "give --listen an address of this machine");
    ::listen(socket_, backlog);
    return bound;
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    if (request.headers.size() > most_headers || request.get_header_value_count("Host") != 1)
      return refuse(request, response, 400);
    auto names = names_;
    names.push_back(request.local_addr);
    if (request.local_addr.starts_with("::ffff:")) names.push_back(request.local_addr.substr(7));
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
      send(request, response, 200, page_.html, "text/html; charset=utf-8");
    } else if (request.path == "/events") {
      send_events(response);
    } else if (request.path == "/state") {
      send(request, response, 200, feed_.state_json(), "application/json");
    } else if (request.path == "/metrics") {
      send(request, response, 200, feed_.metrics(), "text/plain; version=0.0.4; charset=utf-8");
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
    response.status = 200;
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
  const std::string listen_;
  const std::vector<std::string> names_;
  httplib::Server server_;
  socket_t socket_ = -1;  // at which it listens
  int port_ = 0;
  std::string cookie_;
  std::atomic<bool> is_stopped_{false};
  std::atomic<bool> has_ended_{false};
};

WatchServer::WatchServer(Feed& feed, const std::string& listen, int port, std::string token)
    : http_(std::make_unique<Http>(feed, listen, port, std::move(token))) {
  std::string name = listen == "0.0.0.0" || listen == "::" ? host_name() : listen;
  if (name.find(':') != std::string::npos) name = "[" + name + "]";
  address_ = fmt::format("http://{}:{}/?token={}", name, http_->port(), in_query(http_->token()));
}

WatchServer::~WatchServer() = default;

void WatchServer::serve() { http_->serve(); }

void WatchServer::stop() { http_->stop(); }

}  // namespace prengdl
