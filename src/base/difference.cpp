// SPDX-License-Identifier: Apache-2.0
#include "base/difference.h"

#include <algorithm>

#include "base/strings.h"

namespace prengdl {
namespace {

constexpr std::size_t most_compared = 2000;  // lines: the table has the square of that

}  // namespace

std::vector<std::string> difference(std::string_view before, std::string_view after,
                                    std::size_t most) {
  auto a = split(before, '\n');
  auto b = split(after, '\n');
  // What both begin and end with need not be compared.
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.pop_back();
    b.pop_back();
  }
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  a.erase(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(same));
  b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(same));
  a.resize(std::min(a.size(), most_compared));
  b.resize(std::min(b.size(), most_compared));

  // common[i][j]: the most lines that a from i and b from j have in common, in order.
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> common((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i * width + j] =
          a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
  std::vector<std::string> lines;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      lines.push_back("-" + std::string(a[i++]));
    } else {
      lines.push_back("+" + std::string(b[j++]));
    }
  }
  if (lines.size() > most) {
    const std::size_t left = lines.size() - most;
    lines.resize(most);
    lines.push_back("... and " + std::to_string(left) + " more lines");
  }
  return lines;
}

}  // namespace prengdl
