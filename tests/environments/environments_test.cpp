// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "base/sha256.h"
#include "campaign/study_environments.h"
#include "environments/locks.h"
#include "environments/shipped_files.h"
#include "environments/site.h"
#include "environments/surroundings.h"
#include "fake_host.h"

namespace prengdl {
namespace {

using Names = std::vector<std::string>;
namespace fs = std::filesystem;

Variables with(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

/// A directory with the files of the product: two versions of one framework, one of another.
struct Product {
  FakeHost host;
  EnvironmentPlaces places;

  Product() {
    host.write("share/environments/shared.in", "numpy");
    host.write("share/environments/torch/default", "2.0");
    host.write("share/environments/torch/check.py", "print()");
    host.write("share/environments/torch/1.9/cpu.lock", "torch==1.9");
    host.write("share/environments/torch/2.0/cpu.lock", "torch==2.0");
    host.write("share/environments/flow/default", "3");
    host.write("share/environments/flow/3/cpu.lock", "flow==3");
    host.write("share/environments/flow/3/cuda.lock", "flow-gpu==3");
    host.write("share/environments/README.md", "words");
    places.share = host.root() / "share";
    places.cache = host.root() / "cache";
  }

  EnvironmentSite site(const std::string& name) const {
    EnvironmentChoice choice;
    choice.name = name;
    return site_of(choice, places, host.root());
  }

  /// As `setup` would leave it.
  void complete(const EnvironmentSite& site) {
    fs::create_directories(site.directory / "bin");
    fs::create_symlink("/bin/true", site.directory / "bin/python");
    write_mark(site.directory,
               {site.lock_hash, "uv 1", "3.11.2", "now", 42, "{\"version\":\"2.0\"}"});
  }
};

TEST(EnvironmentName, HasAVersionOrNot) {
  EXPECT_EQ(parse_environment_name("pytorch")->name, "pytorch");
  EXPECT_EQ(parse_environment_name("pytorch")->version, "");
  EXPECT_EQ(parse_environment_name("pytorch@2.13.0")->version, "2.13.0");
  for (const auto* text : {"", "@", "a@", "@1", "../a", "a/b", "a b", "-a", ".a", "a@-1", "a@1@2"})
    EXPECT_FALSE(parse_environment_name(text)) << text;
}

TEST(EnvironmentName, BecomesADirectoryWithItsLock) {
  EXPECT_EQ(environment_directory_name({"pytorch", "2.15.0"}, "cpu", sha256_of("abc")),
            "pytorch-2.15.0-cpu-ba7816bf8f01");
}

TEST(EnvironmentPlaces, TheCacheIsWhereTheUserSays) {
  EXPECT_EQ(cache_directory("/a/../b", with({{"PRENGDL_CACHE", "/c"}}), "/home/u"), "/b");
  EXPECT_EQ(
      cache_directory("", with({{"PRENGDL_CACHE", "/c"}, {"XDG_CACHE_HOME", "/x"}}), "/home/u"),
      "/c");
  EXPECT_EQ(cache_directory("", with({{"XDG_CACHE_HOME", "/x"}}), "/home/u"), "/x/prengdl");
  EXPECT_EQ(cache_directory("", with({{"XDG_CACHE_HOME", "x"}}), "/home/u"),
            "/home/u/.cache/prengdl");
  EXPECT_EQ(cache_directory("", with({}), "/home/u"), "/home/u/.cache/prengdl");
  EXPECT_EQ(data_directory("", with({}), "/c"), "/c/data");
  EXPECT_EQ(data_directory("", with({{"PRENGDL_DATA", "/d"}}), "/c"), "/d");
  EXPECT_EQ(data_directory("/e", with({{"PRENGDL_DATA", "/d"}}), "/c"), "/e");
}

TEST(EnvironmentPlaces, TheProductsFilesAreBesideTheProgram) {
  FakeHost host;
  host.write("built/environments/a", "");
  host.write("installed/share/prengdl/environments/a", "");
  EXPECT_EQ(find_share(host.root() / "built/build/prengdl", with({})), host.root() / "built");
  EXPECT_EQ(find_share(host.root() / "installed/bin/prengdl", with({})),
            host.root() / "installed/share/prengdl");
  EXPECT_EQ(find_share(host.root() / "elsewhere/bin/prengdl", with({})), std::nullopt);
  const auto built = (host.root() / "built").string();
  EXPECT_EQ(find_share("/x/y/z", with({{"PRENGDL_SHARE", built}})), built);
  EXPECT_EQ(find_share(host.root() / "built/build/prengdl", with({{"PRENGDL_SHARE", "/none"}})),
            std::nullopt)
      << "what the user names is not silently replaced";
}

TEST(EnvironmentLocks, AreFoundByNameAndVersion) {
  const Product product;
  EXPECT_EQ(known_environments(product.places.share),
            (Names{"flow", "flow@3", "torch", "torch@1.9", "torch@2.0"}));
  EXPECT_EQ(find_lock(product.places.share, "torch", "cpu").name.version, "2.0");
  EXPECT_EQ(find_lock(product.places.share, "torch@1.9", "cpu").name.version, "1.9");
  EXPECT_EQ(find_lock(product.places.share, "flow", "cuda").variant, "cuda");
  EXPECT_EQ(find_lock(product.places.share, "flow", "cuda").file.filename(), "cuda.lock");
  EXPECT_EQ(find_lock(product.places.share, "torch", "cuda").variant, "cpu")
      << "one lock serves both where there is no other";
  EXPECT_TRUE(known_environments("").empty());
}

TEST(EnvironmentLocks, WhatThereIsNotIsNamedWithWhatWasMeant) {
  const Product product;
  for (const auto& [name, what] : std::map<std::string, std::string>{
           {"trch", "there is no environment 'trch'"},
           {"torch@2.1", "the environment torch has no version '2.1'"},
           {"a/b", "'a/b' is no name of an environment"}}) {
    try {
      find_lock(product.places.share, name, "cpu");
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), what);
      EXPECT_NE(error.hint.find("torch"), std::string::npos) << error.hint;
    }
  }
}

TEST(EnvironmentSite, LiesWhereItsLockSays) {
  const Product product;
  const auto site = product.site("torch");
  const auto hash = sha256_of("torch==2.0\n");
  EXPECT_EQ(site.lock_hash, hash);
  EXPECT_EQ(site.directory,
            product.places.cache / "environments" / ("torch-2.0-cpu-" + hash.substr(0, 12)));
  EXPECT_EQ(site.title(), "torch 2.0 cpu");
  EXPECT_EQ(lock_text(site), "torch==2.0\n");
  EXPECT_EQ(python_of(site), site.directory / "bin/python");
}

TEST(EnvironmentSite, IsReadyOnlyWithItsMark) {
  Product product;
  const auto site = product.site("torch");
  EXPECT_NE(what_is_missing(site).value().find("there is no"), std::string::npos);
  fs::create_directories(site.directory);
  EXPECT_NE(what_is_missing(site).value().find("is not complete"), std::string::npos);
  product.complete(site);
  EXPECT_EQ(what_is_missing(site), std::nullopt);
  auto other = *read_mark(site.directory);
  EXPECT_EQ(other.bytes, 42u);
  other.lock_hash = "another";
  write_mark(site.directory, other);
  EXPECT_NE(what_is_missing(site).value().find("another lock"), std::string::npos);
  fs::remove(site.directory / "bin/python");
  other.lock_hash = site.lock_hash;
  write_mark(site.directory, other);
  EXPECT_NE(what_is_missing(site).value().find("cannot be run"), std::string::npos)
      << "the Python that it was made of may be gone";
  product.host.write(fs::relative(mark_file(site.directory), product.host.root()), "{ half");
  EXPECT_NE(what_is_missing(site).value().find("is not complete"), std::string::npos);
}

TEST(EnvironmentSite, OfAStudysOwnIsKnownByAllThatItIncludes) {
  Product product;
  product.host.write("study/req.txt", "-r more.txt\nnumpy");
  product.host.write("study/more.txt", "scipy\n-r req.txt");  // a circle is no trouble
  EnvironmentChoice choice;
  choice.requirements = "req.txt";
  const auto site = [&] { return site_of(choice, product.places, product.host.root() / "study"); };
  const auto first = site();
  EXPECT_EQ(first.label, "req.txt");
  EXPECT_NE(first.lock.find("scipy"), std::string::npos);
  product.host.write("study/more.txt", "scipy==2");
  EXPECT_NE(site().directory, first.directory);
  const auto second = site();
  choice.python = "/usr/bin/python3.11";
  EXPECT_NE(site().directory, second.directory) << "another Python is another environment";
  choice.requirements = "none.txt";
  EXPECT_THROW(site(), Error);
}

TEST(EnvironmentSite, OfOtherKindsIsTakenAsItIs) {
  Product product;
  product.host.write("venv/bin/python", "");
  chmod((product.host.root() / "venv/bin/python").c_str(), 0755);
  EXPECT_EQ(what_is_missing(product.site("./venv")), std::nullopt);
  EXPECT_EQ(product.site("./venv").directory, product.host.root() / "venv");
  EXPECT_NE(what_is_missing(product.site("./none")), std::nullopt);
  EnvironmentChoice conda;
  conda.conda = "prefix";
  product.host.write("prefix/conda-meta/numpy-base-1.26.4-py311h_0.json", "");
  product.host.write("prefix/conda-meta/history", "");
  const auto site = site_of(conda, product.places, product.host.root());
  EXPECT_EQ(what_is_missing(site), std::nullopt);
  EXPECT_EQ(lock_text(site), "numpy-base==1.26.4\n");
}

TEST(EnvironmentSites, OfAStudyAreListedOnce) {
  const Product product;
  Study study;
  study.factors = {{"framework", {"torch", "flow"}}, {"size", {"1", "2"}}};
  study.workload.command = {"{environment:torch@1.9}/bin/python"};
  study.workload.environment.name = "{framework}";
  Override own;
  own.where = {{"framework", "flow"}, {"size", "2"}};
  own.workload.environment.conda = "/prefix";
  own.keys = {"environment"};
  study.overrides = {own};
  Names titles;
  for (const auto& site : sites_of(study, cells_of(study), product.places))
    titles.push_back(site.title());
  EXPECT_EQ(titles, (Names{"torch 2.0 cpu", "torch 1.9 cpu", "flow 3 cpu", "/prefix"}));
}

TEST(CachedEnvironments, TellTheLockThatTheyBelongTo) {
  Product product;
  const auto torch = product.site("torch");
  product.complete(torch);
  product.host.write("cache/environments/old-tool-1.0-cpu-0123456789ab/file", "x");
  product.host.write("cache/environments/something/file", "x");
  product.host.write("cache/environments/.torch.lock", "1");
  const auto all = cached_environments(product.places);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "old-tool");
  EXPECT_EQ(all[0].version, "1.0");
  EXPECT_FALSE(all[0].is_complete);
  EXPECT_TRUE(all[0].lock.empty());
  EXPECT_GT(all[0].bytes, 0u);
  EXPECT_TRUE(all[1].is_complete);
  EXPECT_EQ(all[1].lock, torch.lock_file);
  EXPECT_EQ(all[1].bytes, 42u);
}

