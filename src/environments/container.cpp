// SPDX-License-Identifier: Apache-2.0
#include "environments/container.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/escaping.h"
#include "base/files.h"
#include "base/run_to_end.h"
#include "base/sha256.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "environments/python_path.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

bool is_apptainer(const Image& image) { return image.engine == "apptainer"; }

bool comes_from_registry(const Image& image) {
  return !is_apptainer(image) || image.source.find("://") != std::string::npos;
}

std::string last_words(const std::string& output) {
  const auto lines = split(trimmed(output), '\n');
  return shortened(printable(lines.back()), 200);
}

/// Without the slash that a directory may end in.
fs::path plain(const fs::path& path) {
  const auto normal = path.lexically_normal();
  return normal.has_filename() || normal == "/" ? normal : normal.parent_path();
}

/// Without those that lie in another one. Both kinds of options separate their parts by : and ,.
std::vector<fs::path> outermost(std::vector<fs::path> mounts) {
  for (auto& path : mounts) path = plain(path);
  std::sort(mounts.begin(), mounts.end());
  std::vector<fs::path> kept;
  for (const auto& path : mounts) {
    if (path.string().find_first_of(":,") != std::string::npos)
      throw Error(fmt::format("{} cannot be seen in a container: it has a colon or a comma in it",
                              path.string()),
                  "rename it, or run without a container");
    if (path == "/")
      throw Error("a container cannot have / as the directory of its commands or results",
                  "give the workload its own directory");
    const bool is_inside = std::any_of(kept.begin(), kept.end(), [&](const fs::path& above) {
      const auto end = std::mismatch(above.begin(), above.end(), path.begin(), path.end());
      return end.first == above.end();
    });
    if (!is_inside) kept.push_back(path);
  }
  return kept;
}

void run_by_apptainer(Launch& launch, const Image& image, const ContainerView& view) {
  std::vector<std::string> words{"apptainer", "exec", "--pwd", plain(launch.directory).string()};
  for (const auto& path : outermost(view.mounts)) words.insert(words.end(), {"--bind", path});
  words.insert(words.end(), image.options.begin(), image.options.end());
  words.push_back(image.used);
  words.insert(words.end(), launch.argv.begin(), launch.argv.end());
  launch.argv = std::move(words);
  // Not by --env, which takes a value with a comma for two.
  for (auto& [name, value] : launch.environment) name.insert(0, "APPTAINERENV_");
}

/// Podman and docker understand the same words here.
void run_by_podman(Launch& launch, const Image& image, const ContainerView& view) {
  std::vector<std::string> words{
      image.engine, "run",           "--rm",      "--name",
      view.name,    "--interactive", "--workdir", plain(launch.directory).string()};
  for (const auto& path : outermost(view.mounts))
    words.insert(words.end(), {"--volume", fmt::format("{0}:{0}", path.string())});
  // Its value is known only when the engine starts, which then has it.
  words.insert(words.end(), {"--env", "PRENGDL_EVENTS"});
  for (const auto& [name, value] : launch.environment)
    words.insert(words.end(), {"--env", fmt::format("{}={}", name, value)});
  // What docker's containers write would be root's; podman's users are theirs already.
  const auto user = launch.as_root ? 0 : geteuid();
  const auto group = launch.as_root ? 0 : getegid();
  if (image.engine == "docker" && user != 0)
    words.insert(words.end(), {"--user", fmt::format("{}:{}", user, group)});
  if (!launch.cpus.empty())
    words.insert(words.end(), {"--cpuset-cpus", fmt::format("{}", fmt::join(launch.cpus, ","))});
  words.insert(words.end(), image.options.begin(), image.options.end());
  words.push_back(image.used);
  words.insert(words.end(), launch.argv.begin(), launch.argv.end());
  launch.argv = std::move(words);
  launch.environment.clear();
}

}  // namespace

Image image_of(const EnvironmentChoice& choice, const fs::path& cache, const fs::path& study) {
  Image image{choice.engine, choice.container, choice.container, choice.options};
  if (!is_apptainer(image)) return image;
  image.used = comes_from_registry(image)
                   ? (cache / "images" / (sha256_of(image.source).substr(0, 12) + ".sif")).string()
                   : (study / image.source).lexically_normal().string();
  return image;
}

std::optional<std::string> missing_image(const Image& image) {
  if (is_apptainer(image)) {
    std::error_code none;
    if (!fs::exists(image.used, none)) return fmt::format("there is no image {}", image.used);
    const auto end = run_to_end({.words = {image.engine, "--version"}});
    return end.is_good() ? std::nullopt : std::optional(last_words(end.output));
  }
  try {
    const auto end = run_to_end({.words = {image.engine, "image", "inspect", image.used}});
    if (end.is_good()) return std::nullopt;
    return fmt::format("{} has no image {}: {}", image.engine, image.used, last_words(end.output));
  } catch (const Error& error) {  // the engine itself is not there
    return error.what();
  }
}

void pull_image(const Image& image, const std::function<void(const std::string&)>& tell) {
  std::vector<std::string> words{image.engine, "pull", image.used};
  if (is_apptainer(image)) {
    if (!comes_from_registry(image))
      throw Error(fmt::format("there is no image {}", image.used),
                  "make it with apptainer build, or name one of a registry: docker://IMAGE");
    make_directories(fs::path(image.used).parent_path());
    words = {image.engine, "pull", image.used, image.source};
  }
  const auto end = run_to_end({.words = words, .tell = tell});
  if (!end.is_good())
    throw Error(fmt::format("cannot fetch the image {}: {}", image.source, last_words(end.output)),
                "try it by hand: " + shell_line(words));
}

std::string image_id(const Image& image) {
  if (is_apptainer(image)) {
    std::error_code none;
    // A directory that is unpacked for trying things out has no fingerprint.
    if (fs::is_directory(image.used, none)) return fmt::format("{} (a directory)\n", image.source);
    const auto hash = sha256_of_file(image.used);
    if (!hash) throw Error(hash.error());
    return fmt::format("{} sha256:{}\n", image.source, *hash);
  }
  const std::vector<std::string> words{image.engine, "image",   "inspect",
                                       "--format",   "{{.Id}}", image.used};
  const auto end = run_to_end({.words = words});
  if (!end.is_good())
    throw Error(fmt::format("cannot find the id of the image {}: {}", image.source,
                            last_words(end.output)));
  return fmt::format("{} {}\n", image.source, trimmed(end.output));
}

std::string python_path_in(const Image& image) {
  if (is_apptainer(image)) return own_python_path();
  try {
    const auto end =
        run_to_end({.words = {image.engine, "image", "inspect", "--format",
                              "{{range .Config.Env}}{{println .}}{{end}}", image.used}});
    constexpr std::string_view name = "PYTHONPATH=";
    if (end.is_good())
      for (const auto line : split(end.output, '\n'))
        if (line.starts_with(name)) return std::string(trimmed(line.substr(name.size())));
  } catch (const Error&) {  // no engine: its absence is reported where the run is started
  }
  return "";
}

void wrap_in_container(Launch& launch, const Image& image, const ContainerView& view) {
  if (is_apptainer(image))
    run_by_apptainer(launch, image, view);
  else
    run_by_podman(launch, image, view);
}

std::vector<std::string> ending_of_container(const Image& image, const ContainerView& view) {
  if (is_apptainer(image)) return {};  // its processes are our own
  return {image.engine, "rm", "--force", view.name};
}

}  // namespace prengdl
