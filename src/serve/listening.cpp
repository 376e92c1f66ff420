// SPDX-License-Identifier: Apache-2.0
#include "serve/listening.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>

#include "base/text.h"

namespace prengdl {
namespace {

constexpr int backlog = 512;  // many may come at once

}  // namespace

FileDescriptor listen_at(const std::string& address, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int code = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
      code != 0)
    throw Error(fmt::format("cannot listen at {}: {}", printable(address), gai_strerror(code)),
                "give --listen an address of this machine");
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, freeaddrinfo);
  int reason = 0;
  for (const addrinfo* one = found; one; one = one->ai_next) {
    FileDescriptor socket(
        ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol));
    // After a restart the port is free at once. Never SO_REUSEPORT: it would be shared silently.
    const int yes = 1;
    if (socket && setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(socket.get(), one->ai_addr, one->ai_addrlen) == 0 &&
        ::listen(socket.get(), backlog) == 0)
      return socket;
    reason = errno;
  }
  throw Error(
      fmt::format("cannot listen at {} port {}: {}", printable(address), port, error_text(reason)),
      reason == EADDRINUSE ? "choose another --port, or none: then a free one is taken" : "");
}

int port_of(const FileDescriptor& listening) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  if (getsockname(listening.get(), reinterpret_cast<sockaddr*>(&name), &length) != 0) return 0;
  return ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(name).sin6_port
                                          : reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

}  // namespace prengdl
