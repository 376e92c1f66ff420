// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "meters/sources.h"
#include "run/series.h"

namespace prengdl {

/// Hooks itself into a series and its events to store what is measured; to be called when that has
/// ended. A function of the full program: the small one cannot store.
using KeepSeries =
    std::function<std::function<void()>(const std::filesystem::path& result, Series& series,
                                        const MeterSearch& search, SeriesEvents& events)>;

/// `prengdl measure`. Without `keep` it goes on as the full program for what this one cannot do.
int measure(const std::vector<std::string>& words, const KeepSeries& keep);

}  // namespace prengdl