TEST(Surroundings, PutAnEnvironmentsProgramsFirst) {
  Product product;
  Launch launch;
  launch.argv = {"python", "x.py"};
  launch.environment = {{"PATH", "/study"}, {"A", "1"}};
  const auto site = product.site("torch");
  surround(launch, site, {});
  const std::map<std::string, std::string> variables(launch.environment.begin(),
                                                     launch.environment.end());
  EXPECT_EQ(variables.at("PATH"), (site.directory / "bin").string() + ":/study");
  EXPECT_EQ(variables.at("VIRTUAL_ENV"), site.directory);
  EXPECT_EQ(launch.environment.size(), 3u) << "a variable is there once";
  EXPECT_EQ(launch.argv.front(), "python");
}

TEST(Surroundings, NameTheInterpreterThatWasAskedFor) {
  Product product;
  EnvironmentChoice choice;
  choice.interpreter = "/opt/p/bin/python3.9";
  const auto site = site_of(choice, product.places, "/study");
  for (const auto& [said, run] : std::map<std::string, std::string>{
           {"python", "/opt/p/bin/python3.9"}, {"python3", "/opt/p/bin/python3.9"}, {"sh", "sh"}}) {
    Launch launch;
    launch.argv = {said, "x"};
    surround(launch, site, {});
    EXPECT_EQ(launch.argv, (Names{run, "x"}));
    EXPECT_TRUE(launch.environment.at(0).second.starts_with("/opt/p/bin:"));
  }
}

}  // namespace
}  // namespace prengdl
