// SPDX-License-Identifier: Apache-2.0
#include "environments/container.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"

namespace prengdl {
namespace {

using Words = std::vector<std::string>;

EnvironmentChoice choice_of(const std::string& engine, const std::string& image) {
  EnvironmentChoice choice;
  choice.engine = engine;
  choice.container = image;
  return choice;
}

Launch launch_of_python() {
  Launch launch;
  launch.argv = {"python", "train.py"};
  launch.directory = "/study";
  launch.environment = {{"OMP_NUM_THREADS", "2"}, {"TEXT", "a,b c"}};
  return launch;
}

const ContainerView view{"prengdl-b0001-1", {"/study", "/study/x.result", "/data"}};

TEST(Container, RunsTheCommandWithWhatItNeedsOfTheMachine) {
  auto launch = launch_of_python();
  launch.cpus = {0, 2};
  auto choice = choice_of("podman", "pytorch:2");
  choice.options = {"--device", "nvidia.com/gpu=all"};
  wrap_in_container(launch, image_of(choice, "/cache", "/study"), view);
  EXPECT_EQ(launch.argv, (Words{"podman",
                                "run",
                                "--rm",
                                "--name",
                                "prengdl-b0001-1",
                                "--interactive",
                                "--workdir",
                                "/study",
                                "--volume",
                                "/data:/data",
                                "--volume",
                                "/study:/study",
                                "--env",
                                "PRENGDL_EVENTS",
                                "--env",
                                "OMP_NUM_THREADS=2",
                                "--env",
                                "TEXT=a,b c",
                                "--cpuset-cpus",
                                "0,2",
                                "--device",
                                "nvidia.com/gpu=all",
                                "pytorch:2",
                                "python",
                                "train.py"}))
      << "what lies in another mount is there already";
  EXPECT_TRUE(launch.environment.empty()) << "they are the workload's, not the engine's";
}

TEST(Container, OfDockerWritesAsTheUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  auto launch = launch_of_python();
  auto of_root = launch;
  of_root.as_root = true;
  ASSERT_EQ(setegid(100), 0);
  ASSERT_EQ(seteuid(1000), 0);
  for (auto* one : {&launch, &of_root})
    wrap_in_container(*one, image_of(choice_of("docker", "i"), "/cache", "/study"), view);
  ASSERT_EQ(seteuid(0), 0);
  ASSERT_EQ(setegid(0), 0);
  const auto user = std::find(launch.argv.begin(), launch.argv.end(), "--user");
  ASSERT_NE(user, launch.argv.end());
  EXPECT_EQ(*(user + 1), "1000:100");
  EXPECT_EQ(std::find(of_root.argv.begin(), of_root.argv.end(), "--user"), of_root.argv.end());
}

TEST(Container, OfApptainerGetsVariablesThatMayHoldCommas) {
  auto launch = launch_of_python();
  auto choice = choice_of("apptainer", "images/torch.sif");
  choice.options = {"--nv"};
  wrap_in_container(launch, image_of(choice, "/cache", "/study"), view);
  EXPECT_EQ(launch.argv,
            (Words{"apptainer", "exec", "--pwd", "/study", "--bind", "/data", "--bind", "/study",
                   "--nv", "/study/images/torch.sif", "python", "train.py"}));
  EXPECT_EQ(launch.environment[1],
            std::pair(std::string("APPTAINERENV_TEXT"), std::string("a,b c")));
}

TEST(Container, ImagesOfRegistriesAreFilesOfTheCacheForApptainer) {
  const auto image = image_of(choice_of("apptainer", "docker://debian:12"), "/cache", "/study");
  EXPECT_TRUE(image.used.starts_with("/cache/images/"));
  EXPECT_TRUE(image.used.ends_with(".sif"));
  EXPECT_EQ(image_of(choice_of("podman", "debian:12"), "/cache", "/study").used, "debian:12");
}

TEST(Container, IsEndedWhereItWouldOutliveItsEngine) {
  EXPECT_EQ(ending_of_container(image_of(choice_of("podman", "i"), "", ""), view),
            (Words{"podman", "rm", "--force", "prengdl-b0001-1"}));
  EXPECT_TRUE(ending_of_container(image_of(choice_of("apptainer", "i"), "", ""), view).empty());
}

TEST(Container, RefusesPathsThatItsOptionsCannotName) {
  for (const auto* path : {"/a:b", "/a,b", "/"}) {
    auto launch = launch_of_python();
    EXPECT_THROW(wrap_in_container(launch, image_of(choice_of("podman", "i"), "", ""),
                                   ContainerView{"n", {path}}),
                 Error)
        << path;
  }
}

TEST(Container, AnEngineThatIsNotThereIsSaid) {
  const auto missing = missing_image(image_of(choice_of("no-such-engine", "i"), "", ""));
  ASSERT_TRUE(missing);
  EXPECT_NE(missing->find("no-such-engine"), std::string::npos);
}

}  // namespace
}  // namespace prengdl
