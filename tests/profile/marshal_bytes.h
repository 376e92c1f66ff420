// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace prengdl::marshal_bytes {

// Values as Python's marshal writes them, byte by byte.

template <class Number>
std::string raw(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

inline std::string integer(std::int32_t value) { return "i" + raw(value); }
inline std::string real(double value) { return "g" + raw(value); }
inline std::string text(const std::string& value) {
  return "u" + raw(static_cast<std::int32_t>(value.size())) + value;
}
inline std::string tuple(std::initializer_list<std::string> items) {
  std::string bytes = ")" + raw(static_cast<std::uint8_t>(items.size()));
  for (const auto& item : items) bytes += item;
  return bytes;
}
inline std::string dictionary(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string bytes = "{";
  for (const auto& [key, value] : items) bytes += key + value;
  return bytes + "0";
}
inline std::string reference(std::int32_t number) { return "r" + raw(number); }

/// The same value with a number by which it can be referred to.
inline std::string numbered(std::string bytes) {
  bytes[0] = static_cast<char>(static_cast<unsigned char>(bytes[0]) | 0x80U);
  return bytes;
}

/// A function's key, what was counted of it, and one of its callers, as cProfile dumps them.
inline std::string function(const std::string& file, std::int32_t line, const std::string& name) {
  return tuple({text(file), integer(line), text(name)});
}
inline std::string in_c(const std::string& name) { return function("~", 0, name); }
inline std::string counted(std::int32_t primitive, std::int32_t calls, double own,
                           double cumulative,
                           const std::vector<std::pair<std::string, std::string>>& callers = {}) {
  return tuple(
      {integer(primitive), integer(calls), real(own), real(cumulative), dictionary(callers)});
}
inline std::string called(std::int32_t calls, std::int32_t primitive, double own,
                          double cumulative) {
  return tuple({integer(calls), integer(primitive), real(own), real(cumulative)});
}

}  // namespace prengdl::marshal_bytes
