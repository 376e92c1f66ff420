// SPDX-License-Identifier: Apache-2.0
#include "environments/making.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/clock.h"
#include "base/escaping.h"
#include "base/files.h"
#include "base/process.h"
#include "base/run_to_end.h"
#include "base/strings.h"
#include "base/temporary.h"
#include "environments/lock_file.h"
#include "environments/making_trouble.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Packages that a tool was installing when it was killed look installed to the next one. They are
/// known by files of their record that are not there, or by having none. Only what lies in the
/// environment is touched: half of one may have a Python that still belongs to its base.
constexpr auto mending = R"(
import pathlib, shutil, sys, sysconfig
if pathlib.Path(sys.prefix).resolve() != pathlib.Path(sys.argv[1]).resolve():
    sys.exit("this Python belongs to " + sys.prefix)
packages = pathlib.Path(sysconfig.get_path("purelib"))
for info in packages.glob("*.dist-info"):
    record = info / "RECORD"
    try:
        names = [line.rsplit(",", 2)[0].strip('"') for line in record.read_text().splitlines()]
        whole = bool(names) and all(name.endswith(".pyc") or (packages / name).exists() for name in names)
    except (OSError, UnicodeDecodeError):
        whole = False
    if not whole:
        shutil.rmtree(info)
        print("installed in part, to be installed again:", info.name)
)";

struct Python {
  fs::path program;
  std::string version;
};

