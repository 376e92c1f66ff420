// SPDX-License-Identifier: Apache-2.0
#include "profile/cprofile_command.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

using Words = std::vector<std::string>;

TEST(UnderCProfile, StandsBetweenTheInterpreterAndWhatItRuns) {
  EXPECT_EQ(
      under_cprofile({"python", "-m", "workloads", "pytorch", "ncf"}, "/r/a.prof"),
      (Words{"python", "-m", "cProfile", "-o", "/r/a.prof", "-m", "workloads", "pytorch", "ncf"}));
  EXPECT_EQ(
      under_cprofile({"/opt/env/bin/python3.11", "-u", "-X", "dev", "train.py", "-m", "2"}, "p"),
      (Words{"/opt/env/bin/python3.11", "-u", "-X", "dev", "-m", "cProfile", "-o", "p", "train.py",
             "-m", "2"}));
}

TEST(UnderCProfile, IsNotForWhatCannotBeProfiled) {
  EXPECT_EQ(under_cprofile({"awk", "-f", "x"}, "p"), std::nullopt);
  EXPECT_EQ(under_cprofile({"python3-config", "x"}, "p"), std::nullopt);
  EXPECT_EQ(under_cprofile({"python3", "-c", "print(1)"}, "p"), std::nullopt);
  EXPECT_EQ(under_cprofile({"python3", "-"}, "p"), std::nullopt);
  EXPECT_EQ(under_cprofile({"python3"}, "p"), std::nullopt);
  EXPECT_EQ(under_cprofile({}, "p"), std::nullopt);
}

}  // namespace
}  // namespace prengdl
