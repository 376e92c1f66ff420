// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "model/environment.h"

namespace prengdl {

/// An image and what runs it.
struct Image {
  std::string engine;  // podman, docker or apptainer
  std::string source;  // as the study names it
  std::string used;    // what the engine is given: the name, or a file of apptainer
  std::vector<std::string> options;
};

/// Apptainer's images are files: relative ones start at `study_directory`, and what comes from a
/// registry ("docker://...") lies in the cache.
Image image_of(const EnvironmentChoice& choice, const std::filesystem::path& cache,
               const std::filesystem::path& study_directory);

/// Why the image cannot be used now; nothing if it can.
std::optional<std::string> missing_image(const Image& image);

/// Fetches it from its registry. Throws an Error with the engine's words.
void pull_image(const Image& image, const std::function<void(const std::string& line)>& tell);

/// "IMAGE ID": what a result keeps of an image.
std::string image_id(const Image& image);

/// PYTHONPATH as a command finds it in the image, before any variable of the study: what the image
/// says, or, as apptainer does it, that of this process. Empty if there is none.
std::string python_path_in(const Image& image);

/// What a container gets of the machine besides its image.
struct ContainerView {
  std::string name;  // of the container: unique
  /// Directories that are seen in it at their own paths. The events of the workload lie in one of
  /// them.
  std::vector<std::filesystem::path> mounts;
};

/// Makes the launch one of the container engine, which runs the same command in the image: in the
/// same directory, with the variables of the launch and PRENGDL_EVENTS, on the same CPUs.
void wrap_in_container(Launch& launch, const Image& image, const ContainerView& view);

/// The command that ends a container whose engine was killed; empty where there can be none.
std::vector<std::string> ending_of_container(const Image& image, const ContainerView& view);

}  // namespace prengdl
