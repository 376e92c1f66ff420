// SPDX-License-Identifier: Apache-2.0
#include "environments/python_path.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

std::string path_of(const Launch& launch) {
  for (const auto& [name, value] : launch.environment)
    if (name == "PYTHONPATH") return value;
  return "none";
}

TEST(PythonPath, ThePackageComesLast) {
  Launch launch;
  append_to_python_path(launch, "/share/python", "");
  EXPECT_EQ(path_of(launch), "/share/python");
}

TEST(PythonPath, WhatIsInheritedStays) {
  Launch launch;
  launch.environment = {{"OTHER", "1"}};
  append_to_python_path(launch, "/share/python", "/mine:/yours");
  EXPECT_EQ(path_of(launch), "/mine:/yours:/share/python");
  EXPECT_EQ(launch.environment.size(), 2u);
}

TEST(PythonPath, WhatTheLaunchSaysTakesThePlaceOfWhatIsInherited) {
  Launch launch;
  launch.environment = {{"PYTHONPATH", "python"}};
  append_to_python_path(launch, "/share/python", "/mine");
  EXPECT_EQ(path_of(launch), "python:/share/python");
  EXPECT_EQ(launch.environment.size(), 1u);
}

}  // namespace
}  // namespace prengdl
