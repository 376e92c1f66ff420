// SPDX-License-Identifier: Apache-2.0
#include "serve/access.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/strings.h"

namespace prengdl {

std::string new_token() {
  std::array<unsigned char, 20> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("the kernel gives no random numbers");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool is_same_secret(std::string_view given, std::string_view secret) {
  unsigned different = given.size() != secret.size();
  for (std::size_t i = 0; i < secret.size(); ++i)
    different |= static_cast<unsigned char>(secret[i]) ^
                 static_cast<unsigned char>(given.empty() ? 0 : given[i % given.size()]);
  return different == 0;
}

bool names_this_server(std::string_view host, const std::vector<std::string>& names) {
  std::string_view name = host;
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    if (end == std::string_view::npos) return false;
    name = host.substr(1, end - 1);
    host = host.substr(end + 1);
  } else {
    name = host.substr(0, host.find(':'));
    host = host.substr(name.size());
  }
  // What is left is a port, or nothing.
  if (!host.empty() &&
      (host.size() < 2 || host.size() > 6 || !std::all_of(host.begin() + 1, host.end(), is_digit)))
    return false;
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return !lower.empty() && std::find(names.begin(), names.end(), lower) != names.end();
}

std::string_view cookie(std::string_view header, std::string_view name) {
  for (const auto part : split(header, ';')) {
    const auto pair = trimmed(part);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
  }
  return {};
}

bool is_loopback(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  if (inet_pton(AF_INET6, address.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
  return address == "localhost";
}

}  // namespace prengdl
