// SPDX-License-Identifier: Apache-2.0
//
// How long the exact rank tests take: prints "NAME MILLISECONDS P", the median of seven, for the
// samples of the file that is given (bench/findings makes it): lines "NAME A... | B...".
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "stats/rank_sum.h"

int main(int count, char** words) {
  if (count != 2) return 2;
  std::ifstream file(words[1]);
  for (std::string line; std::getline(file, line);) {
    std::istringstream text(line);
    std::string name;
    std::string word;
    text >> name;
    std::vector<double> samples[2];
    std::size_t which = 0;
    while (text >> word) {
      if (word == "|")
        which = 1;
      else
        samples[which].push_back(std::stod(word));
    }
    std::vector<double> times;
    double p = 0;
    for (int i = 0; i < 7; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const auto test = prengdl::rank_sum(samples[0], samples[1]);
      const auto end = std::chrono::steady_clock::now();
      if (!test) return 1;
      p = test->p;
      times.push_back(std::chrono::duration<double, std::milli>(end - begin).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%s %.3f %.17g\n", name.c_str(), times[3], p);
  }
  return 0;
}
