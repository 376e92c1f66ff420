// SPDX-License-Identifier: Apache-2.0
#include "base/suggestions.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace prengdl {

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const auto above = row[j + 1];
        row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (word[i] != candidate[j])});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string meant_or_known(const std::string& word, const std::vector<std::string>& known) {
  // The time for this grows with both lengths, and nobody mistypes a novel.
  const auto meant = word.size() <= 200 ? nearest(word, known) : std::nullopt;
  if (meant) return fmt::format("did you mean '{}'?", *meant);
  constexpr std::size_t most = 12;
  const std::vector<std::string> some(
      known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(most, known.size())));
  if (some.empty()) return "there are none";
  return fmt::format("there are {}{}", fmt::join(some, ", "), known.size() > most ? ", ..." : "");
}

}  // namespace prengdl
