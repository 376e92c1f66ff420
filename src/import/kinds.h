// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "import/imported.h"

namespace prengdl {

// One function for each kind of `prengdl import`; docs/reference/import.md says what each gives and
// leaves absent.

using ForeignPaths = std::vector<std::filesystem::path>;

Imported import_icse22(const ForeignPaths& paths, const ImportOptions& options);
Imported import_itu23(const ForeignPaths& paths, const ImportOptions& options);
Imported import_perf_stat(const ForeignPaths& paths, const ImportOptions& options);
Imported import_nvidia_smi(const ForeignPaths& paths, const ImportOptions& options);
Imported import_hyperfine(const ForeignPaths& paths, const ImportOptions& options);
Imported import_codecarbon(const ForeignPaths& paths, const ImportOptions& options);
Imported import_energibridge(const ForeignPaths& paths, const ImportOptions& options);
Imported import_csv(const ForeignPaths& paths, const ImportOptions& options);

}  // namespace prengdl