std::optional<Python> python_at(const std::string& name) {
  const char* path = std::getenv("PATH");
  const auto program = find_program(name, path ? path : "/usr/local/bin:/usr/bin:/bin");
  if (!program) return std::nullopt;
  try {
    // Its own word for where it is: what was found may be a script that chooses one.
    constexpr auto code =
        "import sys; print('%d.%d.%d' % sys.version_info[:3]); print(sys.executable)";
    const auto end = run_to_end({.words = {program->string(), "-I", "-c", code}});
    const auto lines = split(end.output, '\n');
    if (!end.is_good() || lines.size() < 2) return std::nullopt;
    return Python{std::string(lines[1]), std::string(lines[0])};
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The interpreter that an environment is made of.
Python base_python(const EnvironmentSite& site) {
  if (!site.choice.python.empty()) {
    if (const auto python = python_at(site.choice.python)) return *python;
    throw Error(fmt::format("cannot make the environment {}: {} is no Python that runs",
                            site.title(), site.choice.python),
                "name another one by `python` in the study file");
  }
  const bool is_locked = site.kind == EnvironmentSite::Kind::locked;
  std::vector<std::string> seen;
  for (const auto& name : {fmt::format("python{}", locked_python), std::string("/usr/bin/python3"),
                           std::string("python3")}) {
    const auto python = python_at(name);
    if (!python) continue;
    if (!is_locked || python->version.starts_with(fmt::format("{}.", locked_python)))
      return *python;
    seen.push_back(fmt::format("{} is {}", python->program.string(), python->version));
  }
  throw Error(fmt::format("cannot make the environment {}: there is no Python {}{}", site.title(),
                          is_locked ? locked_python : "3",
                          seen.empty() ? "" : " (" + joined(seen, ", ") + ")"),
              fmt::format("install it so that python{} is on the PATH (Debian 12: sudo apt-get "
                          "install python3 python3-venv; elsewhere: uv python install {})",
                          locked_python, locked_python));
}

/// uv where there is one, on the PATH or among our own tools.
std::optional<fs::path> find_uv(const fs::path& cache) {
  const char* path = std::getenv("PATH");
  if (auto uv = find_program("uv", path ? path : "")) return *uv;
  const auto own = cache / "tools/bin/uv";
  if (access(own.c_str(), X_OK) == 0) return own;
  return std::nullopt;
}

std::uint64_t free_bytes(const fs::path& directory) {
  std::error_code trouble;
  const auto space = fs::space(directory, trouble);
  return trouble ? 0 : space.available;
}

/// A directory that goes away with what was written to it.
class Away {
 public:
  Away() {
    const auto place = temporary_directory();
    std::string pattern = (place / "prengdl-check-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw Error(
          fmt::format("cannot make a directory in {}: {}", place.string(), error_text(errno)),
          "free some space there, or set TMPDIR to another directory");
    path_ = pattern;
  }
  ~Away() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class Maker {
 public:
  Maker(const EnvironmentSite& site, const EnvironmentPlaces& places, const TellMaking& tell)
      : site_(site),
        places_(places),
        tell_(tell),
        making_{site.title(), site.directory, site.directory / "setup.log"},
        free_before_(free_bytes(places.cache)) {}

  EnvironmentMark make() {
    const auto uv = find_uv(places_.cache);
    EnvironmentMark mark;
    make_directories(site_.directory);
    std::error_code ignored;
    fs::remove(making_.log, ignored);
    mark.tool = uv ? by_uv(*uv) : by_pip();
    compile();
    mark.check = tried();
    if (const auto python = python_at(own_python())) mark.python = python->version;
    mark.lock_hash = site_.lock_hash;
    mark.made_at = utc_now();
    mark.bytes = bytes_below(site_.directory);
    write_mark(site_.directory, mark);
    return mark;
  }

 private:
  fs::path own_python() const { return site_.directory / "bin/python"; }
  bool has_hashes() const { return site_.lock.find("--hash=") != std::string::npos; }
  bool is_locked() const { return site_.kind == EnvironmentSite::Kind::locked; }

  /// Whether there is anything to install: tools stumble over a file of comments alone.
  bool has_packages() const {
    for (const auto line : split(site_.lock, '\n'))
      if (const auto text = trimmed(line); !text.empty() && !text.starts_with("#")) return true;
    return false;
  }

  /// What the lock promises is demanded: each file by its hash, and a wheel of each package but
  /// those that VARIANT.source names, since a source package runs its own code when it is built.
  void add_promises(std::vector<std::string>& install) const {
    if (has_hashes()) install.emplace_back("--require-hashes");
    if (!is_locked()) return;
    const auto without_wheel =
        names_in(read_optional(fs::path(site_.lock_file).replace_extension("source")).value_or(""));
    if (without_wheel.empty()) {
      install.insert(install.end(), {"--only-binary", ":all:"});
      return;
    }
    for (const auto& name : names_in(site_.lock))
      if (!without_wheel.contains(name)) install.insert(install.end(), {"--only-binary", name});
  }

  /// The packages in a list or a lock, each at the beginning of a line.
  static std::set<std::string> names_in(const std::string& text) {
    std::set<std::string> names;
    for (const auto line : split(text, '\n')) {
      if (line.empty() || line.front() == '#' || line.front() == '-' || line.front() == ' ')
        continue;
      names.emplace(line.substr(0, line.find_first_of(" =<>;[\t\r")));
    }
    return names;
  }

  ProgramEnd call(const std::string& doing, const std::vector<std::string>& words,
                  const std::vector<std::pair<std::string, std::string>>& more = {}) {
    std::vector<std::pair<std::string, std::string>> variables{
        {"PYTHONPATH", ""}, {"PYTHONNOUSERSITE", "1"}, {"PYTHONUNBUFFERED", "1"}};
    variables.insert(variables.end(), more.begin(), more.end());
    const auto tell = [&](const std::string& said) {
      const auto now = free_bytes(places_.cache);
      if (tell_) tell_({doing, said, free_before_ > now ? free_before_ - now : 0});
    };
    tell("");
    return run_to_end({.words = words, .variables = variables, .log = making_.log, .tell = tell});
  }

  std::string must(const std::string& doing, const std::vector<std::string>& words,
                   const std::vector<std::pair<std::string, std::string>>& more = {}) {
    const auto end = call(doing, words, more);
    if (!end.is_good()) throw making_error(making_, end.output);
    return end.output;
  }

  /// "uv 0.13.7": the version is the second word that such a tool says.
  std::string named(const std::string& tool, const std::vector<std::string>& asking) const {
    const auto end = run_to_end({.words = asking});
    if (!end.is_good()) throw making_error(making_, end.output);
    const auto parts = words(end.output);
    return parts.size() > 1 ? fmt::format("{} {}", tool, parts[1]) : tool;
  }

  /// An environment without a Python that runs is made again around what lies in it.
  bool has_python() {
    return access(own_python().c_str(), X_OK) == 0 &&
           call("looking at what is there",
                {own_python().string(), "-I", "-c", mending, site_.directory.string()})
               .is_good();
  }

  std::string by_uv(const fs::path& uv) {
    std::vector<std::pair<std::string, std::string>> variables{{"UV_PYTHON_DOWNLOADS", "never"}};
    // Next to the environments its cache is linked, not copied, into them.
    if (!std::getenv("UV_CACHE_DIR"))
      variables.emplace_back("UV_CACHE_DIR", (places_.cache / "uv").string());
    const std::string program = uv.string();
    auto tool = named("uv", {program, "--version"});
    if (!has_python())
      must("making the directory with " + tool,
           {program, "venv", "--allow-existing", "--python", base_python(site_).program.string(),
            site_.directory.string()},
           variables);
    if (!has_packages()) return tool;
    std::vector<std::string> install{program, "pip"};
    // A lock is all that is to be there; what a study asks for brings more with it.
    if (is_locked())
      install.insert(install.end(), {"sync", site_.lock_file.string()});
    else
      install.insert(install.end(), {"install", "--requirement", site_.lock_file.string()});
    install.insert(install.end(), {"--python", own_python().string()});
    add_promises(install);
    must("installing with " + tool, install, variables);
    return tool;
  }

  std::string by_pip() {
    const std::string own = own_python().string();
    // One that uv made has no pip, nor one whose making was interrupted.
    if (!has_python() || !run_to_end({.words = {own, "-m", "pip", "--version"}}).is_good())
      must("making the directory with venv",
           {base_python(site_).program.string(), "-m", "venv", site_.directory.string()});
    auto tool = named("pip", {own, "-m", "pip", "--version"});
    if (!has_packages()) return tool;
    std::vector<std::string> install{own,
                                     "-m",
                                     "pip",
                                     "install",
                                     "--no-input",
                                     "--disable-pip-version-check",
                                     "--progress-bar",
                                     "off",
                                     "--requirement",
                                     site_.lock_file.string()};
    add_promises(install);
    must("installing with " + tool, install);
    return tool;
  }

  /// Else every run would compile what it imports, or the first one alone: packages that one
  /// environment happens to have compiled and another has not would look like a difference between
  /// frameworks. Files that are no Python of this version (tests, templates) are passed over.
  void compile() {
    call("compiling to bytecode", {own_python().string(), "-I", "-m", "compileall", "-q", "-j", "0",
                                   (site_.directory / "lib").string()});
  }

  /// Imports and computes something; in a home of its own, as some write there.
  std::string tried() {
    const Away home;
    std::vector<std::string> command{own_python().string(), "-I"};
    if (site_.check.empty())
      command.insert(command.end(), {"-c",
                                     "import json, platform\nprint(json.dumps({'version': "
                                     "platform.python_version(), 'device': 'cpu'}))"});
    else
      command.insert(command.end(), {site_.check.string(), site_.variant});
    const auto end =
        call("trying it", command,
             {{"HOME", home.path().string()}, {"XDG_CACHE_HOME", home.path().string()}});
    const auto check = end.is_good() ? check_in(end.output) : std::nullopt;
    if (!check)
      throw Error(
          fmt::format("the environment {} is installed but does not work: {}", site_.title(),
                      last_line_of(end.output)),
          fmt::format("See {} for the output. Run prengdl setup --remove {} to start again.",
                      making_.log.string(), site_.directory.filename().string()));
    const auto version = text_in_check(*check, "version");
    if (is_locked() && !version.starts_with(site_.name.version))
      throw Error(fmt::format("the environment {} has version {} of it", site_.title(), version),
                  fmt::format("its lock {} is not for that directory", site_.lock_file.string()));
    return *check;
  }

  static std::string last_line_of(const std::string& output) {
    const auto lines = split(trimmed(output), '\n');
    return shortened(printable(lines.back()), 200);
  }

  const EnvironmentSite& site_;
  const EnvironmentPlaces& places_;
  const TellMaking& tell_;
  Making making_;
  std::uint64_t free_before_;
};

}  // namespace

MadeEnvironment make_environment(const EnvironmentSite& site, const EnvironmentPlaces& places,
                                 const TellMaking& tell) {
  MadeEnvironment made;
  const auto begin = monotonic_ns();
  const auto is_ready = [&] { return !what_is_missing(site); };
  if (is_ready()) {
    made.was_there = true;
  } else if (site.kind == EnvironmentSite::Kind::container) {
    pull_image(site.image, [&](const std::string& said) {
      if (tell) tell({"fetching the image", said, 0});
    });
  } else if (!site.is_made()) {
    throw Error(fmt::format("the environment {} cannot be used: {}", site.title(),
                            what_is_missing(site).value_or("")),
                "it is the study's own: make it, or name another one");
  } else {
    std::error_code trouble;
    fs::create_directories(site.directory.parent_path(), trouble);
    if (trouble)
      throw Error(fmt::format("cannot make {}: {}", site.directory.parent_path().string(),
                              trouble.message()),
                  "choose another place with --cache DIR");
    const EnvironmentLockFile lock(
        site.directory, EnvironmentLockFile::IfTaken::wait, [&](long pid) {
          if (tell) tell({fmt::format("waiting for process {}, which makes it", pid), "", 0});
        });
    // The process that we waited for may have made it.
    if (is_ready())
      made.was_there = true;
    else
      made.mark = Maker(site, places, tell).make();
  }
  if (made.was_there && site.is_made()) made.mark = read_mark(site.directory).value();
  made.took = seconds_between(begin, monotonic_ns());
  return made;
}

std::uint64_t remove_environment(const fs::path& directory) {
  const EnvironmentLockFile lock(directory, EnvironmentLockFile::IfTaken::refuse);
  const auto bytes = bytes_below(directory);
  // First of all it is no longer complete.
  std::error_code trouble;
  fs::remove(mark_file(directory), trouble);
  if (!trouble) fs::remove_all(directory, trouble);
  if (trouble)
    throw Error(fmt::format("cannot remove {}: {}", directory.string(), trouble.message()));
  return bytes;
}

}  // namespace prengdl
