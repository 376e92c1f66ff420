// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meters/sources.h"
#include "model/result.h"

namespace prengdl {

/// The machine that we run on, for the record.
MachineRecord this_machine(const MeterSearch& search);

}  // namespace prengdl
