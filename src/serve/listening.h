// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/files.h"

namespace prengdl {

/// A socket that listens there; port 0 takes one that is free. Throws an Error that says why not.
FileDescriptor listen_at(const std::string& address, int port);

/// The port that it got.
int port_of(const FileDescriptor& listening);

}  // namespace prengdl
