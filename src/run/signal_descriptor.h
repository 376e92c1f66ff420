// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

namespace prengdl {

/// Whether a signal waits in this signalfd to be read; never for -1.
inline bool signal_waits(int signals) {
  pollfd watched{signals, POLLIN, 0};
  return signals >= 0 && poll(&watched, 1, 0) > 0;
}

}  // namespace prengdl
