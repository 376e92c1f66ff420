// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>

#include "base/files.h"

namespace prengdl {

/// A process of our own program that keeps running when we are killed: it has its own session,
/// ignores the signals of a terminal, starts in / and holds nothing of ours but its end of `link`.
struct DetachedProcess {
  pid_t pid = -1;
  FileDescriptor link;  // a socket; closed when we end, however we end
};

/// Forks it. `body` runs there with its end of the link, then the process ends. `type` is that of
/// the socket (SOCK_STREAM, SOCK_SEQPACKET). Throws where there are no more processes.
DetachedProcess start_detached(int type, const std::function<void(int link)>& body);

}  // namespace prengdl
