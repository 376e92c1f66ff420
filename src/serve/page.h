// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace prengdl {

/// The one page, with its style and script in it, and the policy by which a browser runs these two
/// and nothing else, whatever a name or a log may hold.
struct Page {
  std::string html;
  std::string policy;  // Content-Security-Policy
};

Page make_page();

}  // namespace prengdl
