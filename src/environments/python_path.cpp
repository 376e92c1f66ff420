// SPDX-License-Identifier: Apache-2.0
#include "environments/python_path.h"

#include <algorithm>
#include <cstdlib>

#include "environments/shipped_files.h"

namespace prengdl {

std::optional<std::filesystem::path> python_package_directory() {
  const auto share = find_share();
  if (!share) return std::nullopt;
  auto directory = *share / "python";
  std::error_code none;
  if (!std::filesystem::exists(directory / "prengdl/__init__.py", none)) return std::nullopt;
  // What separates entries of PYTHONPATH, and parts of the options that containers take.
  if (directory.string().find_first_of(":,") != std::string::npos) return std::nullopt;
  return directory;
}

void append_to_python_path(Launch& launch, const std::filesystem::path& directory,
                           const std::string& inherited) {
  auto& all = launch.environment;
  const auto said = std::find_if(all.begin(), all.end(),
                                 [](const auto& one) { return one.first == "PYTHONPATH"; });
  std::string path = said == all.end() ? inherited : said->second;
  path += (path.empty() ? "" : ":") + directory.string();
  if (said == all.end())
    all.emplace_back("PYTHONPATH", path);
  else
    said->second = path;
}

std::string own_python_path() {
  const char* path = std::getenv("PYTHONPATH");
  return path ? path : "";
}

}  // namespace prengdl
