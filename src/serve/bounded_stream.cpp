// SPDX-License-Identifier: Apache-2.0
#include "serve/bounded_stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"

namespace prengdl {
namespace {

constexpr std::int64_t read_time_ns = 5'000'000'000;  // for the whole head of a request
constexpr int write_time_ms = 10'000;
constexpr int farewell_ms = 200;
constexpr std::size_t most_unread = 65536;

bool is_ready(socket_t socket, short events, int milliseconds) {
  pollfd one{socket, events, 0};
  return poll(&one, 1, milliseconds) > 0;
}

void tell_address(const sockaddr_storage& of, std::string& address, int& port) {
  char text[INET6_ADDRSTRLEN]{};
  if (of.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(of);
    inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    port = ntohs(four.sin_port);
  } else if (of.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(of);
    inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
    port = ntohs(six.sin6_port);
  }
  address = text;
  if (address.starts_with("::ffff:") && address.find('.') != std::string::npos) address.erase(0, 7);
}

}  // namespace

BoundedStream::BoundedStream(socket_t socket)
    : socket_(socket), read_until_ns_(monotonic_ns() + read_time_ns) {
  const int yes = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

bool BoundedStream::is_writable() const {
  char byte{};
  const ssize_t peeked = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  const bool is_gone = peeked == 0 || (peeked < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
  return !is_gone;  // write() waits until there is room
}

bool BoundedStream::fill() {
  const std::int64_t left_ms = (read_until_ns_ - monotonic_ns()) / 1'000'000;
  if (left_ms <= 0 || taken_ >= most_bytes) return false;
  if (!is_ready(socket_, POLLIN, static_cast<int>(left_ms))) return false;
  const ssize_t got =
      recv(socket_, bytes_.data(), std::min(bytes_.size(), most_bytes - taken_), MSG_DONTWAIT);
  if (got <= 0) return false;
  at_ = 0;
  held_ = static_cast<std::size_t>(got);
  taken_ += held_;
  return true;
}

ssize_t BoundedStream::read(char* into, std::size_t size) {
  if (at_ == held_ && !fill()) return 0;
  const std::size_t count = std::min(size, held_ - at_);
  std::memcpy(into, bytes_.data() + at_, count);
  at_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t BoundedStream::write(const char* from, std::size_t size) {
  for (;;) {
    const ssize_t sent = send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return sent;
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return -1;
    if (!is_ready(socket_, POLLOUT, write_time_ms)) return -1;
  }
}

void BoundedStream::get_remote_ip_and_port(std::string& address, int& port) const {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  if (getpeername(socket_, reinterpret_cast<sockaddr*>(&name), &length) == 0)
    tell_address(name, address, port);
}

void BoundedStream::get_local_ip_and_port(std::string& address, int& port) const {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&name), &length) == 0)
    tell_address(name, address, port);
}

void BoundedStream::finish() {
  shutdown(socket_, SHUT_WR);
  std::size_t dropped = 0;
  const std::int64_t until_ns = monotonic_ns() + farewell_ms * 1'000'000LL;
  while (dropped < most_unread) {
    const std::int64_t left_ms = (until_ns - monotonic_ns()) / 1'000'000;
    if (left_ms <= 0 || !is_ready(socket_, POLLIN, static_cast<int>(left_ms))) return;
    const ssize_t got = recv(socket_, bytes_.data(), bytes_.size(), MSG_DONTWAIT);
    if (got <= 0) return;
    dropped += static_cast<std::size_t>(got);
  }
}

}  // namespace prengdl
