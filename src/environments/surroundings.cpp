// SPDX-License-Identifier: Apache-2.0
#include "environments/surroundings.h"

#include <algorithm>
#include <cstdlib>

namespace prengdl {
namespace {

void set(Launch& launch, const std::string& name, const std::string& value) {
  auto& all = launch.environment;
  std::erase_if(all, [&](const auto& one) { return one.first == name; });
  all.emplace_back(name, value);
}

/// In front of what the study says, or else of our own.
void put_first(Launch& launch, const std::filesystem::path& directory) {
  const char* ours = std::getenv("PATH");
  std::string path = ours ? ours : "/usr/local/bin:/usr/bin:/bin";
  for (const auto& [name, value] : launch.environment)
    if (name == "PATH") path = value;
  set(launch, "PATH", directory.string() + ":" + path);
}

}  // namespace

void surround(Launch& launch, const EnvironmentSite& site, const ContainerView& view) {
  switch (site.kind) {
    case EnvironmentSite::Kind::caller:
      return;
    case EnvironmentSite::Kind::container:
      return wrap_in_container(launch, site.image, view);
    case EnvironmentSite::Kind::interpreter: {
      // Through a link of our own making a Python would not find what belongs to it.
      auto& first = launch.argv.front();
      if (first == "python" || first == "python3") first = site.choice.interpreter;
      put_first(launch, std::filesystem::path(site.choice.interpreter).parent_path());
      return;
    }
    case EnvironmentSite::Kind::conda:
      set(launch, "CONDA_PREFIX", site.directory);
      break;
    case EnvironmentSite::Kind::locked:
    case EnvironmentSite::Kind::requirements:
    case EnvironmentSite::Kind::given:
      set(launch, "VIRTUAL_ENV", site.directory);
      break;
  }
  put_first(launch, site.directory / "bin");
}

}  // namespace prengdl
