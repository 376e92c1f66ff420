// SPDX-License-Identifier: Apache-2.0
#include "environments/making_trouble.h"

#include <gtest/gtest.h>

#include "environments/completion_mark.h"

namespace prengdl {
namespace {

const Making making{"pytorch 2.15.0 cpu", "/cache/environments/x",
                    "/cache/environments/x/setup.log"};

struct Said {
  const char* output;
  const char* what;
  const char* next;
};

void expect(const std::vector<Said>& all) {
  for (const auto& [output, what, next] : all) {
    const auto error = making_error(making, output);
    EXPECT_EQ(std::string(error.what()).find("cannot make the environment pytorch 2.15.0 cpu: "),
              0u);
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    EXPECT_NE(error.hint.find(next), std::string::npos) << error.hint;
  }
}

TEST(EnvironmentTrouble, WordsOfUv) {
  expect({
      {"error: Failed to download `torch==2.15.0`\n  cause: Hash mismatch for `torch==2.15.0`\n",
       "the file of torch==2.15.0 that came is not the one that the lock names", "do not use it"},
      {"error: Request failed after 3 retries\n  cause: Failed to fetch\n  cause: dns error\n",
       "no way to the index", "UV_DEFAULT_INDEX"},
      {"error: Failed to install: x.whl\n  cause: No space left on device (os error 28)\n",
       "the disk with /cache/environments/x is full", "--cache"},
      {"  x No solution found\n because torch==9 has no wheels with a matching Python ABI tag\n",
       "no package", "Python 3.11"},
      {"error: failed to create directory `/cache`: Permission denied (os error 13)\n",
       "cannot be written", "--cache"},
  });
}

TEST(EnvironmentTrouble, WordsOfPip) {
  expect({
      {"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you...\n"
       "    numpy==2.4.6 from http://x/numpy.whl (from -r cpu.lock (line 1)):\n"
       "        Expected sha256 00\n             Got        11\n",
       "the file of numpy==2.4.6 that came", "do not use it"},
      {"WARNING: Retrying after connection broken by 'NewConnectionError('<x>: Failed to establish "
       "a "
       "new connection: [Errno 111] Connection refused')'\nERROR: No matching distribution found "
       "for "
       "numpy==2.4.6\n",
       "no way to the index", "PIP_INDEX_URL"},
      {"ERROR: No matching distribution found for mxnet==1.9.1\n",
       "there is no package of mxnet==1.9.1 for this machine", "setup.log"},
      {"The virtual environment was not created successfully because ensurepip is not available.\n",
       "this Python cannot make environments", "apt-get install python3-venv"},
      {"ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n",
       "is full", "--cache"},
  });
}

TEST(EnvironmentTrouble, WordsThatNobodyKnowsAreHandedOn) {
  expect({{"something\nerror: the moon is full\nand more\n", "the moon is full", "setup.log"},
          {"one\ntwo\n\n", "two", "setup.log"},
          {"", "without a word", "setup.log"}});
}

TEST(EnvironmentMark, TakesTheLastObjectThatACheckPrinted) {
  EXPECT_EQ(check_in("warning\n{\"version\": \"1\"}\n"), "{\"version\":\"1\"}");
  EXPECT_EQ(check_in("{\"version\": \"1\"}\n{\"version\": \"2\"}\nbye"), "{\"version\":\"2\"}");
  EXPECT_EQ(check_in("{ no\nnothing"), std::nullopt);
  EXPECT_EQ(text_in_check("{\"version\":\"2\",\"n\":1}", "version"), "2");
  EXPECT_EQ(text_in_check("{\"version\":\"2\",\"n\":1}", "n"), "");
  EXPECT_EQ(text_in_check("", "n"), "");
}

}  // namespace
}  // namespace prengdl
