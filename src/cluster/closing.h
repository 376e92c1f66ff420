// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cluster/cluster_directory.h"
#include "cluster/paced_scheduler.h"
#include "store/result.h"

namespace prengdl {

// What goes into a result once all its jobs have ended.

/// The A/A records that nodes have made.
void keep_aa(const ClusterDirectory& directory, ResultStore& store);

/// What the site's accounting says of the runs, which it may do some seconds after their end.
/// `trouble` hears why it says nothing; it may be null.
void keep_site_energy(const ClusterDirectory& directory, PacedScheduler& scheduler,
                      ResultStore& store, const std::function<void(const Error&)>& trouble);

}  // namespace prengdl
