// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace prengdl {

/// What went wrong, and what the user can do about it.
struct Error : std::runtime_error {
  explicit Error(const std::string& what, std::string advice = {})
      : std::runtime_error(what), hint(std::move(advice)) {}
  std::string hint;
};

/// A wrong call of the program: exit code 2 instead of 1.
struct UsageError : Error {
  using Error::Error;
};

/// A value, or the Error that explains why there is none.
template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(const std::string& what, std::string advice = {}) {
  return tl::unexpected<Error>(Error(what, std::move(advice)));
}

}  // namespace prengdl
