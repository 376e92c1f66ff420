// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <array>
#include <cstdint>
#include <string>

namespace prengdl {

/// A connection of which nobody can make us read much or wait long: the head of a request has a
/// limit in bytes and in time, whoever does not take what we write is left. Bodies are never read.
class BoundedStream final : public httplib::Stream {
 public:
  explicit BoundedStream(socket_t socket);

  bool is_readable() const override { return true; }
  bool is_writable() const override;
  ssize_t read(char* into, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& address, int& port) const override;
  void get_local_ip_and_port(std::string& address, int& port) const override;
  socket_t socket() const override { return socket_; }

  /// Ends the connection so that what was written arrives although something was left unread.
  void finish();

 private:
  bool fill();

  static constexpr std::size_t most_bytes = 16384;
  socket_t socket_;
  std::int64_t read_until_ns_;
  std::array<char, 4096> bytes_{};
  std::size_t at_ = 0, held_ = 0, taken_ = 0;
};

}  // namespace prengdl
