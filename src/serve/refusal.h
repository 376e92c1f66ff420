// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace prengdl {

/// What a refused request gets: why, and what to do about it. It depends on the status alone, so it
/// reveals nothing about what is there.
struct Refusal {
  std::string body;
  std::string type;    // Content-Type
  std::string policy;  // Content-Security-Policy
};

/// A page for browsers, an object for programs that ask for JSON, lines of text for all others.
/// `accept` is the request's Accept header.
Refusal refusal_for(int status, std::string_view accept);

}  // namespace prengdl
