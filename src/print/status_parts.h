// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/json.h"
#include "print/study.h"
#include "tables/part.h"

namespace prengdl {

// What `status` shows of a study on several machines.

/// Jobs that run or wait; nothing if there are none. `is_done`: no run is due any more.
std::optional<Part> jobs_part(const Status& status, bool is_done);

/// The runs of each machine; nothing for a study on one machine without jobs.
std::optional<Part> nodes_part(const Status& status);

Json cluster_json(const ShownCluster& cluster);
Json nodes_json(const Status& status);

/// "1-3, 7" of blocks that count from 0.
std::string shown_blocks(const std::vector<std::size_t>& blocks);

/// The second witness: what the site's accounting says, over prengdl's own figures. Nothing without
/// runs that both have measured.
std::optional<std::string> site_energy_line(const Status& status);

}  // namespace prengdl
