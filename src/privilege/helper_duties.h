// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>

#include "privilege/settings.h"

namespace prengdl {

/// What the helper may do and for whom; decided before it is forked, never by a message.
struct HelperDuties {
  SettingsHost host;
  uid_t user{};  // on whose behalf
  /// Applies one of doctor's fixes by its number; throws an Error. May be null.
  std::function<void(std::size_t number)> fix;
};

/// What the helper process does: answers requests until the link is closed or a message is not
/// well formed. Then it restores what it has changed.
void serve_helper(int link, const HelperDuties& duties);

}  // namespace prengdl
