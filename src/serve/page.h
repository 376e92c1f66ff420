// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace prengdl {

/// The one page, with its style and script in it, and the policy by which a browser runs these two
/// and nothing else, whatever a name or a log may hold.
struct Page {
  std::string html;
  std::string policy;  // Content-Security-Policy
};

Page make_page();

/// The hash by which a policy allows this script or style: "sha256-...".
std::string hash_source(std::string_view text);

}  // namespace prengdl
