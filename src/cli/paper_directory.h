// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "report/formats.h"

namespace prengdl {

/// Writes the files of a paper below a directory, which is made, and turns its figures into PDF if
/// pdflatex is installed. Prints to stderr what became of them.
void write_paper(const std::filesystem::path& directory, const std::vector<PaperFile>& files);

}  // namespace prengdl
