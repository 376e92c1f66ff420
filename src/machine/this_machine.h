// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meters/sources.h"
#include "model/result.h"

namespace prengdl {

/// The machine that we run on, for the record. `name` is what others call it, if that is not its
/// host name: a node of a cluster.
MachineRecord this_machine(const MeterSearch& search, const std::string& name = "");

}  // namespace prengdl
