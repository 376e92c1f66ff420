// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/process.h"
#include "environments/site.h"

namespace prengdl {

/// Puts a command into its environment: the environment's programs come first, `python` is its
/// Python, or a container runs it. `view` is for containers.
void surround(Launch& launch, const EnvironmentSite& site, const ContainerView& view);

}  // namespace prengdl
