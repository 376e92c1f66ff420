// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

/// 160 random bits of the kernel as hexadecimal digits.
std::string new_token();

/// Takes as long for every wrong token: the time does not show how much of it was right.
bool is_same_secret(std::string_view given, std::string_view secret);

/// Whether a Host header names this very server: a page of somebody else's, whose name was made to
/// point here, gives itself away by it. The port is not looked at: it may be forwarded. `names` are
/// in lower case, addresses without brackets.
bool names_this_server(std::string_view host, const std::vector<std::string>& names);

/// The value of a cookie in a Cookie header; "" if it is not there.
std::string_view cookie(std::string_view header, std::string_view name);

/// An address that only this machine can reach.
bool is_loopback(const std::string& address);

}  // namespace prengdl
